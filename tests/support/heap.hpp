#pragma once

#include <malloc.h>

#include <cstdint>

namespace bloomtime::support {

// Bytes that the C library has given out, with its own overhead.
struct heap {
#if defined(BLOOMTIME_SANITIZED)
  static constexpr bool works = false;
#else
  static constexpr bool works = true;
#endif

  static std::uint64_t in_use() noexcept {
    const struct mallinfo2 info = mallinfo2();
    return std::uint64_t{info.uordblks} + std::uint64_t{info.hblkhd};
  }
};

}  // namespace bloomtime::support
