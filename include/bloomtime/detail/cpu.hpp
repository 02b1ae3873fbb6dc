#pragma once

// Which vector code may be compiled and run. BLOOMTIME_PORTABLE leaves all of it out.
#if defined(__x86_64__) && !defined(BLOOMTIME_PORTABLE)
#define BLOOMTIME_X86 1
#define BLOOMTIME_AVX2 [[gnu::target("avx2")]]
#else
#define BLOOMTIME_X86 0
#endif

// Small hot functions are compiled into their caller, with the caller's instruction set; they never
// become symbols of their own that a differently compiled file might be linked to.
#define BLOOMTIME_INLINE [[gnu::always_inline]] inline

namespace bloomtime::detail {

// Asked once per bulk call.
bool cpu_has_avx2() noexcept;

}  // namespace bloomtime::detail
