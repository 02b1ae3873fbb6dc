#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace bloomtime::cli {

// Of stores, so that those built apart can be merged.
inline constexpr std::uint64_t default_seed = 0;

std::uint64_t random_seed();

// What --seed says: a number, or `random` for one that nobody knows beforehand, which is nothing
// here: what exists already keeps its own.
std::optional<std::uint64_t> parse_seed(const std::string& text);

}  // namespace bloomtime::cli
