#include <gtest/gtest.h>

#include <bloomtime/detail/print_table.hpp>
#include <bloomtime/error.hpp>
#include <bloomtime/math/random.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "support/allocations.hpp"
#include "support/expect_error.hpp"

namespace bloomtime::detail {
namespace print_table_test {

// Counts that never expire; a bit of the mark per group of tags.
struct counts {
  std::uint64_t most = 255;
  std::uint64_t now = 0;
  std::uint64_t added = 0;

  std::uint64_t epoch() const { return now; }
  bool due(std::uint64_t) const { return false; }
  std::optional<std::uint64_t> aged(std::uint64_t payload, std::uint64_t) const { return payload; }
  std::uint32_t expired(const print_block&, std::uint64_t) const { return 0; }
  void refresh(std::byte*, std::uint64_t, const print_form&, std::uint64_t) const {}
  std::uint32_t aged_mark(std::uint32_t mark, std::uint64_t) const { return mark; }
  bool marked(std::uint32_t mark, std::uint32_t tag) const { return (mark >> tag % 8 & 1) != 0; }
  std::uint32_t mark(std::uint32_t mark, std::uint32_t tag, std::uint64_t) const {
    return mark | 1U << tag % 8;
  }
  std::uint32_t merge_marks(std::uint32_t a, std::uint32_t b) const { return a | b; }
  void add(std::uint64_t) { ++added; }
  std::uint64_t merge(std::uint64_t a, std::uint64_t b) { return std::min(most, a + b); }
  std::uint64_t to_stash(std::uint64_t payload) const { return payload; }
  std::optional<std::uint64_t> from_stash(std::uint64_t value) const { return value; }
};

using table = print_table<counts>;

constexpr print_shape shape{8, 24, 8, 8};

print_result add(table& t, const print& p, std::uint64_t n = 1) {
  return t.change(p, [&](const std::uint64_t* old) -> print_change {
    return {print_change::set, (old != nullptr ? *old : 0) + n};
  });
}

std::uint64_t count(const table& t, const print& p) {
  std::uint64_t found = 0;
  t.find(p, [&](std::uint64_t payload, std::uint64_t, unsigned) { found = payload; });
  return found;
}

print any_print(math::random_source& random, const table& t) {
  return t.print_of({random(), random()});
}

TEST(print_form, uses_the_whole_block) {
  EXPECT_EQ(print_form::of(8, 4, 5).slots, 25U);
  EXPECT_EQ(print_form::of(5, 4, 5).slots, 29U);
  EXPECT_EQ(print_form::of(17, 4, 5).slots, 17U);
  EXPECT_EQ(print_form::of(0, 1, 0).slots, most_slots);
}

TEST(print_block, keeps_every_slot_apart) {
  math::random_source random(1);
  for (unsigned rest = 0; rest <= 40; rest += 5) {
    for (const unsigned payload : {1U, 4U, 7U, 16U}) {
      const print_form form = print_form::of(rest, payload, 9);
      alignas(64) std::array<std::byte, 64> bytes{};
      const print_block block(bytes.data(), form);
      std::vector<print_block::slot> slots;
      for (unsigned i = 0; i < form.slots; ++i) {
        slots.push_back({static_cast<std::uint32_t>(random() & 255),
                         random() & print_block::ones(rest),
                         random() & print_block::ones(payload)});
        block.append(slots.back());
      }
      block.set_mark(0x155);
      EXPECT_TRUE(block.full());
      EXPECT_EQ(block.mark(), 0x155U);
      for (unsigned i = 0; i < form.slots; ++i) {
        EXPECT_EQ(block.at(i).tag, slots[i].tag);
        EXPECT_EQ(block.at(i).rest, slots[i].rest);
        EXPECT_EQ(block.payload(i), slots[i].payload);
        EXPECT_LE(block.find(slots[i].tag, slots[i].rest), i);
      }
      block.remove(0);
      EXPECT_EQ(block.count(), form.slots - 1);
      EXPECT_EQ(block.mark(), 0x155U);
      EXPECT_EQ(block.at(0).rest, slots.back().rest);
    }
  }
}

TEST(print_blocks, refuses_shapes_without_room) {
  for (const print_shape& s :
       {print_shape{0, 20, 4, 4}, print_shape{8, 7, 4, 4}, print_shape{8, 66, 4, 4},
        print_shape{8, 20, 0, 4}, print_shape{8, 20, 4, 17}, print_shape{1ULL << 32, 40, 4, 4}}) {
    support::expect_error(
        errc::invalid_argument, [&] { print_blocks made(s); }, "block");
  }
}

// The other place is another one, and leads back, at every size.
TEST(print_blocks, has_two_places_for_every_print) {
  math::random_source random(2);
  for (const std::uint64_t homes : {1ULL, 2ULL, 3ULL, 64ULL, 1000ULL}) {
    table t({homes, 30, 4, 5}, {});
    for (int round = 0; round < 40; ++round) {
      for (int i = 0; i < 50; ++i) {
        const print p = any_print(random, t);
        const print q = t.blocks().other(p);
        EXPECT_EQ(t.blocks().other(q), p);
        EXPECT_LT(q.home, homes);
        EXPECT_EQ(q.tag, p.tag);
      }
      (void)t.split();
    }
  }
}

// Every block has its own memory, and every print its block, at every size up and down again.
TEST(print_blocks, grow_and_shrink_one_at_a_time) {
  for (const std::uint64_t homes : {1ULL, 3ULL, 5ULL}) {
    table t({homes, 20, 4, 5}, {});
    std::vector<std::uint64_t> memory{t.blocks().block_memory()};
    const auto check = [&] {
      std::map<const std::byte*, print> seen;
      t.blocks().for_each([&](const print_blocks::spot& s, const print& base) {
        EXPECT_TRUE(seen.emplace(s.block, base).second);
        EXPECT_EQ(t.blocks().at(base).block, s.block);
        EXPECT_EQ(t.blocks().at(base).level, s.level);
        EXPECT_EQ(t.blocks().at(base).epoch, s.epoch);
      });
      EXPECT_EQ(seen.size(), t.blocks().blocks());
    };
    for (int i = 0; i < 700; ++i) {
      ASSERT_TRUE(t.split());
      memory.push_back(t.blocks().block_memory());
      if (i % 13 == 0) check();
    }
    while (t.join()) {
      memory.pop_back();
      EXPECT_EQ(t.blocks().block_memory(), memory.back());
      if (memory.size() % 17 == 0) check();
    }
    EXPECT_EQ(memory.size(), 1U);
    EXPECT_EQ(t.blocks().level(), 0U);
    EXPECT_EQ(t.blocks().split(), 0U);
  }
}

// A chunk of blocks grows with the table. To clear it at once would be a pause that does, too.
TEST(print_blocks, write_no_more_of_new_memory_than_one_block) {
  support::allocations watched;
  print_blocks b({4096, 40, 8, 8});
  int chunks = 0;
  for (int i = 0; i < 5000; ++i) {
    const bool allocates = b.bytes_of_next_split() != 0;
    const std::size_t asked = watched.asked();
    const print_blocks::pair opened = b.open();
    if (allocates && watched.asked() == asked + 1) {  // two: a list of chunks became longer
      const auto given = watched.last_given();
      const auto dirty = std::ranges::count(given, support::allocations::dirt);
      EXPECT_GE(given.size(), 256 * line_bytes);
      EXPECT_LE(given.size() - static_cast<std::size_t>(dirty),
                line_bytes + sizeof(std::uint64_t) + readable_past_end);
      ++chunks;
    }
    // What is opened is empty all the same.
    EXPECT_EQ(std::count(opened.child.block, opened.child.block + line_bytes, std::byte{0}), 64);
    EXPECT_EQ(*opened.child.epoch, 0U);
  }
  EXPECT_GE(chunks, 15);
}

TEST(print_blocks, have_epochs_of_0_if_a_file_has_none) {
  const support::allocations dirty;
  const std::vector<std::byte> bytes(300 * line_bytes);
  const auto b = print_blocks::read({200, 40, 8, 8}, 0, 100, bytes);
  b.for_each([](const print_blocks::spot& s, const print&) { EXPECT_EQ(*s.epoch, 0U); });
}

TEST(print_blocks, stop_growing_when_prints_are_used_up) {
  table t({1, 12, 4, 5}, {});
  int splits = 0;
  while (t.split()) ++splits;
  EXPECT_EQ(splits, 15);  // four bits beside the tag
  EXPECT_EQ(t.blocks().blocks(), 16U);
}

// Exact counts of prints: two prints that are each other's other place may become one.
class twin {
 public:
  void add(const table& t, const print& p, std::uint64_t n = 1) { exact_[t.key_of(p)] += n; }

