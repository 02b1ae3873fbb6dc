#include "bench/peers/peers.hpp"

#include <malloc.h>

#if __has_include(<absl/container/flat_hash_map.h>)
#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <utility>

#include "bench/harness/faded.hpp"
#include "bench/peers/sightings.hpp"

namespace bench {
namespace {

using bloomtime::digest;
using bloomtime::instant;

struct low_bits {
  std::size_t operator()(digest d) const noexcept { return d.lo; }
};
template <class Value>
using flat_map = absl::flat_hash_map<digest, Value, low_bits>;

// abseil's table with the memory that it has from malloc.
template <class Value>
struct table {
  std::uint64_t before = heap_in_use();
  flat_map<Value> map = {};

  std::uint64_t memory() const { return heap_in_use() - before; }
};

constexpr auto find = [](const auto& e, digest d) { return e.map.contains(d); };

candidate row(std::function<figures(std::uint64_t)> run) {
  return {"abseil's `flat_hash_map`", "exact", false, 0, std::move(run)};
}

// The seconds of every item, in order.
struct lists : table<std::vector<std::uint32_t>> {
  void add(digest d, instant t) { map[d].push_back(second_of(t)); }
  bool seen(digest d, instant from, instant to) const {
    const auto found = map.find(d);
    if (found == map.end()) return false;
    const auto& seconds = found->second;
    const auto first = std::lower_bound(seconds.begin(), seconds.end(), second_of(from));
    return first != seconds.end() && *first <= second_of(to);
  }
};

}  // namespace

std::vector<candidate> absl_candidates(subject asked) {
  const auto count = [](std::uint64_t) { return table<std::uint64_t>(); };
  switch (asked) {
    case subject::ever:
      return {row(trial(
          count, [](auto& e, digest d, instant) { e.map[d] = 1; }, find))};
    case subject::recency:
      return {row(trial(
          count,
          [](auto& e, digest d, instant t) { e.map[d] = static_cast<std::uint64_t>(t.micros); },
          find))};
    case subject::heat:
      return {row(trial(
          count, [](auto& e, digest d, instant t) { add_faded(e.map[d], t); },
          [](const auto& e, digest d) {
            const auto found = e.map.find(d);
            return found == e.map.end() ? 0 : faded_at(found->second, second_of(last_event));
          }))};
    case subject::tally:
      return {row(trial(
          count, [](auto& e, digest d, instant) { ++e.map[d]; }, find))};
    case subject::history:
      return {{"abseil's `flat_hash_map` of lists", "exact", false, 0,
               history_trial([](std::uint64_t) { return lists(); }, [](auto&) {})}};
  }
  return {};
}

#else
namespace bench {
std::vector<candidate> absl_candidates(subject) { return {}; }
#endif

std::uint64_t heap_in_use() {
  const struct mallinfo2 all = mallinfo2();
  return all.uordblks + all.hblkhd;
}

}  // namespace bench
