#include <bloomtime/heat/detail/least_counts.hpp>

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace bloomtime::least_counts_test {
namespace {

// The same counts in the order of their entries.
struct twin {
  std::vector<std::uint64_t> counts;
  std::vector<std::uint64_t>
      names;  // of the items in the entries; equal counts are ordered by them

  std::uint32_t least_entry() const {
    std::uint32_t least = 0;
    for (std::uint32_t i = 1; i < counts.size(); ++i) {
      if (std::tie(counts[i], names[i]) < std::tie(counts[least], names[least])) least = i;
    }
    return least;
  }
};

// Ranks that often agree, and an order among those of one rank.
template <class Name>
struct order {
  Name name;

  std::uint32_t rank(std::uint32_t entry) const noexcept {
    return static_cast<std::uint32_t>(name(entry) >> 62);
  }
  bool operator()(std::uint32_t a, std::uint32_t b) const noexcept { return name(a) < name(b); }
};
template <class Name>
order(Name) -> order<Name>;

std::uint64_t halved(std::uint64_t count, unsigned times) {
  for (; times > 0; --times) count = (count + 1) / 2;
  return count;
}

RC_GTEST_PROP(least_counts, knows_the_smallest_after_every_operation, ()) {
  twin all;
  detail::least_counts counts;
  const order earlier{[&](std::uint32_t entry) noexcept { return all.names[entry]; }};
  // Names differ, and are in no order.
  std::uint64_t next = *rc::gen::arbitrary<std::uint32_t>();
  const auto new_name = [&] { return (next++ * 0x9E37'79B9'7F4A'7C15) ^ 5; };
  const std::size_t room = *rc::gen::inRange<std::size_t>(1, 40);
  counts.reserve(room);
  const std::uint64_t memory = counts.memory();
  for (int step = *rc::gen::inRange(1, 300); step > 0; --step) {
    const auto more = *rc::gen::inRange<std::uint64_t>(1, 40);
    const int act = all.counts.empty() ? 0 : *rc::gen::inRange(0, 12);
    if (act < 4 && all.counts.size() < room) {
      all.counts.push_back(more);
      all.names.push_back(new_name());
      counts.push(more, earlier);
    } else if (act < 8) {  // another item takes the place of the smallest
      const std::uint32_t least = counts.least_entry(earlier);
      all.names[least] = new_name();
      counts.raise(least, all.counts[least] += more, earlier);
    } else if (act < 10) {
      const auto entry =
          *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(all.counts.size()));
      counts.raise(entry, all.counts[entry] += more, earlier);
    } else if (act == 10) {
      const auto times = *rc::gen::inRange(1U, 8U);
      for (std::uint64_t& c : all.counts) c = halved(c, times);
      const auto parity = *rc::gen::inRange<std::uint32_t>(0, 3);  // 2: none comes to rest
      counts.fade([&](std::uint32_t, std::uint64_t c) noexcept { return halved(c, times); },
                  [&](std::uint32_t entry) noexcept { return entry % 2 == parity; }, earlier);
    } else {
      for (std::uint64_t& c : all.counts) c = 3 * c - 2;
      counts.change_all([](std::uint64_t c) { return 3 * c - 2; }, earlier);
    }
    RC_ASSERT(counts.size() == all.counts.size());
    RC_ASSERT(counts.least_entry(earlier) == all.least_entry());
    RC_ASSERT(counts.least() == all.counts[all.least_entry()]);
    for (std::uint32_t i = 0; i < all.counts.size(); ++i) RC_ASSERT(counts[i] == all.counts[i]);
  }
  RC_ASSERT(counts.memory() == memory);
}

// A list whose items have all faded does no work when time passes.
TEST(least_counts, leaves_entries_at_rest_alone) {
  detail::least_counts counts;
  counts.reserve(100);
  const order earlier{[](std::uint32_t entry) noexcept { return std::uint64_t{entry}; }};
  for (std::uint64_t i = 0; i < 100; ++i) counts.push(1 + i % 7, earlier);
  std::size_t faded = 0;
  const auto fade = [&] {
    counts.fade(
        [&](std::uint32_t, std::uint64_t c) noexcept {
          ++faded;
          return (c + 1) / 2;
        },
        [](std::uint32_t) noexcept { return true; }, earlier);
  };
  for (int i = 0; i < 3; ++i) fade();
  faded = 0;
  fade();
  EXPECT_EQ(faded, 0U);
  counts.raise(50, 9, earlier);
  fade();
  EXPECT_EQ(faded, 1U);
  EXPECT_EQ(counts[50], 5U);
}

}  // namespace
}  // namespace bloomtime::least_counts_test
