#pragma once

// The part of print_table.hpp, which includes it, that makes room for a print: moves, the stash,
// and what is given up.
namespace bloomtime::detail {

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
  if constexpr (grouped) {
    return append(t.block, t.with(payload));
  } else {
    const unsigned i = room_in(t);
    if (i >= t.block.form().slots) return false;
    t.block.put(i, t.with(payload));
    if (i == t.block.count()) t.block.set_head(i + 1, t.block.mark());
    return true;
  }
}

template <class Payload>
void print_table<Payload>::refresh(spot s) noexcept {
  const std::uint64_t epoch = *s.epoch;
  blocks_.for_segment(s, [&](std::byte* at, std::uint64_t count, const print_form& form) {
    work_ += count;
    payload_.refresh(at, count, form, epoch);
  });
  *s.epoch = payload_.epoch();
}

template <class Payload>
print_result print_table<Payload>::add(print p, std::uint64_t payload) noexcept {
  const target first = reach(p);
  const target second = reach_to_write(blocks_.other(p));
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
  if (first.block.full() && !second.block.full() && !first.has_print() && put_second()) return true;
  // A move frees one slot; with several per print, one out of a block may take one of the other.
  const unsigned rounds = grouped ? 8 * length_for(first.at.level, payload) : 1;
  unsigned probes = 0;
  unsigned free = 0;
  for (unsigned round = 0;; ++round) {
    if (put(first, payload) || put_second()) return true;
    const unsigned before = std::exchange(free, free_in(first, second));
    const purpose why{grouped ? &first.p : nullptr, round != 0 && free <= before};
    if (!search_.moves || round == rounds || probes >= most_probes ||
        !(make_room(first, probes, why) || make_room(second, probes, why) ||
          make_room_by_two(first, probes, why) || make_room_by_two(second, probes, why))) {
      return false;
    }
  }
}

// Of a print whose payload no longer fits into its block: others make room, or it leaves.
template <class Payload>
bool print_table<Payload>::extend(target t, std::uint64_t payload) noexcept {
  const target other = reach_to_write(blocks_.other(t.p));
  unsigned probes = 0;
  unsigned free = 0;
  bool made = true;
  for (unsigned round = 0; made; ++round) {
    if (rewrite(t.block, t.find(), payload)) return true;
    if (other.at.block != t.at.block && put(other, payload)) {
      leave_mark(t.block, t.p.tag, payload);
      remove(t.block, t.find());
      return true;
    }
    const unsigned before = std::exchange(free, free_in(t, other));
    const purpose why{&t.p, round != 0 && free <= before};
    made = probes < most_probes &&
           (make_room(t, probes, why) || make_room(other, probes, why) ||
            make_room_by_two(t, probes, why) || make_room_by_two(other, probes, why));
  }
  if (!add_to_stash(t, other, payload)) return false;
  remove(t.block, t.find());
  return true;
}

// A print that is equal to this one then stands for both. False if there is no room.
template <class Payload>
bool print_table<Payload>::put(const target& t, std::uint64_t payload) noexcept {
  const unsigned i = t.find();
  if (i < t.block.form().slots) {
    return rewrite(t.block, i, payload_.merge(payload_at(t.block, i), payload));
  }
  return place(t, payload);
}

// Moves slot i to its other block if there is room.
template <class Payload>
bool print_table<Payload>::move_out(const target& from, unsigned i, unsigned& probes) noexcept {
  const target to = reach_to_write(blocks_.other(from.print_at(i)));
  ++probes;
  ++work_;
  const std::uint64_t payload = payload_at(from.block, i);
  if (to.at.block == from.at.block || !put(to, payload)) return false;
  note_move(from.print_at(i), to.p, payload);
  leave_mark(from.block, to.p.tag, payload);
  remove(from.block, i);
  return true;
}

