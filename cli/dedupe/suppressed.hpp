#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include <bloomtime/digest.hpp>

namespace bloomtime::cli {

// How many lines of a key were dropped since one of it passed, for as many keys as a window may
// have; what does not fit is not counted, and that is told.
class suppressed_lines {
 public:
  explicit suppressed_lines(std::uint64_t most_keys) : most_keys_(most_keys) {}

  void add(digest key);
  std::uint64_t take(digest key);

  bool complete() const noexcept { return complete_; }
  std::uint64_t keys() const noexcept { return counts_.size(); }

  std::vector<std::byte> bytes() const;
  void read(std::span<const std::byte> bytes);

 private:
  std::uint64_t most_keys_;
  bool complete_ = true;
  std::unordered_map<std::uint64_t, std::uint64_t> counts_;
};

}  // namespace bloomtime::cli
