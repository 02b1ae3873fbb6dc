#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <bloomtime/detail/print_block.hpp>
#include <bloomtime/detail/print_blocks.hpp>
#include <bloomtime/detail/side_table.hpp>

namespace bloomtime::detail {

// What change() does with the payload of a print.
struct print_change {
  enum act : std::uint8_t { leave, set, erase };
  act what = leave;
  std::uint64_t payload = 0;
};

// What became of a print: it was there already, it is there now, it stayed away as requested, or
// there was no room.
enum class print_result : std::uint8_t { present, added, absent, full };

// A table of fingerprints, each with a payload, in blocks of one cache line (docs/math.md,
// Tables of prints). A print has two blocks. The second one is used while the first is full; a mark
// in the first says so, and without a mark a search for an absent print reads one line. If both are
// full, prints of either move to their own other block, directly or by making room there first.
// What still finds no room is kept exactly, in a stash.
//
// Two prints that are equal in a block are one to the table. They stay equal after a move, because
// the target is always searched first.
//
// A Payload says what payloads and marks mean:
//
//   std::uint64_t epoch() const;                  the epoch that a refreshed segment has
//   bool due(std::uint64_t epoch) const;          whether to refresh a segment before a write
//   std::optional<std::uint64_t> aged(std::uint64_t payload, std::uint64_t epoch) const;
//                                                 the payload now; none if its slot is free
//   std::uint32_t expired(const print_block&, std::uint64_t epoch) const;
//                                                 bit i: slot i is free
//   void refresh(const print_block&, std::uint64_t epoch) const;   ages all payloads and the mark
//   std::uint32_t aged_mark(std::uint32_t mark, std::uint64_t epoch) const;
//   bool marked(std::uint32_t mark, std::uint32_t tag) const;
//   std::uint32_t mark(std::uint32_t mark, std::uint32_t tag, std::uint64_t payload) const;
//   std::uint32_t merge_marks(std::uint32_t a, std::uint32_t b) const;
//   void add(std::uint64_t payload);              absorb() adds a print
//   std::uint64_t merge(std::uint64_t a, std::uint64_t b);   two prints became one
//   std::uint64_t to_stash(std::uint64_t payload) const;
//   std::optional<std::uint64_t> from_stash(std::uint64_t value) const;
//
// and, if it keeps more about a print elsewhere, by its key,
//
//   void moved(std::uint64_t from, std::uint64_t to, std::uint64_t payload);   keys of its places
//
// and, if slots are given up for others,
//
//   std::uint32_t given_up(std::uint32_t mark, std::uint64_t weight) const;    in the mark's block
//   void erased(std::uint64_t key, std::uint64_t payload);
//
// Nothing here throws but construction, copies and read().
template <class Payload>
class print_table {
 public:
  using spot = print_blocks::spot;
  using slot = print_block::slot;

  // Blocks that one call may examine to make room; a bound on its time.
  static constexpr unsigned most_probes = 320;

  print_table() noexcept = default;
  print_table(const print_shape& shape, Payload payload)
      : blocks_(shape), payload_(std::move(payload)) {}

  const print_blocks& blocks() const noexcept { return blocks_; }
  const side_table& stash() const noexcept { return stash_; }
  Payload& payload() noexcept { return payload_; }
  const Payload& payload() const noexcept { return payload_; }
  bool empty() const noexcept { return blocks_.empty(); }  // moved from
  std::uint64_t memory() const noexcept { return blocks_.memory() + stash_.bytes(); }
  std::uint64_t work() const noexcept { return work_; }  // blocks written or searched for room

  print print_of(digest d) const noexcept { return blocks_.print_of(d); }
  BLOOMTIME_INLINE void prefetch(const print& p) const noexcept {
    blocks_.prefetch(p);
    blocks_.prefetch(blocks_.other(p));
  }

  // use(payload, epoch, level) where the print is.
  template <class Use>
  BLOOMTIME_INLINE bool find(const print& p, Use&& use) const noexcept;

