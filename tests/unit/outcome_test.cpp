#include <gtest/gtest.h>

#include <bloomtime/bloomtime.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace bloomtime {
namespace outcome_test {

// Names are read by people and by programs: they never change.
TEST(names, of_outcomes) {
  EXPECT_EQ(name_of(outcome::added), "added");
  EXPECT_EQ(name_of(outcome::late), "late");
  EXPECT_EQ(name_of(outcome::dropped_late), "dropped_late");
  EXPECT_EQ(name_of(outcome::future), "future");
  EXPECT_EQ(name_of(outcome::full), "full");
  EXPECT_EQ(name_of(outcome::saturated), "saturated");
  EXPECT_EQ(name_of(outcome::refused), "refused");
  EXPECT_EQ(name_of(static_cast<outcome>(200)), "unknown");
}

// So do the numbers that are written into files.
TEST(names, of_layouts_and_families_with_their_numbers) {
  static_assert(static_cast<std::uint8_t>(layout::flat) == 1);
  static_assert(static_cast<std::uint8_t>(layout::rows) == 2);
  static_assert(static_cast<std::uint8_t>(layout::line) == 3);
  EXPECT_EQ(name_of(layout::flat), "flat");
  EXPECT_EQ(name_of(layout::rows), "rows");
  EXPECT_EQ(name_of(layout::line), "line");
  EXPECT_EQ(name_of(static_cast<layout>(0)), "unknown");

  static_assert(static_cast<std::uint8_t>(family::bloom) == 1);
  static_assert(static_cast<std::uint8_t>(family::heat) == 2);
  static_assert(static_cast<std::uint8_t>(family::history) == 3);
  static_assert(static_cast<std::uint8_t>(family::recency) == 4);
  static_assert(static_cast<std::uint8_t>(family::tally) == 5);
  EXPECT_EQ(name_of(family::bloom), "bloom");
  EXPECT_EQ(name_of(family::heat), "heat");
  EXPECT_EQ(name_of(family::history), "history");
  EXPECT_EQ(name_of(family::recency), "recency");
  EXPECT_EQ(name_of(family::tally), "tally");
  EXPECT_EQ(name_of(static_cast<family>(0)), "unknown");

  static_assert(static_cast<std::uint8_t>(hash_id::xxh3_128) == 1);
}

TEST(losses, counts_each_kind_of_loss_and_nothing_else) {
  losses lost;
  EXPECT_EQ(lost.count(outcome::added), outcome::added);
  EXPECT_EQ(lost.count(outcome::late), outcome::late);
  EXPECT_EQ(lost, losses{});
  for (const outcome o : {outcome::dropped_late, outcome::future, outcome::future, outcome::full,
                          outcome::saturated, outcome::refused}) {
    EXPECT_EQ(lost.count(o), o);
  }
  EXPECT_EQ(lost, (losses{1, 2, 1, 1, 1}));
}

TEST(error, carries_a_code_and_a_sentence) {
  const error e(errc::too_large, "expected less, got more");
  EXPECT_EQ(e.code(), errc::too_large);
  EXPECT_STREQ(e.what(), "expected less, got more");
  EXPECT_THROW(throw e, std::runtime_error);
}

TEST(estimate, compares_by_all_three_numbers) {
  const estimate e{.value = 2, .lower = 1, .upper = 3};
  EXPECT_EQ(e, (estimate{2, 1, 3}));
  EXPECT_NE(e, (estimate{2, 1, 4}));
  EXPECT_NE(e, (estimate{2, 0, 3}));
  EXPECT_EQ(estimate{}, (estimate{0, 0, 0}));
}

}  // namespace outcome_test
}  // namespace bloomtime
