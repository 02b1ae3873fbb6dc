#include <bloomtime/bloomtime.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "bench/choosing/page.hpp"
#include "bench/harness/exact_map.hpp"
#include "bench/harness/faded.hpp"
#include "bench/harness/filter_ring.hpp"
#include "bench/harness/sorted_pairs.hpp"
#include "bench/peers/count_min.hpp"
#include "bench/peers/peers.hpp"
#include "bench/peers/sightings.hpp"
#include "traffic/event.hpp"

// Writes docs/peers.md to standard output.
namespace bench {
namespace {

using namespace bloomtime;
using bloomtime::traffic::first_of_2014;
using namespace std::chrono_literals;

constexpr double error = 1e-3;
constexpr std::uint64_t day_ticks = 86'400;
constexpr instant midnight = instant::from_seconds(first_of_2014);

// The candidates of all peers, before the exact structure that is the unit of times.
question beside_peers(question asked, subject what) {
  candidate exact = std::move(asked.candidates.back());
  asked.candidates.pop_back();
  for (const auto of : {absl_candidates, roaring_candidates, sqlite_candidates, redis_candidates}) {
    for (candidate& c : of(what)) asked.candidates.push_back(std::move(c));
  }
  asked.candidates.push_back(std::move(exact));
  return asked;
}

// Pandey, Bender, Johnson and Patro (SIGMOD 2017): 1.053 (2.125 + log2(1 / error)) bits for each
// different item of a small count.
candidate quotient_filter() {
  return {"counting quotient filter (published formula)", "counts, removes; fixed memory", false, 0,
          [](std::uint64_t items) {
            const double bits = 1.053 * (2.125 - std::log2(error)) * static_cast<double>(items);
            constexpr double none = std::numeric_limits<double>::quiet_NaN();
            return figures{static_cast<std::uint64_t>(bits / 8), none, none};
          }};
}

template <class Add>
candidate hash_map(Add add) {
  return {"hash map", "exact", false, 0,
          trial([](std::uint64_t) { return exact_map(); }, add,
                [](const exact_map& e, digest d) { return e.find(d) != nullptr; })};
}

question ever() {
  const auto add = [](bloom_filter& e, digest d, instant) { e.add(d); };
  const auto ask = [](const bloom_filter& e, digest d) { return e.may_contain(d); };
  return {"Was x ever seen?",
          "error 1e-3",
          {{"bloom_filter", "a \"no\" is certain; fixed memory; one cache line per call", true, 0,
            trial([](std::uint64_t n) { return bloom_filter({.items = n, .error = error}); }, add,
                  ask)},
           {"plain Bloom filter (`layout::flat`)", "a \"no\" is certain; fixed memory", false, 0,
            trial(
                [](std::uint64_t n) {
                  return bloom_filter({.items = n, .error = error, .layout = layout::flat});
                },
                add, ask)},
           quotient_filter(),
           hash_map([](exact_map& e, digest d, instant) { e[d] = 1; })}};
}

question recently() {
  const auto add = [](auto& e, digest d, instant t) { keep(e.add_if_new(d, t).fresh); };
  const auto ask = [](const auto& e, digest d) { return e.seen(d, last_event); };
  return {"Was x seen within the last hour?",
          "error 1e-3; add is a test-and-set in the first three rows",
          {{"recency_table", "a \"no\" is certain; ages; grows, shrinks", true, 0,
            trial([](std::uint64_t) { return recency_table({.window = 1h, .error = error}); }, add,
                  ask)},
           {"age-partitioned Bloom filter (`age_partitioned_filter`)",
            "a \"no\" is certain; fixed memory", false, 0,
            trial(
                [](std::uint64_t n) {
                  return age_partitioned_filter({.window = 1h, .items = n, .error = error});
                },
                add, ask)},
           {"ring of 11 plain Bloom filters", "a \"no\" is certain; fixed memory; ends 1/10 late",
            false, 0,
            trial([](std::uint64_t n) { return filter_ring(n, error); },
                  [](filter_ring& e, digest d, instant) { keep(e.add_if_new(d).fresh); },
                  [](const filter_ring& e, digest d) { return e.seen(d); })},
           hash_map([](exact_map& e, digest d, instant t) {
             e[d] = static_cast<std::uint64_t>(t.micros);
           })}};
}

question how_many() {
  return {"How many x are there?",
          "a count is too high with probability 1e-3; every item is added once",
          {{"tally_table", "never too low; removes; grows", true, 0,
            trial([](std::uint64_t) { return tally_table({.error = error}); },
                  [](tally_table& e, digest d, instant) { e.add(d); },
                  [](const tally_table& e, digest d) { return e.count(d).value; })},
           {"count-min sketch, 4 rows", "never too low; fixed memory; few heavy items need less",
            false, 0,
            trial([](std::uint64_t n) { return count_min(n, error); },
                  [](count_min& e, digest d, instant) { e.add(d); },
                  [](const count_min& e, digest d) { return e.count(d); })},
           quotient_filter(),
           hash_map([](exact_map& e, digest d, instant) { ++e[d]; })}};
}

question how_hot() {
  return {"How hot is x now?",
          "half-life 1 hour; the first row's default error, 0.005; every item is added once",
          {{"heat_table", "`upper` is never too low; grows, shrinks", true, 0,
            trial([](std::uint64_t) { return heat_table({.half_life = 1h}); },
                  [](heat_table& e, digest d, instant t) { e.add(d, t); },
                  [](const heat_table& e, digest d) { return e.at(d, last_event).value; })},
           hash_map([](exact_map& e, digest d, instant t) { add_faded(e[d], t); })}};
}

// The engines of history with the calls of history_trial.
struct spans {
  any_history engine;

