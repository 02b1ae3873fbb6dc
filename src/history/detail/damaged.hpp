#pragma once

#include <string>

#include <bloomtime/error.hpp>

namespace bloomtime::detail {

// `part` is a plural: "timelines".
[[noreturn]] inline void refuse_damaged(const std::string& part) {
  throw error(errc::corrupt, "the " + part + " of this history are damaged; restore the file");
}

}  // namespace bloomtime::detail
