// Two neighbouring partitions of 32 768 ticks are joined into one: figure 17. The error of queries
// before and after, for filters whose bits were allocated by learning from another day.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <type_traits>

#include <bloomtime/error.hpp>
#include <bloomtime/history/timeline_history.hpp>
#include <bloomtime/published/persistent/learning.hpp>
#include <bloomtime/published/persistent/query_profile.hpp>
#include <bloomtime/published/persistent/single_history.hpp>

#include "checks.hpp"
#include "scene.hpp"

namespace {

using namespace experiments;
using namespace bloomtime;
using namespace bloomtime::published;

constexpr std::uint32_t half = 32'768;

// A day, and the same two partitions of another one to learn from.
struct setting {
  trace day;
  trace others[2];
  std::vector<question> tests;
  std::vector<question> training[2];

  explicit setting(const generated& g) : day(part_of(trace_of(g, 1), 0, 2 * half)) {
    tests = negative_questions(day, exact_history(day.pairs), usual_length, seeds * usual_questions,
                               of_items::seen, 1);
    const trace other = trace_of(g, 2);
    for (std::uint32_t i = 0; i < 2; ++i) {
      others[i] = part_of(other, i * half, half);
      training[i] = negative_questions(others[i], exact_history(others[i].pairs), usual_length,
                                       usual_questions, of_items::seen, 2 + i);
    }
  }
};

template <class... Histories>
double error_of(const std::vector<question>& questions, const Histories&... parts) {
  std::uint64_t maybes = 0;
  for (const question& q : questions) {
    std::uint64_t probes = 0;
    maybes += (... || (parts.seen(q.item, q.asked, probes) == sighting::maybe));
  }
  return static_cast<double>(maybes) / static_cast<double>(questions.size());
}

double fill_of(const level_history& h, unsigned height) {
  return std::pow(h.level_error(height), 1.0 / h.level(height).k);
}

// A bit of a level is set if any bit folded into it was (docs/math.md, Joining of levels).
void check_fill(const std::string& what, const level_history& left, const level_history& right,
                const level_history& both) {
  double worst = 0;
  for (unsigned h = 0; h + 1 < left.heights(); ++h) {
    if (both.level(h).bits == 0) continue;
    const auto folds = [&](const level_history& part) {
      return static_cast<double>(part.level(h).bits) / static_cast<double>(both.level(h).bits);
    };
    const double expected = 1 - std::pow(1 - fill_of(left, h), folds(left)) *
                                    std::pow(1 - fill_of(right, h), folds(right));
    worst = std::max(worst, std::abs(fill_of(both, h) / expected - 1));
  }
  check(worst < 0.01, "{}: joined levels are as full as expected, to {:.2f} %", what, 100 * worst);
}

template <class History, class Config>
void compare(const setting& s, const std::string& method, const char* sizes, Config first,
             Config second) {
  first.first = 0;
  second.first = half;
  History left(first);
  History right(second);
  for (const record& r : s.day.pairs) {
    (void)(r.tick < half ? left : right).add(r.item, at(r.tick));
  }
  if constexpr (requires { left.seal(); }) {
    left.seal();
    right.seal();
  }
  const double before = error_of(s.tests, left, right);
  const auto bits = static_cast<std::uintmax_t>(8 * (left.memory() + right.memory()));
  const std::string what = fmt::format("{}, {}, {}", s.day.name, method, sizes);
  std::printf("%s,%s,%s,%.5g,", s.day.name.c_str(), method.c_str(), sizes, before);
  try {
    const History both = History::joined(left, right);
    const double after = error_of(s.tests, both);
    std::printf("%.5g,%ju,%ju\n", after, bits, static_cast<std::uintmax_t>(8 * both.memory()));
    check(after >= before, "{}: joining does not lower the error, {:.5f} to {:.5f}", what, before,
          after);
    if constexpr (std::is_same_v<History, level_history>) check_fill(what, left, right, both);
  } catch (const error& why) {
    std::printf("nan,%ju,0\n", bits);
    say("refused", "{}: {}", what, why.what());
  }
}

level_config learned_levels(const setting& s, int which, published::size_grid grid) {
  level_config c{.ticks = half, .doubts = false, .learns = true};
  c.levels.resize(16);
  c.levels[0] = {64, 1};  // only what it counts matters
  level_history last(c);
  for (const record& r : s.others[which].pairs) last.add(r.item, at(r.tick));
  query_profile asked(half);
  for (const question& q : s.training[which]) asked.observe(q.asked);
  level_config next = learned(last, asked, {.bits = usual_bits, .smoothing = 0, .grid = grid});
  next.learns = false;
  return next;
}

tree_config learned_tree(const setting& s, int which, published::size_grid grid) {
  const trace& other = s.others[which];
  tree_loads even;
  for (const std::uint64_t nodes : tree_history::nodes_for(half, tree_granularity)) {
    even.nodes.emplace_back(nodes, published::filter_load{100, 1});
  }
  even.pairs = {static_cast<double>(other.pairs.size()), 1};
  tree_history last(
      {.ticks = half, .granularity = tree_granularity, .sizes = uniform_tree(even, usual_bits)});
  for (const record& r : other.pairs) last.add(r.item, at(r.tick));
  query_profile asked(half, tree_granularity);
  for (const question& q : s.training[which]) {
    asked.observe(q.asked, 0, last.pair_ticks(q.item, q.asked));
  }
  return learned(last, asked, {.bits = usual_bits, .smoothing = 0, .grid = grid});
}

}  // namespace

int main() {
  std::puts("set,method,sizes,before,after,bits_before,bits_after");
  for (const generated& g : all_generated) {
    const setting s(g);
    const single_config single{
        .pairs = s.day.pairs.size() / 2, .memory = usual_bits / 8, .ticks = half};
    compare<single_history>(s, "single", "equal", single, single);
    const auto compare_both = [&](const char* sizes, int second, published::size_grid grid) {
      compare<tree_history>(s, "tree learned", sizes, learned_tree(s, 0, grid),
                            learned_tree(s, second, grid));
      compare<level_history>(s, "level learned", sizes, learned_levels(s, 0, grid),
                             learned_levels(s, second, grid));
    };
    compare_both("powers of two", 1, published::size_grid::powers_of_two);
    compare_both("equal", 0, published::size_grid::words);
    compare_both("any", 1, published::size_grid::words);
    const timeline_config timeline{.ticks = half};
    compare<timeline_history>(s, "timeline", "its own", timeline, timeline);
  }
}
