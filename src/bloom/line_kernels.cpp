#include <bloomtime/detail/line_kernels.hpp>

#include <algorithm>
#include <array>

#include <bloomtime/detail/line_bits_avx2.hpp>

namespace bloomtime::detail {
namespace {

template <bool write>
BLOOMTIME_INLINE void fetch(const std::byte* lines, line_bits bits, digest_block& block,
                            std::size_t i) noexcept {
  const std::size_t offset = bits.offset(block[i]);
  block.offset[i] = offset;
  if constexpr (write) {
    prefetch_write(lines + offset);
  } else {
    prefetch_read(lines + offset);
  }
}

}  // namespace

namespace portable {
namespace {

void contains(const std::byte* lines, line_bits bits, const digest_block& now, digest_block& next,
              bool* answers) noexcept {
  for (std::size_t i = 0; i < next.count; ++i) fetch<false>(lines, bits, next, i);
  for (std::size_t i = 0; i < now.count; ++i) {
    answers[i] = line_contains(lines + now.offset[i], bits, now[i]);
  }
}

std::uint64_t insert(std::byte* lines, line_bits bits, const digest_block& now,
                     digest_block& next) noexcept {
  for (std::size_t i = 0; i < next.count; ++i) fetch<true>(lines, bits, next, i);
  std::uint64_t fresh = 0;
  for (std::size_t i = 0; i < now.count; ++i) {
    fresh += line_insert(lines + now.offset[i], bits, now[i]);
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

// The rounds of all items of a call. k is known to be at most 8, or to be more.
template <bool two_rounds>
struct line_rounds {
  const line_round& first;
  const line_round& second;

  explicit line_rounds(line_bits bits) noexcept
      : first(line_windows[bits.first_round()]), second(line_windows[bits.second_round()]) {}

  BLOOMTIME_AVX2 BLOOMTIME_INLINE bool contains(const std::byte* line, digest d) const noexcept {
    line_mask mask = first_mask(first, d);
    if constexpr (two_rounds) {
      const line_mask more = second_mask(second, d);
      mask = {_mm256_or_si256(mask.low, more.low), _mm256_or_si256(mask.high, more.high)};
    }
    return has(line, mask);
  }

  // Takes one off four counters for every word that lacked nothing.
  BLOOMTIME_AVX2 BLOOMTIME_INLINE __m256i insert(std::byte* line, digest d,
                                                 __m256i counters) const noexcept {
    line_mask complete = set(line, first_mask(first, d));
    counters = _mm256_add_epi64(counters, _mm256_add_epi64(complete.low, complete.high));
    if constexpr (two_rounds) {
      complete = set(line, second_mask(second, d));
      counters = _mm256_add_epi64(counters, _mm256_add_epi64(complete.low, complete.high));
    }
    return counters;
  }
};

// One line is asked for with every line used: that spreads the misses evenly.
template <bool two_rounds>
BLOOMTIME_AVX2 void contains(const std::byte* lines, line_bits bits, const digest_block& now,
                             digest_block& next, bool* answers) noexcept {
  const line_rounds<two_rounds> rounds(bits);
  const std::size_t both = std::min(now.count, next.count);
  for (std::size_t i = 0; i < both; ++i) {
    fetch<false>(lines, bits, next, i);
    answers[i] = rounds.contains(lines + now.offset[i], now[i]);
  }
  for (std::size_t i = both; i < next.count; ++i) fetch<false>(lines, bits, next, i);
  for (std::size_t i = both; i < now.count; ++i) {
    answers[i] = rounds.contains(lines + now.offset[i], now[i]);
  }
}

template <bool two_rounds>
BLOOMTIME_AVX2 std::uint64_t insert(std::byte* lines, line_bits bits, const digest_block& now,
                                    digest_block& next) noexcept {
  const line_rounds<two_rounds> rounds(bits);
  const std::size_t both = std::min(now.count, next.count);
  __m256i counters = _mm256_setzero_si256();
  for (std::size_t i = 0; i < both; ++i) {
    fetch<true>(lines, bits, next, i);
    counters = rounds.insert(lines + now.offset[i], now[i], counters);
  }
  for (std::size_t i = both; i < next.count; ++i) fetch<true>(lines, bits, next, i);
  for (std::size_t i = both; i < now.count; ++i) {
    counters = rounds.insert(lines + now.offset[i], now[i], counters);
  }
  std::array<std::uint64_t, 4> counter;
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(counter.data()), counters);
  const std::uint64_t words = (two_rounds ? 2 : 1) * line_words * now.count;
  return words + counter[0] + counter[1] + counter[2] + counter[3];
}

void contains(const std::byte* lines, line_bits bits, const digest_block& now, digest_block& next,
              bool* answers) noexcept {
  return bits.k > line_words ? contains<true>(lines, bits, now, next, answers)
                             : contains<false>(lines, bits, now, next, answers);
}

std::uint64_t insert(std::byte* lines, line_bits bits, const digest_block& now,
                     digest_block& next) noexcept {
  return bits.k > line_words ? insert<true>(lines, bits, now, next)
                             : insert<false>(lines, bits, now, next);
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
