#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace bloomtime::store {

// The default seed of stores, so that stores built separately can be merged.
inline constexpr std::uint64_t default_seed = 0;

std::uint64_t random_seed();

// Parses --seed: a number, or `random`, which gives nothing; an existing store or state then keeps
// its seed.
std::optional<std::uint64_t> parse_seed(const std::string& text);

}  // namespace bloomtime::store
