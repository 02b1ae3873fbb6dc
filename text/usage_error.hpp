#pragma once

#include <stdexcept>

namespace bloomtime::cli {

// What was typed cannot be done. what() is the sentence to print, with a way out.
class usage_error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace bloomtime::cli
