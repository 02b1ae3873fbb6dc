#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/log_file.hpp"
#include "bench/harness/parts.hpp"
#include "logs/event_reader.hpp"
#include "profile/profiler.hpp"

// How fast a combined log becomes a profile of two fields, next to the reading of it alone.
namespace bench {
namespace {

namespace logs = bloomtime::logs;

template <class Use>
double nanoseconds(const std::string& path, const std::vector<std::string>& items, Use use) {
  const auto start = std::chrono::steady_clock::now();
  logs::event_reader reader({.items = items}, {path});
  while (const logs::event* e = reader.next()) use(*e);
  const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
  return taken.count();
}

double read_only(const std::string& path, const std::vector<std::string>& items) {
  std::int64_t sum = 0;
  const double taken = nanoseconds(path, items, [&](const logs::event& e) { sum += e.at->micros; });
  keep(sum);
  return taken;
}

double read_and_profile(const std::string& path, const std::vector<std::string>& items) {
  bloomtime::profile::profiler profile({}, items);
  bloomtime::store::minute_totals totals;
  const double taken = nanoseconds(path, items, [&](const logs::event& e) {
    profile.add(
        e, [&](bloomtime::instant t) { totals.add(t); }, [](const logs::held_event&) {});
  });
  keep(totals.events());
  return taken;
}

}  // namespace

void profile_tables(session& run) {
  constexpr double least = 100;  // MB/s
  const std::uint64_t size = run.quick ? 200'000'000 : 500'000'000;
  const std::vector<std::string> items{"path", "host"};
  if (!run.wants("profile/combined log, path and host")) return;
  const temporary_file file("profile");
  const auto bytes =
      static_cast<double>(write_lines(file.path(), size, bloomtime::traffic::line_form::combined));
  schedule cases;
  const auto reading = cases.add([&] { return read_only(file.path(), items); });
  const auto both = cases.add([&] { return read_and_profile(file.path(), items); });
  cases.run(run.quick ? 2 : 5);
  const auto speed = [&](double taken) { return 1e3 * bytes / taken; };
  const summary ratio = cases.ratio(both, reading);
  const summary time = cases.time(both);
  table shown({"combined log, path and host", "MB/s"}, 1);
  shown.row({"reading", fmt::format("{:.0f}", speed(cases.time(reading).median))});
  shown.row({"profile", fmt::format("{:.0f}", speed(time.median))});
  run.csv.line("profile", "", "combined log, path and host", "time over reading", ratio);
  fmt::print("\nProfiling a warm file of {} MB on one core, {:.2f} times the time of reading it\n",
             size / 1'000'000, ratio.median);
  shown.print(stdout);
  fmt::print(
      "\nTarget: median (and quartiles)\n  {:<11}  {:.0f} ({:.0f} to {:.0f}), at least {:.0f}: "
      "MB/s of a profile with two fields\n",
      speed(time.median) >= least ? "reached" : "NOT REACHED", speed(time.median),
      speed(time.upper), speed(time.lower), least);
}

}  // namespace bench
