#pragma once

#include <cstdio>
#include <cstdlib>

namespace bloomtime::support {

// For fuzz targets: ends the process, so that the fuzzer keeps the input.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

}  // namespace bloomtime::support
