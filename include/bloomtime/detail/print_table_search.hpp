#pragma once

// The part of print_table.hpp, which includes it, that finds a print and changes its payload.
namespace bloomtime::detail {

// -- searching ---------------------------------------------------------------------------------

template <class Payload>
template <class Use>
bool print_table<Payload>::find(const print& p, Use&& use) const noexcept {
  if constexpr (balanced) {
    if (stash_.empty()) [[likely]]
      return blocks_.can_join() ? seek<true>(p, use) : seek<false>(p, use);
  }
  if (blocks_.large()) blocks_.prefetch(blocks_.other(p));
  const target first = reach(p);
  unsigned i = first.find();
  if (i < first.block.form().slots) {
    use(payload_at(first.block, i), *first.at.epoch, first.at.level);
    return true;
  }
  if (!payload_.marked(first.block.mark(), p.tag)) return false;
  const target second = reach(blocks_.other(p));
  i = second.find();
  if (i < second.block.form().slots) {
    use(payload_at(second.block, i), *second.at.epoch, second.at.level);
    return true;
  }
  if (stash_.empty() || !payload_.marked(second.block.mark(), p.tag)) return false;
  const std::uint64_t* const value = stash_.find(stash_key(p));
  const auto kept = value != nullptr ? payload_.from_stash(*value) : std::nullopt;
  if (kept) use(*kept, payload_.epoch(), 0U);
  return kept.has_value();
}

// Both places of a print that may be in either. Nothing predicts in which one it is, so no branch
// depends on that. Each value is a member of its own, so that all of them stay in registers.
template <class Payload>
template <bool grown>
struct print_table<Payload>::either_place {
  BLOOMTIME_INLINE either_place(const print_blocks& blocks, const print& p) noexcept
      : forms(&blocks.form(0)), rest(p.rest) {
    const print q = blocks.other(p);
    const spot b = grown ? blocks.at(q) : blocks.at_first(q);
    print_blocks::prefetch(b);
    const spot a = grown ? blocks.at(p) : blocks.at_first(p);
    other_rest = q.rest;
    first = a.block;
    second = b.block;
    first_epoch = a.epoch;
    second_epoch = b.epoch;
    first_level = a.level;
    second_level = b.level;
  }

  BLOOMTIME_INLINE print_block in_first() const noexcept {
    return {first, forms[grown ? first_level : 0]};
  }
  BLOOMTIME_INLINE print_block in_second() const noexcept {
    return {second, forms[grown ? second_level : 0]};
  }
  // All bits of `there` are set for the second place.
  BLOOMTIME_INLINE unsigned level(std::uint64_t there) const noexcept {
    return grown ? static_cast<unsigned>(either(first_level, second_level, there)) : 0;
  }
  BLOOMTIME_INLINE print_block block(std::uint64_t there) const noexcept {
    return {either(first, second, there), forms[level(there)]};
  }
  BLOOMTIME_INLINE std::uint64_t stored(std::uint64_t there) const noexcept {
    return either(rest, other_rest, there) >> level(there);
  }
  BLOOMTIME_INLINE std::uint64_t epoch(std::uint64_t there) const noexcept {
    return *either(first_epoch, second_epoch, there);
  }
  // The slot that has the print, of these with its tag; those of the second block are in the upper
  // half. 64 if there is none.
  BLOOMTIME_INLINE unsigned find(std::uint64_t among) const noexcept {
    for (; among != 0; among &= among - 1) {
      const auto i = static_cast<unsigned>(std::countr_zero(among));
      const std::uint64_t there = 0 - std::uint64_t{i >> 5};
      if (block(there).rest(i & 31) == stored(there)) return i;
    }
    return 64;
  }

