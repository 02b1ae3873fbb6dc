#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <bloomtime/detail/buffer.hpp>
#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/cpu.hpp>
#include <bloomtime/detail/print_block.hpp>

namespace bloomtime::detail {

// Finds slots with payloads in a range, in blocks of one form.
//
// Compares the payloads of several entries at once. The bit above a payload is the lowest bit of
// the next entry; rests are masked out, so it is free for a carry. (An entry without a rest has no
// such bit, so it is compared alone.) The results are these bits, `width` bits apart. The product
// with `gather` has them side by side, in its highest bits: there the sums i width + (lanes - 1 -
// i) (width - 1) are consecutive, and with at most width - 1 lanes no other product meets them.
class payload_range {
 public:
  // Payloads x with (x - from) modulo 2^payload_bits < below <= 2^payload_bits - 1.
  BLOOMTIME_INLINE payload_range(const print_form& form, std::uint64_t from,
                                 std::uint64_t below) noexcept
      : from_(from),
        below_(below),
        most_(print_block::ones(form.payload_bits)),
        slots_(form.slots),
        lanes_(form.lanes),
        step_(form.lanes * form.width),
        entries_at_(form.entries_at),
        payloads_(form.lane_ones * most_),
        above_(form.lane_ones << form.payload_bits),
        minus_from_(above_ - form.lane_ones * from),
        last_(above_ + form.lane_ones * below - form.lane_ones),
        gather_(form.gather << (63 - step_)) {}

  BLOOMTIME_INLINE bool has(std::uint64_t payload) const noexcept {
    return ((payload - from_) & most_) < below_;
  }
  // Bit i: slot i of the block is in use and has such a payload.
  BLOOMTIME_INLINE std::uint32_t slots_of(const print_block& block) const noexcept {
    std::uint32_t found = 0;
    add_slots_of(block.data(), std::span(&found, 1));
    return found & block.in_use();
  }
  // The same of blocks that lie side by side, but also of slots that are not in use.
  BLOOMTIME_INLINE void add_slots_of(const std::byte* at,
                                     std::span<std::uint32_t> found) const noexcept {
    unsigned bit = entries_at_;
    for (unsigned i = 0; i < slots_; i += lanes_, bit += step_) {
      const print_form::place p = print_form::place::of(bit);
      const std::byte* entries = at + p.byte;
      for (std::uint32_t& slots : found) {
        const std::uint64_t set = inside(load_le64(entries) >> p.shift);
        slots |= static_cast<std::uint32_t>(set * gather_ >> (64 - lanes_) << i);
        entries += line_bytes;
      }
    }
  }

 private:
  // The bit above each payload of these entries that is in the range.
  BLOOMTIME_INLINE std::uint64_t inside(std::uint64_t entries) const noexcept {
    const std::uint64_t since = ((entries & payloads_) + minus_from_) & payloads_;
    return (last_ - since) & above_;
  }

  std::uint64_t from_;
  std::uint64_t below_;
  std::uint64_t most_;
  unsigned slots_;
  unsigned lanes_;
  unsigned step_;
  unsigned entries_at_;
  std::uint64_t payloads_;
  std::uint64_t above_;
  std::uint64_t minus_from_;
  std::uint64_t last_;
  std::uint64_t gather_;
};

// Slots to remove from blocks of one form that lie side by side. Nothing predicts how many each
// block has, and a read of what was just written to a block would wait for it. So each round takes
// one slot from every block that is left.
class slot_removals {
 public:
  static constexpr std::size_t most_blocks = 64;

  // Slots in use, bit i for slot i of this block.
  BLOOMTIME_INLINE void add(std::size_t block, std::uint32_t slots) noexcept {
    list_[count_] = {static_cast<std::uint32_t>(block), slots};
    count_ += slots != 0 ? 1 : 0;
  }
  // The last slots of a block take the places of the removed ones, from the last of these on.
  BLOOMTIME_INLINE void remove_from(std::byte* at, const print_form& form) noexcept {
    while (count_ != 0) {
      const std::size_t left = std::exchange(count_, 0);
      for (std::size_t i = 0; i < left; ++i) {
        const auto [block, slots] = list_[i];
        const auto last = static_cast<unsigned>(std::bit_width(slots)) - 1;
        print_block(at + block * line_bytes, form).remove(last);
        add(block, slots ^ std::uint32_t{1} << last);
      }
    }
  }

 private:
  struct removal {
    std::uint32_t block;
    std::uint32_t slots;
  };
  std::array<removal, most_blocks> list_;
  std::size_t count_ = 0;
};

}  // namespace bloomtime::detail
