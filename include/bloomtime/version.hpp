#pragma once

#include <string_view>

namespace bloomtime {

// The version of the library and of the command. CMake reads it from here.
inline constexpr std::string_view version = "0.2.0";

}  // namespace bloomtime