// Whether the print of slot i may move for this purpose. One that is equal to the print that room
// is made for stays where it is: if both became one, the payload would be that of one of them.
template <class Payload>
bool print_table<Payload>::may_move(const target& t, unsigned i,
                                    const purpose& why) const noexcept {
  if (!is_print(t.block, i)) return false;
  if (why.p == nullptr) return true;
  if (why.closed) [[unlikely]] {
    const std::byte* const to = blocks_.at(blocks_.other(t.print_at(i))).block;
    if (to == blocks_.at(*why.p).block || to == blocks_.at(blocks_.other(*why.p)).block) {
      return false;
    }
  }
  return t.block.tag(i) != why.p->tag || stash_key(t.print_at(i)) != stash_key(*why.p);
}

// Blocks that were divided in this round have more room than others. In a large table it pays to
// try them first.
template <class Payload>
bool print_table<Payload>::make_room(const target& t, unsigned& probes,
                                     const purpose& why) noexcept {
  const auto move_one = [&](auto&& wanted) {
    for (unsigned i = 0; i < t.block.count(); ++i) {
      if (may_move(t, i, why) && wanted(i) && move_out(t, i, probes)) return true;
    }
    return false;
  };
  const auto divided = [&](unsigned i) { return blocks_.is_divided(blocks_.other(t.print_at(i))); };
  if (blocks_.split() == 0 || !blocks_.large()) return move_one([](unsigned) { return true; });
  return move_one(divided) || move_one([&](unsigned i) { return !divided(i); });
}

template <class Payload>
bool print_table<Payload>::make_room_by_two(const target& t, unsigned& probes,
                                            const purpose& why) noexcept {
  for (unsigned i = 0; i < t.block.count() && probes < most_probes; ++i) {
    if (!may_move(t, i, why)) continue;
    const target next = reach_to_write(blocks_.other(t.print_at(i)));
    // Slots of t may have changed their places.
    if (next.at.block != t.at.block && make_room(next, probes, why) && may_move(t, i, why) &&
        move_out(t, i, probes)) {
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
  bool room = true;
  const auto merge = [&](const target& t) {
    const unsigned i = t.find();
    const bool found = i < t.block.form().slots;
    if (found) {
      payload_.add(payload);
      const std::uint64_t sum = payload_.merge(payload_at(t.block, i), payload);
      room = change_in(t, i, {print_change::set, sum}) && room;
    }
    return found;
  };
  const bool was_there = there.p != p && there.has_print();  // a print may be its own other one
  const bool found_here = merge(here);
  // If the print had to leave its block for the other one, it brought the payload along.
  const bool moved = found_here && grouped && !here.has_print();
  const bool found_there = was_there && (moved || merge(there));
  if (found_there && !found_here) leave_mark(here.block, p.tag, payload);
  if (marked && !found_there) leave_mark(there.block, p.tag, payload);
  if (!room) return print_result::full;
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
  // It would be found first.
  if (grouped && second.p != first.p && second.has_print()) return false;
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

// Entries take turns, in the order of their keys: the order of for_each() is another one in every
// process. The marks of both blocks lead to an entry of the stash already.
template <class Payload>
void print_table<Payload>::unstash(std::uint64_t turn) noexcept {
  constexpr std::size_t at_once = 16;
  using entry = std::pair<std::uint64_t, std::uint64_t>;
  const print_shape& shape = blocks_.shape();
  const std::uint64_t from = reduce(turn * golden, shape.homes << shape.print_bits);
  const auto before = [&](const entry& a, const entry& b) {
    return a.first - from < b.first - from;
  };
  std::array<entry, at_once> some;
  std::size_t count = 0;
  stash_.for_each([&](std::uint64_t key, std::uint64_t value) {
    const entry each{key, value};
    if (count == at_once && !before(each, some.back())) return;
    if (count < at_once) ++count;
    std::size_t i = count - 1;
    for (; i != 0 && before(each, some[i - 1]); --i) some[i] = some[i - 1];
    some[i] = each;
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

}  // namespace bloomtime::detail
