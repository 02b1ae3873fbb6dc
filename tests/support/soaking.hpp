#pragma once

#include <cstdlib>

namespace bloomtime::support {

// Whether the tests of tests/soak are to do all they promise, which takes hours.
inline bool soaking() { return std::getenv("BLOOMTIME_SOAK") != nullptr; }

}  // namespace bloomtime::support
