#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bloomtime/detail/side_table.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace bloomtime::detail {
namespace side_table_property {

using model = std::map<std::uint64_t, std::uint64_t>;

std::vector<std::byte> written(const side_table& table) {
  byte_writer out;
  table.write(out);
  return out.written();
}

std::vector<std::byte> written(const model& entries) {
  byte_writer out;
  for (const auto& [cell, value] : entries) {
    out.u64(cell);
    out.u64(value);
  }
  return out.written();
}

// Empty if the table says what the model says in every way it can be asked, else what differs.
std::string difference(const side_table& table, const model& truth,
                       const std::vector<std::uint64_t>& universe) {
  if (table.size() != truth.size()) return "size";
  if (table.empty() != truth.empty()) return "empty";
  for (const auto cell : universe) {
    const auto* const found = table.find(cell);
    const auto expected = truth.find(cell);
    if ((found != nullptr) != (expected != truth.end())) return "presence";
    if (found != nullptr && *found != expected->second) return "value";
  }
  model visited;
  bool twice = false;
  table.for_each([&](std::uint64_t cell, std::uint64_t value) {
    twice |= !visited.emplace(cell, value).second;
  });
  if (twice || visited != truth) return "for_each";
  return written(table) == written(truth) ? "" : "bytes";
}

// Cells whose search starts in the last slots of every table of up to `slots` slots (a power of
// two), so that runs of entries continue at the beginning.
std::vector<std::uint64_t> cells_at_the_end(std::uint64_t slots, std::size_t count) {
  std::vector<std::uint64_t> cells;
  for (std::uint64_t cell = 0; cells.size() < count; ++cell) {
    if ((mix(cell) & (slots - 1)) >= slots - 2) cells.push_back(cell);
  }
  return cells;
}

std::vector<std::vector<std::uint64_t>> adversarial_universes() {
  std::vector<std::uint64_t> consecutive;
  std::vector<std::uint64_t> equal_low_bits;
  for (std::uint64_t i = 0; i < 48; ++i) {
    consecutive.push_back(i);
    equal_low_bits.push_back(i << 40 | 0x1234567890);
  }
  return {consecutive,
          equal_low_bits,
          cells_at_the_end(8, 48),
          cells_at_the_end(64, 48),
          {0, 1, side_table::max_cell, side_table::max_cell - 1}};
}

using step = std::tuple<std::uint8_t, std::uint8_t, std::uint64_t>;  // what, which cell, value

void apply(const step& s, const std::vector<std::uint64_t>& universe, side_table& table,
           model& truth) {
  const auto& [what, which, value] = s;
  const std::uint64_t cell = universe[which % universe.size()];
  if (what < 140) {
    table.set(cell, value);
    truth[cell] = value;
  } else if (what < 240) {
    const bool erased = table.erase(cell);
    if (erased != (truth.erase(cell) == 1)) truth[cell] = value;  // makes the difference show
  } else if (what < 250) {
    table.trim();
  } else if (what < 254) {
    table.reserve(which);
  } else {
    table.clear();
    truth.clear();
  }
}

RC_GTEST_PROP(side_table_property, behaves_like_a_map, (std::vector<step> steps)) {
  for (const auto& universe : adversarial_universes()) {
    side_table table;
    model truth;
    for (const auto& s : steps) {
      apply(s, universe, table, truth);
      RC_ASSERT(difference(table, truth, universe) == "");
    }
  }
}

TEST(side_table_property, behaves_like_a_map_for_long) {
  std::mt19937_64 random(6);
  for (const auto& universe : adversarial_universes()) {
    side_table table;
    model truth;
    for (int i = 0; i < 3000; ++i) {
      const std::uint64_t r = random();
      apply({static_cast<std::uint8_t>(r), static_cast<std::uint8_t>(r >> 8), r >> 16}, universe,
            table, truth);
      ASSERT_EQ(difference(table, truth, universe), "") << "step " << i;
    }
  }
}

// Many entries: fill, then erase in another order, with trims on the way.
TEST(side_table_property, grows_and_shrinks_like_a_map) {
  std::mt19937_64 random(7);
  std::vector<std::uint64_t> universe;
  for (int i = 0; i < 4000; ++i) universe.push_back(random() % 20000);
  side_table table;
  model truth;
  for (const auto cell : universe) {
    table.set(cell, cell + 1);
    truth[cell] = cell + 1;
  }
  EXPECT_EQ(difference(table, truth, universe), "");
  for (std::size_t i = universe.size(); i-- > 0;) {
    EXPECT_EQ(table.erase(universe[i]), truth.erase(universe[i]) == 1);
    table.trim();
    if (i % 500 == 0) {
      EXPECT_EQ(difference(table, truth, universe), "");
    }
  }
  EXPECT_EQ(table.bytes(), 0u);
}

RC_GTEST_PROP(side_table_property, bytes_do_not_depend_on_history, (model entries)) {
  entries.erase(side_table::max_cell + 1);
  side_table forwards;
  side_table backwards;
  backwards.reserve(1000);
  for (const auto& [cell, value] : entries) forwards.set(cell, value);
  for (std::uint64_t extra = 0; extra < 50; ++extra) backwards.set(extra, 1);
  for (std::uint64_t extra = 0; extra < 50; ++extra) backwards.erase(extra);
  for (auto at = entries.rbegin(); at != entries.rend(); ++at) backwards.set(at->first, at->second);

  const auto bytes = written(entries);
  RC_ASSERT(written(forwards) == bytes);
  RC_ASSERT(written(backwards) == bytes);
  const auto back = side_table::read(bytes, side_table::max_cell + 1,
                                     [](std::uint64_t, std::uint64_t) { return true; });
  RC_ASSERT(written(back) == bytes);
}

// Refuses the allocation with a given number, and counts all of them and what is not yet released.
class failing_allocator {
 public:
  explicit failing_allocator(int failing) {
    count = 0;
    live = 0;
    fails = failing;
    set_allocator({[](std::size_t bytes) -> void* {
                     if (count++ == fails) return nullptr;
                     ++live;
                     return std::malloc(bytes);
                   },
                   [](void* block) {
                     --live;
                     std::free(block);
                   }});
  }
  failing_allocator(const failing_allocator&) = delete;
  failing_allocator& operator=(const failing_allocator&) = delete;
  ~failing_allocator() {
    set_allocator({[](std::size_t bytes) { return std::malloc(bytes); },
                   [](void* block) { std::free(block); }});
  }

