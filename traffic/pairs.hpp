#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <bloomtime/math/random.hpp>

#include "traffic/event.hpp"
#include "traffic/pair_set.hpp"

namespace bloomtime::traffic {

// The distribution of an item's seconds. dense: runs of 3000 s on average in which it is seen in
// 95 % of all seconds, like a crawler; bursty: 300 s and 50 %, like people; uniform: anywhere.
enum class time_model { dense, bursty, uniform };

struct pairs_config {
  std::uint64_t records = 0;
  std::uint64_t items = 0;
  std::uint64_t pairs = 0;  // different (item, second)
  time_model model = time_model::bursty;
  std::optional<double> zipf = std::nullopt;  // instead of the weights 1 / (rank + 10)
  span_of_time when = {};
};

// The published sizes of the persistent Bloom filter's data sets: a day of requests to EDGAR, and a
// day of packets into a local network, which follows the rhythm of the day.
pairs_config like_edgar();
pairs_config like_network();

// Exactly the given numbers of records, items and pairs, in order of time. Throws bloomtime::error
// if that is impossible. Every item gets one pair; then items are drawn by weight and get runs
// until the pairs are complete; the other records are copies of random pairs. All pairs are made
// before the first event.
class pairs {
 public:
  pairs(const pairs_config& config, std::uint64_t seed);

  std::optional<event> operator()();

 private:
  bool refill();

  math::random_source random_;
  std::int64_t start_;
  std::vector<item_second> pairs_;
  std::vector<std::uint32_t> copies_;  // remaining records of each pair
  std::size_t pair_ = 0;
  std::int64_t second_ = 0;
  std::vector<item_number> shuffled_;  // next items of second_
  std::size_t next_ = 0;
};

}  // namespace bloomtime::traffic
