#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <bloomtime/detail/buffer.hpp>
#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/cpu.hpp>

#if BLOOMTIME_X86
#include <immintrin.h>
#elif BLOOMTIME_NEON
#include <arm_neon.h>
#endif

namespace bloomtime::detail {

// A fingerprint: the block it belongs to if a table never grew, and bits that distinguish it from
// others. Growth moves the low bits of `rest` into the address of the block; `tag` never moves.
struct print {
  std::uint64_t home = 0;
  std::uint64_t rest = 0;
  std::uint32_t tag = 0;

  friend bool operator==(const print&, const print&) = default;
};

inline constexpr unsigned tag_bits = 8;
inline constexpr unsigned most_entry_bits = 57;  // one 64-bit access reads an entry
inline constexpr unsigned most_key_bits = 60;    // of home, rest and tag together
inline constexpr unsigned slot_count_bits = 5;
inline constexpr unsigned most_slots = (1 << slot_count_bits) - 1;
inline constexpr unsigned most_mark_bits = 16;
inline constexpr std::uint64_t many_blocks = 8192;  // a table of so many exceeds caches

// The first value, or the second one if all bits of `second` are set rather than none: without a
// branch, where nothing predicts which.
BLOOMTIME_INLINE std::uint64_t either(std::uint64_t a, std::uint64_t b,
                                      std::uint64_t second) noexcept {
  return a ^ ((a ^ b) & second);
}
template <class T>
BLOOMTIME_INLINE T* either(T* a, T* b, std::uint64_t second) noexcept {
  const auto place = [](T* p) { return reinterpret_cast<std::uintptr_t>(p); };
  return reinterpret_cast<T*>(either(place(a), place(b), second));
}

// How a block of 64 bytes is divided: a tag byte per slot; then per slot an entry, which is the
// stored part of `rest` and above it the payload; in the last bits the number of slots in use, and
// above it the mark, which says what left the block for another one.
struct print_form {
  unsigned slots = 0;
  unsigned rest_bits = 0;
  unsigned payload_bits = 0;
  unsigned mark_bits = 0;
  // Entries that are compared at once, the lowest bit of each of their payloads, and the factor
  // that brings one bit of each entry together (payload_range).
  unsigned lanes = 0;
  std::uint64_t lane_ones = 0;
  std::uint64_t gather = 0;
  // What an access to an entry needs: its width, the first bit of entry 0, and the bits of an entry
  // and of its rest.
  unsigned width = 0;
  unsigned entries_at = 0;
  std::uint64_t entry_mask = 0;
  std::uint64_t rest_mask = 0;
  std::uint32_t slot_mask = 0;  // a bit per slot
  // Where an entry is: the byte that an access of 64 bits starts at, and the first bit of the entry
  // there. An access never leaves the block.
  struct place {
    std::uint8_t byte = 0;
    std::uint8_t shift = 0;

    static constexpr place of(unsigned bit) noexcept {
      const unsigned byte = std::min<unsigned>(bit / 8, line_bytes - 8);
      return {static_cast<std::uint8_t>(byte), static_cast<std::uint8_t>(bit - 8 * byte)};
    }
    friend bool operator==(const place&, const place&) = default;
  };
  std::array<place, most_slots> places{};

  static constexpr print_form of(unsigned rest_bits, unsigned payload_bits,
                                 unsigned mark_bits) noexcept {
    const unsigned room = line_bytes * 8 - slot_count_bits - mark_bits;
    const unsigned width = rest_bits + payload_bits;
    print_form made{std::min(most_slots, room / (tag_bits + width)), rest_bits, payload_bits,
                    mark_bits};
    const unsigned most_lanes = rest_bits == 0 ? 1 : most_entry_bits / width;
    made.lanes = std::max(1U, std::min(most_lanes, width - 1));
    for (unsigned i = 0; i < made.lanes; ++i) {
      made.lane_ones |= std::uint64_t{1} << (i * width + rest_bits);
      made.gather |= std::uint64_t{1} << i * (width - 1);
    }
    made.width = width;
    made.entries_at = tag_bits * made.slots;
    made.entry_mask = (std::uint64_t{1} << width) - 1;
    made.rest_mask = (std::uint64_t{1} << rest_bits) - 1;
    made.slot_mask = static_cast<std::uint32_t>((std::uint64_t{1} << made.slots) - 1);
    for (unsigned i = 0; i < made.slots; ++i) {
      made.places[i] = place::of(made.entries_at + i * width);
    }
    return made;
  }

  constexpr unsigned head_bits() const noexcept { return slot_count_bits + mark_bits; }

  friend bool operator==(const print_form&, const print_form&) = default;
};

// A view of one block. Slots 0 to count() - 1 are in use.
class print_block {
 public:
  struct slot {
    std::uint32_t tag;
    std::uint64_t rest;
    std::uint64_t payload;
  };

  BLOOMTIME_INLINE print_block(std::byte* at, const print_form& form) noexcept
      : at_(at), form_(&form) {}

