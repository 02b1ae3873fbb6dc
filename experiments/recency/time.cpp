// Nanoseconds for a question and an insertion, k 4, windows of 2^16 (table 5 of Dautrich &
// Ravishankar 2019). Filters take turns in rounds; medians and quartiles.

#include <chrono>
#include <cstdio>
#include <utility>
#include <vector>

#include <bloomtime/published/inferential/generalized_filter.hpp>
#include <bloomtime/published/inferential/recent_buffer.hpp>
#include <bloomtime/published/inferential/timing_filter.hpp>

#include "bench/harness/measure.hpp"
#include "experiments/history/checks.hpp"
#include "subjects.hpp"

namespace {

using namespace experiments;
using namespace bloomtime;
using namespace bloomtime::published;

constexpr std::uint64_t window = std::uint64_t{1} << 16;
constexpr unsigned k = 4;
constexpr unsigned rounds = 9;
constexpr std::uint64_t per_round = std::uint64_t{1} << 18;
constexpr math::penalties costs{3, 5};

struct way {
  const char* name;
  double published;  // microseconds, in Java at 2.4 GHz
  std::size_t number = 0;
};

// Asks and inserts the items of a round, each round the next ones.
template <class Ask, class Insert>
bench::schedule::round turn(const stream& s, Ask ask, Insert insert) {
  return [&s, ask, insert, first = std::uint64_t{0}]() mutable {
    std::uint64_t yes = 0;
    const auto start = std::chrono::steady_clock::now();
    for (std::uint64_t i = 0; i < per_round; ++i) {
      const std::uint32_t item = s.items[first + i];
      yes += ask(item);
      insert(item);
    }
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    bench::keep(yes);
    first = (first + per_round) % (s.items.size() - per_round);
    return taken.count() / static_cast<double>(per_round);
  };
}

void compare(const stream& s, std::uint64_t bits) {
  const auto priors = known_priors(s);
  const auto ages = [&](std::uint32_t item) { return age_prior::share(s.shares[item]); };
  const published::timing_size size = published::plan_timing(window, window * bits, k, k, k);
  std::vector<timing_filter> timing(4, timing_filter(size));
  const auto likelihood = timing[1].analytic_with(s.distinct);
  std::vector<generalized_filter> general(
      2, generalized_filter({.window = window, .memory = window * bits / 8, .k0 = k, .k1 = k}));
  recent_buffer buffer({.window = window, .memory = window * bits / 8, .bits = 10});

  const auto nothing = [](std::uint32_t) {};
  const auto into = [](auto& filter) { return [&](std::uint32_t x) { filter.add(x); }; };
  bench::schedule all;
  std::vector<way> ways;
  const auto add = [&](const char* name, double published, bench::schedule::round round) {
    ways.push_back({name, published, all.add(std::move(round))});
  };
  const auto w = static_cast<double>(window);
  add("prior only", 0.33,
      turn(
          s,
          [&](std::uint32_t x) {
            return math::positive({priors[x].before(w), priors[x].beyond(w)}, costs, false);
          },
          nothing));
  add("timing", 0.80,
      turn(
          s, [&](std::uint32_t x) { return timing[0].seen(x); }, into(timing[0])));
  add("timing inferential", 1.13,
      turn(
          s, [&](std::uint32_t x) { return timing[1].decide(x, priors[x], costs, likelihood); },
          into(timing[1])));
  add("timing census", 0,
      turn(
          s, [&](std::uint32_t x) { return timing[2].decide(x, priors[x], costs); },
          into(timing[2])));
  add("generalized", 1.64,
      turn(
          s, [&](std::uint32_t x) { return general[0].seen(x); }, into(general[0])));
  add("generalized inferential", 1.85,
      turn(
          s, [&](std::uint32_t x) { return general[1].decide(x, ages(x), costs); },
          into(general[1])));
  add("buffer inferential", 0,
      turn(
          s, [&](std::uint32_t x) { return buffer.decide(x, priors[x], costs); }, into(buffer)));
  all.run(rounds);
  for (const way& each : ways) {
    const bench::summary time = all.time(each.number);
    const bench::summary ratio = all.ratio(each.number, ways[1].number);
    std::printf("%s,%ju,%s,%.1f,%.1f,%.1f,%.3f,%.3f\n", s.name.c_str(),
                static_cast<std::uintmax_t>(bits), each.name, time.median, time.lower, time.upper,
                ratio.median, each.published / ways[1].published);
  }
  const double inferential = all.ratio(ways[2].number, ways[1].number).median;
  claim(inferential <= 1.6,
        "{} bits {}: inference takes {:.2f} of the standard answer, 1.41 as published", s.name,
        bits, inferential);
}

}  // namespace

int main() {
  std::puts("stream,bits_per_item,answer,ns,lower,upper,ratio,published_ratio");
  const stream s = uniform_stream();
  for (const std::uint64_t bits : {10u, 15u}) compare(s, bits);
}