  void check(const table& t) const {
    for (const auto& [key, n] : exact_) {
      const print p = print_of(t, key);
      const auto other = exact_.find(t.key_of(t.blocks().other(p)));
      const std::uint64_t most = n + (other != exact_.end() ? other->second : 0);
      const std::uint64_t found = count(t, p);
      ASSERT_GE(found, n);
      ASSERT_LE(found, most);
    }
  }

 private:
  static print print_of(const table& t, std::uint64_t key) {
    const unsigned bits = t.blocks().shape().print_bits - tag_bits;
    return {key >> tag_bits >> bits, key >> tag_bits & print_block::ones(bits),
            static_cast<std::uint32_t>(key & 255)};
  }

  std::map<std::uint64_t, std::uint64_t> exact_;
};

TEST(print_table, finds_everything_at_every_fill_and_size) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    math::random_source random(seed);
    table t(shape, {});
    twin exact;
    for (int i = 0; i < 3000; ++i) {
      const print p = any_print(random, t);
      const print_result r = add(t, p);
      ASSERT_NE(r, print_result::full);
      exact.add(t, p);
      const double load = static_cast<double>(i) / static_cast<double>(t.blocks().slots());
      if (load > 0.97) {
        ASSERT_TRUE(t.split());
      }
      if (i % 97 == 0) exact.check(t);
      if (i % 50 == 0) t.unstash(static_cast<std::uint64_t>(i));
    }
    exact.check(t);
    while (3000. / static_cast<double>(t.blocks().slots()) > 0.85) ASSERT_TRUE(t.split());
    for (std::uint64_t i = 0; i < 10; ++i) t.unstash(i);
    EXPECT_TRUE(t.stash().empty());
    while (t.join()) {
    }
    exact.check(t);
  }
}

