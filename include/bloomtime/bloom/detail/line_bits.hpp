#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <bloomtime/detail/buffer.hpp>
#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/cpu.hpp>
#include <bloomtime/detail/probes.hpp>

#if BLOOMTIME_NEON
#include <arm_neon.h>
#endif

// The bits of one item in a 64-byte line of eight 64-bit words: one bit in each of k neighbouring
// words (cyclically, from a word that the digest selects), and for k > 8 a second one in k - 8 of
// them. Bits never share a word within a round, so a line is tested and set by a few vector
// operations.
namespace bloomtime::detail {

inline constexpr unsigned line_words = 8;
inline constexpr unsigned line_bit_count = 512;
inline constexpr unsigned max_line_k = 2 * line_words;

// line_windows[k][start][j] is 1 where word j takes part in a round of k bits from word `start`.
using line_window = std::array<std::uint64_t, line_words>;
using line_round = std::array<line_window, line_words>;
alignas(line_bytes) inline constexpr auto line_windows = [] {
  std::array<line_round, line_words + 1> windows{};
  for (unsigned k = 0; k <= line_words; ++k) {
    for (unsigned start = 0; start < line_words; ++start) {
      for (unsigned i = 0; i < k; ++i) windows[k][start][(start + i) % line_words] = 1;
    }
  }
  return windows;
}();
// The round of a filter that has only one, or null.
constexpr const line_round* one_round(layout kind, unsigned k) noexcept {
  return kind == layout::line && k <= line_words ? &line_windows[k] : nullptr;
}
constexpr unsigned k_of(const line_round& round) noexcept {
  return static_cast<unsigned>(&round - line_windows.data());
}

struct line_bits {
  std::uint64_t lines;
  unsigned k;

