#pragma once

#include <stdexcept>

namespace bloomtime::text {

// The command line is wrong. what() is the message to print; it says how to fix it.
class usage_error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace bloomtime::text
