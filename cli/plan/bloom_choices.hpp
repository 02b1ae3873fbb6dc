#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <bloomtime/bloom/bloom_filter.hpp>
#include <bloomtime/math/bloom.hpp>

#include "cli/plan/table.hpp"

namespace bloomtime::cli {

struct bloom_choice {
  std::string variant;  // flat, line, line_2
  math::bloom_size size{};
  std::optional<unsigned> bits_per_word;  // of a line
  bool recommended = false;

  // The configuration that builds exactly this filter, if there is one.
  std::optional<bloom_config> config;
};

// Every filter that can be built for the target; exactly one is recommended. line_2 is listed only
// if it differs from line.
std::vector<bloom_choice> bloom_choices(const plan_target& target);

// Memory of an exact answer: a std::unordered_set of 8-byte keys has a 32-byte node per item and
// one to two 8-byte bucket pointers, 1.5 on average between two rehashes.
inline constexpr std::uint64_t hash_set_bytes_per_item = 32 + 12;

}  // namespace bloomtime::cli
