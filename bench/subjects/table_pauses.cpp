#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>

#include <bloomtime/heat/heat_table.hpp>
#include <bloomtime/heat/window_table.hpp>
#include <bloomtime/published/time_decaying/decaying_filter.hpp>
#include <bloomtime/recency/recency_table.hpp>
#include <bloomtime/tally/tally_table.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bench/harness/keys.hpp"
#include "bench/harness/measure.hpp"
#include "bench/harness/parts.hpp"
#include "bench/harness/report.hpp"

// How long one add may take while a table grows from nothing, beside the sweep of the published
// decaying filter and the rehash of a hash map. Every stream is added three times to a new table,
// and an add took the least of the three times: growth comes at the same adds each time, while
// interrupts and other programs come at others. The first time fetches memory from the system and
// keeps it for the others, and times with a page fault do not count.
namespace bench {
namespace {

using namespace std::chrono_literals;
using bloomtime::instant;

constexpr unsigned runs = 3;
constexpr float never = std::numeric_limits<float>::max();

// Counts of values by powers of two: at(0) has those below `least`, at(i) those below least * 2^i.
class histogram {
 public:
  static constexpr std::size_t size = 13;

  explicit histogram(std::uint64_t least) : least_(least) {}

  void note(std::uint64_t value) {
    const auto over = static_cast<std::size_t>(std::bit_width(value / least_));
    ++counts_[std::min(over, size - 1)];
    worst_ = std::max(worst_, value);
  }
  std::uint64_t at(std::size_t i) const { return counts_[i]; }
  std::uint64_t worst() const { return worst_; }
  std::uint64_t below(std::size_t i) const { return least_ << i; }

