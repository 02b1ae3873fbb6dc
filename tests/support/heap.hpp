#pragma once

#include <malloc.h>

#include <cstdint>

#include "support/sanitized.hpp"

namespace bloomtime::support {

// Bytes that the C library has given out, with its own overhead.
struct heap {
  static inline const bool works = !sanitized();

  static std::uint64_t in_use() noexcept {
    const struct mallinfo2 info = mallinfo2();
    return std::uint64_t{info.uordblks} + std::uint64_t{info.hblkhd};
  }
};

}  // namespace bloomtime::support
