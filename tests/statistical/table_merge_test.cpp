#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/burst_streams.hpp"
#include "support/table_kinds.hpp"
#include "support/told_error.hpp"

// A merged table errs as it tells, and is never below the truth, whatever streams its parts saw.
namespace bloomtime::statistical_table_merge_test {

using stream = support::burst_stream;
constexpr std::uint64_t items = support::burst_items;
constexpr std::int64_t window = support::burst_window;
constexpr std::size_t parts = 3;

template <class Kind>
class merged_tables : public testing::Test {
 protected:
  using table = typename Kind::table;

  // Of the parts of a stream, dealt out one event each, so that all of them see its bursts.
  static table merged(const stream& all, double error, bool reserve, std::uint64_t seed) {
    std::vector<table> each(parts, Kind::of(items, error, reserve, seed));
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(Kind::add(each[i % parts], i, scaled(all[i])), outcome::added);
    }
    for (std::size_t i = 1; i < parts; ++i) each[0].merge(each[i]);
    return each[0];
  }
  // The streams are of windows of ten seconds, the tables of a minute.
  static instant scaled(std::int64_t at) { return instant(6 * at); }

  static void ask(support::told_error& s, const table& t, instant now, std::uint64_t each) {
    s.ask(t, each, [&](std::uint64_t x) { return shows(t, x, now); });
  }
  static bool shows(const table& t, std::uint64_t x, instant now) {
    if constexpr (requires { t.at(x, now).value; }) {
      return t.at(x, now).value > 0;
    } else {
      return Kind::has(t, x, now);
    }
  }
  static void expect_no_undercount(const table& t, const stream& all) {
    const instant now = scaled(all.back());
    for (std::size_t i = 0; i < all.size(); ++i) {
      ASSERT_GE(Kind::upper(t, i, now), Kind::left(scaled(all[i]), now)) << i;
    }
  }
};
TYPED_TEST_SUITE(merged_tables, support::table_kinds);

TYPED_TEST(merged_tables, err_as_told_under_even_bursty_and_gapped_arrivals) {
  const std::array streams{support::bursts(0, window + window / 100 + 1, 0),
                           support::bursts(items / 2, window + 1, 12'345),
                           support::bursts(items, window, 0),  // exactly one window apart
                           support::bursts(items, 3 * window + 12'345, 0),
                           support::bursts(items, 100 * window, 777)};
  for (const double error : {0.01, 1e-3}) {
    support::told_error sum;
    std::uint64_t seed = 0;
    for (const stream& all : streams) {
      for (const bool reserve : {false, true, false, true}) {
        const auto t = this->merged(all, error, reserve, seed++);
        support::told_error s;
        this->ask(s, t, this->scaled(all.back()), 20'000);
        s.expect_at_most(s.told_each());
        this->expect_no_undercount(t, all);
        sum += s;
      }
    }
    sum.expect_told(0.6);
  }
}

// Ten tables, each with as many items as hinted: ten times the error, and told.
TYPED_TEST(merged_tables, of_ten_times_the_hint_err_as_told) {
  constexpr std::uint64_t tables = 10;
  for (const double error : {0.01, 1e-3}) {
    support::told_error sum;
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      const bool reserve = seed % 2 == 0;
      auto t = TypeParam::of(items, error, reserve, seed);
      for (std::uint64_t i = 0; i < tables; ++i) {
        auto part = TypeParam::of(items, error, reserve, seed);
        for (std::uint64_t x = i * items; x < (i + 1) * items; ++x) {
          ASSERT_EQ(TypeParam::add(part, x, instant(0)), outcome::added);
        }
        t.merge(part);
      }
      for (std::uint64_t x = 0; x < tables * items; ++x) {
        ASSERT_GE(TypeParam::upper(t, x, instant(0)), 1) << x;
      }
      EXPECT_GT(t.current_error(), 3 * error);
      EXPECT_LT(t.current_error(), 12 * error);
      this->ask(sum, t, instant(0), 20'000);
    }
    sum.expect_told(0.6);
  }
}

}  // namespace bloomtime::statistical_table_merge_test
