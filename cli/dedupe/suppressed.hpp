#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include <bloomtime/detail/process_key.hpp>
#include <bloomtime/digest.hpp>

namespace bloomtime::cli {

// Hashes `lo` of a digest with a random key, so that nobody can choose keys of the same bucket.
struct keyed_hash {
  std::uint64_t key = detail::process_key();

  std::size_t operator()(std::uint64_t lo) const noexcept { return detail::mix(lo ^ key); }
};

// Counts for each key how many lines were dropped since one passed. A key is forgotten after one to
// two times `most_keys` other keys were counted; complete() tells whether that happened.
class suppressed_lines {
 public:
  explicit suppressed_lines(std::uint64_t most_keys) : most_keys_(most_keys) {}

  void add(digest key, std::uint64_t lines = 1);
  std::uint64_t take(digest key);

  bool complete() const noexcept { return complete_; }
  std::uint64_t memory() const noexcept { return (young_.size() + old_.size()) * bytes_per_key; }
  std::uint64_t most_memory() const noexcept { return 2 * most_keys_ * bytes_per_key; }
  // `most_keys` for so many bytes, at least one.
  static constexpr std::uint64_t keys_in(std::uint64_t bytes) noexcept {
    return std::max<std::uint64_t>(1, bytes / (2 * bytes_per_key));
  }

  std::vector<std::byte> bytes() const;
  void read(std::span<const std::byte> bytes);

 private:
  // By `lo` of the digest.
  using counts = std::unordered_map<std::uint64_t, std::uint64_t, keyed_hash>;
  static std::uint64_t take_from(counts& some, digest key);
  // Key, count, link, overhead of the allocator, and bucket.
  static constexpr std::uint64_t bytes_per_key = 40;

  std::uint64_t most_keys_;  // of each
  bool complete_ = true;
  counts young_;
  counts old_;
};

}  // namespace bloomtime::cli