  constexpr std::uint64_t line(digest d) const noexcept { return reduce(d.hi, lines); }
  // line(d) * line_bytes with one operation less.
  constexpr std::size_t offset(digest d) const noexcept { return offset_in(lines * line_bytes, d); }
  // The same if the size of all lines together is known.
  static constexpr std::size_t offset_in(std::uint64_t bytes, digest d) noexcept {
    return reduce(d.hi, bytes) & ~std::uint64_t{line_bytes - 1};
  }

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

// Sets the bits and returns how many of them were clear before. line_set() returns only whether any
// was, which takes fewer operations with vectors.
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

// For k <= 8, with line_windows[k].
BLOOMTIME_INLINE bool line_contains(const std::byte* line, const line_round& round,
                                    digest d) noexcept {
  return line_contains(line, line_bits{.lines = 1, .k = k_of(round)}, d);
}
BLOOMTIME_INLINE unsigned line_insert(std::byte* line, const line_round& round, digest d) noexcept {
  return line_insert(line, line_bits{.lines = 1, .k = k_of(round)}, d);
}

template <class Bits>
BLOOMTIME_INLINE bool line_set(std::byte* line, const Bits& bits, digest d) noexcept {
  return line_insert(line, bits, d) != 0;
}

}  // namespace portable

#if BLOOMTIME_NEON
namespace neon {

// Two words.
BLOOMTIME_INLINE uint64x2_t load(const void* words) noexcept {
  return vreinterpretq_u64_u8(vld1q_u8(static_cast<const std::uint8_t*>(words)));
}

// use(offset, bits of a round, those that the line lacks) for each pair of words.
template <class Use>
BLOOMTIME_INLINE void for_each_pair(const std::byte* line, std::uint64_t hash,
                                    const line_window& window, Use&& use) noexcept {
  for (int word = 0; word < static_cast<int>(line_words); word += 2) {
    const int64x2_t right = {-6 * word, -6 * (word + 1)};
    const uint64x2_t at = vandq_u64(vshlq_u64(vdupq_n_u64(hash), right), vdupq_n_u64(63));
    const uint64x2_t wants = vshlq_u64(load(&window[word]), vreinterpretq_s64_u64(at));
    use(8 * word, wants, vbicq_u64(wants, load(line + 8 * word)));
  }
}

BLOOMTIME_INLINE bool has_any(uint64x2_t v) noexcept {
  return vmaxvq_u32(vreinterpretq_u32_u64(v)) != 0;
}

// The bits of a round that the line lacks, from all pairs of words.
BLOOMTIME_INLINE uint64x2_t missing(const std::byte* line, std::uint64_t hash,
                                    const line_window& window) noexcept {
  uint64x2_t all = vdupq_n_u64(0);
  for_each_pair(line, hash, window,
                [&](int, uint64x2_t, uint64x2_t lacks) { all = vorrq_u64(all, lacks); });
  return all;
}

// Sets the bits of a round and returns how many words lacked one.
BLOOMTIME_INLINE unsigned set(std::byte* line, std::uint64_t hash,
                              const line_window& window) noexcept {
  uint64x2_t fresh = vdupq_n_u64(0);
  for_each_pair(line, hash, window, [&](int offset, uint64x2_t wants, uint64x2_t lacks) {
    fresh = vsubq_u64(fresh, vtstq_u64(lacks, lacks));  // minus all ones
    std::byte* const pair = line + offset;
    vst1q_u8(reinterpret_cast<std::uint8_t*>(pair),
             vreinterpretq_u8_u64(vorrq_u64(load(pair), wants)));
  });
  return static_cast<unsigned>(vaddvq_u64(fresh));
}

// For k <= 8, with line_windows[k].
BLOOMTIME_INLINE bool line_contains(const std::byte* line, const line_round& round,
                                    digest d) noexcept {
  return !has_any(missing(line, line_bits::first_hash(d), round[line_bits::start(d)]));
}
BLOOMTIME_INLINE unsigned line_insert(std::byte* line, const line_round& round, digest d) noexcept {
  return set(line, line_bits::first_hash(d), round[line_bits::start(d)]);
}

BLOOMTIME_INLINE bool line_contains(const std::byte* line, line_bits bits, digest d) noexcept {
  if (!line_contains(line, line_windows[bits.first_round()], d)) return false;
  if (bits.k <= line_words) return true;
  const line_round& second = line_windows[bits.second_round()];
  return !has_any(missing(line, line_bits::second_hash(d), second[line_bits::start(d)]));
}
BLOOMTIME_INLINE unsigned line_insert(std::byte* line, line_bits bits, digest d) noexcept {
  const unsigned fresh = line_insert(line, line_windows[bits.first_round()], d);
  if (bits.k <= line_words) return fresh;
  const line_round& second = line_windows[bits.second_round()];
  return fresh + set(line, line_bits::second_hash(d), second[line_bits::start(d)]);
}

template <class Bits>
BLOOMTIME_INLINE bool line_set(std::byte* line, const Bits& bits, digest d) noexcept {
  return line_insert(line, bits, d) != 0;
}

}  // namespace neon
#endif

#if BLOOMTIME_X86
namespace avx2 {

// Four words, in the vectors that both compilers have without <immintrin.h>, which would cost every
// file that includes a filter half a second.
using words = std::uint64_t __attribute__((vector_size(32), may_alias));

struct line_halves {
  words low;
  words high;
};

BLOOMTIME_AVX2 BLOOMTIME_INLINE line_halves load(const std::byte* line) noexcept {
  const auto* halves = reinterpret_cast<const words*>(line);
  return {halves[0], halves[1]};
}

// round[line_bits::start(d)], by a shift and a mask: one operation less than an index takes.
BLOOMTIME_INLINE const std::byte* window_of(const line_round& round, digest d) noexcept {
  constexpr std::uint64_t last = (line_words - 1) * sizeof(line_window);
  return reinterpret_cast<const std::byte*>(round.data()) + (std::rotr(d.lo, 55) & last);
}

// The bit of each word that a round's hash selects.
BLOOMTIME_AVX2 BLOOMTIME_INLINE line_halves places(std::uint64_t hash) noexcept {
  const words h{hash, hash, hash, hash};
  return {(h >> words{0, 6, 12, 18}) & 63, (h >> words{24, 30, 36, 42}) & 63};
}

// Zero if the line has all bits of a round. It shifts the words instead of the window, so that the
// instruction that compares them can read the window from memory.
BLOOMTIME_AVX2 BLOOMTIME_INLINE words missing(const std::byte* line, std::uint64_t hash,
                                              const std::byte* window) noexcept {
  const line_halves at = places(hash);
  const line_halves has = load(line);
  const line_halves wants = load(window);
  return (~(has.low >> at.low) & wants.low) | (~(has.high >> at.high) & wants.high);
}

// Uses the carry flag, which can be added without converting it to a number first.
BLOOMTIME_AVX2 BLOOMTIME_INLINE bool is_zero(words v) noexcept {
  using vector = long long __attribute__((vector_size(32)));
  return __builtin_ia32_ptestc256(vector{}, reinterpret_cast<vector>(v)) != 0;
}

// Sets the bits of a round and returns all ones for every word that lacked nothing. Within a round
// a word has at most one bit, so counting the others counts the bits that were not set before.
BLOOMTIME_AVX2 BLOOMTIME_INLINE line_halves set(std::byte* line, std::uint64_t hash,
                                                const std::byte* window) noexcept {
  const line_halves at = places(hash);
  const line_halves has = load(line);
  const line_halves wants = load(window);
  const words low = wants.low << at.low;
  const words high = wants.high << at.high;
  auto* halves = reinterpret_cast<words*>(line);
  halves[0] = has.low | low;
  halves[1] = has.high | high;
  return {reinterpret_cast<words>((~has.low & low) == 0),
          reinterpret_cast<words>((~has.high & high) == 0)};
}

// After packing, each word is four bytes.
BLOOMTIME_AVX2 BLOOMTIME_INLINE unsigned lacking(line_halves complete) noexcept {
  using ints = int __attribute__((vector_size(32)));
  using chars = char __attribute__((vector_size(32)));
  const auto packed = __builtin_ia32_packssdw256(reinterpret_cast<ints>(complete.low),
                                                 reinterpret_cast<ints>(complete.high));
  const auto bytes =
      static_cast<unsigned>(__builtin_ia32_pmovmskb256(reinterpret_cast<chars>(packed)));
  return static_cast<unsigned>(std::popcount(~bytes)) / 4;
}

// As set(), but returns whether any word lacked something.
BLOOMTIME_AVX2 BLOOMTIME_INLINE words set_any(std::byte* line, std::uint64_t hash,
                                              const std::byte* window) noexcept {
  const line_halves at = places(hash);
  const line_halves has = load(line);
  const line_halves wants = load(window);
  const words low = wants.low << at.low;
  const words high = wants.high << at.high;
  auto* halves = reinterpret_cast<words*>(line);
  halves[0] = has.low | low;
  halves[1] = has.high | high;
  return (~has.low & low) | (~has.high & high);
}

// For k <= 8, with line_windows[k].
BLOOMTIME_AVX2 BLOOMTIME_INLINE bool line_contains(const std::byte* line, const line_round& round,
                                                   digest d) noexcept {
  return is_zero(missing(line, line_bits::first_hash(d), window_of(round, d)));
}
BLOOMTIME_AVX2 BLOOMTIME_INLINE unsigned line_insert(std::byte* line, const line_round& round,
                                                     digest d) noexcept {
  return lacking(set(line, line_bits::first_hash(d), window_of(round, d)));
}

BLOOMTIME_AVX2 BLOOMTIME_INLINE bool line_set(std::byte* line, const line_round& round,
                                              digest d) noexcept {
  return !is_zero(set_any(line, line_bits::first_hash(d), window_of(round, d)));
}

// Zero if every word has its bit of a round of eight, which needs no window.
BLOOMTIME_AVX2 BLOOMTIME_INLINE words missing_of_eight(const std::byte* line,
                                                       std::uint64_t hash) noexcept {
  const line_halves at = places(hash);
  const line_halves has = load(line);
  return ~((has.low >> at.low) & (has.high >> at.high)) & 1;
}

BLOOMTIME_AVX2 BLOOMTIME_INLINE bool line_contains(const std::byte* line, line_bits bits,
                                                   digest d) noexcept {
  if (bits.k <= line_words) return line_contains(line, line_windows[bits.k], d);
  const line_round& second = line_windows[bits.second_round()];
  const words one = missing_of_eight(line, line_bits::first_hash(d));
  const words two = missing(line, line_bits::second_hash(d), window_of(second, d));
  return is_zero(one | two);
}

BLOOMTIME_AVX2 BLOOMTIME_INLINE unsigned line_insert(std::byte* line, line_bits bits,
                                                     digest d) noexcept {
  const unsigned fresh = line_insert(line, line_windows[bits.first_round()], d);
  if (bits.k <= line_words) return fresh;
  const line_round& second = line_windows[bits.second_round()];
  return fresh + lacking(set(line, line_bits::second_hash(d), window_of(second, d)));
}
BLOOMTIME_AVX2 BLOOMTIME_INLINE bool line_set(std::byte* line, line_bits bits, digest d) noexcept {
  if (bits.k <= line_words) return line_set(line, line_windows[bits.k], d);
  const line_round& second = line_windows[bits.second_round()];
  const words one = set_any(line, line_bits::first_hash(d), window_of(line_windows[line_words], d));
  const words two = set_any(line, line_bits::second_hash(d), window_of(second, d));
  return !is_zero(one | two);
}

}  // namespace avx2

// Single calls of programs that are compiled without AVX2: functions with AVX2 if the processor has
// it, and portable ones otherwise. They are chosen once, when the program starts.
struct line_calls {
  bool (*contains_round)(const std::byte*, const line_round&, digest) noexcept;
  bool (*contains)(const std::byte*, line_bits, digest) noexcept;
  bool (*set_round)(std::byte*, const line_round&, digest) noexcept;
  bool (*set)(std::byte*, line_bits, digest) noexcept;
  unsigned (*insert_round)(std::byte*, const line_round&, digest) noexcept;
  unsigned (*insert)(std::byte*, line_bits, digest) noexcept;
};
extern line_calls chosen_calls;

namespace chosen {

BLOOMTIME_INLINE bool line_contains(const std::byte* line, const line_round& round,
                                    digest d) noexcept {
  return chosen_calls.contains_round(line, round, d);
}
BLOOMTIME_INLINE bool line_contains(const std::byte* line, line_bits bits, digest d) noexcept {
  return chosen_calls.contains(line, bits, d);
}
BLOOMTIME_INLINE bool line_set(std::byte* line, const line_round& round, digest d) noexcept {
  return chosen_calls.set_round(line, round, d);
}
BLOOMTIME_INLINE bool line_set(std::byte* line, line_bits bits, digest d) noexcept {
  return chosen_calls.set(line, bits, d);
}
BLOOMTIME_INLINE unsigned line_insert(std::byte* line, const line_round& round, digest d) noexcept {
  return chosen_calls.insert_round(line, round, d);
}
BLOOMTIME_INLINE unsigned line_insert(std::byte* line, line_bits bits, digest d) noexcept {
  return chosen_calls.insert(line, bits, d);
}

}  // namespace chosen
#endif

// What every processor of this architecture can do.
#if BLOOMTIME_NEON
namespace baseline = neon;
#else
namespace baseline = portable;
#endif

// Single calls are inline with AVX2 if their caller is compiled for it. Bulk calls (line_bulk.hpp)
// test what the processor supports.
#if BLOOMTIME_X86 && defined(__AVX2__)
namespace single = avx2;
#elif BLOOMTIME_X86
namespace single = chosen;
#else
namespace single = baseline;
#endif

}  // namespace bloomtime::detail
