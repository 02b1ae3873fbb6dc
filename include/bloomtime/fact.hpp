#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace bloomtime {

// One line of what a filter says about itself.
struct fact {
  std::string name;
  std::variant<std::uint64_t, double, std::string> value;
};

}  // namespace bloomtime
