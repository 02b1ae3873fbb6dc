#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <bloomtime/detail/cpu.hpp>
#include <bloomtime/detail/print_block.hpp>

namespace bloomtime::detail {

// Counts as payloads of a table of prints (print_table.hpp). A count below `large` is the payload
// of the slot. A larger one has the payload `large`, and what exceeds `large` is in the slots that
// follow, whose payload is 0: each has as many binary digits as a print has bits there, the lowest
// first. A slot with digits has no print; it moves with its print.
//
// It also counts the prints and slots of all blocks. A mark has a bit for every seventh of the
// tags.
class print_counts {
 public:
  using slot = print_block::slot;

  static constexpr bool grouped = true;
  static constexpr unsigned bits = 4;
  static constexpr unsigned mark_bits = 7;
  static constexpr std::uint64_t large = (1 << bits) - 1;

  // Counts exceed 64 bits only if equal prints met and were counted twice. They stay at the most
  // then; raise() may still add to their digits.
  static constexpr std::uint64_t sum(std::uint64_t a, std::uint64_t b) noexcept {
    return b > ~a ? ~std::uint64_t{0} : a + b;
  }

  std::uint64_t prints() const noexcept { return prints_; }
  std::uint64_t slots() const noexcept { return slots_; }

  // Whether slot i and the digits after it have the form that append() gives them.
  static bool well_formed(const print_block& block, unsigned i) noexcept {
    const std::uint64_t head = block.payload(i);
    if (head != large) return head != 0 && digits_at(block, i) == 0;
    const unsigned width = digit_bits(block.form());
    const unsigned digits = digits_at(block, i);
    if (digits == 0 || (digits - 1) * width >= 64) return false;
    const std::uint64_t top = digit(block, i + digits);
    const unsigned room = 64 - (digits - 1) * width;
    return (digits == 1 || top != 0) && (room >= width || top >> room == 0);
  }
  // Adds to the count of slot i if that changes neither its length nor any digit but the eight
  // lowest; otherwise nothing.
  BLOOMTIME_INLINE static bool raise(const print_block& block, unsigned i,
                                     std::uint64_t amount) noexcept {
    return block.raise(i, amount, large);
  }
  void count(const print_block& block) noexcept {
    slots_ += block.count();
    prints_ += prints_in(block);
  }

  // -- what a table calls ------------------------------------------------------------------------

  static unsigned length_for(const print_form& form, std::uint64_t count) noexcept {
    if (count < large) return 1;
    const auto digits = static_cast<unsigned>(std::bit_width((count - large) | 1));
    return 1 + (digits + digit_bits(form) - 1) / digit_bits(form);
  }
  static unsigned length(const print_block& block, unsigned i) noexcept {
    return 1 + digits_at(block, i);
  }
  BLOOMTIME_INLINE static std::uint64_t read(const print_block& block, unsigned i) noexcept {
    const std::uint64_t count = block.payload(i);
    return count < large ? count : sum(large, excess(block, i, digits_at(block, i)));
  }
  bool append(const print_block& block, const slot& s) noexcept {
    const unsigned needed = length_for(block.form(), s.payload);
    if (!add_slots(block, s, needed)) return false;
    ++prints_;
    slots_ += needed;
    return true;
  }
  BLOOMTIME_INLINE bool rewrite(const print_block& block, unsigned i,
                                std::uint64_t count) noexcept {
    if (count < large && block.payload(i) < large) [[likely]] {
      block.set_payload(i, count);
      return true;
    }
    return rewrite_large(block, i, count);
  }
  void remove(const print_block& block, unsigned i) noexcept {
    const unsigned gone = length(block, i);
    if (gone == 1 && block.payload(block.count() - 1) != 0) {
      block.remove(i);
    } else {
      block.remove(i, gone);
    }
    --prints_;
    slots_ -= gone;
  }
  void clear(const print_block& block) noexcept {
    slots_ -= block.count();
    prints_ -= prints_in(block);
  }

