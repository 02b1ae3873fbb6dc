#pragma once

#include <cstddef>

#include "support/sanitized.hpp"

namespace bloomtime::support {

// While it lives, the calls of operator new in this thread after the first `successes` throw
// std::bad_alloc. Not under sanitizers, which bring an operator new of their own.
class refused_new {
 public:
  static inline const bool works = !sanitized();

  explicit refused_new(std::size_t successes) noexcept;
  refused_new(const refused_new&) = delete;
  refused_new& operator=(const refused_new&) = delete;
  ~refused_new();
};

}  // namespace bloomtime::support
