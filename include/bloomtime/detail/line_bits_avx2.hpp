#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include <bloomtime/detail/cpu.hpp>
#include <bloomtime/detail/line_bits.hpp>

// line_bits by vectors. Only who needs it pays for the intrinsics: half a second of compile time.
#if BLOOMTIME_X86
#include <immintrin.h>

namespace bloomtime::detail {
namespace avx2 {

struct line_mask {
  __m256i low;
  __m256i high;
};

// round[line_bits::start(d)], by a shift and a mask: one operation less than an index takes.
BLOOMTIME_INLINE const std::byte* window_of(const line_round& round, digest d) noexcept {
  constexpr std::uint64_t last = (line_words - 1) * sizeof(line_window);
  return reinterpret_cast<const std::byte*>(round.data()) + ((d.lo >> 55) & last);
}

BLOOMTIME_AVX2 BLOOMTIME_INLINE line_mask round_mask(std::uint64_t hash,
                                                     const std::byte* words) noexcept {
  const __m256i h = _mm256_set1_epi64x(static_cast<long long>(hash));
  const __m256i field = _mm256_set1_epi64x(63);
  const auto* window = reinterpret_cast<const __m256i*>(words);
  const __m256i low = _mm256_srlv_epi64(h, _mm256_setr_epi64x(0, 6, 12, 18));
  const __m256i high = _mm256_srlv_epi64(h, _mm256_setr_epi64x(24, 30, 36, 42));
  return {_mm256_sllv_epi64(_mm256_load_si256(window), _mm256_and_si256(low, field)),
          _mm256_sllv_epi64(_mm256_load_si256(window + 1), _mm256_and_si256(high, field))};
}

BLOOMTIME_AVX2 BLOOMTIME_INLINE bool has(const std::byte* line, line_mask mask) noexcept {
  const auto* words = reinterpret_cast<const __m256i*>(line);
  const __m256i missing =
      _mm256_or_si256(_mm256_andnot_si256(_mm256_load_si256(words), mask.low),
                      _mm256_andnot_si256(_mm256_load_si256(words + 1), mask.high));
  return _mm256_testz_si256(missing, missing) != 0;
}

// Returns all ones for every word that lacked nothing. Within a round a word has at most one bit,
// so counting the others counts the bits that were not set before.
BLOOMTIME_AVX2 BLOOMTIME_INLINE line_mask set(std::byte* line, line_mask mask) noexcept {
  auto* words = reinterpret_cast<__m256i*>(line);
  const __m256i low = _mm256_load_si256(words);
  const __m256i high = _mm256_load_si256(words + 1);
  _mm256_store_si256(words, _mm256_or_si256(low, mask.low));
  _mm256_store_si256(words + 1, _mm256_or_si256(high, mask.high));
  const __m256i nothing = _mm256_setzero_si256();
  return {_mm256_cmpeq_epi64(_mm256_andnot_si256(low, mask.low), nothing),
          _mm256_cmpeq_epi64(_mm256_andnot_si256(high, mask.high), nothing)};
}

// A word is four of the bytes that packing leaves.
BLOOMTIME_AVX2 BLOOMTIME_INLINE unsigned lacking(line_mask complete) noexcept {
  const __m256i packed = _mm256_packs_epi32(complete.low, complete.high);
  const auto bytes = static_cast<unsigned>(_mm256_movemask_epi8(packed));
  return static_cast<unsigned>(std::popcount(~bytes)) / 4;
}

BLOOMTIME_AVX2 BLOOMTIME_INLINE line_mask first_mask(const line_round& round, digest d) noexcept {
  return round_mask(line_bits::first_hash(d), window_of(round, d));
}
BLOOMTIME_AVX2 BLOOMTIME_INLINE line_mask second_mask(const line_round& round, digest d) noexcept {
  return round_mask(line_bits::second_hash(d), window_of(round, d));
}

// For k <= 8, with line_windows[k].
BLOOMTIME_AVX2 BLOOMTIME_INLINE bool line_contains(const std::byte* line, const line_round& round,
                                                   digest d) noexcept {
  return has(line, first_mask(round, d));
}
BLOOMTIME_AVX2 BLOOMTIME_INLINE unsigned line_insert(std::byte* line, const line_round& round,
                                                     digest d) noexcept {
  return lacking(set(line, first_mask(round, d)));
}

BLOOMTIME_AVX2 BLOOMTIME_INLINE bool line_contains(const std::byte* line, line_bits bits,
                                                   digest d) noexcept {
  const line_mask one = first_mask(line_windows[bits.first_round()], d);
  if (bits.k <= line_words) return has(line, one);
  const line_mask two = second_mask(line_windows[bits.second_round()], d);
  return has(line, {_mm256_or_si256(one.low, two.low), _mm256_or_si256(one.high, two.high)});
}

BLOOMTIME_AVX2 BLOOMTIME_INLINE unsigned line_insert(std::byte* line, line_bits bits,
                                                     digest d) noexcept {
  unsigned fresh = lacking(set(line, first_mask(line_windows[bits.first_round()], d)));
  if (bits.k > line_words) {
    fresh += lacking(set(line, second_mask(line_windows[bits.second_round()], d)));
  }
  return fresh;
}

}  // namespace avx2

}  // namespace bloomtime::detail
#endif