  const print_form& form() const noexcept { return *form_; }
  std::byte* data() const noexcept { return at_; }

  BLOOMTIME_INLINE unsigned count() const noexcept { return head() & most_slots; }
  BLOOMTIME_INLINE std::uint32_t mark() const noexcept { return head() >> slot_count_bits; }
  BLOOMTIME_INLINE unsigned free() const noexcept { return form_->slots - count(); }
  // Neither slots in use nor a mark.
  BLOOMTIME_INLINE bool blank() const noexcept { return head() == 0; }
  BLOOMTIME_INLINE bool full() const noexcept { return count() >= form_->slots; }
  BLOOMTIME_INLINE void set_head(unsigned count, std::uint32_t mark) const noexcept {
    const unsigned kept = 32 - form_->head_bits();
    const std::uint32_t low = load_le32(at_ + head_at) & ((std::uint32_t{1} << kept) - 1);
    store_le32(at_ + head_at, low | (count | mark << slot_count_bits) << kept);
  }
  BLOOMTIME_INLINE void set_mark(std::uint32_t mark) const noexcept { set_head(count(), mark); }
  // If all bits of `when` are set. Costs no branch.
  BLOOMTIME_INLINE void set_mark(std::uint32_t mark, std::uint64_t when) const noexcept {
    const unsigned shift = 32 - form_->mark_bits;
    const std::uint32_t head = load_le32(at_ + head_at);
    const std::uint32_t change = (head >> shift ^ mark) & static_cast<std::uint32_t>(when);
    store_le32(at_ + head_at, head ^ change << shift);
  }

  BLOOMTIME_INLINE std::uint64_t entry(unsigned i) const noexcept {
    const print_form::place p = place_of(i);
    return load_le64(at_ + p.byte) >> p.shift & form_->entry_mask;
  }
  BLOOMTIME_INLINE void set_entry(unsigned i, std::uint64_t value) const noexcept {
    const print_form::place p = place_of(i);
    const std::uint64_t around = load_le64(at_ + p.byte) & ~(form_->entry_mask << p.shift);
    store_le64(at_ + p.byte, around | value << p.shift);
  }
  BLOOMTIME_INLINE std::uint64_t rest(unsigned i) const noexcept {
    return entry(i) & form_->rest_mask;
  }
  BLOOMTIME_INLINE std::uint64_t payload(unsigned i) const noexcept {
    return entry(i) >> form_->rest_bits;
  }
  BLOOMTIME_INLINE void set_payload(unsigned i, std::uint64_t payload) const noexcept {
    set_entry(i, (entry(i) & form_->rest_mask) | payload << form_->rest_bits);
  }
  slot at(unsigned i) const noexcept {
    const std::uint64_t e = entry(i);
    return {tag(i), e & form_->rest_mask, e >> form_->rest_bits};
  }
  BLOOMTIME_INLINE void put(unsigned i, const slot& s) const noexcept {
    set_tag(i, s.tag);
    set_entry(i, s.rest | s.payload << form_->rest_bits);
  }
  BLOOMTIME_INLINE std::uint32_t tag(unsigned i) const noexcept {
    return std::to_integer<std::uint32_t>(at_[i]);
  }
  BLOOMTIME_INLINE void set_tag(unsigned i, std::uint32_t tag) const noexcept {
    at_[i] = static_cast<std::byte>(tag);
  }
  // Needs a free slot.
  BLOOMTIME_INLINE void append(const slot& s) const noexcept {
    put(count(), s);
    change_count(1);
  }
  // The last slot takes the place of this one.
  BLOOMTIME_INLINE void remove(unsigned i) const noexcept {
    const unsigned last = count() - 1;
    const std::uint64_t moved = entry(last);
    set_tag(i, tag(last));
    set_entry(i, moved);
    put(last, {});
    change_count(0 - 1U);
  }
  // The slots after these move down, in their order.
  void remove(unsigned i, unsigned length) const noexcept {
    const unsigned n = count();
    for (; i + length < n; ++i) put(i, at(i + length));
    for (; i < n; ++i) put(i, {});
    set_head(n - length, mark());
  }
  void clear() const noexcept { std::memset(at_, 0, line_bytes); }

  // Adds to the payload of slot i; or, if it is `full`, to the tag of the next slot. Neither may
  // exceed the most that it holds; returns false then, and nothing changed. Nothing predicts which
  // it is, so both are computed and there is no branch.
  BLOOMTIME_INLINE bool raise(unsigned i, std::uint64_t amount, std::uint64_t full) const noexcept {
    const print_form::place p = place_of(i);
    const std::uint64_t payload =
        (load_le64(at_ + p.byte) >> p.shift & form_->entry_mask) >> form_->rest_bits;
    const std::uint64_t here = 0 - std::uint64_t{payload < full};
    const std::uint64_t left =
        either(ones(tag_bits), full - 1, here) - either(tag(i + 1), payload, here);
    if (amount > left) [[unlikely]]
      return false;
    std::byte* const word = at_ + either(i + 1, p.byte, here);
    store_le64(word, load_le64(word) + (amount << ((p.shift + form_->rest_bits) & here)));
    return true;
  }

