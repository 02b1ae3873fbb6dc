#include <gtest/gtest.h>

#include <bloomtime/detail/digest_index.hpp>
#include <bloomtime/detail/side_table.hpp>
#include <bloomtime/digest.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace bloomtime::detail::digest_index_test {

constexpr std::uint64_t crafted_mask = 511;
constexpr std::size_t crafted_count = 4000;

// Items that somebody chose by their hashes: nine low bits are zero.
std::vector<digest> crafted_digests() {
  std::vector<digest> found;
  for (std::uint64_t i = 0; found.size() < crafted_count; ++i) {
    const digest d = digest_of("item" + std::to_string(i));
    if ((d.lo & crafted_mask) == 0) found.push_back(d);
  }
  return found;
}

// An index at most half full reads 2.5 places on average in a search that finds nothing (Knuth,
// TAOCP 6.4). Four times as many on average over all items is far beyond chance; with the low bits
// of the digest for a place there would be a run of 250 for every 512 places.
TEST(digest_index, is_not_slowed_down_by_items_with_similar_digests) {
  const std::vector<digest> items = crafted_digests();
  digest_index index;
  std::uint64_t read = 0;
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    index.reserve(i + 1);
    read += index.probes(items[i]);
    index.insert(items[i], i);
  }
  EXPECT_LE(read, 10 * items.size());
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    EXPECT_EQ(index.find(items[i], [&](std::uint32_t slot) { return items[slot] == items[i]; }), i);
  }
}

// Numbers whose low half is the same; some differ only there. The caller is asked about few others.
TEST(digest_index, tells_digests_apart_that_share_half_their_bits) {
  digest_index index;
  std::vector<digest> items;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    items.push_back(i % 2 == 0 ? digest{i << 32, 7} : digest{7, i << 32});
  }
  index.reserve(items.size());
  for (std::uint32_t i = 0; i < items.size(); ++i) index.insert(items[i], i);
  std::uint64_t asked = 0;
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    const auto found = index.find(items[i], [&](std::uint32_t slot) {
      ++asked;
      return items[slot] == items[i];
    });
    ASSERT_EQ(found, i);
  }
  EXPECT_LE(asked, items.size() + 100);
}

TEST(digest_index, finds_what_is_left_after_erasures) {
  const std::vector<digest> items = crafted_digests();
  digest_index index;
  index.reserve(items.size());
  for (std::uint32_t i = 0; i < items.size(); ++i) index.insert(items[i], i);
  for (std::uint32_t i = 0; i < items.size(); i += 3) index.erase(items[i], i);
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    const auto found =
        index.find(items[i], [&](std::uint32_t slot) { return items[slot] == items[i]; });
    EXPECT_EQ(found.has_value(), i % 3 != 0) << i;
  }
}

// At most three quarters full: 8.5 slots on average (side_table::capacity_of).
TEST(side_table, is_not_slowed_down_by_chosen_cells) {
  side_table table;
  std::uint64_t read = 0;
  for (std::uint64_t cell = 0; table.size() < crafted_count; ++cell) {
    if ((mix(cell) & crafted_mask) != 0) continue;
    table.reserve(table.size() + 1);
    read += table.probes(cell);
    table.set(cell, 1);
  }
  EXPECT_LE(read, 30 * crafted_count);
}

}  // namespace bloomtime::detail::digest_index_test
