#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <bloomtime/digest.hpp>
#include <bloomtime/time.hpp>

namespace bench {

// Pairs of an item and a time, sorted before they are queried.
class sorted_pairs {
 public:
  void add(bloomtime::digest d, bloomtime::instant t) { pairs_.push_back({d.lo, t.micros}); }
  void sort() {
    std::sort(pairs_.begin(), pairs_.end());
    pairs_.shrink_to_fit();
  }
  bool seen(bloomtime::digest d, bloomtime::instant from, bloomtime::instant to) const {
    const auto at = std::lower_bound(pairs_.begin(), pairs_.end(), pair{d.lo, from.micros});
    return at != pairs_.end() && at->first == d.lo && at->second <= to.micros;
  }
  std::uint64_t memory() const { return pairs_.capacity() * sizeof(pair); }

 private:
  using pair = std::pair<std::uint64_t, std::int64_t>;
  std::vector<pair> pairs_;
};

}  // namespace bench
