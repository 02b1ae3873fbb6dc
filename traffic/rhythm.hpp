#pragma once

#include <cstdint>

// The rhythm of a day, as integer weights of its seconds: a quiet night, a busy day, an evening
// that fades. Straight lines between the hours.
namespace bloomtime::traffic {

// Of a second since 1970.
std::uint64_t weight_at(std::uint64_t second);
// Of all seconds before this one.
std::uint64_t weight_before(std::uint64_t second);

std::uint64_t largest_weight();

}  // namespace bloomtime::traffic
