#pragma once

#include <cstddef>
#include <span>

#include <bloomtime/heat/any_heat.hpp>
#include <bloomtime/tally/any_tally.hpp>

namespace bloomtime::store {

// The engines that a profile keeps the heat of a field in: a heat_table, or a heat_filter if the
// store was made by a version without tables.
struct profile_heat {
  // Throws error(corrupt) if the container holds another engine.
  static any_heat load(std::span<const std::byte> container);
};

// The engines that a profile keeps the totals of a field in: a tally_table, or a rising_tally if
// its memory is limited.
struct profile_totals {
  // Throws error(corrupt) if the container holds another engine.
  static any_tally load(std::span<const std::byte> container);
};

}  // namespace bloomtime::store
