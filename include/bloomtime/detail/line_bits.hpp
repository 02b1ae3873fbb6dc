#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <bloomtime/detail/buffer.hpp>
#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/cpu.hpp>
#include <bloomtime/detail/probes.hpp>

// The bits of one item in a 64-byte line of eight 64-bit words: one bit in each of k neighbouring
// words (cyclically, from a word the digest picks), and for k > 8 a second one in k - 8 of them.
// Bits never share a word within a round, so a line is tested and set by a few vector operations.
namespace bloomtime::detail {

inline constexpr unsigned line_words = 8;
inline constexpr unsigned line_bit_count = 512;
inline constexpr unsigned max_line_k = 2 * line_words;

// windows[k][8 - start + j] is 1 where word j takes part in a round of k bits from word `start`.
using line_window = std::array<std::uint64_t, 2 * line_words>;
inline constexpr auto line_windows = [] {
  std::array<line_window, line_words + 1> windows{};
  for (unsigned k = 0; k <= line_words; ++k) {
    for (unsigned t = 0; t < 2 * line_words; ++t) windows[k][t] = t % line_words < k ? 1 : 0;
  }
  return windows;
}();

struct line_bits {
  std::uint64_t lines;
  unsigned k;

  constexpr std::uint64_t line(digest d) const noexcept { return reduce(d.hi, lines); }
  constexpr std::size_t offset(digest d) const noexcept { return line(d) * line_bytes; }

  static constexpr unsigned start(digest d) noexcept { return static_cast<unsigned>(d.lo >> 61); }
  // Six bits of each round's hash per word.
  static constexpr std::uint64_t first_hash(digest d) noexcept { return d.lo; }
  static constexpr std::uint64_t second_hash(digest d) noexcept { return probe(d, 1); }

  constexpr unsigned first_round() const noexcept { return k < line_words ? k : line_words; }
  constexpr unsigned second_round() const noexcept { return k - first_round(); }
};

// One round without vector instructions: calls use(word, mask) for each of its `count` bits.
template <class Use>
BLOOMTIME_INLINE void for_each_line_bit(std::uint64_t hash, unsigned start, unsigned count,
                                        Use&& use) noexcept {
  for (unsigned i = 0; i < count; ++i) {
    const unsigned word = (start + i) % line_words;
    use(word, std::uint64_t{1} << ((hash >> (6 * word)) & 63));
  }
}

namespace portable {

BLOOMTIME_INLINE bool line_contains(const std::byte* line, line_bits bits, digest d) noexcept {
  std::uint64_t missing = 0;
  const auto test = [&](unsigned word, std::uint64_t mask) {
    missing |= ~load_le64(line + 8 * word) & mask;
  };
  for_each_line_bit(bits.first_hash(d), bits.start(d), bits.first_round(), test);
  for_each_line_bit(bits.second_hash(d), bits.start(d), bits.second_round(), test);
  return missing == 0;
}

// Sets the bits and says how many of them were not set before.
BLOOMTIME_INLINE unsigned line_insert(std::byte* line, line_bits bits, digest d) noexcept {
  unsigned fresh = 0;
  const auto set = [&](unsigned word, std::uint64_t mask) {
    const std::uint64_t old = load_le64(line + 8 * word);
    fresh += (old & mask) == 0;
    store_le64(line + 8 * word, old | mask);
  };
  for_each_line_bit(bits.first_hash(d), bits.start(d), bits.first_round(), set);
  for_each_line_bit(bits.second_hash(d), bits.start(d), bits.second_round(), set);
  return fresh;
}

}  // namespace portable

#if BLOOMTIME_X86
namespace avx2 {

struct line_mask {
  __m256i low;
  __m256i high;
};

BLOOMTIME_AVX2 BLOOMTIME_INLINE __m256i load(const std::uint64_t* words) noexcept {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words));
}

BLOOMTIME_AVX2 BLOOMTIME_INLINE line_mask round_mask(std::uint64_t hash, unsigned start,
                                                     unsigned count) noexcept {
  const __m256i h = _mm256_set1_epi64x(static_cast<long long>(hash));
  const __m256i field = _mm256_set1_epi64x(63);
  const auto* window = line_windows[count].data() + line_words - start;
  const __m256i low = _mm256_srlv_epi64(h, _mm256_setr_epi64x(0, 6, 12, 18));
  const __m256i high = _mm256_srlv_epi64(h, _mm256_setr_epi64x(24, 30, 36, 42));
  return {_mm256_sllv_epi64(load(window), _mm256_and_si256(low, field)),
          _mm256_sllv_epi64(load(window + 4), _mm256_and_si256(high, field))};
}

BLOOMTIME_AVX2 BLOOMTIME_INLINE bool line_contains(const std::byte* line, line_bits bits,
                                                   digest d) noexcept {
  const auto* words = reinterpret_cast<const __m256i*>(line);
  line_mask mask = round_mask(bits.first_hash(d), bits.start(d), bits.first_round());
  if (bits.k > line_words) {
    const line_mask more = round_mask(bits.second_hash(d), bits.start(d), bits.second_round());
    mask = {_mm256_or_si256(mask.low, more.low), _mm256_or_si256(mask.high, more.high)};
  }
  return (_mm256_testc_si256(_mm256_load_si256(words), mask.low) &
          _mm256_testc_si256(_mm256_load_si256(words + 1), mask.high)) != 0;
}

// Within a round a word has at most one bit, so counting words with a missing bit counts bits.
BLOOMTIME_AVX2 BLOOMTIME_INLINE unsigned words_with_missing(__m256i word, __m256i mask) noexcept {
  const __m256i present = _mm256_cmpeq_epi64(_mm256_andnot_si256(word, mask), _mm256_setzero_si256());
  const int lanes = _mm256_movemask_pd(_mm256_castsi256_pd(present));
  return 4 - static_cast<unsigned>(std::popcount(static_cast<unsigned>(lanes)));
}

BLOOMTIME_AVX2 BLOOMTIME_INLINE unsigned set_round(__m256i* words, line_mask mask) noexcept {
  const __m256i low = _mm256_load_si256(words);
  const __m256i high = _mm256_load_si256(words + 1);
  _mm256_store_si256(words, _mm256_or_si256(low, mask.low));
  _mm256_store_si256(words + 1, _mm256_or_si256(high, mask.high));
  return words_with_missing(low, mask.low) + words_with_missing(high, mask.high);
}

BLOOMTIME_AVX2 BLOOMTIME_INLINE unsigned line_insert(std::byte* line, line_bits bits,
                                                     digest d) noexcept {
  auto* words = reinterpret_cast<__m256i*>(line);
  unsigned fresh = set_round(words, round_mask(bits.first_hash(d), bits.start(d), bits.first_round()));
  if (bits.k > line_words) {
    fresh += set_round(words, round_mask(bits.second_hash(d), bits.start(d), bits.second_round()));
  }
  return fresh;
}

}  // namespace avx2
#endif

// Single calls use whatever their caller is compiled for; bulk calls ask the processor.
#if BLOOMTIME_X86 && defined(__AVX2__)
namespace compiled = avx2;
#else
namespace compiled = portable;
#endif

struct line_kernels {
  void (*contains)(const std::byte* lines, line_bits bits, const digest* items, std::size_t count,
                   bool* answers) noexcept;
  std::uint64_t (*insert)(std::byte* lines, line_bits bits, const digest* items,
                          std::size_t count) noexcept;  // how many bits were not set before
};

const line_kernels& portable_line_kernels() noexcept;
const line_kernels& fastest_line_kernels() noexcept;

}  // namespace bloomtime::detail
