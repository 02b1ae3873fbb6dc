#pragma once

#include <cstdint>
#include <optional>

namespace bloomtime::math {

// The smallest number from 1 to `limit` for which `holds` is true, if it is true for all larger
// ones. None if it is false for `limit`.
template <class Holds>
std::optional<std::uint64_t> least(std::uint64_t limit, Holds&& holds) {
  if (limit == 0 || !holds(limit)) return std::nullopt;
  std::uint64_t too_few = 0;
  while (limit - too_few > 1) {
    const std::uint64_t middle = too_few + (limit - too_few) / 2;
    (holds(middle) ? limit : too_few) = middle;
  }
  return limit;
}

}  // namespace bloomtime::math
