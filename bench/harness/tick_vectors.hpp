#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <bloomtime/detail/probes.hpp>
#include <bloomtime/digest.hpp>

#include "bench/harness/exact_map.hpp"

namespace bench {

// The reference of timelines: for every item the sorted vector of its ticks, found by an exact map
// of digests. seal() puts all vectors into one array, so that a question reads a slot of the map
// and then the ticks.
class tick_vectors {
 public:
  void add(std::uint64_t item, std::uint32_t tick) {
    std::uint64_t& number = lists_[bloomtime::digest_of(item)];
    if (number == 0) {
      open_.emplace_back();
      number = open_.size();
    }
    std::vector<std::uint32_t>& ticks = open_[number - 1];
    if (ticks.empty() || ticks.back() < tick) {
      ticks.push_back(tick);
    } else if (ticks.back() != tick) {
      const auto place = std::lower_bound(ticks.begin(), ticks.end(), tick);
      if (*place != tick) ticks.insert(place, tick);
    }
  }

  void seal() {
    std::vector<std::uint64_t> places;
    for (const auto& ticks : open_) {
      places.push_back(ticks_.size() << count_bits | ticks.size());
      ticks_.insert(ticks_.end(), ticks.begin(), ticks.end());
    }
    lists_.for_each([&](std::uint64_t& number) { number = places[number - 1]; });
    open_ = {};
  }

  bool seen(std::uint64_t item, std::uint32_t from, std::uint32_t to) const noexcept {
    const std::uint64_t* const place = lists_.find(bloomtime::digest_of(item));
    return place != nullptr && seen_at(*place, from, to);
  }

  // Fetches the slots of a block of items, then the middle of their ticks, then answers.
  template <class Question>
  std::uint64_t count_seen(std::span<const Question> questions) const noexcept {
    constexpr std::size_t block = 32;
    std::array<bloomtime::digest, block> items;
    std::array<std::uint64_t, block> places;
    std::uint64_t seen = 0;
    for (std::size_t first = 0; first < questions.size(); first += block) {
      const std::size_t count = std::min(block, questions.size() - first);
      for (std::size_t i = 0; i < count; ++i) {
        items[i] = bloomtime::digest_of(std::uint64_t{questions[first + i].item});
        lists_.prefetch(items[i]);
      }
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t* const place = lists_.find(items[i]);
        places[i] = place == nullptr ? 0 : *place;
        const std::size_t middle = (places[i] >> count_bits) + (places[i] & most_count) / 2;
        bloomtime::detail::prefetch_read(reinterpret_cast<const std::byte*>(&ticks_[middle]));
      }
      for (std::size_t i = 0; i < count; ++i) {
        const Question& q = questions[first + i];
        seen += seen_at(places[i], q.from, q.to);
      }
    }
    return seen;
  }

  std::uint64_t memory() const noexcept {
    return lists_.memory() + ticks_.capacity() * sizeof(std::uint32_t);
  }

 private:
  static constexpr unsigned count_bits = 24;
  static constexpr std::uint64_t most_count = (1 << count_bits) - 1;

  bool seen_at(std::uint64_t place, std::uint32_t from, std::uint32_t to) const noexcept {
    const std::uint32_t* const begin = ticks_.data() + (place >> count_bits);
    const std::uint32_t* const end = begin + (place & most_count);
    const std::uint32_t* const found = std::lower_bound(begin, end, from);
    return found != end && *found <= to;
  }

  exact_map lists_;
  std::vector<std::vector<std::uint32_t>> open_;
  std::vector<std::uint32_t> ticks_;
};

}  // namespace bench
