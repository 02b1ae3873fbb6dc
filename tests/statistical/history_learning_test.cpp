#include <gtest/gtest.h>

#include <bloomtime/math/random.hpp>
#include <bloomtime/published/persistent/learning.hpp>
#include <bloomtime/published/persistent/levels.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

// Peng et al. 2018, figure 8: on stationary data a partition that learned from the last one has the
// error of one that knew everything beforehand.
namespace bloomtime {
namespace history_learning_test {

using namespace published;

constexpr std::uint64_t stationary_ticks = 4096;
constexpr std::uint64_t stationary_items = 400;
constexpr int stationary_questions = 20'000;

struct pair_of_day {
  std::uint64_t item;
  std::uint64_t tick;  // of its partition
};

// Runs of about 30 ticks, every second of them, of items of which some are much busier.
std::vector<pair_of_day> drawn_day(std::uint64_t seed) {
  math::random_source random(seed);
  std::vector<pair_of_day> day;
  while (day.size() < 20'000) {
    const std::uint64_t item = random.below(1 + random.below(stationary_items));
    const std::uint64_t start = random.below(stationary_ticks);
    for (std::uint64_t t = start; t < start + 30 && t < stationary_ticks;
         t += 1 + random.below(3)) {
      day.push_back({item, t});
    }
  }
  return day;
}

template <class History>
History of_day(History f, std::uint64_t seed) {
  for (const auto& [item, t] : drawn_day(seed)) {
    const auto tick = static_cast<std::int64_t>(f.first() + t);
    EXPECT_EQ(f.add(item, instant::from_seconds(tick)), outcome::added);
  }
  return f;
}

// 64 ticks, and an item that never was, a new one each time.
struct drawn_question {
  std::uint64_t item;
  interval asked;
};

std::vector<drawn_question> drawn_questions(std::uint64_t seed, std::uint64_t first) {
  math::random_source random(seed);
  std::vector<drawn_question> questions;
  for (int i = 0; i < stationary_questions; ++i) {
    const auto s = static_cast<std::int64_t>(first + random.below(stationary_ticks - 63));
    questions.push_back({stationary_items + static_cast<std::uint64_t>(i), {{s}, {s + 63}}});
  }
  return questions;
}

template <class History>
double measured_error(const History& f) {
  int wrong = 0;
  for (const auto& [item, asked] : drawn_questions(9, f.first())) {
    std::uint64_t probes = 0;
    wrong += f.seen(item, asked, probes) == sighting::maybe;
  }
  return static_cast<double>(wrong) / stationary_questions;
}

// Different keys of every height of the second day.
std::vector<double> exact_keys(unsigned heights, std::uint64_t seed) {
  std::vector<std::set<std::pair<std::uint64_t, std::uint64_t>>> keys(heights);
  for (const auto& [item, t] : drawn_day(seed)) {
    for (unsigned h = 0; h < heights; ++h) keys[h].insert({item, t >> h});
  }
  std::vector<double> counts;
  for (const auto& set : keys) counts.push_back(static_cast<double>(set.size()));
  return counts;
}

TEST(learned_levels, err_as_if_they_had_been_told) {
  level_config c{.ticks = stationary_ticks, .doubts = false, .learns = true};
  c.levels.assign(13, {46'080, 3});
  const level_history last = of_day(level_history(c), 1);
  constexpr std::uint64_t bits = 13 * 46'080;
  query_profile asked(stationary_ticks);
  for (const auto& q : drawn_questions(5, 0)) asked.observe(q.asked);
  const level_config online = learned(last, asked, {.bits = bits, .smoothing = 0});

  level_config told = online;
  const auto keys = exact_keys(13, 2);
  const auto probes = published::cover_profile(64, 13);
  std::vector<published::filter_load> loads;
  for (std::size_t h = 0; h < keys.size(); ++h) loads.push_back({keys[h], probes[h]});
  told.levels = published::allocate_bits(loads, bits);
  level_config uniform = online;
  uniform.levels = published::uniform_bits(loads, bits);

  // sigma of the sketch, and of one day against the next: the sum of some 1000 runs.
  for (unsigned h = 0; h < 13; ++h) {
    EXPECT_NEAR(*last.keys(h), exact_keys(13, 1)[h], 5 * 0.0163 * exact_keys(13, 1)[h]) << h;
  }
  const double learned_error = measured_error(of_day(level_history(online), 2));
  const double told_error = measured_error(of_day(level_history(told), 2));
  const double uniform_error = measured_error(of_day(level_history(uniform), 2));
  EXPECT_GT(told_error, 0.005);
  EXPECT_NEAR(learned_error, told_error, std::max(0.005, 0.25 * told_error));
  EXPECT_LT(learned_error, uniform_error / 2);
}

TEST(learned_tree, errs_less_than_one_that_knows_nothing) {
  tree_config c{.ticks = stationary_ticks, .granularity = 4};
  tree_loads blank;
  for (const std::uint64_t nodes : tree_history::nodes_for(stationary_ticks, 4)) {
    blank.nodes.emplace_back(nodes, published::filter_load{16, 1});
  }
  blank.pairs = {10'000, 1};
  constexpr std::uint64_t bits = 500'000;
  c.sizes = uniform_tree(blank, bits);
  const tree_history last = of_day(tree_history(c), 1);
  query_profile asked(stationary_ticks, 4);
  for (const auto& q : drawn_questions(5, 0)) {
    asked.observe(q.asked, 0, last.pair_ticks(q.item, q.asked));
  }
  const tree_config online = learned(last, asked, {.bits = bits});
  tree_config basic = online;
  basic.sizes = uniform_tree(learned_loads(last, asked, {.bits = bits}), bits);
  const double learned_error = measured_error(of_day(tree_history(online), 2));
  const double uniform_error = measured_error(of_day(tree_history(basic), 2));
  EXPECT_GT(uniform_error, 0.005);
  EXPECT_LT(learned_error, 0.75 * uniform_error);  // 145 and 280 questions, 6 sigma apart
}

}  // namespace history_learning_test
}  // namespace bloomtime
