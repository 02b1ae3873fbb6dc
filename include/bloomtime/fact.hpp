#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace bloomtime {

// One line of a filter's description: a name and a value.
struct fact {
  std::string name;
  std::variant<std::uint64_t, double, std::string> value;
};

// How long a description may take: constant time, or a scan of all cells.
enum class effort { constant, scan };

}  // namespace bloomtime
