#include <gtest/gtest.h>

#include <bloomtime/math/random.hpp>
#include <bloomtime/math/zipf.hpp>
#include <bloomtime/tally/tally_table.hpp>

#include <cstdint>
#include <vector>

#include "support/told_error.hpp"

// The measured error of a table is at most what current_error() says, and that is at most what was
// requested while it has no more items than it was made for.
namespace bloomtime::statistical_tally_table_test {

constexpr std::uint64_t items = 20'000;

struct kind {
  double error;
  bool reserve;
};

class tally_table_error : public testing::TestWithParam<kind> {
 protected:
  tally_table made(std::uint64_t seed) const {
    return tally_table(
        {.items = items, .error = GetParam().error, .reserve = GetParam().reserve, .seed = seed});
  }
};
INSTANTIATE_TEST_SUITE_P(kinds, tally_table_error,
                         testing::Values(kind{0.03, false}, kind{0.03, true}, kind{1e-3, false},
                                         kind{1e-3, true}));

using score = support::told_error;

// Absent items that show a count. (Present ones come in pairs, which are not independent.)
score asked(const tally_table& f) {
  score s;
  s.ask(f, 5 * items, [&](std::uint64_t x) { return f.count(x).value != 0; });
  return s;
}

TEST_P(tally_table_error, is_told_at_every_fill) {
  score all;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    tally_table f = made(seed);
    for (std::uint64_t x = 0; x < 10 * items; ++x) {
      ASSERT_EQ(f.add(x, 1 + x % 20), outcome::added);
      if (x + 1 != items && x + 1 != 3 * items && x + 1 != 10 * items) continue;
      const score s = asked(f);
      s.expect_at_most(f.current_error());
      if (x + 1 == items) s.expect_at_most(GetParam().error);
      all += s;
    }
    EXPECT_NEAR(f.current_error(), f.predicted_error(10 * items), 0.2 * f.current_error());
  }
  all.expect_told(0.9);
}

// Items come and go, never more than `items` at one time: one by one, in bursts, or all of them
// with an empty table in between.
TEST_P(tally_table_error, is_told_while_items_come_and_go) {
  score all;
  for (const std::uint64_t burst : {std::uint64_t{1}, items / 10, items}) {
    tally_table f = made(burst);
    score each;
    for (std::uint64_t x = 0; x < 3 * items; ++x) {
      if (x >= items && x % burst == 0) {
        for (std::uint64_t y = x - items; y < x - items + burst; ++y) {
          ASSERT_EQ(f.remove(y, 1 + y % 20), outcome::added);
        }
      }
      ASSERT_EQ(f.add(x, 1 + x % 20), outcome::added);
      if (x < 2 * items || x % (items / 4) != items / 8) continue;
      const score s = asked(f);
      s.expect_at_most(f.current_error());
      s.expect_at_most(GetParam().error);
      EXPECT_LE(f.current_error(), GetParam().error);
      each += s;
    }
    each.expect_at_most(each.told_each());
    all += each;
  }
  all.expect_told(0.9);
}

// Counts of a skewed stream: 99.9 % of the items that came are exact, none is too low.
TEST(tally_table_counts, of_a_skewed_stream) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const math::zipf law(100'000, 1);
    math::random_source random(seed);
    std::vector<std::uint64_t> truth(100'001);
    for (int i = 0; i < 1'000'000; ++i) ++truth[law(random)];
    std::uint64_t distinct = 0;
    for (const std::uint64_t n : truth) distinct += n != 0;
    tally_table f({.items = distinct, .reserve = true, .total = 1'000'000, .seed = seed});
    for (std::uint64_t x = 0; x < truth.size(); ++x) ASSERT_EQ(f.add(x, truth[x]), outcome::added);
    std::uint64_t inexact = 0;
    for (std::uint64_t x = 0; x < truth.size(); ++x) {
      ASSERT_GE(f.count(x).value, truth[x]);
      inexact += truth[x] != 0 && f.count(x).value != truth[x];
    }
    EXPECT_LT(inexact, distinct / 1000);
  }
}

}  // namespace bloomtime::statistical_tally_table_test
