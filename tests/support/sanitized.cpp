#include "support/sanitized.hpp"

namespace bloomtime::support {

bool sanitized() noexcept {
#if defined(BLOOMTIME_SANITIZED)
  return true;
#else
  return false;
#endif
}

}  // namespace bloomtime::support