  // Bit i: slot i is in use and has this tag.
  struct slot_set {
    std::uint32_t bits;

    BLOOMTIME_INLINE unsigned first() const noexcept {
      return static_cast<unsigned>(std::countr_zero(bits));
    }
  };
  BLOOMTIME_INLINE slot_set slots_with(std::uint32_t tag) const noexcept {
    return {with_tag(tag) & in_use()};
  }
  BLOOMTIME_INLINE std::uint32_t in_use() const noexcept {
    return (std::uint32_t{1} << count()) - 1;
  }
  // The same, and with the tag 0 also the free slots, which have the payload 0.
  BLOOMTIME_INLINE slot_set slots_or_free_with(std::uint32_t tag) const noexcept {
    return {with_tag(tag) & form_->slot_mask};
  }

  // The slot of this tag and rest, as stored here; `slots` if there is none. `used`: among slots
  // whose payload is not 0.
  template <bool used = false>
  BLOOMTIME_INLINE unsigned find(std::uint32_t tag, std::uint64_t rest) const noexcept {
    return find<used>(slots_with(tag), rest);
  }
  // The same among these slots.
  template <bool used = false>
  BLOOMTIME_INLINE unsigned find(slot_set among, std::uint64_t rest) const noexcept {
    for (; among.bits != 0; among.bits &= among.bits - 1) {
      if (holds<used>(among.first(), rest)) return among.first();
    }
    return form_->slots;
  }
  // Whether slot i has this rest.
  template <bool used = false>
  BLOOMTIME_INLINE bool holds(unsigned i, std::uint64_t rest) const noexcept {
    const std::uint64_t e = entry(i);
    return (e & form_->rest_mask) == rest && (!used || e > form_->rest_mask);
  }

  static constexpr std::uint64_t ones(unsigned bits) noexcept {
    return (std::uint64_t{1} << bits) - 1;
  }

 private:
  friend class payload_range;
  static constexpr unsigned head_at = line_bytes - 4;

  BLOOMTIME_INLINE print_form::place place_of(unsigned i) const noexcept {
    return form_->places[i];
  }
  BLOOMTIME_INLINE void change_count(std::uint32_t by) const noexcept {
    store_le32(at_ + head_at, load_le32(at_ + head_at) + (by << (32 - form_->head_bits())));
  }
  BLOOMTIME_INLINE std::uint32_t head() const noexcept {
    return load_le32(at_ + head_at) >> (32 - form_->head_bits());
  }

  // Bit i: byte i of the block is the tag, for the first 32 bytes.
  BLOOMTIME_INLINE std::uint32_t with_tag(std::uint32_t tag) const noexcept {
#if BLOOMTIME_X86 && defined(__AVX2__)
    const __m256i wanted = _mm256_set1_epi8(static_cast<char>(tag));
    const __m256i found = _mm256_load_si256(reinterpret_cast<const __m256i*>(at_));
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(found, wanted)));
#elif BLOOMTIME_X86
    const __m128i wanted = _mm_set1_epi8(static_cast<char>(tag));
    const auto equal = [&](const std::byte* p) {
      const __m128i found = _mm_load_si128(reinterpret_cast<const __m128i*>(p));
      return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(found, wanted)));
    };
    return equal(at_) | equal(at_ + 16) << 16;
#elif BLOOMTIME_NEON
    const uint8x16_t wanted = vdupq_n_u8(static_cast<std::uint8_t>(tag));
    constexpr uint8x16_t places = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const auto equal = [&](const std::byte* p) {
      const uint8x16_t found = vld1q_u8(reinterpret_cast<const std::uint8_t*>(p));
      return vandq_u8(vceqq_u8(found, wanted), places);
    };
    uint8x16_t sums = vpaddq_u8(equal(at_), equal(at_ + 16));  // each byte: the bits of two slots
    sums = vpaddq_u8(sums, sums);
    sums = vpaddq_u8(sums, sums);
    return vgetq_lane_u32(vreinterpretq_u32_u8(sums), 0);
#else
    constexpr std::uint64_t each = 0x0101010101010101;
    constexpr std::uint64_t low = 0x7f * each;
    std::uint32_t set = 0;
    for (unsigned word = 0; word < 4; ++word) {
      const std::uint64_t x = load_le64(at_ + 8 * word) ^ tag * each;
      const std::uint64_t zero = ~(((x & low) + low) | x | low);  // the top bit of zero bytes
      set |= static_cast<std::uint32_t>((zero >> 7) * 0x0102040810204080 >> 56) << 8 * word;
    }
    return set;
#endif
  }

  std::byte* at_;
  const print_form* form_;
};

}  // namespace bloomtime::detail
