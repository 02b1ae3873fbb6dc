#pragma once

#include <cstdint>

namespace bloomtime::redis {

// How much so many more items may add to a table of this size: 16 bytes each, and a table grows in
// steps of up to a 16th.
constexpr std::uint64_t growth_of_table(std::uint64_t memory, std::uint64_t items) noexcept {
  return 16 * items + memory / 16 + 8192;
}

}  // namespace bloomtime::redis
