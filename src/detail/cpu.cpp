#include <bloomtime/detail/cpu.hpp>

namespace bloomtime::detail {

bool cpu_has_avx2() noexcept {
#if BLOOMTIME_X86
  static const bool has = __builtin_cpu_supports("avx2") != 0;
  return has;
#else
  return false;
#endif
}

}  // namespace bloomtime::detail
