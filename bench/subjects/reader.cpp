#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/harness/log_file.hpp"
#include "bench/harness/parts.hpp"
#include "logs/event_reader.hpp"

// How fast lines become items and times, next to mawk that merely splits the same file into fields.
namespace bench {
namespace {

namespace logs = bloomtime::logs;
namespace traffic = bloomtime::traffic;

template <class Work>
double nanoseconds(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

void read_all(const std::string& path, const std::vector<std::string>& items) {
  logs::event_reader reader({.items = items}, {path});
  std::uint64_t sum = 0;
  while (const logs::event* e = reader.next()) {
    sum += e->items.front().size() + static_cast<std::uint64_t>(e->at->micros);
  }
  keep(sum);
  if (reader.counts().bad_lines() != 0) throw std::runtime_error("the reader rejected lines");
}

void split_fields(const std::string& path) {
  const std::string command = "mawk '{n+=NF} END {print n}' '" + path + "' >/dev/null";
  if (std::system(command.c_str()) != 0) throw std::runtime_error("mawk failed; is it installed?");
}

struct subject {
  const char* name;
  traffic::line_form form;
  std::vector<std::string> items;
  double least;    // times the speed of mawk
  double stretch;  // 0 for none
};

void print_target(const subject& s, double least, const summary& ratio) {
  fmt::print("  {:<11}  {:.2f} ({:.2f} to {:.2f}), at least {:.2f}: {}, speed / mawk\n",
             ratio.median >= least ? "reached" : "NOT REACHED", ratio.median, ratio.lower,
             ratio.upper, least, s.name);
}

}  // namespace

void reader_tables(session& run) {
  using enum traffic::line_form;
  const std::uint64_t size = run.quick ? 200'000'000 : 500'000'000;
  const std::vector<subject> subjects{
      {"combined log to host and time", combined, {"host"}, 1, 2},
      {"combined log to path, host and time", combined, {"path", "host"}, 1, 2},
      {"NDJSON to path and time", ndjson, {"path"}, 0.5, 0},
  };
  table shown({"lines", "MB/s", "mawk MB/s", "ratio"}, 1);
  std::vector<std::pair<subject, summary>> results;
  for (const subject& s : subjects) {
    if (!run.wants(fmt::format("reader/{}", s.name))) continue;
    const temporary_file file("lines");
    const auto bytes = static_cast<double>(write_lines(file.path(), size, s.form));
    schedule cases;
    const auto mawk = cases.add([&] { return nanoseconds([&] { split_fields(file.path()); }); });
    const auto ours =
        cases.add([&] { return nanoseconds([&] { read_all(file.path(), s.items); }); });
    cases.run(run.quick ? 2 : 5);
    const summary ratio = cases.ratio(mawk, ours);
    shown.row({s.name, fmt::format("{:.0f}", 1e3 * bytes / cases.time(ours).median),
               fmt::format("{:.0f}", 1e3 * bytes / cases.time(mawk).median),
               fmt::format("{:.2f}", ratio.median)});
    run.csv.line("reader", "", s.name, "speed over mawk", ratio);
    results.emplace_back(s, ratio);
  }
  if (results.empty()) return;
  fmt::print("\nReading a warm file of {} MB on one core\n", size / 1'000'000);
  shown.print(stdout);
  fmt::print("\nTargets: median (and quartiles) of the ratio\n");
  for (const auto& [s, ratio] : results) {
    print_target(s, s.least, ratio);
    if (s.stretch != 0) print_target(s, s.stretch, ratio);
  }
}

}  // namespace bench
