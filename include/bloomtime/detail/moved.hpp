#pragma once

#include <string>

#include <bloomtime/error.hpp>

namespace bloomtime::detail {

// A filter that was moved from has no cells. Calls that cannot throw treat it as one that knows
// nothing and takes nothing; the others say so.
inline void expect_not_moved_from(bool has_cells, const char* what) {
  if (has_cells) return;
  throw error(errc::invalid_argument,
              std::string("this ") + what + " was moved from; assign another one to it first");
}

}  // namespace bloomtime::detail
