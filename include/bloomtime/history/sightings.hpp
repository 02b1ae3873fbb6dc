#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <bloomtime/time.hpp>

// When something was seen: intervals in the order of time that neither touch nor overlap.
namespace bloomtime {

using sightings = std::vector<interval>;

// Adds ticks that do not begin before any that is there.
void extend(sightings& seen, interval more);

std::uint64_t count_ticks(const sightings& seen) noexcept;

// How many ticks of `within` were seen in each of `parts` parts of it, all of the same length but
// the last ones, which are shorter or empty if they do not fit.
std::vector<std::uint64_t> histogram(const sightings& seen, interval within, std::size_t parts);

}  // namespace bloomtime
