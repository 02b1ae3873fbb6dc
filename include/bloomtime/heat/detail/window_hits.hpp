#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/cpu.hpp>

namespace bloomtime::detail {

// How the hits of an item in a window are written: for every tick that has some, newest first, the
// low bits of the number of the tick and the number of hits. Both share one byte, or two if a
// window has more than 255 ticks; a number that does not fit follows in groups of seven bits.
//
// The epoch of hits is a tick: all of them are from `slots` ticks before it to `spare` ticks after
// it, and there are no more codes than such ticks. So old hits are never mistaken for later ones,
// however long nothing happens. Ticks are numbers modulo 2^64.
struct window_hits {
  static constexpr unsigned most_slots = 1023;
  static constexpr unsigned most_bytes = 12;  // of the hits of one tick

  struct hits {
    std::uint64_t code;
    std::uint64_t count;
  };

  unsigned slots = 0;  // hits of up to so many ticks ago count
  unsigned code_bits = 0;
  unsigned head_bytes = 0;  // of code and count
  std::uint64_t last_code = 0;
  std::uint64_t direct = 0;  // counts up to this one fit beside the code

  static constexpr window_hits of(unsigned slots) noexcept {
    window_hits h{.slots = slots};
    h.code_bits = static_cast<unsigned>(std::bit_width(slots));
    h.head_bytes = h.code_bits <= 8 ? 1 : 2;
    h.last_code = (std::uint64_t{1} << h.code_bits) - 1;
    h.direct = (std::uint64_t{1} << (8 * h.head_bytes - h.code_bits)) - 1;
    return h;
  }

  constexpr std::uint64_t spare() const noexcept { return last_code - slots; }
  constexpr std::uint64_t code(std::uint64_t tick) const noexcept { return tick & last_code; }
  // How many ticks before epoch + spare, the newest tick that there may be.
  constexpr std::uint64_t back(std::uint64_t code, std::uint64_t epoch) const noexcept {
    return (epoch + spare() - code) & last_code;
  }
  // Whether hits count, given how far the epoch is behind now, and whether all of them are within
  // the last `wanted` ticks: the oldest tick that counts begins before them.
  constexpr bool counts(std::uint64_t back, std::uint64_t behind) const noexcept {
    return counts(back, behind, slots);
  }
  constexpr bool counts(std::uint64_t back, std::uint64_t behind, unsigned wanted) const noexcept {
    return behind <= last_code && back + behind <= spare() + wanted;
  }
  constexpr bool within(std::uint64_t back, std::uint64_t behind, unsigned wanted) const noexcept {
    return behind <= last_code && back + behind < spare() + wanted;
  }

  constexpr unsigned size_of(std::uint64_t count) const noexcept {
    if (count <= direct) return head_bytes;
    const auto bits = static_cast<unsigned>(std::bit_width((count - direct - 1) | 1));
    return head_bytes + (bits + 6) / 7;
  }

  // Reads the hits of one tick and moves on. The bytes were written by write() or pass valid().
  BLOOMTIME_INLINE hits read(const std::byte*& at) const noexcept {
    std::uint64_t head = std::to_integer<std::uint64_t>(*at);
    if (head_bytes == 2) head |= std::to_integer<std::uint64_t>(at[1]) << 8;
    at += head_bytes;
    const std::uint64_t count = head >> code_bits;
    if (count < direct) [[likely]]
      return {head & last_code, count + 1};
    std::uint64_t more = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto group = std::to_integer<std::uint64_t>(*at++);
      more |= (group & 0x7f) << shift;
      if (group < 0x80) break;
    }
    return {head & last_code, more + direct + 1};
  }

  struct written {
    std::array<std::byte, most_bytes> bytes;
    unsigned size = 0;

    void put(std::uint64_t byte) noexcept { bytes[size++] = static_cast<std::byte>(byte); }
  };
  written write(const hits& h) const noexcept {
    written out;
    const std::uint64_t head = std::min(h.count - 1, direct) << code_bits | h.code;
    for (unsigned i = 0; i < head_bytes; ++i) out.put(head >> 8 * i & 0xff);
    if (h.count <= direct) return out;
    std::uint64_t more = h.count - direct - 1;
    for (; more >= 0x80; more >>= 7) out.put((more & 0x7f) | 0x80);
    out.put(more);
    return out;
  }

  // Whether the bytes are hits of ticks up to `latest` ticks after the epoch, as write() writes
  // them.
  bool valid(const std::byte* at, const std::byte* end, std::uint64_t epoch,
             std::uint64_t latest) const noexcept;
};

}  // namespace bloomtime::detail
