#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <bloomtime/bloom/bloom_filter.hpp>
#include <bloomtime/math/bloom.hpp>

#include "cli/plan/target.hpp"

namespace bloomtime::cli {

struct bloom_choice {
  std::string key;   // flat, line, line_2
  std::string name;  // for people
  math::bloom_size size{};
  std::optional<unsigned> bits_per_word;  // of a line
  bool recommended = false;

  // The configuration that builds exactly this filter, if there is one.
  std::optional<bloom_config> config;
};

// Every filter that can be built for the target, exactly one of them recommended. Two bits per
// word are a choice of their own only where they differ from one.
std::vector<bloom_choice> bloom_choices(const plan_target& target);

// What an exact answer takes: a std::unordered_set of 8-byte keys has a 32-byte node per item and
// one to two 8-byte bucket pointers, on average between two growths 1.5.
inline constexpr std::uint64_t hash_set_bytes_per_item = 32 + 12;

}  // namespace bloomtime::cli