// Pitfall: x and y have each other's blocks. Moving x next to y must not make two equal slots.
TEST(print_table, equal_prints_of_a_pair_become_one) {
  table t(shape, {});
  const print x{1, 77, 5};
  const print y = t.blocks().other(x);
  ASSERT_NE(t.blocks().at(x).block, t.blocks().at(y).block);
  add(t, x, 3);
  add(t, y, 4);
  EXPECT_EQ(count(t, x), 3U);
  EXPECT_EQ(count(t, y), 4U);
  // Others fill the block of x, until x has to leave.
  math::random_source random(3);
  for (int i = 0; i < 400 && count(t, x) == 3; ++i) {
    print p = any_print(random, t);
    p.home = x.home;
    add(t, p);
  }
  EXPECT_EQ(count(t, x), 7U);
  EXPECT_EQ(count(t, y), 7U);
}

// Prints that all have the same two blocks.
TEST(print_table, crafted_prints_go_to_a_bounded_stash) {
  table t({64, 40, 8, 8}, {});
  const unsigned slots = t.blocks().form(0).slots;
  std::uint64_t stored = 0;
  std::uint64_t work = t.work();
  for (std::uint64_t rest = 0; rest < 3000; ++rest) {
    const print_result r = add(t, {5, rest << 8, 9});
    EXPECT_LE(t.work() - work, 2 * table::most_probes);
    work = t.work();
    if (r == print_result::full) continue;
    EXPECT_EQ(r, print_result::added);
    EXPECT_EQ(stored, rest) << "nothing is lost before the stash is full";
    ++stored;
  }
  EXPECT_GT(stored, 2 * slots);
  EXPECT_EQ(t.stash().size(), stored - 2 * slots);
  EXPECT_LE(t.memory(), 3 * t.blocks().memory());
  for (std::uint64_t rest = 0; rest < 3000; ++rest) {
    EXPECT_EQ(count(t, {5, rest << 8, 9}), rest < stored ? 1U : 0U);
    EXPECT_EQ(add(t, {5, rest << 8, 9}),
              rest < stored ? print_result::present : print_result::full);
  }
  // Room appears when blocks split by the bits that differ.
  for (int i = 0; i < 64 * 1023; ++i) ASSERT_TRUE(t.split());
  for (std::uint64_t i = 0; i < 300; ++i) t.unstash(i);
  EXPECT_TRUE(t.stash().empty());
  for (std::uint64_t rest = 0; rest < stored; ++rest) {
    EXPECT_EQ(count(t, {5, rest << 8, 9}), 2U);
  }
}

// x and y have each other's blocks, both blocks are full, and x is in the stash.
class stashed_pair : public ::testing::Test {
 protected:
  stashed_pair() {
    for (std::uint64_t rest = 0; t.stash().empty(); ++rest) {
      x = {5, rest << 8, 9};
      EXPECT_EQ(add(t, x, 3), print_result::added);
    }
    y = t.blocks().other(x);
  }
  // Makes room in the block of y.
  void erase_one_beside_y() {
    bool gone = false;
    for (std::uint64_t rest = 0; !gone; ++rest) {
      const print p = t.blocks().other({5, rest << 8, 9});
      const auto erase = [&](const std::uint64_t*) -> print_change {
        return {print_change::erase, 0};
      };
      gone = t.blocks().at(p).block == t.blocks().at(y).block &&
             t.change(p, erase) == print_result::present;
    }
  }

  table t{{64, 40, 8, 8}, {}};
  print x;
  print y;
};

