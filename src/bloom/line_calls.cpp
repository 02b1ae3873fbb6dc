#include <bloomtime/bloom/detail/line_bits.hpp>

#if BLOOMTIME_X86
namespace bloomtime::detail {
namespace {

// Both with functions that callers do not inline.
struct portable_calls {
  template <class Bits>
  static bool contains(const std::byte* line, Bits bits, digest d) noexcept {
    return portable::line_contains(line, bits, d);
  }
  template <class Bits>
  static bool set(std::byte* line, Bits bits, digest d) noexcept {
    return portable::line_set(line, bits, d);
  }
  template <class Bits>
  static unsigned insert(std::byte* line, Bits bits, digest d) noexcept {
    return portable::line_insert(line, bits, d);
  }
};

struct avx2_calls {
  template <class Bits>
  BLOOMTIME_AVX2 static bool contains(const std::byte* line, Bits bits, digest d) noexcept {
    return avx2::line_contains(line, bits, d);
  }
  template <class Bits>
  BLOOMTIME_AVX2 static bool set(std::byte* line, Bits bits, digest d) noexcept {
    return avx2::line_set(line, bits, d);
  }
  template <class Bits>
  BLOOMTIME_AVX2 static unsigned insert(std::byte* line, Bits bits, digest d) noexcept {
    return avx2::line_insert(line, bits, d);
  }
};

template <class Calls>
constexpr line_calls calls_of{
    Calls::template contains<const line_round&>, Calls::template contains<line_bits>,
    Calls::template set<const line_round&>,      Calls::template set<line_bits>,
    Calls::template insert<const line_round&>,   Calls::template insert<line_bits>};

}  // namespace

// Portable until objects are initialized, which other ones may depend on.
constinit line_calls chosen_calls = calls_of<portable_calls>;

namespace {
[[maybe_unused]] const bool is_chosen = [] {
  if (cpu_has_avx2()) chosen_calls = calls_of<avx2_calls>;
  return true;
}();
}  // namespace

}  // namespace bloomtime::detail
#endif
