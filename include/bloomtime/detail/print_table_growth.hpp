#pragma once

// The part of print_table.hpp, which includes it, that divides and joins blocks, and visits all of
// them.
namespace bloomtime::detail {

// -- growing -----------------------------------------------------------------------------------

// After a split, rests are shorter, and payloads of several slots may need more of them. Removes
// prints that a half would have no room for.
template <class Payload>
bool print_table<Payload>::make_divisible(const target& t) noexcept {
  unsigned probes = 0;
  std::array<unsigned, 2> used{};
  for (unsigned i = 0; i < t.block.count();) {
    const std::uint64_t payload = payload_at(t.block, i);
    unsigned& half = used[t.block.at(i).rest & 1];
    const unsigned needed = length_for(t.at.level + 1, payload);
    if (half + needed <= blocks_.form(t.at.level + 1).slots) {
      half += needed;
      i += length(t.block, i);
    } else if (!move_out(t, i, probes)) {
      const print p = t.print_at(i);
      if (!add_to_stash(reach(p), reach(blocks_.other(p)), payload)) return false;
      remove(t.block, i);
    }
  }
  return true;
}

template <class Payload>
bool print_table<Payload>::split() noexcept {
  if (!blocks_.can_split()) return false;
  if (grouped && !make_divisible(reach(blocks_.next_split()))) return false;
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
  for (unsigned i = 0; i < parent.count(); i += length(parent, i)) {
    const slot s = parent.at(i);
    if (const auto now = payload_.aged(payload_at(parent, i), *both.parent.epoch)) {
      kept[count++] = {s.tag, s.rest, *now};
    }
  }
  const std::uint32_t mark = payload_.aged_mark(parent.mark(), *both.parent.epoch);
  const bool begins = (both.child.offset & print_block::ones(print_blocks::segment_shift)) == 0;
  if (begins) *both.child.epoch = payload_.epoch();
  clear(parent);
  if (payload_.due(*both.parent.epoch)) refresh(both.parent);
  if (payload_.due(*both.child.epoch)) refresh(both.child);
  const std::array<print_block, 2> halves{print_block(both.parent.block, blocks_.form(level + 1)),
                                          print_block(both.child.block, blocks_.form(level + 1))};
  halves[1].clear();
  for (const print_block& half : halves) half.set_mark(mark);
  for (std::size_t i = 0; i < count; ++i) {
    const slot& s = kept[i];
    append(halves[s.rest & 1], {s.tag, s.rest >> 1, s.payload});
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
  unsigned needed = 0;
  std::uint32_t mark = 0;
  for (unsigned half = 0; half < 2; ++half) {
    if (payload_.due(*spots[half].epoch)) refresh(spots[half]);
    const print_block block(spots[half].block, blocks_.form(level + 1));
    mark = payload_.merge_marks(mark, payload_.aged_mark(block.mark(), *spots[half].epoch));
    for (unsigned i = 0; i < block.count(); i += length(block, i)) {
      const slot s = block.at(i);
      const std::uint64_t payload = payload_at(block, i);
      if (!payload_.aged(payload, *spots[half].epoch)) continue;
      kept[count++] = {s.tag, s.rest << 1 | half, payload};
      needed += length_for(level, payload);
    }
  }
  if (needed > blocks_.form(level).slots) return false;
  for (const spot& s : spots) clear(print_block(s.block, blocks_.form(level + 1)));
  const print_block whole(both.parent.block, blocks_.form(level));
  whole.set_mark(mark);
  for (std::size_t i = 0; i < count; ++i) append(whole, kept[i]);
  blocks_.close();
  return true;
}

// -- everything --------------------------------------------------------------------------------

template <class Payload>
template <class Use>
void print_table<Payload>::for_each_in_blocks(Use&& use) const {
  blocks_.for_each([&](const spot& s, const print& base) {
    const print_block block = blocks_.block(s);
    for (unsigned i = 0; i < block.count(); i += length(block, i)) {
      const slot each = block.at(i);
      use(print{base.home, each.rest << s.level | base.rest, each.tag}, payload_at(block, i),
          *s.epoch);
    }
  });
}

template <class Payload>
template <class Use>
void print_table<Payload>::use_stashed(std::uint64_t key, std::uint64_t value, Use&& use) const {
  if (const auto payload = payload_.from_stash(value)) {
    use(print_of_key(key), *payload, payload_.epoch());
  }
}

template <class Payload>
template <class Use>
void print_table<Payload>::for_each(Use&& use) const {
  for_each_in_blocks(use);
  stash_.for_each([&](std::uint64_t key, std::uint64_t value) { use_stashed(key, value, use); });
}

template <class Payload>
template <class Use>
void print_table<Payload>::for_each_in_order(Use&& use) const {
  const auto stashed = stash_.sorted();
  for_each_in_blocks(use);
  for (const auto& [key, value] : stashed) use_stashed(key, value, use);
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