 private:
  std::uint64_t least_;
  std::array<std::uint64_t, size> counts_ = {};
  std::uint64_t worst_ = 0;
};

struct pauses {
  histogram nanoseconds{128};
  histogram work{1};          // blocks or pages, one run
  float longest = 0;          // of any run, with page faults and whatever else ran
  std::uint64_t faulted = 0;  // adds with a page fault in every run, not in `nanoseconds`
};

// Whether this thread met a page fault since it was last asked.
bool met_page_fault() {
  static long before = 0;
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  const long now = usage.ru_minflt + usage.ru_majflt;
  return std::exchange(before, now) != now;
}

// A page fault takes longer than that. To ask after every add would slow the next one.
constexpr float shortest_fault = 400;

template <class Make, class Add>
pauses measure(std::uint64_t items, Make&& make, Add&& add) {
  using clock = std::chrono::steady_clock;
  pauses seen;
  std::vector<float> least(items, never);
  for (unsigned run = 0; run < runs; ++run) {
    auto t = make();
    (void)met_page_fault();
    for (std::uint64_t i = 0; i < items; ++i) {
      const short_key key = key_of<short_key>(i);
      const instant when(static_cast<std::int64_t>(i));
      std::uint64_t work = 0;
      if constexpr (requires { t.work(); }) work = t.work();
      const auto start = clock::now();
      add(t, key, when);
      const std::chrono::duration<float, std::nano> took = clock::now() - start;
      if constexpr (requires { t.work(); }) {
        if (run == 0) seen.work.note(t.work() - work);
      }
      seen.longest = std::max(seen.longest, took.count());
      if (took.count() < shortest_fault || !met_page_fault()) {
        least[i] = std::min(least[i], took.count());
      }
    }
  }
  for (const float took : least) {
    if (took == never) {
      ++seen.faulted;
    } else {
      seen.nanoseconds.note(static_cast<std::uint64_t>(took));
    }
  }
  return seen;
}

struct row {
  std::string name;
  pauses seen;
};

std::vector<row> measure_tables(std::uint64_t items) {
  using namespace bloomtime;
  const auto add = [](auto& t, short_key x, instant when) { keep(t.add(x, when)); };
  std::vector<row> rows;
  rows.push_back({"recency_table", measure(
                                       items, [] { return recency_table({.window = 1h}); }, add)});
  rows.push_back({"tally_table", measure(
                                     items, [] { return tally_table({}); },
                                     [](auto& t, short_key x, instant) { keep(t.add(x)); })});
  rows.push_back({"heat_table", measure(
                                    items, [] { return heat_table({.half_life = 1h}); }, add)});
  rows.push_back({"window_table", measure(
                                      items, [] { return window_table({.window = 1h}); }, add)});
  return rows;
}

// The published filter, in about the bytes of a heat_table, sweeps all cells ten times; a hash map
// moves all items when it grows.
std::vector<row> measure_others(std::uint64_t items) {
  std::vector<row> rows;
  const auto epoch = std::chrono::microseconds(items / 10);
  rows.push_back(
      {"decaying_filter", measure(
                              items,
                              [&] {
                                return bloomtime::published::decaying_filter(
                                    {.memory = 5 * items, .lambda = 0.9, .epoch = epoch});
                              },
                              [](auto& t, short_key x, instant when) { keep(t.add(x, when)); })});
  rows.push_back({"std::unordered_map",
                  measure(
                      items, [] { return std::unordered_map<std::uint64_t, std::uint64_t>(); },
                      [](auto& t, short_key x, instant when) {
                        t[x] = static_cast<std::uint64_t>(when.micros);
                      })});
  return rows;
}

std::string bound(const histogram& h, std::size_t i, bool times) {
  if (i + 1 == histogram::size) return "more";
  const std::uint64_t below = h.below(i);
  if (!times) return fmt::format("<{}", below);
  return below < 1024 ? fmt::format("<{} ns", below) : fmt::format("<{} us", below / 1024);
}

void print_histograms(const std::vector<row>& rows, histogram pauses::*which, bool times) {
  std::vector<std::string> head{"adds"};
  for (std::size_t i = 0; i < histogram::size; ++i) {
    head.push_back(bound(rows.front().seen.*which, i, times));
  }
  head.push_back("worst");
  if (times) {
    head.push_back("any run");
    head.push_back("faulted");
  }
  table shown(head, 1);
  for (const row& r : rows) {
    const histogram& h = r.seen.*which;
    std::vector<std::string> cells{r.name};
    for (std::size_t i = 0; i < histogram::size; ++i) cells.push_back(fmt::format("{}", h.at(i)));
    cells.push_back(times ? fmt::format("{:.1f} us", static_cast<double>(h.worst()) / 1000)
                          : fmt::format("{}", h.worst()));
    if (times) {
      cells.push_back(fmt::format("{:.0f} us", r.seen.longest / 1000));
      cells.push_back(fmt::format("{}", r.seen.faulted));
    }
    shown.row(cells);
  }
  shown.print(stdout);
}

}  // namespace

void table_pauses(session& run) {
  if (!run.wants("tables/pauses")) return;
  const std::uint64_t items = run.quick ? 1'000'000 : 10'000'000;
  mallopt(M_MMAP_THRESHOLD, 1 << 30);  // freed memory stays here, so that no page is new twice
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  const std::vector<row> tables = measure_tables(items);
  fmt::print(
      "\nWork of one add while a table grows from nothing to {} items: blocks of 64 bytes, or "
      "pages of a window_table. Adds by powers of two.\n\n",
      items);
  print_histograms(tables, &pauses::work, false);
  std::vector<row> all = tables;
  for (row& r : measure_others(items)) all.push_back(std::move(r));
  fmt::print(
      "\nTime of one add, the least of {} runs of the same adds, without page faults; 1 us is 1024 "
      "ns in the head. \"any run\": the longest add of all runs, with page faults, interrupts and "
      "other programs. \"faulted\": adds with a page fault in every run.\n\n",
      runs);
  print_histograms(all, &pauses::nanoseconds, true);
  fmt::print("\nTargets: microseconds of the worst add outside of page faults\n");
  for (const row& r : tables) {
    const double worst = static_cast<double>(r.seen.nanoseconds.worst()) / 1000;
    print_target(r.name, 50, {worst, worst, worst});
    run.csv.line("pauses", fmt::format("{}", items), r.name, "worst add, us",
                 {worst, worst, worst});
  }
}

}  // namespace bench
