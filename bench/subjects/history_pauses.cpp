#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <time.h>

#include <bloomtime/history/history.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "bench/harness/measure.hpp"
#include "bench/harness/parts.hpp"
#include "bench/harness/report.hpp"

// How long one event may take: a history that seals and joins while events come, on ten million
// items of one day and the beginning of the next. In time of the processor, so that other programs
// do not count.
namespace bench {
namespace {

using bloomtime::history;
using bloomtime::instant;

double processor_microseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

long page_faults() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt;
}

struct pauses {
  static constexpr std::array<double, 5> limits{1, 10, 100, 1000, 10'000};  // microseconds
  std::array<std::uint64_t, limits.size()> over = {};
  double worst = 0;
  double worst_without_fault = 0;
  double sum = 0;
  std::uint64_t calls = 0;

  void note(double took, bool faulted) {
    for (std::size_t i = 0; i < limits.size(); ++i) over[i] += took > limits[i];
    worst = std::max(worst, took);
    if (!faulted) worst_without_fault = std::max(worst_without_fault, took);
    sum += took;
    ++calls;
  }
};

// add(item, time) for all of them.
template <class Add>
pauses measure(std::uint64_t items, Add&& add) {
  pauses seen;
  for (std::uint64_t x = 0; x < items + items / 2; ++x) {
    const auto when = instant::from_seconds(static_cast<std::int64_t>(x * 86'400 / items));
    const long faults = page_faults();
    const double start = processor_microseconds();
    add(x, when);
    const double took = processor_microseconds() - start;
    seen.note(took, page_faults() != faults);
  }
  return seen;
}

void print(const char* name, const pauses& seen) {
  fmt::print("{:<18} mean {:.2f}; calls over 1/10/100/1,000/10,000: {}; worst {:.0f}\n", name,
             seen.sum / static_cast<double>(seen.calls), fmt::join(seen.over, "/"), seen.worst);
}

}  // namespace

void history_pauses(session& run) {
  if (!run.wants("history/pauses")) return;
  const std::uint64_t items = run.quick ? 1'000'000 : 10'000'000;
  fmt::print(
      "\nTime of one add while {} items of a day come, and {} of the next, in microseconds\n",
      items, items / 2);
  // What one would write instead. It rehashes at once what it holds.
  std::unordered_map<std::uint64_t, std::vector<std::int64_t>> exact;
  print("hash map of times",
        measure(items, [&](std::uint64_t x, instant when) { exact[x].push_back(when.micros); }));
  history h({});
  const pauses seen = measure(items, [&](std::uint64_t x, instant when) { keep(h.add(x, when)); });
  print("history", seen);
  fmt::print("A history does {:.1f} units of work per add.\n\nTargets\n",
             static_cast<double>(h.upkeep_work()) / static_cast<double>(seen.calls));
  print_target("microseconds of the worst add that met no page fault", 1000,
               {seen.worst_without_fault, seen.worst_without_fault, seen.worst_without_fault});
}

}  // namespace bench