  static inline int count = 0;
  static inline int live = 0;
  static inline int fails = 0;
};

// One long script, run once for every allocation it makes, with that allocation failing. A step
// that fails must leave everything as it was, and must succeed when it is tried again.
TEST(side_table_property, running_out_of_memory_changes_nothing) {
  for (const auto& universe : adversarial_universes()) {
    int thrown = 0;
    for (int failing = 0;; ++failing) {
      const failing_allocator allocator(failing);
      std::mt19937_64 random(8);
      {
        side_table table;
        model truth;
        for (int i = 0; i < 300; ++i) {
          const std::uint64_t r = random();
          const step s{static_cast<std::uint8_t>(r), static_cast<std::uint8_t>(r >> 8), r >> 16};
          const auto before = std::pair(truth, table.bytes());
          try {
            apply(s, universe, table, truth);
          } catch (const error& e) {
            ++thrown;
            ASSERT_EQ(e.code(), errc::out_of_memory);
            ASSERT_EQ(truth, before.first);
            ASSERT_EQ(table.bytes(), before.second);
            ASSERT_EQ(difference(table, truth, universe), "");
            apply(s, universe, table, truth);
          }
        }
        ASSERT_EQ(difference(table, truth, universe), "");
      }
      ASSERT_EQ(allocator.live, 0);
      if (allocator.count <= failing) break;
    }
    EXPECT_GT(thrown, 0);
  }
}

TEST(side_table_property, reading_and_copying_without_memory_leave_nothing_behind) {
  const auto bytes = written(model{{1, 2}, {3, 4}});
  const auto anything = [](std::uint64_t, std::uint64_t) { return true; };
  side_table source = side_table::read(bytes, 10, anything);
  side_table target;
  target.set(9, 9);
  const failing_allocator allocator(0);
  EXPECT_THROW((void)side_table::read(bytes, 10, anything), error);
  allocator.count = 0;
  EXPECT_THROW(target = source, error);
  EXPECT_EQ(written(target), written(model{{9, 9}}));
  EXPECT_EQ(written(source), bytes);
  EXPECT_EQ(allocator.live, 0);
}

}  // namespace side_table_property
}  // namespace bloomtime::detail
