#pragma once

// Which vector code is compiled and run. BLOOMTIME_PORTABLE disables all of it.
#if defined(__x86_64__) && !defined(BLOOMTIME_PORTABLE)
#define BLOOMTIME_X86 1
#define BLOOMTIME_AVX2 [[gnu::target("avx2")]]
#else
#define BLOOMTIME_X86 0
#endif
// Every 64-bit ARM has NEON, so nothing is chosen when the program runs.
#if defined(__ARM_NEON) && defined(__AARCH64EL__) && !defined(BLOOMTIME_PORTABLE)
#define BLOOMTIME_NEON 1
#else
#define BLOOMTIME_NEON 0
#endif

// Objects that are compiled for different instruction sets may be linked into one program. Of an
// inline function or a template that several objects contain, the linker keeps one copy; a copy
// with AVX2 must not be called by code that runs without AVX2. Four macros prevent that:
//
// - BLOOMTIME_INLINE: a small function that is always compiled into its caller, so it never becomes
//   a symbol.
// - BLOOMTIME_ISA: the name of the instruction set, for an inline namespace around templates and
//   inline functions.
// - BLOOMTIME_PER_ISA: adds that name to one function. For members of classes, since a class that
//   the library knows has the same name in all objects.
// - BLOOMTIME_VALUE(c): declares that c is copied, moved and destroyed by functions of the library,
//   which BLOOMTIME_VALUE_OF(c) defines. A std::variant or std::vector of c then only calls them.
//
// tests/instruction_sets checks all headers.
#define BLOOMTIME_INLINE [[gnu::always_inline]] inline

#if defined(__AVX512VPOPCNTDQ__) || defined(__AVX512VBMI__)
#define BLOOMTIME_ISA_VECTORS avx512_later
#elif defined(__AVX512F__)
#define BLOOMTIME_ISA_VECTORS avx512
#elif defined(__AVX2__)
#define BLOOMTIME_ISA_VECTORS avx2
#elif defined(__AVX__)
#define BLOOMTIME_ISA_VECTORS avx
#elif defined(__SSE4_2__)
#define BLOOMTIME_ISA_VECTORS sse4
#else
#define BLOOMTIME_ISA_VECTORS base
#endif
#if defined(__BMI2__) && defined(__LZCNT__) && defined(__FMA__)
#define BLOOMTIME_ISA_BITS all
#elif defined(__BMI2__)
#define BLOOMTIME_ISA_BITS bmi2
#elif defined(__BMI__) || defined(__LZCNT__)
#define BLOOMTIME_ISA_BITS bmi
#elif defined(__POPCNT__)
#define BLOOMTIME_ISA_BITS popcnt
#else
#define BLOOMTIME_ISA_BITS none
#endif
#define BLOOMTIME_JOIN(a, b) for_##a##_##b
#define BLOOMTIME_JOINED(a, b) BLOOMTIME_JOIN(a, b)
#define BLOOMTIME_TEXT(a) #a
#define BLOOMTIME_TEXT_OF(a) BLOOMTIME_TEXT(a)
#define BLOOMTIME_ISA BLOOMTIME_JOINED(BLOOMTIME_ISA_VECTORS, BLOOMTIME_ISA_BITS)
#define BLOOMTIME_PER_ISA [[gnu::abi_tag(BLOOMTIME_TEXT_OF(BLOOMTIME_ISA))]]

#define BLOOMTIME_VALUE(c)    \
  c(const c&);                \
  c(c&&) noexcept;            \
  c& operator=(const c&);     \
  c& operator=(c&&) noexcept; \
  ~c()
#define BLOOMTIME_VALUE_OF(c) BLOOMTIME_VALUE_OF_TEMPLATE(, c, c)
#define BLOOMTIME_VALUE_OF_TEMPLATE(head, c, type)    \
  head type::c(const c&) = default;                   \
  head type::c(c&&) noexcept = default;               \
  head type& type::operator=(const c&) = default;     \
  head type& type::operator=(c&&) noexcept = default; \
  head type::~c() = default

namespace bloomtime::detail {

// Evaluated once per bulk call.
bool cpu_has_avx2() noexcept;

}  // namespace bloomtime::detail
