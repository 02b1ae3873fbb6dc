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
//   void refresh(std::byte* at, std::uint64_t count, const print_form&, std::uint64_t epoch) const;
//                                                 ages all payloads and marks of so many blocks
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
// A payload may take several slots: `static constexpr bool grouped = true`. A print then has the
// slots from the one with its tag to the next print, all of which have the payload 0, and
//
//   unsigned length_for(const print_form&, std::uint64_t payload) const;   slots
//   unsigned length(const print_block&, unsigned i) const;
//   std::uint64_t read(const print_block&, unsigned i) const;
//   bool append(const print_block&, const print_block::slot&);   false if there is no room
//   bool rewrite(const print_block&, unsigned i, std::uint64_t payload);   likewise; slots may move
//   void remove(const print_block&, unsigned i);
//   void clear(const print_block&);               before its slots are added anew
//
// Nothing here throws but construction, copies, for_each_in_order() and read().
template <class Payload>
class print_table {
  static constexpr bool grouped = requires { Payload::grouped; };
  static constexpr bool balanced = requires { Payload::balanced; };
  // Smaller tables fill their blocks in the order of files that exist.
  static constexpr std::uint64_t evenly_filled = 64;

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

  // What touch() reads of a print in a table that has grown: its tag, its blocks and what they
  // store of it. Valid while blocks().changes() stays the same.
  struct two_places {
    two_places() noexcept = default;
    BLOOMTIME_INLINE two_places(const print_blocks& blocks, const print& p) noexcept;
    BLOOMTIME_INLINE void prefetch() const noexcept {
      print_blocks::prefetch(first);
      print_blocks::prefetch(second);
    }

    std::byte* first;
    std::byte* second;
    const print_form* first_form;
    const print_form* second_form;
    std::uint64_t first_rest;
    std::uint64_t second_rest;
    std::uint32_t tag;
  };

  BLOOMTIME_INLINE print print_of(digest d) const noexcept { return blocks_.print_of(d); }
  BLOOMTIME_INLINE void prefetch(const print& p) const noexcept {
    blocks_.prefetch(p);
    blocks_.prefetch(blocks_.other(p));
  }

  // The first block of a table that has not grown.
  BLOOMTIME_INLINE void prefetch_first(const print& p) const noexcept {
    print_blocks::prefetch(blocks_.at_first(p));
  }

  // use(payload, epoch, level) where the print is.
  template <class Use>
  BLOOMTIME_INLINE bool find(const print& p, Use&& use) const noexcept;

  // use(block, i) if the print is in its first block; in a table that has grown also if it is in
  // its second one, unless the first has another print with this tag. Returns what use() returns,
  // otherwise false. The shortest way to change a payload in place, if payloads do not expire.
  template <class Use>
  BLOOMTIME_INLINE bool touch(const print& p, Use&& use) const noexcept {
    return blocks_.can_join() ? touch(two_places(blocks_, p), use) : touch_first(p, use);
  }
  // The same of a table that has not grown: it has less to compute.
  template <class Use>
  BLOOMTIME_INLINE bool touch_first(const print& p, Use&& use) const noexcept;
  // The same of one that has.
  template <class Use>
  BLOOMTIME_INLINE bool touch(const two_places& at, Use&& use) const noexcept;
  // Puts a print that touch() did not find into its first block, if that has room and nothing says
  // that the print may be elsewhere. Does what change() would do.
  bool append_new(const print& p, std::uint64_t payload) noexcept;

  // change(payload or null) once, with the present payload if the print is there. A slot that
  // expired since its segment was refreshed is there, with its payload.
  template <class Change>
  BLOOMTIME_INLINE print_result change(const print& p, Change&& change) noexcept;

  // The same in a balanced table, where quick() says so: a new print goes into the emptier one of
  // its blocks if the first is nearly full. Blocks are rarely full then, and prints rarely move. In
  // its second block it could be equal to a print that does not stand for it, unless the first one
  // is marked; then it is not placed there. `full` if the block that it belongs into is full; add()
  // goes on from there. `newest`: no mark is from a later tick than these payloads.
  bool quick() const noexcept { return blocks_.blocks() >= evenly_filled && stash_.empty(); }
  template <bool newest = false, class Change>
  BLOOMTIME_INLINE print_result change_quickly(const print& p, Change&& change) noexcept;

  // Adds a print that is in neither block, and makes room for it; the segments of both are fresh.
  print_result add(print p, std::uint64_t payload) noexcept;

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
  // Whether two blocks can be opened for each of n more prints.
  bool can_grow_for(std::uint64_t n) const noexcept {
    return blocks_.blocks() + 2 * n <= blocks_.most_blocks();
  }
  bool join() noexcept;
  // Tries to put some entries of the stash where they belong; `turn` chooses which, and is to
  // differ from call to call.
  void unstash(std::uint64_t turn) noexcept;

  // use(print, payload, epoch) for every slot, then use(print, payload, epoch()) for the stash.
  template <class Use>
  void for_each(Use&& use) const;
  // The same, and the stash in the order of its keys: for what is stored, which must not depend on
  // the order in this process. Allocates memory if there is a stash.
  template <class Use>
  void for_each_in_order(Use&& use) const;

  void clear();
  static print_table read(print_blocks blocks, Payload payload, side_table stash);
  std::uint64_t key_of(const print& p) const noexcept {
    return (p.home << (blocks_.shape().print_bits - tag_bits) | p.rest) << tag_bits | p.tag;
  }
  print print_of_key(std::uint64_t key) const noexcept;
  // A print and its other place have one key in the stash, as they have the same blocks: what is
  // found from one of them is found from both.
  BLOOMTIME_INLINE std::uint64_t stash_key(const print& p) const noexcept {
    return std::min(key_of(p), key_of(blocks_.other(p)));
  }