  // change(payload or null) once, with the present payload if the print is there. A slot that
  // expired since its segment was refreshed is there, with its payload.
  template <class Change>
  BLOOMTIME_INLINE print_result change(const print& p, Change&& change) noexcept;

  // Puts p, which change() found no room for, in the place of the slot with the least rank(payload)
  // of its first block, unless its own is less. Returns the payload that is gone.
  template <class Rank>
  std::optional<std::uint64_t> displace(const print& p, std::uint64_t payload,
                                        Rank&& rank) noexcept;

  // Puts p, which change() found no room for, in the place of the slot with the least
  // weight(payload, key) of both its blocks if that is less than `below`, and notes in the mark of
  // that block what was given up. False if no weight is less.
  template <class Weight>
  bool give_up_least(const print& p, std::uint64_t payload, std::uint64_t below,
                     Weight&& weight) noexcept;

  // How far change() goes to find room: whether prints move to their other blocks, and whether the
  // stash may be used.
  struct search {
    bool moves = true;
    bool stash = true;
  };
  void set_search(search how) noexcept { search_ = how; }

  // Where the print is: p, other(p), or the print of its key in the stash.
  print place_of(const print& p) const noexcept;
  // The mark of the block of p, and the epoch that it was refreshed at.
  std::pair<std::uint32_t, std::uint64_t> mark_of(const print& p) const noexcept {
    const target t = reach(p);
    return {t.block.mark(), *t.at.epoch};
  }
  // Sets the payload of the print that place_of() found there.
  void set_at(const print& place, std::uint64_t payload) noexcept;
  // change(payload, place) of every print equal to p in either block, or what change() does with
  // change(payload or null, p) if there is none. Nothing may be erased.
  template <class Change>
  print_result change_both(const print& p, Change&& change) noexcept;
  // The block of p leads to its other block from now on.
  void leave_mark_at(const print& p, std::uint64_t payload) noexcept {
    leave_mark(reach_to_write(p).block, p.tag, payload);
  }

  // aged(payload) of every entry of the stash; entries without a value are removed.
  template <class Aged>
  void age_stash(Aged&& aged) noexcept;

  // What change() does, for a print of another table of this shape, which may have been in its
  // first or in its second block: `marked` says that the block of other(p) was marked there.
  print_result absorb(const print& p, std::uint64_t payload, bool marked) noexcept;
  // Whether the block of p is marked.
  bool marked(const print& p) const noexcept {
    return payload_.marked(reach(p).block.mark(), p.tag);
  }

  // One step of growth, or of its reversal. False if there is nothing to do or no memory.
  bool split() noexcept;
  bool join() noexcept;
  // Tries to put some entries of the stash where they belong.
  void unstash() noexcept;

  // use(print, payload, epoch) for every slot, then use(print, payload, epoch()) for the stash.
  template <class Use>
  void for_each(Use&& use) const;

  void clear();
  static print_table read(print_blocks blocks, Payload payload, side_table stash);
  std::uint64_t key_of(const print& p) const noexcept {
    return (p.home << (blocks_.shape().print_bits - tag_bits) | p.rest) << tag_bits | p.tag;
  }
  print print_of_key(std::uint64_t key) const noexcept;
  // A print and its other place have one key in the stash, as they have the same blocks: what is
  // found from one of them is found from both.
  std::uint64_t stash_key(const print& p) const noexcept {
    return std::min(key_of(p), key_of(blocks_.other(p)));
  }

 private:
  // A print and the block where it would be.
  struct target {
    print p;
    spot at;
    print_block block;

    BLOOMTIME_INLINE unsigned find() const noexcept {
      return block.find(p.tag, print_blocks::stored(p, at.level));
    }
    slot with(std::uint64_t payload) const noexcept {
      return {p.tag, print_blocks::stored(p, at.level), payload};
    }
    // The print of another slot of this block.
    print print_at(unsigned i) const noexcept {
      const slot s = block.at(i);
      const std::uint64_t path = p.rest & print_block::ones(at.level);
      return {p.home, s.rest << at.level | path, s.tag};
    }
  };

