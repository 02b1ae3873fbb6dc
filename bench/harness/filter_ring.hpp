#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <bloomtime/bloom/bloom_filter.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/outcome.hpp>

namespace bench {

// Ten generations of a window and one that is being filled: what a good engineer would write. The
// filters are blocked, one line per call, also where a flat one would be smaller and slower.
class filter_ring {
 public:
  filter_ring(std::uint64_t items, double error)
      : quota_((items + 9) / 10), empty_(blocked(quota_, error / generations)) {
    filters_.fill(empty_);
  }

  void add(bloomtime::digest x) {
    if (filled_++ == quota_) {
      filled_ = 1;
      newest_ = (newest_ + 1) % generations;
      filters_[newest_] = empty_;
    }
    filters_[newest_].add(x);
  }
  bool seen(bloomtime::digest x) const {
    for (std::size_t age = 0; age < generations; ++age) {
      if (filters_[(newest_ + generations - age) % generations].may_contain(x)) return true;
    }
    return false;
  }
  bloomtime::novelty add_if_new(bloomtime::digest x) {
    const bool known = seen(x);
    add(x);
    return {!known, bloomtime::outcome::added};
  }
  std::uint64_t memory() const noexcept { return generations * empty_.memory(); }

 private:
  static constexpr std::size_t generations = 11;

  static bloomtime::bloom_filter blocked(std::uint64_t items, double error) {
    bloomtime::bloom_filter planned({.items = items, .error = error});
    if (planned.layout() == bloomtime::layout::line) return planned;
    return bloomtime::bloom_filter(
        {.items = items, .error = error, .layout = bloomtime::layout::line});
  }

  std::uint64_t quota_;
  bloomtime::bloom_filter empty_;
  std::array<bloomtime::bloom_filter, generations> filters_{
      empty_, empty_, empty_, empty_, empty_, empty_, empty_, empty_, empty_, empty_, empty_};
  std::size_t newest_ = 0;
  std::uint64_t filled_ = 0;
};

}  // namespace bench