// Pitfall: y must not become a second entry that hides what x has in the stash, or returns to hide
// what x has in its block.
TEST_F(stashed_pair, is_one_print) {
  erase_one_beside_y();
  EXPECT_EQ(add(t, y, 4), print_result::present);
  add(t, x, 5);
  EXPECT_GE(count(t, x), 8U);
  for (std::uint64_t i = 0; i < 3; ++i) t.unstash(i);
  EXPECT_TRUE(t.stash().empty());
  EXPECT_GE(count(t, x), 8U);
  EXPECT_GE(count(t, y), 4U);
}

// A print of another table is in a block; which of its items has it there is not known.
TEST_F(stashed_pair, absorbs_a_print_for_both) {
  EXPECT_EQ(t.absorb(y, 4, true), print_result::present);
  EXPECT_EQ(count(t, x), 7U);
  EXPECT_EQ(count(t, y), 7U);
  const print p{5, std::uint64_t{1000} << 8, 9};
  EXPECT_EQ(t.absorb(p, 6, true), print_result::added);
  EXPECT_EQ(t.stash().size(), 2U);
  EXPECT_EQ(count(t, p), 6U);
  EXPECT_EQ(count(t, t.blocks().other(p)), 6U);
}

// A smaller table may have a smaller stash, and still loses nothing.
TEST(print_table, keeps_a_stash_that_is_above_its_bound) {
  table t({64, 40, 8, 8}, {});
  for (int i = 0; i < 3 * 64; ++i) ASSERT_TRUE(t.split());
  std::uint64_t stored = 0;
  while (add(t, {5, stored << 8, 9}) == print_result::added) ++stored;
  while (t.join()) {
  }
  EXPECT_EQ(t.blocks().blocks(), 64U);
  for (std::uint64_t i = 0; i < 20; ++i) t.unstash(i);
  for (std::uint64_t rest = 0; rest < stored; ++rest) {
    ASSERT_EQ(count(t, {5, rest << 8, 9}), 1U) << rest;
  }
}

TEST(print_table, erases) {
  math::random_source random(4);
  table t(shape, {});
  std::vector<print> all;
  for (int i = 0; i < 120; ++i) {
    all.push_back(any_print(random, t));
    add(t, all.back());
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(t.change(all[i],
                       [](const std::uint64_t*) -> print_change {
                         return {print_change::erase, 0};
                       }),
              print_result::present);
    EXPECT_EQ(count(t, all[i]), 0U);
    for (std::size_t j = i + 1; j < all.size(); ++j) EXPECT_EQ(count(t, all[j]), 1U);
  }
}

// Prints of another table, whichever of its two blocks they were in.
TEST(print_table, absorbs_another_table) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    math::random_source random(seed);
    table a(shape, {});
    table b(shape, {});
    twin exact;
    for (int i = 0; i < 300; ++i) {
      const print p = any_print(random, a);
      table& into = i % 2 == 0 ? a : b;
      ASSERT_NE(add(into, p), print_result::full);
      exact.add(a, p);
      if (i % 5 == 0) {
        add(i % 2 == 0 ? b : a, p);
        exact.add(a, p);
      }
      if (i % 3 == 0) (void)(i % 2 == 0 ? b : a).split();
    }
    b.for_each([&](const print& p, std::uint64_t n, std::uint64_t) {
      ASSERT_NE(a.absorb(p, n, b.marked(b.blocks().other(p))), print_result::full);
      (void)a.split();
    });
    exact.check(a);
  }
}

std::vector<std::byte> block_bytes(const print_blocks& of) {
  std::vector<std::byte> all;
  for (const auto piece : of.block_pieces()) all.insert(all.end(), piece.begin(), piece.end());
  return all;
}

TEST(print_table, copies_and_stores) {
  math::random_source random(5);
  table t(shape, {});
  twin exact;
  for (int i = 0; i < 500; ++i) {
    const print p = any_print(random, t);
    add(t, p);
    exact.add(t, p);
    if (i % 2 == 0) (void)t.split();
  }
  const table copy(t);
  exact.check(copy);
  const print_blocks& b = t.blocks();
  const auto read = table::read(
      print_blocks::read(b.shape(), b.level(), b.split(), block_bytes(b), b.epoch_bytes()), {},
      t.stash());
  exact.check(read);
  EXPECT_EQ(block_bytes(read.blocks()), block_bytes(b));
  EXPECT_EQ(read.blocks().block_memory(), t.blocks().block_memory());
  for (const auto& [level, split] :
       std::vector<std::pair<unsigned, std::uint64_t>>{{b.level() + 1, 0},
                                                       {b.level(), b.split() + 1},
                                                       {40, 0},
                                                       {b.level(), ~std::uint64_t{0}}}) {
    support::expect_error(
        errc::corrupt,
        [&, l = level, s = split] {
          (void)print_blocks::read(b.shape(), l, s, block_bytes(b), b.epoch_bytes());
        },
        "blocks");
  }
}

}  // namespace print_table_test
}  // namespace bloomtime::detail