  BLOOMTIME_INLINE target reach(const print& p) const noexcept {
    const spot at = blocks_.at(p);
    return {p, at, blocks_.block(at)};
  }
  BLOOMTIME_INLINE void expect_fresh(const target& t) noexcept {
    if (payload_.due(*t.at.epoch)) [[unlikely]]
      refresh(t.at);
  }
  BLOOMTIME_INLINE target reach_to_write(const print& p) noexcept {
    const target t = reach(p);
    expect_fresh(t);
    return t;
  }
  void refresh(const spot& s) noexcept;
  unsigned room_in(const target& t) noexcept;
  bool place(const target& t, std::uint64_t payload) noexcept;
  void leave_mark(const print_block& block, std::uint32_t tag, std::uint64_t payload) noexcept {
    block.set_mark(payload_.mark(block.mark(), tag, payload));
  }

  void note_move(const print& from, const print& to, std::uint64_t payload) noexcept {
    if constexpr (requires { payload_.moved(payload, payload, payload); }) {
      payload_.moved(key_of(from), key_of(to), payload);
    }
  }

  bool change_in(const target& t, unsigned i, print_change c) noexcept;
  print_result add(const target& first, const target& second, std::uint64_t payload) noexcept;
  bool fit(const target& first, const target& second, std::uint64_t payload) noexcept;
  bool put(const target& t, std::uint64_t payload) noexcept;
  bool move_out(const target& from, unsigned i, unsigned& probes) noexcept;
  bool make_room(const target& t, unsigned& probes) noexcept;
  bool make_room_by_two(const target& t, unsigned& probes) noexcept;
  bool add_to_stash(const target& first, const target& second, std::uint64_t payload) noexcept;
  std::uint64_t most_stashed() const noexcept { return 64 + blocks_.slots() / 32; }

