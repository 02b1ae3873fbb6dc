#include <fmt/format.h>

#include <bloomtime/history/detail/live_ticks.hpp>
#include <bloomtime/history/detail/timelines.hpp>
#include <bloomtime/history/timeline_history.hpp>
#include <bloomtime/math/binomial.hpp>
#include <bloomtime/published/persistent/allocation.hpp>
#include <bloomtime/published/persistent/level_history.hpp>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/harness/measure.hpp"
#include "bench/harness/parts.hpp"
#include "experiments/history/exact.hpp"
#include "experiments/history/loads.hpp"
#include "experiments/history/streams.hpp"
#include "tests/support/counted_bits.hpp"

// A day like the one published (EDGAR: 5.58 M records of 25 497 items in 2.13 M pairs), remembered
// as timelines and as levels.
namespace bench {
namespace {

using bloomtime::instant;
using bloomtime::sighting;
using bloomtime::timeline_history;
using bloomtime::published::level_history;
using experiments::exact_history;
using experiments::question;
using experiments::record;
using experiments::trace;

constexpr std::uint64_t level_bits = experiments::usual_bits;

template <class Work>
double nanoseconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
  return taken.count();
}

instant at(std::uint32_t tick) { return instant::from_seconds(tick); }

timeline_history timelines_of(const trace& day) {
  timeline_history h({.ticks = day.ticks});
  for (const record& r : day.records) keep(h.add(r.item, at(r.tick)));
  h.seal();
  return h;
}

level_history empty_levels(const trace& day,
                           std::span<const bloomtime::published::filter_load> loads) {
  return level_history({.ticks = day.ticks,
                        .levels = bloomtime::published::allocate_bits(loads, level_bits),
                        .doubts = false});
}

// Given each pair once: as if somebody had taken out the repetitions for it, for nothing.
level_history levels_of(const trace& day,
                        std::span<const bloomtime::published::filter_load> loads) {
  level_history h = empty_levels(day, loads);
  for (const record& r : day.pairs) keep(h.add(r.item, at(r.tick)));
  return h;
}

// Given what is new to the same live part that timelines have.
level_history levels_behind_live_ticks(const trace& day,
                                       std::span<const bloomtime::published::filter_load> loads) {
  level_history h = empty_levels(day, loads);
  bloomtime::detail::live_ticks live;
  for (const record& r : day.records) {
    const bloomtime::digest d = bloomtime::digest_of(r.item);
    if (live.add(d, r.tick)) keep(h.add(d, at(r.tick)));
  }
  return h;
}

// The least bits for each item's ticks, if nothing is known but how many they are.
double least_bits_per_pair(const trace& day) {
  std::vector<std::uint64_t> ticks(day.items);
  for (const record& r : day.pairs) ++ticks[r.item];
  double bits = 0;
  for (const std::uint64_t n : ticks) {
    // log2 of the number of ways to choose n ticks, from the chance of n heads of a fair coin.
    bits += static_cast<double>(day.ticks) +
            bloomtime::math::log_binomial_pmf(day.ticks, n, 0.5) / std::log(2.0);
  }
  return bits / static_cast<double>(day.pairs.size());
}

template <class History>
std::uint64_t count_maybe(const History& h, std::span<const question> questions) {
  std::uint64_t maybe = 0;
  for (const question& q : questions) {
    std::uint64_t probes = 0;
    maybe += h.seen(q.item, q.asked, probes) == sighting::maybe;
  }
  return maybe;
}

struct lines_touched {
  double mean = 0;
  double most = 0;
};

lines_touched count_lines(const timeline_history& h, std::span<const question> questions) {
  const bloomtime::detail::timelines& named = h.named();
  lines_touched touched;
  for (const question& q : questions) {
    bloomtime::support::touched_lines lines;
    const bloomtime::detail::timelines_view<bloomtime::support::counted_bits> view(
        named.shape(), {named.directory().bytes(), lines}, {named.stream().bytes(), lines});
    const auto line = view.find(bloomtime::detail::timeline_key(bloomtime::digest_of(q.item)));
    if (line) {
      keep(line->seen({static_cast<std::uint64_t>(q.asked.first.number),
                       static_cast<std::uint64_t>(q.asked.last.number)}));
    }
    touched.mean += static_cast<double>(lines.size());
    touched.most = std::max(touched.most, static_cast<double>(lines.size()));
  }
  touched.mean /= static_cast<double>(questions.size());
  return touched;
}

summary exactly(double value) { return {value, value, value}; }

void print_at_least(std::string_view what, double limit, const summary& figure) {
  fmt::print("  {:<11}  {:.2f} ({:.2f} to {:.2f}), at least {:.2f}: {}\n",
             figure.median >= limit ? "reached" : "NOT REACHED", figure.median, figure.lower,
             figure.upper, limit, what);
}

struct asked_times {
  std::size_t timeline;
  std::size_t levels;
};

// Questions of one length, and what they cost.
asked_times add_questions(schedule& cases, const timeline_history& timelines,
                          const level_history& levels, const std::vector<question>& questions) {
  const auto timed = [&questions](const auto& h) {
    return [&] {
      return nanoseconds([&] { keep(count_maybe(h, questions)); }) /
             static_cast<double>(questions.size());
    };
  };
  return {cases.add(timed(timelines)), cases.add(timed(levels))};
}

void measure(session& run, experiments::times when, double allowed) {
  const experiments::generated model{experiments::edgar, when};
  const trace day = trace_of(model, 1);
  const exact_history truth(day.pairs);
  const std::size_t number = run.quick ? 20'000 : 1'000'000;
  const auto ask = [&](std::uint64_t length) {
    return negative_questions(day, truth, length, number, experiments::of_items::seen, 2);
  };
  // On the uniform day nearly every item is seen in every 8192 ticks.
  const auto shorter = ask(128);
  const auto longer = when == experiments::times::uniform ? ask(512) : ask(8192);
  const auto loads = true_loads(day, truth, shorter).levels;
  const timeline_history timelines = timelines_of(day);
  const level_history levels = levels_of(day, loads);
  const std::vector<question> few(shorter.begin(), shorter.begin() + 20'000);

  schedule cases;
  const auto per_record = [&](double ns) { return ns / static_cast<double>(day.records.size()); };
  const std::size_t add_timelines =
      cases.add([&] { return per_record(nanoseconds([&] { keep(timelines_of(day).memory()); })); });
  const std::size_t add_pairs = cases.add(
      [&] { return per_record(nanoseconds([&] { keep(levels_of(day, loads).memory()); })); });
  const std::size_t add_levels = cases.add([&] {
    return per_record(nanoseconds([&] { keep(levels_behind_live_ticks(day, loads).memory()); }));
  });
  const std::vector<question> some(shorter.begin(),
                                   shorter.begin() + static_cast<std::ptrdiff_t>(number / 5));
  const std::vector<question> some_longer(longer.begin(),
                                          longer.begin() + static_cast<std::ptrdiff_t>(number / 5));
  const asked_times short_times = add_questions(cases, timelines, levels, some);
  const asked_times long_times = add_questions(cases, timelines, levels, some_longer);
  cases.run(run.quick ? 3 : 5);

  const double least = least_bits_per_pair(day);
  const auto per_pair = [&](std::uint64_t bytes) {
    return 8 * static_cast<double>(bytes) / static_cast<double>(day.pairs.size());
  };
  const auto long_length = longer[0].asked.last.number - longer[0].asked.first.number + 1;
  const std::uint64_t wrong = count_maybe(timelines, shorter) + count_maybe(timelines, longer);
  const auto ns = [&](std::size_t which) {
    return fmt::format("{:.1f}", cases.time(which).median);
  };
  const auto wrong_share = [&](const auto& h, const std::vector<question>& questions) {
    return fmt::format("{:.2g}", static_cast<double>(count_maybe(h, questions)) /
                                     static_cast<double>(questions.size()));
  };
  fmt::print(
      "\nHistory, {}: {} records of {} items, {} pairs. Least bits per pair {:.2f}.\n"
      "ns per record include sealing, and for levels the live part that takes out repetitions, "
      "which\n"
      "timelines have too; without it levels take {} ns. Errors of {} questions.\n\n",
      name_of(model), day.records.size(), day.items, day.pairs.size(), least, ns(add_pairs),
      number);
  table shown({"history", "bits/pair", "ns/record", "ask 128", fmt::format("ask {}", long_length),
               "error 128", fmt::format("error {}", long_length)},
              1);
  shown.row({"timeline", fmt::format("{:.2f}", per_pair(timelines.sealed_bytes())),
             ns(add_timelines), ns(short_times.timeline), ns(long_times.timeline),
             wrong_share(timelines, shorter), wrong_share(timelines, longer)});
  shown.row({"level, optimal", fmt::format("{:.2f}", per_pair(levels.memory())), ns(add_levels),
             ns(short_times.levels), ns(long_times.levels), wrong_share(levels, shorter),
             wrong_share(levels, longer)});
  shown.print(stdout);

  fmt::print("\nTargets\n");
  const lines_touched touched = count_lines(timelines, few);
  print_target("bits per pair of sealed timelines beyond the least", allowed,
               exactly(per_pair(timelines.sealed_bytes()) - least));
  print_target(fmt::format("wrong answers of timelines to {} questions", 2 * number), 0,
               exactly(static_cast<double>(wrong)));
  print_target("cache lines per question about timelines, mean", 4, exactly(touched.mean));
  print_target("cache lines per question about timelines, most", 13, exactly(touched.most));
  print_at_least("time of adding to levels / to timelines and sealing them", 4,
                 cases.ratio(add_levels, add_timelines));
  print_target("ns per question about 128 ticks of levels with optimal bits", 1000,
               cases.time(short_times.levels));
  const std::string subject = "timeline/" + name_of(model);
  run.csv.line("history", "day", subject, "bits per pair",
               exactly(per_pair(timelines.sealed_bytes())));
  run.csv.line("history", "day", subject, "adding / levels",
               cases.ratio(add_timelines, add_levels));
  run.csv.line("history", "day", subject, "asking 128 / levels",
               cases.ratio(short_times.timeline, short_times.levels));
}

// As many items as pairs: none of them is worth a name.
void measure_once_seen() {
  const std::uint64_t items = 2'127'749;
  const double error = 1e-3;
  const std::uint64_t length = 128;
  timeline_history h({.ticks = 86'400, .error = error, .length = length});
  for (std::uint64_t x = 0; x < items; ++x) {
    keep(h.add(x, at(static_cast<std::uint32_t>(bloomtime::detail::mix(x) % 86'400))));
  }
  h.seal();
  const double bits = 8 * static_cast<double>(h.sealed_bytes()) / static_cast<double>(items);
  fmt::print(
      "\nHistory of {} items that come once: {:.2f} bits each for an error of {} at {} ticks.\n\n"
      "Targets\n",
      items, bits, error, length);
  print_target("bits per pair beyond log2(length / error)", 2.5,
               exactly(bits - std::log2(static_cast<double>(length) / error)));
}

}  // namespace

void history_tables(session& run) {
  if (run.wants("history/bursty")) measure(run, experiments::times::bursty, 1.0);
  if (run.wants("history/uniform")) measure(run, experiments::times::uniform, 1.8);
  if (run.wants("history/once")) measure_once_seen();
}

}  // namespace bench
