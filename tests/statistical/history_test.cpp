#include <gtest/gtest.h>

#include <bloomtime/math/random.hpp>
#include <bloomtime/published/persistent/level_history.hpp>
#include <bloomtime/published/persistent/levels.hpp>
#include <bloomtime/published/persistent/single_history.hpp>

#include <cmath>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "support/statistics.hpp"

// docs/math.md, Tolerances of statistical tests: queries use new items, so that answers are
// independent given the bits. The expected error follows from the bits as they are.
namespace bloomtime {
namespace history_statistical {

using namespace published;

constexpr std::uint64_t span_ticks = 4096;
constexpr std::uint64_t span_items = 500;
constexpr int span_questions = 40'000;

// Small integers for items and ticks alike: a symmetric mix of both would show.
template <class History>
void fill_span(History& f) {
  math::random_source random(1);
  for (int i = 0; i < 20'000; ++i) {
    const auto t = static_cast<std::int64_t>(random.below(span_ticks));
    ASSERT_EQ(f.add(random.below(span_items), instant::from_seconds(t)), outcome::added);
  }
}

interval any_question(math::random_source& random, std::uint64_t length) {
  const auto s = static_cast<std::int64_t>(random.below(span_ticks - length + 1));
  return {{s}, {s + static_cast<std::int64_t>(length) - 1}};
}

TEST(single_history, errs_as_its_bits_say) {
  single_history f({.pairs = 20'000, .memory = 25'000, .ticks = span_ticks});
  fill_span(f);
  math::random_source random(2);
  for (const std::uint64_t length : {1u, 16u, 128u}) {
    std::uint64_t wrong = 0;
    for (int i = 0; i < span_questions; ++i) {
      std::uint64_t probes = 0;
      const auto item = span_items + static_cast<std::uint64_t>(i);
      wrong += f.seen(item, any_question(random, length), probes) == sighting::maybe;
    }
    EXPECT_TRUE(support::plausible(wrong, span_questions, f.current_error(length))) << length;
  }
}

level_config all_levels(bool doubts) {
  level_config c{.ticks = span_ticks, .doubts = doubts, .learns = true};
  for (unsigned h = 0; h <= 12; ++h) c.levels.push_back({1 << 17, 4});
  return c;
}

// The chance that one of the cover's nodes is taken for one that holds the item. The sum over all
// questions has a smaller variance than a Poisson count of that mean, so 6 sigma are far out.
TEST(level_history, errs_as_its_bits_say) {
  level_history f(all_levels(false));
  level_history doubting(all_levels(true));
  fill_span(f);
  fill_span(doubting);
  math::random_source random(3);
  double expected = 0;
  std::uint64_t wrong = 0;
  std::uint64_t doubted = 0;
  for (int i = 0; i < span_questions; ++i) {
    const interval asked = any_question(random, 1 + random.below(200));
    const detail::dyadic_cover cover(static_cast<std::uint64_t>(asked.first.number),
                                     static_cast<std::uint64_t>(asked.last.number), 12);
    double right = 0;
    for (const detail::dyadic_node& n : cover.nodes())
      right += std::log1p(-f.level_error(n.height));
    expected -= std::expm1(right);
    std::uint64_t probes = 0;
    const auto item = span_items + static_cast<std::uint64_t>(i);
    wrong += f.seen(item, asked, probes) == sighting::maybe;
    doubted += doubting.seen(item, asked, probes) == sighting::maybe;
  }
  ASSERT_GT(expected, 200);
  EXPECT_NEAR(static_cast<double>(wrong), expected, 6 * std::sqrt(expected));
  EXPECT_LT(doubted, wrong / 2);
}

TEST(level_history, learns_how_many_keys_its_levels_hold) {
  level_history f(all_levels(true));
  std::vector<std::set<std::pair<std::uint64_t, std::uint64_t>>> keys(f.heights());
  math::random_source random(1);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t t = random.below(span_ticks);
    const std::uint64_t item = random.below(span_items);
    ASSERT_EQ(f.add(item, instant::from_seconds(static_cast<std::int64_t>(t))), outcome::added);
    for (unsigned h = 0; h < f.heights(); ++h) keys[h].insert({item, t >> h});
  }
  for (unsigned h = 0; h < f.heights(); ++h) {
    const auto exact = static_cast<double>(keys[h].size());
    EXPECT_NEAR(*f.keys(h), exact, 5 * 0.0163 * exact) << h;  // sigma of 4096 registers
  }
}

// docs/math.md, Joining of levels: a bit is clear if all bits folded into it were clear. The share
// of ones varies by less than sqrt(1 / (4 bits)) around that.
TEST(level_history, is_as_full_as_both_make_it_when_joined) {
  const auto part = [](std::uint64_t first, std::uint64_t bits, unsigned k) {
    level_config c{.ticks = span_ticks, .first = first};
    c.levels.assign(13, {bits, k});
    level_history f(c);
    math::random_source random(first + 7);
    for (int i = 0; i < 20'000; ++i) {
      const auto t = static_cast<std::int64_t>(first + random.below(span_ticks));
      EXPECT_EQ(f.add(random.below(span_items), instant::from_seconds(t)), outcome::added);
    }
    return f;
  };
  const level_history left = part(0, 1 << 19, 5);
  const level_history right = part(span_ticks, 1 << 17, 3);
  const level_history both = level_history::joined(left, right);
  const auto fill = [](const level_history& f, unsigned h) {
    return std::pow(f.level_error(h), 1. / f.level(h).k);
  };
  const double sigma = std::sqrt(1. / (4 << 17));
  for (unsigned h = 0; h < 12; ++h) {
    ASSERT_EQ(both.level(h), (published::filter_size{1 << 17, 3}));
    const double expected = 1 - std::pow(1 - fill(left, h), 4) * (1 - fill(right, h));
    EXPECT_NEAR(fill(both, h), expected, 5 * sigma) << h;
  }
  EXPECT_EQ(both.level(12).bits, 0u);
  EXPECT_EQ(both.level(13).bits, 1u << 17);
}

}  // namespace history_statistical
}  // namespace bloomtime
