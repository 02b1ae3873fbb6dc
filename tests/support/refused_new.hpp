#pragma once

#include <cstddef>

namespace bloomtime::support {

// While it lives, the calls of operator new in this thread after the first `successes` throw
// std::bad_alloc. Not under sanitizers, which bring an operator new of their own.
class refused_new {
 public:
#if defined(BLOOMTIME_SANITIZED)
  static constexpr bool works = false;
#else
  static constexpr bool works = true;
#endif

  explicit refused_new(std::size_t successes) noexcept;
  refused_new(const refused_new&) = delete;
  refused_new& operator=(const refused_new&) = delete;
  ~refused_new();
};

}  // namespace bloomtime::support
