#include <chrono>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include <bloomtime/math/random.hpp>

#include "bench/harness/log_file.hpp"
#include "bench/harness/parts.hpp"
#include "bench/harness/process.hpp"
#include "logs/workers.hpp"

// `bloomtime profile` as people run it, next to what they would use instead: goaccess, counting in
// mawk, and sort | uniq -c. Each is a process of its own that reads a cached file.
namespace bench {
namespace {

namespace fs = std::filesystem;
using words = std::vector<std::string>;

void print_verdict(bool reached, const std::string& what) {
  fmt::print("  {:<11}  {}\n", reached ? "reached" : "NOT REACHED", what);
}

cost profile(const std::string& path, const words& more) {
  const std::string store = path + ".bloomtime";
  fs::remove_all(store);
  words all{"profile", path, "--store", store, "--json"};
  all.insert(all.end(), more.begin(), more.end());
  const cost used = cost_of({}, [&] { return run_bloomtime(all); });
  fs::remove_all(store);
  return used;
}

cost shell(const std::string& script, const std::string& path) {
  return cost_of({.in = path}, [&] { return run_program({"sh", "-c", script}); });
}

// -- a day of visits
// -------------------------------------------------------------------------------

void profile_a_day(session& run) {
  if (!run.wants("log tools/day")) return;
  const std::uint64_t size = run.quick ? 200'000'000 : 500'000'000;
  const temporary_file file("day");
  const auto bytes =
      static_cast<double>(write_lines(file.path(), size, bloomtime::traffic::line_form::combined));
  const std::string path = file.path();
  struct subject {
    std::string name;
    std::function<cost()> work;
    std::vector<double> cpu = {};
    std::vector<double> wall = {};
    double memory = 0;
  };
  std::vector<subject> all{
      {"profile --threads 1",
       [&] {
         return profile(path, {"--threads", "1"});
       }},
      {"profile --threads 2",
       [&] {
         return profile(path, {"--threads", "2"});
       }},
      {"mawk, two counts",
       [&] {
         return shell(
             "mawk '{h[$1]++; p[$7]++} END {for (k in h) print h[k], k; for (k in p) "
             "print p[k], k}'",
             path);
       }},
      {"sort | uniq -c, one count",
       [&] { return shell("mawk '{print $7}' | LC_ALL=C sort | uniq -c", path); }}};
  if (is_installed("goaccess")) {
    all.push_back({"goaccess", [&] {
                     const std::string out = path + ".json";
                     const cost used = cost_of({}, [&] {
                       return run_program(
                           {"goaccess", path, "--log-format=COMBINED", "--no-progress", "-o", out});
                     });
                     fs::remove(out);
                     return used;
                   }});
  }
  for (int round = 0; round < (run.quick ? 2 : 3); ++round) {
    for (subject& s : all) {
      const cost used = s.work();
      s.cpu.push_back(used.cpu);
      s.wall.push_back(used.wall);
      s.memory = used.bytes;
    }
  }
  table shown({"a day of visits", "MB/s of CPU time", "MB/s", "memory MB"}, 1);
  for (const subject& s : all) {
    const summary cpu = summarize(s.cpu);
    shown.row({s.name, fmt::format("{:.0f}", 1e3 * bytes / cpu.median),
               fmt::format("{:.0f}", 1e3 * bytes / summarize(s.wall).median),
               fmt::format("{:.0f}", s.memory / 1e6)});
    run.csv.line("log tools", "day", s.name, "nanoseconds of CPU time", cpu);
  }
  fmt::print("\nA log of {} MB, path and host: {} cores\n", size / 1'000'000,
             bloomtime::logs::cores());
  shown.print(stdout);
  const double alone = 1e3 * bytes / summarize(all[0].cpu).median;
  const double gain = summarize(all[0].wall).median / summarize(all[1].wall).median;
  fmt::print("\nTargets: median of the rounds\n");
  print_verdict(alone >= 200, fmt::format("{:.0f}, at least 200: MB/s of one core", alone));
  print_verdict(gain >= 1.7, fmt::format("{:.2f}, at least 1.7: speed of two threads / one", gain));
}

// -- a thin log
// ------------------------------------------------------------------------------------

constexpr int thin_lines = 100'000;

void write_thin_log(const std::string& path) {
  constexpr std::int64_t begin = 1'388'534'400;
  constexpr std::int64_t span = std::int64_t{13} * 365 * 86400;
  bloomtime::math::random_source random(1);
  std::ofstream out(path, std::ios::binary);
  for (int i = 0; i < thin_lines; ++i) {
    const std::time_t at = begin + span / thin_lines * i;
    std::tm parts{};
    ::gmtime_r(&at, &parts);
    char text[40];
    if (std::strftime(text, sizeof text, "%d/%b/%Y:%H:%M:%S +0000", &parts) == 0) {
      throw std::runtime_error("a time does not fit");
    }
    out << fmt::format("10.0.{}.{} - - [{}] \"GET /page/{} HTTP/1.1\" 200 {} \"-\" \"agent\"\n",
                       random() % 250, random() % 250, text, random() % (1 + random() % 5000),
                       random() % 9000);
  }
}

void profile_a_thin_log(session& run) {
  if (!run.wants("log tools/thin")) return;
  const temporary_file file("thin");
  write_thin_log(file.path());
  std::vector<double> taken;
  for (int round = 0; round < 3; ++round) {
    taken.push_back(profile(file.path(), {"--threads", "1"}).cpu / 1e3 / thin_lines);
  }
  const summary each = summarize(taken);
  run.csv.line("log tools", "thin", "profile", "microseconds per line", each);
  fmt::print("\n{} lines over 13 years\n", thin_lines);
  print_verdict(each.median <= 2,
                fmt::format("{:.2f}, at most 2: microseconds of CPU time per line", each.median));
}

// -- many items
// ------------------------------------------------------------------------------------

void profile_many_items(session& run) {
  if (!run.wants("log tools/many items") || run.quick) return;
  constexpr std::uint64_t items = 10'000'000;
  const temporary_file file("items");
  {
    std::ofstream out(file.path(), std::ios::binary);
    for (std::uint64_t i = 0; i < items; ++i) {
      out << fmt::format("{}\titem-{:08x}\n", 1'700'000'000 + i / 1000,
                         i * 2'654'435'761 % (1ULL << 32));
    }
  }
  const words field{"--format", "tsv", "--time", "1", "--item", "2"};
  words one = field;
  one.insert(one.end(), {"--threads", "1"});
  words two = field;
  two.insert(two.end(), {"--threads", "2"});
  const cost alone = profile(file.path(), one);
  const cost both = profile(file.path(), two);
  const cost awk = shell("mawk -F'\\t' '{n[$2]++} END {for (k in n) c++; print c}'", file.path());
  fmt::print("\n10 million different items: mawk takes {:.0f} MB, two threads {:.0f} MB\n",
             awk.bytes / 1e6, both.bytes / 1e6);
  print_verdict(alone.bytes <= 180e6,
                fmt::format("{:.0f}, at most 180: MB of memory, one field", alone.bytes / 1e6));
}

// -- live
// ------------------------------------------------------------------------------------------

// A thousand lines a second, ten at a time.
void profile_live(session& run) {
  if (!run.wants("log tools/live")) return;
  using namespace std::chrono_literals;
  const int seconds = run.quick ? 10 : 30;
  const temporary_file source("live-source");
  write_lines(source.path(), 20'000'000, bloomtime::traffic::line_form::combined);
  const temporary_file file("live");
  const std::string store = std::string(file.path()) + ".bloomtime";
  std::ifstream in(source.path(), std::ios::binary);
  std::ofstream out(file.path(), std::ios::binary);
  std::string line;
  const auto write_some = [&] {
    for (int i = 0; i < 10 && std::getline(in, line); ++i) out << line << '\n';
    out.flush();
  };
  write_some();
  const pid_t child = start_process({}, [&] {
    return run_bloomtime(
        {"profile", "--follow", file.path(), "--store", store, "--every", "1s", "--json"});
  });
  auto due = std::chrono::steady_clock::now();
  for (int i = 0; i < 100 * seconds; ++i) {
    std::this_thread::sleep_until(due += 10ms);
    write_some();
  }
  ::kill(child, SIGTERM);
  const cost used = cost_of_process(child, SIGTERM);
  fs::remove_all(store);
  const double share = 100 * used.cpu / used.wall;
  fmt::print("\nFollowing 1,000 lines per second for {} s, a report every second\n", seconds);
  print_verdict(share < 3, fmt::format("{:.2f}, less than 3: % of a core", share));
}

}  // namespace

void log_tools_tables(session& run) {
  profile_a_day(run);
  profile_a_thin_log(run);
  profile_many_items(run);
  profile_live(run);
}

}  // namespace bench
