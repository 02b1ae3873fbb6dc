#pragma once

#include <cstdint>
#include <string>

// Where a store keeps its tally.
namespace bloomtime::store {

inline constexpr std::uint64_t default_tally_memory = 16'000'000;

inline std::string tally_role(const std::string& item) { return "tally." + item; }

}  // namespace bloomtime::store
