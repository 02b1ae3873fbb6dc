#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <bloomtime/bloom/detail/line_bits.hpp>
#include <bloomtime/detail/bulk.hpp>

// Many items of the line layout at once. Each call tests once what the processor supports.
namespace bloomtime::detail {

namespace in_steps::inline BLOOMTIME_ISA {

template <item T>
void contains_lines(const std::byte* lines, line_bits bits, std::span<const T> items,
                    hash_seed seed, bool* answers) noexcept {
  in_blocks<1>(items, seed, [&](const auto& now, const auto& next, std::size_t first) {
    for (std::size_t i = 0; i < next.count; ++i) prefetch_read(lines + bits.offset(next[i]));
    for (std::size_t i = 0; i < now.count; ++i) {
      answers[first + i] = baseline::line_contains(lines + bits.offset(now[i]), bits, now[i]);
    }
  });
}

// Returns how many bits were clear before.
template <item T>
std::uint64_t insert_lines(std::byte* lines, line_bits bits, std::span<const T> items,
                           hash_seed seed) noexcept {
  std::uint64_t fresh = 0;
  in_blocks<1>(items, seed, [&](const auto& now, const auto& next, std::size_t) {
    for (std::size_t i = 0; i < next.count; ++i) prefetch_write(lines + bits.offset(next[i]));
    for (std::size_t i = 0; i < now.count; ++i) {
      fresh += baseline::line_insert(lines + bits.offset(now[i]), bits, now[i]);
    }
  });
  return fresh;
}

}  // namespace in_steps::inline BLOOMTIME_ISA

#if BLOOMTIME_X86
namespace avx2::inline BLOOMTIME_ISA {

// The number of items whose lines are prefetched ahead. Measured: 32 hide the latency of memory as
// well as 64, unless another thread shares the core.
inline constexpr std::size_t lines_ahead = 64;

struct line_queue {
  std::array<std::uint64_t, lines_ahead> lo;
  std::array<std::uint64_t, lines_ahead> hi;
  std::array<std::size_t, lines_ahead> offset;
};

// Hashes items, prefetches their lines, and calls use(line, digest, item number) lines_ahead items
// later. One loop does all three: the work in between spreads the cache misses evenly, and during a
// loop that only hashes the memory would be idle.
template <class Use, class Byte, item T>
BLOOMTIME_AVX2 void pass_lines(Byte* lines, line_bits bits, std::span<const T> items,
                               hash_seed seed, Use& use) noexcept {
  line_queue queue;
  const auto fetch = [&](std::size_t i, std::size_t slot) {
    const digest d = as_digest(items[i], seed);
    queue.lo[slot] = d.lo;
    queue.hi[slot] = d.hi;
    queue.offset[slot] = bits.offset(d);
    if constexpr (std::is_const_v<Byte>) {
      prefetch_read(lines + queue.offset[slot]);
    } else {
      prefetch_write(lines + queue.offset[slot]);
    }
  };
  const std::size_t count = items.size();
  for (std::size_t i = 0; i < std::min(count, lines_ahead); ++i) fetch(i, i);
  std::size_t first = 0;
  for (; first + 2 * lines_ahead <= count; first += lines_ahead) {
    for (std::size_t slot = 0; slot < lines_ahead; ++slot) {
      const digest d{queue.lo[slot], queue.hi[slot]};
      Byte* line = lines + queue.offset[slot];
      fetch(first + lines_ahead + slot, slot);
      use(line, d, first + slot);
    }
  }
  for (; first < count; ++first) {
    const std::size_t slot = first % lines_ahead;
    const digest d{queue.lo[slot], queue.hi[slot]};
    Byte* line = lines + queue.offset[slot];
    if (first + lines_ahead < count) fetch(first + lines_ahead, slot);
    use(line, d, first);
  }
}

// two_rounds: whether k is above 8.
template <bool two_rounds>
struct line_tester {
  const line_round& first;
  const line_round& second;
  bool* answers;

  BLOOMTIME_AVX2 BLOOMTIME_INLINE void operator()(const std::byte* line, digest d,
                                                  std::size_t i) const noexcept {
    words lacks = missing(line, line_bits::first_hash(d), window_of(first, d));
    if constexpr (two_rounds) {
      lacks |= missing(line, line_bits::second_hash(d), window_of(second, d));
    }
    answers[i] = is_zero(lacks);
  }
};

template <bool two_rounds>
struct line_setter {
  const line_round& first;
  const line_round& second;
  words complete;  // minus the number of words that lacked nothing, in four parts

  BLOOMTIME_AVX2 BLOOMTIME_INLINE void operator()(std::byte* line, digest d, std::size_t) noexcept {
    count(set(line, line_bits::first_hash(d), window_of(first, d)));
    if constexpr (two_rounds) count(set(line, line_bits::second_hash(d), window_of(second, d)));
  }
  BLOOMTIME_AVX2 BLOOMTIME_INLINE void count(line_halves lacked_nothing) noexcept {
    complete += lacked_nothing.low + lacked_nothing.high;
  }
};

template <bool two_rounds, item T>
BLOOMTIME_AVX2 void contains_lines(const std::byte* lines, line_bits bits, std::span<const T> items,
                                   hash_seed seed, bool* answers) noexcept {
  const line_tester<two_rounds> test{line_windows[bits.first_round()],
                                     line_windows[bits.second_round()], answers};
  pass_lines(lines, bits, items, seed, test);
}

template <bool two_rounds, item T>
BLOOMTIME_AVX2 std::uint64_t insert_lines(std::byte* lines, line_bits bits,
                                          std::span<const T> items, hash_seed seed) noexcept {
  line_setter<two_rounds> setter{line_windows[bits.first_round()],
                                 line_windows[bits.second_round()], words{}};
  pass_lines(lines, bits, items, seed, setter);
  const words parts = setter.complete;
  const std::uint64_t all = (two_rounds ? 2 : 1) * line_words * items.size();
  return all + parts[0] + parts[1] + parts[2] + parts[3];
}

}  // namespace avx2::inline BLOOMTIME_ISA
#endif

inline namespace BLOOMTIME_ISA {

template <item T>
void contains_lines(const std::byte* lines, line_bits bits, std::span<const T> items,
                    hash_seed seed, bool* answers) noexcept {
#if BLOOMTIME_X86
  if (cpu_has_avx2()) {
    return bits.k > line_words ? avx2::contains_lines<true>(lines, bits, items, seed, answers)
                               : avx2::contains_lines<false>(lines, bits, items, seed, answers);
  }
#endif
  in_steps::contains_lines(lines, bits, items, seed, answers);
}

// Returns how many bits were clear before.
template <item T>
std::uint64_t insert_lines(std::byte* lines, line_bits bits, std::span<const T> items,
                           hash_seed seed) noexcept {
#if BLOOMTIME_X86
  if (cpu_has_avx2()) {
    return bits.k > line_words ? avx2::insert_lines<true>(lines, bits, items, seed)
                               : avx2::insert_lines<false>(lines, bits, items, seed);
  }
#endif
  return in_steps::insert_lines(lines, bits, items, seed);
}

}  // namespace BLOOMTIME_ISA
}  // namespace bloomtime::detail
