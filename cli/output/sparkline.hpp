#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace bloomtime::cli {

// Counts as a row of bars from ▁ to █, the highest being the largest of them; · where there is
// none.
std::string sparkline(std::span<const std::uint64_t> counts);

}  // namespace bloomtime::cli