  print_blocks blocks_;
  Payload payload_{};
  side_table stash_;
  search search_;
  std::uint64_t work_ = 0;
};

// -- searching ---------------------------------------------------------------------------------

template <class Payload>
template <class Use>
bool print_table<Payload>::find(const print& p, Use&& use) const noexcept {
  const target first = reach(p);
  unsigned i = first.find();
  if (i < first.block.form().slots) {
    use(first.block.payload(i), *first.at.epoch, first.at.level);
    return true;
  }
  if (!payload_.marked(first.block.mark(), p.tag)) return false;
  const target second = reach(blocks_.other(p));
  i = second.find();
  if (i < second.block.form().slots) {
    use(second.block.payload(i), *second.at.epoch, second.at.level);
    return true;
  }
  if (stash_.empty() || !payload_.marked(second.block.mark(), p.tag)) return false;
  const std::uint64_t* const value = stash_.find(stash_key(p));
  const auto kept = value != nullptr ? payload_.from_stash(*value) : std::nullopt;
  if (kept) use(*kept, payload_.epoch(), 0U);
  return kept.has_value();
}

// -- changing ----------------------------------------------------------------------------------

template <class Payload>
bool print_table<Payload>::change_in(const target& t, unsigned i, print_change c) noexcept {
  if (c.what == print_change::set) t.block.set_payload(i, c.payload);
  if (c.what == print_change::erase) t.block.remove(i);
  return c.what == print_change::set;
}

template <class Payload>
template <class Change>
print_result print_table<Payload>::change(const print& p, Change&& change) noexcept {
  const target second = reach(blocks_.other(p));
  print_blocks::prefetch(second.at);
  const target first = reach_to_write(p);
  unsigned i = first.find();
  if (i < first.block.form().slots) {
    const std::uint64_t payload = first.block.payload(i);
    change_in(first, i, change(&payload));
    return print_result::present;
  }
  if (payload_.marked(first.block.mark(), p.tag)) {
    expect_fresh(second);
    i = second.find();
    if (i < second.block.form().slots) {
      const std::uint64_t payload = second.block.payload(i);
      const print_change c = change(&payload);
      if (change_in(second, i, c)) leave_mark(first.block, p.tag, c.payload);
      return print_result::present;
    }
    if (!stash_.empty() && payload_.marked(second.block.mark(), p.tag)) [[unlikely]] {
      std::uint64_t* const value = stash_.find(stash_key(p));
      const auto kept = value != nullptr ? payload_.from_stash(*value) : std::nullopt;
      if (kept) {
        const print_change c = change(&*kept);
        if (c.what == print_change::erase) stash_.erase(stash_key(p));
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
  if (!first.block.full()) [[likely]] {
    first.block.append(first.with(c.payload));
    return print_result::added;
  }
  return add(first, second, c.payload);
}

// A slot that is free or has expired; `slots` if there is none.
template <class Payload>
unsigned print_table<Payload>::room_in(const target& t) noexcept {
  const unsigned count = t.block.count();
  if (count < t.block.form().slots) return count;
  ++work_;
  const std::uint32_t expired = payload_.expired(t.block, *t.at.epoch);
  return expired != 0 ? static_cast<unsigned>(std::countr_zero(expired)) : count;
}

// False if there is no room.
template <class Payload>
bool print_table<Payload>::place(const target& t, std::uint64_t payload) noexcept {
  const unsigned i = room_in(t);
  if (i >= t.block.form().slots) return false;
  t.block.put(i, t.with(payload));
  if (i == t.block.count()) t.block.set_head(i + 1, t.block.mark());
  return true;
}

template <class Payload>
void print_table<Payload>::refresh(const spot& s) noexcept {
  const std::uint64_t epoch = *s.epoch;
  blocks_.for_segment(s, [&](const print_block& block) {
    ++work_;
    payload_.refresh(block, epoch);
  });
  *s.epoch = payload_.epoch();
}

// Of a print that is in neither block.
template <class Payload>
print_result print_table<Payload>::add(const target& first, const target& second,
                                       std::uint64_t payload) noexcept {
  expect_fresh(second);
  const bool added = fit(first, second, payload) || add_to_stash(first, second, payload);
  return added ? print_result::added : print_result::full;
}

// Puts it into one of its blocks, after moves if they make room. False if they do not. The second
// block comes before a search for expired slots, which takes longer than both searches for a print.
template <class Payload>
bool print_table<Payload>::fit(const target& first, const target& second,
                               std::uint64_t payload) noexcept {
  const auto put_second = [&] {
    if (!put(second, payload)) return false;
    note_move(first.p, second.p, payload);
    leave_mark(first.block, first.p.tag, payload);
    return true;
  };
  if (first.block.full() && !second.block.full() && first.find() == first.block.form().slots) {
    return put_second();
  }
  unsigned probes = 0;
  do {
    if (put(first, payload) || put_second()) return true;
  } while (search_.moves && probes == 0 &&
           (make_room(first, probes) || make_room(second, probes) ||
            make_room_by_two(first, probes) || make_room_by_two(second, probes)));
  return false;
}

// A print that is equal to this one then stands for both. False if there is no room.
template <class Payload>
bool print_table<Payload>::put(const target& t, std::uint64_t payload) noexcept {
  const unsigned i = t.find();
  if (i < t.block.form().slots) {
    t.block.set_payload(i, payload_.merge(t.block.payload(i), payload));
    return true;
  }
  return place(t, payload);
}

// Moves slot i to its other block if there is room.
template <class Payload>
bool print_table<Payload>::move_out(const target& from, unsigned i, unsigned& probes) noexcept {
  const target to = reach_to_write(blocks_.other(from.print_at(i)));
  ++probes;
  ++work_;
  const slot s = from.block.at(i);
  if (to.at.block == from.at.block || !put(to, s.payload)) return false;
  note_move(from.print_at(i), to.p, s.payload);
  leave_mark(from.block, s.tag, s.payload);
  from.block.remove(i);
  return true;
}

// Blocks that were divided in this round have more room than others. In a large table it pays to
// try them first.
template <class Payload>
bool print_table<Payload>::make_room(const target& t, unsigned& probes) noexcept {
  const auto move_one = [&](auto&& wanted) {
    for (unsigned i = 0; i < t.block.count(); ++i) {
      if (wanted(i) && move_out(t, i, probes)) return true;
    }
    return false;
  };
  const auto divided = [&](unsigned i) { return blocks_.is_divided(blocks_.other(t.print_at(i))); };
  if (blocks_.split() == 0 || !blocks_.large()) return move_one([](unsigned) { return true; });
  return move_one(divided) || move_one([&](unsigned i) { return !divided(i); });
}

template <class Payload>
bool print_table<Payload>::make_room_by_two(const target& t, unsigned& probes) noexcept {
  for (unsigned i = 0; i < t.block.count() && probes < most_probes; ++i) {
    const target next = reach_to_write(blocks_.other(t.print_at(i)));
    if (next.at.block != t.at.block && make_room(next, probes) && move_out(t, i, probes)) {
      return true;
    }
  }
  return false;
}

// The print may be in either block, or in both if two items have it. All of them are at least as
// young or as large then; marks lead there from the block that does not have it.
template <class Payload>
print_result print_table<Payload>::absorb(const print& p, std::uint64_t payload,
                                          bool marked) noexcept {
  const target here = reach_to_write(p);
  const target there = reach_to_write(blocks_.other(p));
  const auto merge = [&](const target& t) {
    const unsigned i = t.find();
    const bool found = i < t.block.form().slots;
    if (found) {
      payload_.add(payload);
      t.block.set_payload(i, payload_.merge(t.block.payload(i), payload));
    }
    return found;
  };
  const bool found_here = merge(here);
  const bool found_there = merge(there);
  if (found_there && !found_here) leave_mark(here.block, p.tag, payload);
  if (marked && !found_there) leave_mark(there.block, p.tag, payload);
  if (found_here || found_there) return print_result::present;
  const print_result result = change(p, [&](const std::uint64_t* stashed) -> print_change {
    payload_.add(payload);
    return {print_change::set, stashed != nullptr ? payload_.merge(*stashed, payload) : payload};
  });
  return result;
}

template <class Payload>
template <class Rank>
std::optional<std::uint64_t> print_table<Payload>::displace(const print& p, std::uint64_t payload,
                                                            Rank&& rank) noexcept {
  const target first = reach_to_write(p);
  unsigned least = 0;
  for (unsigned i = 1; i < first.block.count(); ++i) {
    if (rank(first.block.payload(i)) < rank(first.block.payload(least))) least = i;
  }
  const std::uint64_t gone = first.block.payload(least);
  if (first.block.count() == 0 || rank(gone) > rank(payload)) return std::nullopt;
  first.block.put(least, first.with(payload));
  return gone;
}

template <class Payload>
template <class Weight>
bool print_table<Payload>::give_up_least(const print& p, std::uint64_t payload, std::uint64_t below,
                                         Weight&& weight) noexcept {
  const std::array<target, 2> both{reach_to_write(p), reach_to_write(blocks_.other(p))};
  unsigned where = 0;
  unsigned least = 0;
  std::uint64_t lowest = below;
  for (unsigned t = 0; t < both.size(); ++t) {
    for (unsigned i = 0; i < both[t].block.count(); ++i) {
      const std::uint64_t each = weight(both[t].block.payload(i), key_of(both[t].print_at(i)));
      if (each >= lowest) continue;
      lowest = each;
      where = t;
      least = i;
    }
  }
  if (lowest == below) return false;
  const target& chosen = both[where];
  payload_.erased(key_of(chosen.print_at(least)), chosen.block.payload(least));
  chosen.block.put(least, chosen.with(payload));
  chosen.block.set_mark(payload_.given_up(chosen.block.mark(), lowest));
  if (where != 0) leave_mark(both[0].block, p.tag, payload);
  return true;
}

template <class Payload>
print print_table<Payload>::place_of(const print& p) const noexcept {
  const target first = reach(p);
  if (first.find() < first.block.form().slots) return p;
  const target second = reach(blocks_.other(p));
  return second.find() < second.block.form().slots ? second.p : print_of_key(stash_key(p));
}

template <class Payload>
void print_table<Payload>::set_at(const print& place, std::uint64_t payload) noexcept {
  const target t = reach_to_write(place);
  const unsigned i = t.find();
  if (i < t.block.form().slots) {
    t.block.set_payload(i, payload);
  } else if (std::uint64_t* const value = stash_.find(stash_key(place))) {
    *value = payload_.to_stash(payload);
  }
}

template <class Payload>
template <class Change>
print_result print_table<Payload>::change_both(const print& p, Change&& change) noexcept {
  const target here = reach_to_write(p);
  const target there = reach_to_write(blocks_.other(p));
  std::uint64_t most = 0;
  const auto change_at = [&](const target& t, unsigned i) {
    const std::uint64_t payload = t.block.payload(i);
    const print_change c = change(&payload, t.p);
    if (change_in(t, i, c)) most = std::max(most, c.payload);
  };
  const unsigned i = here.find();
  const unsigned j = there.find();
  const bool found_here = i < here.block.form().slots;
  // A table of one block may have the same slot for both.
  const bool found_there =
      j < there.block.form().slots && (there.at.block != here.at.block || i != j);
  if (found_here) change_at(here, i);
  if (found_there) change_at(there, j);
  if (found_there && !found_here) leave_mark(here.block, p.tag, most);
  if (found_here || found_there) return print_result::present;
  return this->change(p, [&](const std::uint64_t* stashed) { return change(stashed, p); });
}

template <class Payload>
template <class Aged>
void print_table<Payload>::age_stash(Aged&& aged) noexcept {
  constexpr std::uint64_t gone = ~std::uint64_t{0};
  stash_.change_each(
      [&](std::uint64_t, std::uint64_t& value) { value = aged(value).value_or(gone); });
  stash_.erase_if([](std::uint64_t, std::uint64_t value) { return value == gone; });
  stash_.trim();
}

template <class Payload>
bool print_table<Payload>::add_to_stash(const target& first, const target& second,
                                        std::uint64_t payload) noexcept {
  if (!search_.stash || stash_.size() >= most_stashed()) return false;
  try {
    stash_.set(stash_key(first.p), payload_.to_stash(payload));
  } catch (const std::exception&) {
    return false;
  }
  leave_mark(first.block, first.p.tag, payload);
  leave_mark(second.block, first.p.tag, payload);
  return true;
}

template <class Payload>
print print_table<Payload>::print_of_key(std::uint64_t key) const noexcept {
  const unsigned rest_bits = blocks_.shape().print_bits - tag_bits;
  return {key >> tag_bits >> rest_bits, key >> tag_bits & print_block::ones(rest_bits),
          static_cast<std::uint32_t>(key & print_block::ones(tag_bits))};
}

// Entries take turns. The marks of both blocks lead to an entry of the stash already.
template <class Payload>
void print_table<Payload>::unstash() noexcept {
  constexpr std::size_t at_once = 16;
  std::array<std::pair<std::uint64_t, std::uint64_t>, at_once> some;
  std::size_t count = 0;
  std::uint64_t skipped = stash_.size() <= at_once ? 0 : work_ % (stash_.size() - at_once + 1);
  stash_.for_each([&](std::uint64_t key, std::uint64_t value) {
    if (skipped != 0) {
      --skipped;
    } else if (count < at_once) {
      some[count++] = {key, value};
    }
  });
  for (std::size_t i = 0; i < count; ++i) {
    const auto [key, value] = some[i];
    ++work_;
    if (const auto payload = payload_.from_stash(value)) {
      const print p = print_of_key(key);
      const target first = reach_to_write(p);
      if (!fit(first, reach_to_write(blocks_.other(p)), *payload)) continue;
    }
    stash_.erase(key);
  }
  stash_.trim();
}

// -- growing -----------------------------------------------------------------------------------

template <class Payload>
bool print_table<Payload>::split() noexcept {
  if (!blocks_.can_split()) return false;
  print_blocks::pair both{};
  try {
    both = blocks_.open();
  } catch (const std::exception&) {
    return false;
  }
  work_ += 2;
  const unsigned level = both.parent.level;
  const print_block parent(both.parent.block, blocks_.form(level));
  std::array<slot, most_slots> kept;
  std::size_t count = 0;
  for (unsigned i = 0; i < parent.count(); ++i) {
    const slot s = parent.at(i);
    if (const auto now = payload_.aged(s.payload, *both.parent.epoch)) {
      kept[count++] = {s.tag, s.rest, *now};
    }
  }
  const std::uint32_t mark = payload_.aged_mark(parent.mark(), *both.parent.epoch);
  const bool begins = (both.child.offset & print_block::ones(print_blocks::segment_shift)) == 0;
  if (begins) *both.child.epoch = payload_.epoch();
  parent.clear();
  if (payload_.due(*both.parent.epoch)) refresh(both.parent);
  if (payload_.due(*both.child.epoch)) refresh(both.child);
  const std::array<print_block, 2> halves{print_block(both.parent.block, blocks_.form(level + 1)),
                                          print_block(both.child.block, blocks_.form(level + 1))};
  halves[1].clear();
  for (const print_block& half : halves) half.set_mark(mark);
  for (std::size_t i = 0; i < count; ++i) {
    const slot& s = kept[i];
    halves[s.rest & 1].append({s.tag, s.rest >> 1, s.payload});
  }
  return true;
}

template <class Payload>
bool print_table<Payload>::join() noexcept {
  if (!blocks_.can_join()) return false;
  const print_blocks::pair both = blocks_.last();
  work_ += 2;
  const unsigned level = both.parent.level;
  const std::array<spot, 2> spots{both.parent, both.child};
  std::array<slot, 2 * most_slots> kept;
  std::size_t count = 0;
  std::uint32_t mark = 0;
  for (unsigned half = 0; half < 2; ++half) {
    if (payload_.due(*spots[half].epoch)) refresh(spots[half]);
    const print_block block(spots[half].block, blocks_.form(level + 1));
    mark = payload_.merge_marks(mark, payload_.aged_mark(block.mark(), *spots[half].epoch));
    for (unsigned i = 0; i < block.count(); ++i) {
      const slot s = block.at(i);
      if (!payload_.aged(s.payload, *spots[half].epoch)) continue;
      kept[count++] = {s.tag, s.rest << 1 | half, s.payload};
    }
  }
  if (count > blocks_.form(level).slots) return false;
  print_block(both.child.block, blocks_.form(level + 1)).clear();
  const print_block whole(both.parent.block, blocks_.form(level));
  whole.clear();
  whole.set_mark(mark);
  for (std::size_t i = 0; i < count; ++i) whole.append(kept[i]);
  blocks_.close();
  return true;
}

// -- everything --------------------------------------------------------------------------------

template <class Payload>
template <class Use>
void print_table<Payload>::for_each(Use&& use) const {
  blocks_.for_each([&](const spot& s, const print& base) {
    const print_block block = blocks_.block(s);
    for (unsigned i = 0; i < block.count(); ++i) {
      const slot each = block.at(i);
      use(print{base.home, each.rest << s.level | base.rest, each.tag}, each.payload, *s.epoch);
    }
  });
  stash_.for_each([&](std::uint64_t key, std::uint64_t value) {
    if (const auto payload = payload_.from_stash(value)) {
      use(print_of_key(key), *payload, payload_.epoch());
    }
  });
}

template <class Payload>
void print_table<Payload>::clear() {
  print_blocks fresh(blocks_.shape());
  blocks_ = std::move(fresh);
  stash_ = side_table();
}

template <class Payload>
print_table<Payload> print_table<Payload>::read(print_blocks blocks, Payload payload,
                                                side_table stash) {
  print_table made;
  made.blocks_ = std::move(blocks);
  made.payload_ = std::move(payload);
  made.stash_ = std::move(stash);
  return made;
}

}  // namespace bloomtime::detail