  void add(digest d, instant t) { (void)engine.add(d, t); }
  bool seen(digest d, instant from, instant to) const {
    return engine.seen(d, from, to) == sighting::maybe;
  }
  std::uint64_t memory() const { return engine.memory(); }
};

question between() {
  const auto nothing = [](auto&) {};
  return {"Was x seen between s and e?",
          "a day of seconds, 50 sightings per item in bursts, questions about ten minutes",
          {{"history", "a \"no\" is certain, a \"maybe\" nearly; unbounded time", true, 0,
            history_trial([](std::uint64_t) { return spans{any_history::make({})}; },
                          [](spans& h) {
                            history packed = std::get<history>(h.engine.get());
                            packed.seal();
                            h.engine = any_history(std::move(packed));
                          })},
           {"PBF-2 (`published::level_history`), error 1e-3", "a \"no\" is certain; fixed memory",
            false, 0,
            history_trial(
                [](std::uint64_t pairs) {
                  return spans{any_history::make({.origin = midnight,
                                                  .error = error,
                                                  .length = 600,
                                                  .ticks = day_ticks,
                                                  .pairs = pairs,
                                                  .items = pairs / sightings_per_item},
                                                 "level_history")};
                },
                nothing)},
           {"sorted array", "exact; of 64-bit digests; sorted once", false, 0,
            history_trial([](std::uint64_t) { return sorted_pairs(); },
                          [](sorted_pairs& p) { p.sort(); })}},
          "sightings"};
}

// Where each of the others is better than the first candidate.
std::string verdict_of(const question& asked, const std::vector<taken_at>& taken) {
  std::string text;
  for (std::size_t i = 1; i < asked.candidates.size(); ++i) {
    std::string wins;
    const auto compare = [&](const char* what, auto figure) {
      std::string at;
      for (const taken_at& t : taken) {
        const measured& ours = t.figures.front();
        const measured& theirs = t.figures[i];
        if (!ours || !theirs || !(figure(*theirs) < 0.95 * figure(*ours))) continue;
        at += fmt::format("{}{} at {}", at.empty() ? "" : ", ",
                          times_text(figure(*theirs) / figure(*ours)), t.at.name);
      }
      if (!at.empty()) wins += fmt::format("{}{} ({})", wins.empty() ? "" : ", ", what, at);
    };
    compare("memory", [](const figures& f) { return static_cast<double>(f.bytes); });
    compare("time to add", [](const figures& f) { return f.add; });
    compare("time to ask", [](const figures& f) { return f.ask; });
    text += fmt::format("- {}: {}.\n", asked.candidates[i].name,
                        wins.empty() ? "better in none of these" : "better in " + wins);
  }
  return fmt::format("Beside `{}`:\n\n", asked.candidates.front().name) + text;
}

constexpr const char* head = R"(# Beside other libraries

`make peers` measures and writes this page: what Debian has for the same questions, in the same run.
[choosing.md](choosing.md) compares the engines of bloomtime with each other.

The first row of each table is bloomtime's default engine. What grows begins empty; what has fixed
memory is made for the number of items. Memory is what a structure takes after all items were added:
of abseil and Roaring the growth of the heap, of SQLite its pages, of Redis `MEMORY USAGE`. Times are
those of single calls, as multiples of the last row's; those of Redis are the server's CPU time for
commands in a pipeline. The hash map of the last row is one array with open addressing, a 128-bit
digest and 8 bytes per slot, at most 80 % full, written for this benchmark.

Below each table are the figures in which others are better than the first row by at least 5 %: 0.5x
is half of what the first row takes.

Exact structures can list their items, and nothing in them is wrong. Where they fit into memory, use
them.
)";

}  // namespace
}  // namespace bench

// usage: bloomtime_peers [ITEMS]     without sizes of more items than that
int main(int count, char** words) {
  using namespace bench;
  return write_page(
      {head,
       {{10'000, "10^4"}, {1'000'000, "10^6"}},
       {beside_peers(ever(), subject::ever), beside_peers(recently(), subject::recency),
        beside_peers(between(), subject::history), beside_peers(how_many(), subject::tally),
        beside_peers(how_hot(), subject::heat)},
       verdict_of},
      count, words);
}