  static std::uint64_t epoch() noexcept { return 0; }
  BLOOMTIME_INLINE static bool due(std::uint64_t) noexcept { return false; }
  static std::optional<std::uint64_t> aged(std::uint64_t count, std::uint64_t) noexcept {
    return count;
  }
  static void refresh(std::byte*, std::uint64_t, const print_form&, std::uint64_t) noexcept {}
  static std::uint32_t aged_mark(std::uint32_t mark, std::uint64_t) noexcept { return mark; }
  BLOOMTIME_INLINE static bool marked(std::uint32_t mark, std::uint32_t tag) noexcept {
    return (mark & flag_of(tag)) != 0;
  }
  static std::uint32_t mark(std::uint32_t mark, std::uint32_t tag, std::uint64_t) noexcept {
    return mark | flag_of(tag);
  }
  static std::uint32_t merge_marks(std::uint32_t a, std::uint32_t b) noexcept { return a | b; }
  static void add(std::uint64_t) noexcept {}
  static std::uint64_t merge(std::uint64_t a, std::uint64_t b) noexcept { return sum(a, b); }
  static std::uint64_t to_stash(std::uint64_t count) noexcept { return count; }
  static std::optional<std::uint64_t> from_stash(std::uint64_t count) noexcept { return count; }

 private:
  BLOOMTIME_INLINE static std::uint32_t flag_of(std::uint32_t tag) noexcept {
    return std::uint32_t{1} << (tag * mark_bits >> tag_bits);
  }
  static unsigned digit_bits(const print_form& form) noexcept { return tag_bits + form.rest_bits; }
  BLOOMTIME_INLINE static std::uint64_t digit(const print_block& block, unsigned i) noexcept {
    const slot s = block.at(i);
    return s.tag | s.rest << tag_bits;
  }
  BLOOMTIME_INLINE static unsigned digits_at(const print_block& block, unsigned i) noexcept {
    const unsigned end = block.count();
    unsigned next = i + 1;
    while (next < end && block.payload(next) == 0) ++next;
    return next - i - 1;
  }
  BLOOMTIME_INLINE static std::uint64_t excess(const print_block& block, unsigned i,
                                               unsigned digits) noexcept {
    std::uint64_t value = 0;
    for (unsigned j = digits; j != 0; --j) {
      value = value << digit_bits(block.form()) | digit(block, i + j);
    }
    return value;
  }
  static unsigned prints_in(const print_block& block) noexcept {
    unsigned prints = 0;
    for (unsigned i = 0; i < block.count(); ++i) prints += block.payload(i) != 0;
    return prints;
  }

  static void put(const print_block& block, unsigned i, const slot& s, unsigned length) noexcept {
    if (length == 1) return block.put(i, s);
    block.put(i, {s.tag, s.rest, large});
    put_digits(block, i, s.payload - large, length - 1);
  }
  static void put_digits(const print_block& block, unsigned i, std::uint64_t value,
                         unsigned digits) noexcept {
    const unsigned rest_bits = block.form().rest_bits;
    for (unsigned j = 1; j <= digits; ++j, value >>= tag_bits + rest_bits) {
      block.put(i + j, {static_cast<std::uint32_t>(value & print_block::ones(tag_bits)),
                        value >> tag_bits & print_block::ones(rest_bits), 0});
    }
  }
  static bool add_slots(const print_block& block, const slot& s, unsigned needed) noexcept {
    const unsigned used = block.count();
    if (used + needed > block.form().slots) return false;
    put(block, used, s, needed);
    block.set_head(used + needed, block.mark());
    return true;
  }
  bool rewrite_large(const print_block& block, unsigned i, std::uint64_t count) noexcept {
    const unsigned now = length(block, i);
    const unsigned needed = length_for(block.form(), count);
    if (now == needed) {
      put_digits(block, i, count - large, needed - 1);
      return true;
    }
    if (block.count() - now + needed > block.form().slots) return false;
    slot s = block.at(i);
    s.payload = count;
    block.remove(i, now);
    (void)add_slots(block, s, needed);
    slots_ += needed;
    slots_ -= now;
    return true;
  }

  std::uint64_t prints_ = 0;
  std::uint64_t slots_ = 0;
};

}  // namespace bloomtime::detail
