#pragma once

#include <cstddef>
#include <span>

#include <bloomtime/heat/any_heat.hpp>

namespace bloomtime::store {

// The engines that a profile keeps the heat of a field in: a heat_table, or a heat_filter if the
// store was made by a version without tables.
struct profile_heat {
  // Throws error(corrupt) if the container holds another engine.
  static any_heat load(std::span<const std::byte> container);
};

}  // namespace bloomtime::store
