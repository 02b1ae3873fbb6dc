#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_set>

#include <bloomtime/bloom/bloom_filter.hpp>

#include "bench/harness/keys.hpp"
#include "bench/harness/measure.hpp"

namespace bench {

enum class calls { single, bulk };

// Half of its items are short keys, half long ones, so that one array serves both.
class bloom_subject {
 public:
  static constexpr bool has_bulk = true;

  bloom_subject(bloomtime::layout kind, std::uint64_t bits_per_item, std::uint64_t bytes)
      : config_{.items = bytes * 8 / bits_per_item, .memory = bytes, .layout = kind},
        filter_(config_) {}

  std::uint64_t items_per_key_type() const { return config_.items / 2; }
  unsigned k() const { return filter_.k(); }
  double bits_per_item() const {
    return static_cast<double>(filter_.bits()) / static_cast<double>(filter_.insertions());
  }

  void clear() { filter_ = bloomtime::bloom_filter(config_); }

  template <class Key>
  void insert(std::span<const Key> keys, calls how) {
    if (how == calls::bulk) {
      filter_.add_bulk(keys);
    } else {
      for (const Key& key : keys) filter_.add(key);
    }
  }

  template <class Key>
  std::uint64_t count_found(std::span<const Key> keys, calls how) {
    std::uint64_t found = 0;
    if (how == calls::bulk) {
      const auto answers = std::span(answers_).first(keys.size());
      filter_.may_contain_bulk(keys, answers);
      for (const bool answer : answers) found += answer;
    } else {
      for (const Key& key : keys) found += filter_.may_contain(key);
    }
    return found;
  }

 private:
  bloomtime::bloom_config config_;
  bloomtime::bloom_filter filter_;
  std::array<bool, block_size> answers_{};
};

// What certainty costs, for short keys.
class set_subject {
 public:
  static constexpr bool has_bulk = false;

  explicit set_subject(std::uint64_t items) : items_(items) { clear(); }

  std::uint64_t items_per_key_type() const { return items_; }
  unsigned k() const { return 1; }
  // A node of 16 bytes takes 32 of the usual allocator.
  double bits_per_item() const {
    const auto bytes = set_.bucket_count() * sizeof(void*) + set_.size() * 32;
    return static_cast<double>(bytes * 8) / static_cast<double>(set_.size());
  }

  void clear() {
    set_ = {};
    set_.reserve(items_);
  }
  void insert(std::span<const short_key> keys, calls) { set_.insert(keys.begin(), keys.end()); }
  std::uint64_t count_found(std::span<const short_key> keys, calls) {
    std::uint64_t found = 0;
    for (const short_key key : keys) found += set_.count(key);
    return found;
  }

 private:
  std::uint64_t items_;
  std::unordered_set<short_key> set_;
};

}  // namespace bench
