#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <bloomtime/time.hpp>

// When something was seen: intervals in the order of time that neither touch nor overlap.
namespace bloomtime {

using sightings = std::vector<interval>;

// Adds ticks that begin no earlier than the last interval.
void extend(sightings& seen, interval more);

std::uint64_t count_ticks(const sightings& seen) noexcept;

// The number of seen ticks in each of `parts` parts of `within`. All parts have the same length
// except the last ones, which are shorter or empty.
std::vector<std::uint64_t> histogram(const sightings& seen, interval within, std::size_t parts);

}  // namespace bloomtime