  const print_form* forms;
  std::uint64_t rest;
  std::uint64_t other_rest;
  std::byte* first;
  std::byte* second;
  std::uint64_t* first_epoch;
  std::uint64_t* second_epoch;
  unsigned first_level;
  unsigned second_level;
};

template <class Payload>
template <bool grown, class Use>
BLOOMTIME_INLINE bool print_table<Payload>::seek(const print& p, Use&& use) const noexcept {
  const either_place<grown> at(blocks_, p);
  const print_block first = at.in_first();
  std::uint64_t among = first.slots_with(p.tag).bits;
  if (payload_.marked(first.mark(), p.tag)) {
    among |= std::uint64_t{at.in_second().slots_with(p.tag).bits} << 32;
  }
  const unsigned i = at.find(among);
  if (i >= 64) return false;
  const std::uint64_t there = 0 - std::uint64_t{i >> 5};
  use(at.block(there).payload(i & 31), at.epoch(there), at.level(there));
  return true;
}

template <class Payload>
template <class Use>
BLOOMTIME_INLINE bool print_table<Payload>::touch_first(const print& p, Use&& use) const noexcept {
  const print_block block = blocks_.block(blocks_.at_first(p));
  return touch_in(block, block.slots_or_free_with(p.tag), p.rest, use);
}

template <class Payload>
BLOOMTIME_INLINE print_table<Payload>::two_places::two_places(const print_blocks& blocks,
                                                              const print& p) noexcept {
  const print q = blocks.other(p);
  const print_blocks::spot there = blocks.at_grown(q);
  print_blocks::prefetch(there);
  const print_blocks::spot here = blocks.at_grown(p);
  first = here.block;
  second = there.block;
  first_form = &blocks.form(here.level);
  second_form = &blocks.form(there.level);
  first_rest = print_blocks::stored(p, here.level);
  second_rest = print_blocks::stored(q, there.level);
  tag = p.tag;
}

// Nothing predicts which block has the print: there is no branch for it.
template <class Payload>
template <class Use>
BLOOMTIME_INLINE bool print_table<Payload>::touch(const two_places& at, Use&& use) const noexcept {
  const print_block here(at.first, *at.first_form);
  const std::uint32_t slots = here.slots_or_free_with(at.tag).bits;
  const std::uint32_t others =
      print_block(at.second, *at.second_form).slots_or_free_with(at.tag).bits;
  const std::uint64_t not_here = slots == 0;
  const std::uint64_t marked = payload_.marked(here.mark(), at.tag);
  const std::uint64_t moved = 0 - (not_here & marked);
  return touch_in(
      {either(at.first, at.second, moved), *either(at.first_form, at.second_form, moved)},
      {static_cast<std::uint32_t>(either(slots, others, moved))},
      either(at.first_rest, at.second_rest, moved), use);
}

template <class Payload>
bool print_table<Payload>::append_new(const print& p, std::uint64_t payload) noexcept {
  const target first = reach_to_write(p);
  return !payload_.marked(first.block.mark(), p.tag) && append(first.block, first.with(payload));
}

// -- changing ----------------------------------------------------------------------------------

// False if there is no room for the payload.
template <class Payload>
BLOOMTIME_INLINE bool print_table<Payload>::change_in(const target& t, unsigned i,
                                                      print_change c) noexcept {
  if (c.what == print_change::set) {
    if constexpr (!grouped) return rewrite(t.block, i, c.payload);
    return rewrite(t.block, i, c.payload) || extend(t, c.payload);
  }
  if (c.what == print_change::erase) remove(t.block, i);
  return true;
}

template <class Payload>
template <class Change>
print_result print_table<Payload>::change(const print& p, Change&& change) noexcept {
  // Two copies of the code: the one for tables that have not grown has less to compute.
  if (!blocks_.can_join()) {
    return change_at(
        p, [&](const print& q) { return blocks_.at_first(q); }, change);
  }
  return change_at(
      p, [&](const print& q) { return blocks_.at(q); }, change);
}

template <class Payload>
template <class At, class Change>
BLOOMTIME_INLINE print_result print_table<Payload>::change_at(const print& p, At&& at,
                                                              Change&& change) noexcept {
  const target second = target_of(blocks_.other(p), at(blocks_.other(p)));
  print_blocks::prefetch(second.at);
  const target first = target_of(p, at(p));
  expect_fresh(first);
  unsigned i = first.find();
  if (i < first.block.form().slots) {
    const std::uint64_t payload = payload_at(first.block, i);
    return change_in(first, i, change(&payload)) ? print_result::present : print_result::full;
  }
  if (payload_.marked(first.block.mark(), p.tag)) {
    expect_fresh(second);
    i = second.find();
    if (i < second.block.form().slots) {
      const std::uint64_t payload = payload_at(second.block, i);
      const print_change c = change(&payload);
      if (!change_in(second, i, c)) return print_result::full;
      if (c.what == print_change::set) leave_mark(first.block, p.tag, c.payload);
      return print_result::present;
    }
    if (!stash_.empty() && payload_.marked(second.block.mark(), p.tag)) [[unlikely]] {
      std::uint64_t* const value = stash_.find(stash_key(p));
      const auto kept = value != nullptr ? payload_.from_stash(*value) : std::nullopt;
      if (kept) {
        const print_change c = change(&*kept);
        if (c.what == print_change::erase) {
          stash_.erase(stash_key(p));
          stash_.trim();
        }
        if (c.what == print_change::set) {
          *value = payload_.to_stash(c.payload);
          leave_mark(first.block, p.tag, c.payload);
          leave_mark(second.block, p.tag, c.payload);
        }
        return print_result::present;
      }
    }
  }
  const print_change c = change(nullptr);
  if (c.what != print_change::set) return print_result::absent;
  if (!first.block.full() && append(first.block, first.with(c.payload))) [[likely]] {
    return print_result::added;
  }
  return add(p, c.payload);
}

template <class Payload>
template <bool newest, class Change>
BLOOMTIME_INLINE print_result print_table<Payload>::change_quickly(const print& p,
                                                                   Change&& change) noexcept {
  return blocks_.can_join() ? change_either<true, newest>(p, change)
                            : change_either<false, newest>(p, change);
}

template <class Payload>
template <bool grown, bool newest, class Change>
BLOOMTIME_INLINE print_result print_table<Payload>::change_either(const print& p,
                                                                  Change&& change) noexcept {
  const either_place<grown> at(blocks_, p);
  if (payload_.due(*at.first_epoch)) [[unlikely]]
    refresh_at(p);
  if (payload_.due(*at.second_epoch)) [[unlikely]]
    refresh_at(blocks_.other(p));
  const print_block first = at.in_first();
  const print_block second = at.in_second();
  const std::uint32_t mark = first.mark();
  const bool marked = payload_.marked(mark, p.tag);
  const auto mark_for = [&](std::uint64_t payload) {
    return newest ? payload_.mark(payload) : payload_.mark(mark, p.tag, payload);
  };
  const std::uint64_t others = second.slots_with(p.tag).bits;
  const std::uint64_t searched = 0 - std::uint64_t{marked};
  const unsigned i = at.find(first.slots_with(p.tag).bits | (others & searched) << 32);
  if (i < 64) {
    const std::uint64_t there = 0 - std::uint64_t{i >> 5};
    const print_block block = at.block(there);
    const std::uint64_t payload = block.payload(i & 31);
    const print_change c = change(&payload);
    if (c.what == print_change::erase) block.remove(i & 31);
    if (c.what != print_change::set) return print_result::present;
    block.set_payload(i & 31, c.payload);
    if (there != 0) first.set_mark(mark_for(c.payload));
    return print_result::present;
  }
  const print_change c = change(nullptr);
  if (c.what != print_change::set) return print_result::absent;
  const unsigned room = first.free();
  const unsigned more = second.free();
  const bool leaves = (room < first.form().slots / 4) & (more > room) & (marked | (others == 0));
  const std::uint64_t there = 0 - std::uint64_t{leaves};
  if (either(room, more, there) == 0) [[unlikely]]
    return print_result::full;
  at.block(there).append({p.tag, at.stored(there), c.payload});
  first.set_mark(mark_for(c.payload), there);
  return print_result::added;
}

}  // namespace bloomtime::detail
