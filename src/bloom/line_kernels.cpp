#include <bloomtime/detail/line_bits.hpp>

namespace bloomtime::detail {
namespace portable {
namespace {

void contains(const std::byte* lines, line_bits bits, const digest* items, std::size_t count,
              bool* answers) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    answers[i] = line_contains(lines + bits.offset(items[i]), bits, items[i]);
  }
}

std::uint64_t insert(std::byte* lines, line_bits bits, const digest* items,
                     std::size_t count) noexcept {
  std::uint64_t fresh = 0;
  for (std::size_t i = 0; i < count; ++i) {
    fresh += line_insert(lines + bits.offset(items[i]), bits, items[i]);
  }
  return fresh;
}

}  // namespace
}  // namespace portable

const line_kernels& portable_line_kernels() noexcept {
  static constexpr line_kernels kernels{portable::contains, portable::insert};
  return kernels;
}

#if BLOOMTIME_X86
namespace avx2 {
namespace {

BLOOMTIME_AVX2 void contains(const std::byte* lines, line_bits bits, const digest* items,
                             std::size_t count, bool* answers) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    answers[i] = line_contains(lines + bits.offset(items[i]), bits, items[i]);
  }
}

BLOOMTIME_AVX2 std::uint64_t insert(std::byte* lines, line_bits bits, const digest* items,
                                    std::size_t count) noexcept {
  std::uint64_t fresh = 0;
  for (std::size_t i = 0; i < count; ++i) {
    fresh += line_insert(lines + bits.offset(items[i]), bits, items[i]);
  }
  return fresh;
}

}  // namespace
}  // namespace avx2

const line_kernels& fastest_line_kernels() noexcept {
  static constexpr line_kernels kernels{avx2::contains, avx2::insert};
  return cpu_has_avx2() ? kernels : portable_line_kernels();
}
#else
const line_kernels& fastest_line_kernels() noexcept { return portable_line_kernels(); }
#endif

}  // namespace bloomtime::detail