 private:
  // A print and the block where it would be.
  struct target {
    print p;
    spot at;
    print_block block;

    BLOOMTIME_INLINE unsigned find() const noexcept {
      return block.template find<grouped>(p.tag, print_blocks::stored(p, at.level));
    }
    bool has_print() const noexcept { return find() < block.form().slots; }
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

  BLOOMTIME_INLINE target target_of(const print& p, const spot& at) const noexcept {
    return {p, at, blocks_.block(at)};
  }
  BLOOMTIME_INLINE target reach(const print& p) const noexcept {
    return target_of(p, blocks_.at(p));
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
  // Values, not references, are passed to calls that most operations do not make: others keep them
  // in registers then.
  void refresh(spot s) noexcept;
  [[gnu::noinline]] void refresh_at(print p) noexcept { refresh(blocks_.at(p)); }

  // use(block, i) of the slot that has this print, as stored here, among these.
  template <class Use>
  BLOOMTIME_INLINE static bool touch_in(const print_block& block, print_block::slot_set among,
                                        std::uint64_t rest, Use&& use) noexcept {
    for (; among.bits != 0; among.bits &= among.bits - 1) {
      const unsigned i = among.first();
      if (block.template holds<grouped>(i, rest)) return use(block, i);
    }
    return false;
  }

  // -- prints of one slot or of several
  static bool is_print(const print_block& block, unsigned i) noexcept {
    return !grouped || block.payload(i) != 0;
  }
  unsigned length(const print_block& block, unsigned i) const noexcept {
    if constexpr (grouped) return payload_.length(block, i);
    return 1;
  }
  unsigned length_for(unsigned level, std::uint64_t payload) const noexcept {
    if constexpr (grouped) return payload_.length_for(blocks_.form(level), payload);
    return 1;
  }
  BLOOMTIME_INLINE std::uint64_t payload_at(const print_block& block, unsigned i) const noexcept {
    if constexpr (grouped) return payload_.read(block, i);
    return block.payload(i);
  }
  BLOOMTIME_INLINE bool append(const print_block& block, const slot& s) noexcept {
    if constexpr (grouped) return payload_.append(block, s);
    block.append(s);
    return true;
  }
  BLOOMTIME_INLINE bool rewrite(const print_block& block, unsigned i,
                                std::uint64_t payload) noexcept {
    if constexpr (grouped) return payload_.rewrite(block, i, payload);
    block.set_payload(i, payload);
    return true;
  }
  void remove(const print_block& block, unsigned i) noexcept {
    if constexpr (grouped) {
      payload_.remove(block, i);
    } else {
      block.remove(i);
    }
  }
  void clear(const print_block& block) noexcept {
    if constexpr (grouped) payload_.clear(block);
    block.clear();
  }

  unsigned room_in(const target& t) noexcept;
  bool place(const target& t, std::uint64_t payload) noexcept;
  void leave_mark(print_block block, std::uint32_t tag, std::uint64_t payload) noexcept {
    block.set_mark(payload_.mark(block.mark(), tag, payload));
  }

  void note_move(const print& from, const print& to, std::uint64_t payload) noexcept {
    if constexpr (requires { payload_.moved(payload, payload, payload); }) {
      payload_.moved(key_of(from), key_of(to), payload);
    }
  }

  template <class Use>
  void for_each_in_blocks(Use&& use) const;
  template <class Use>
  void use_stashed(std::uint64_t key, std::uint64_t value, Use&& use) const;

  template <class At, class Change>
  print_result change_at(const print& p, At&& at, Change&& change) noexcept;
  template <bool grown, bool newest, class Change>
  print_result change_either(const print& p, Change&& change) noexcept;
  template <bool grown>
  struct either_place;
  template <bool grown, class Use>
  bool seek(const print& p, Use&& use) const noexcept;
  bool change_in(const target& t, unsigned i, print_change c) noexcept;
  bool fit(const target& first, const target& second, std::uint64_t payload) noexcept;
  bool put(const target& t, std::uint64_t payload) noexcept;
  bool move_out(const target& from, unsigned i, unsigned& probes) noexcept;
  // What room is made for: a print, null if it takes one slot. A print that moves from one of its
  // blocks to the other gains nothing and could go back and forth. After a move without a gain the
  // blocks are `closed`: none moves into them.
  struct purpose {
    const print* p = nullptr;
    bool closed = false;
  };
  static unsigned free_in(const target& a, const target& b) noexcept {
    return a.block.form().slots - a.block.count() + b.block.form().slots - b.block.count();
  }
  bool may_move(const target& t, unsigned i, const purpose& why) const noexcept;
  bool make_room(const target& t, unsigned& probes, const purpose& why) noexcept;
  bool make_room_by_two(const target& t, unsigned& probes, const purpose& why) noexcept;
  bool extend(target t, std::uint64_t payload) noexcept;
  bool make_divisible(const target& t) noexcept;
  bool add_to_stash(const target& first, const target& second, std::uint64_t payload) noexcept;
  std::uint64_t most_stashed() const noexcept { return 64 + blocks_.slots() / 32; }

  print_blocks blocks_;
  Payload payload_{};
  side_table stash_;
  search search_;
  std::uint64_t work_ = 0;
};

}  // namespace bloomtime::detail

#include <bloomtime/detail/print_table_growth.hpp>
#include <bloomtime/detail/print_table_room.hpp>
#include <bloomtime/detail/print_table_search.hpp>
