#pragma once

#include <array>
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
// The round of filters that have only one of it, or null.
constexpr const line_round* one_round(layout kind, unsigned k) noexcept {
  return kind == layout::line && k <= line_words ? &line_windows[k] : nullptr;
}
inline unsigned k_of(const line_round& round) noexcept {
  return static_cast<unsigned>(&round - line_windows.data());
}

struct line_bits {
  std::uint64_t lines;
  unsigned k;

  constexpr std::uint64_t line(digest d) const noexcept { return reduce(d.hi, lines); }
  // line(d) * line_bytes with one operation less.
  constexpr std::size_t offset(digest d) const noexcept {
    return reduce(d.hi, lines * line_bytes) & ~std::uint64_t{line_bytes - 1};
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

// For k <= 8, with line_windows[k].
BLOOMTIME_INLINE bool line_contains(const std::byte* line, const line_round& round,
                                    digest d) noexcept {
  return line_contains(line, line_bits{.lines = 1, .k = k_of(round)}, d);
}
BLOOMTIME_INLINE unsigned line_insert(std::byte* line, const line_round& round, digest d) noexcept {
  return line_insert(line, line_bits{.lines = 1, .k = k_of(round)}, d);
}

}  // namespace portable

}  // namespace bloomtime::detail
