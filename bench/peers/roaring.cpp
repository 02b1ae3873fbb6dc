#include "bench/peers/peers.hpp"

#if __has_include(<roaring/roaring.hh>)
#include <roaring/roaring.hh>

#include <unordered_map>

#include "bench/peers/sightings.hpp"

namespace bench {
namespace {

using bloomtime::digest;
using bloomtime::instant;

struct low_bits {
  std::size_t operator()(digest d) const noexcept { return d.lo; }
};

// A bitmap of the seconds of the day for every item.
class bitmaps {
 public:
  void add(digest d, instant t) { of_[d].add(second_of(t)); }
  void pack() {
    for (auto& [d, seconds] : of_) {
      seconds.runOptimize();
      seconds.shrinkToFit();
    }
  }
  bool seen(digest d, instant from, instant to) const {
    const auto found = of_.find(d);
    if (found == of_.end()) return false;
    const std::uint32_t first = second_of(from);
    const std::uint64_t before = first == 0 ? 0 : found->second.rank(first - 1);
    return found->second.rank(second_of(to)) > before;
  }
  std::uint64_t memory() const { return heap_in_use() - before_; }

 private:
  static std::uint32_t second_of(instant t) {
    return static_cast<std::uint32_t>(t.micros / 1'000'000 % 86'400);
  }

  std::uint64_t before_ = heap_in_use();
  std::unordered_map<digest, Roaring, low_bits> of_;
};

}  // namespace

std::vector<candidate> roaring_candidates(subject asked) {
  if (asked != subject::history) return {};
  return {{"a Roaring bitmap per item", "exact; unions and intersections of items", false, 0,
           history_trial([](std::uint64_t) { return bitmaps(); }, [](bitmaps& b) { b.pack(); })}};
}

}  // namespace bench
#else
namespace bench {
std::vector<candidate> roaring_candidates(subject) { return {}; }
}  // namespace bench
#endif
