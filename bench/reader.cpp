#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <unistd.h>

#include <bloomtime/math/random.hpp>

#include "cli/input/event_reader.hpp"
#include "cli/output/time_text.hpp"
#include "parts.hpp"

// How fast lines become items and times, next to mawk that merely splits the same file into fields.
namespace bench {
namespace {

namespace fs = std::filesystem;
using bloomtime::instant;
namespace cli = bloomtime::cli;

class temporary_file {
 public:
  explicit temporary_file(const char* name)
      : path_(fs::temp_directory_path() / fmt::format("bloomtime-bench-{}-{}", ::getpid(), name)) {}
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }

  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

struct visit {
  std::string host;
  std::string path;
  std::string time;      // as RFC 3339
  std::string log_time;  // as a web server writes it
  std::uint64_t bytes;
};

constexpr const char* agent =
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 "
    "Safari/537.36";

// About 40 lines a second, of addresses and pages that repeat.
visit visit_number(std::uint64_t number, bloomtime::math::random_source& random) {
  const std::uint64_t host = random.below(100'000);
  const std::uint64_t second = 1'400'000'000 + number / 40;
  const std::string text =
      cli::time_text(instant::from_seconds(static_cast<std::int64_t>(second)), 0);
  constexpr std::array months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                              "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto month = static_cast<std::size_t>(std::stoi(text.substr(5, 2))) - 1;
  return {fmt::format("10.{}.{}.{}", host % 250, host / 250 % 250, host / 62'500),
          fmt::format("/section/{}/article-{}.html", random.below(20), random.below(5000)),
          text.substr(0, 10) + "T" + text.substr(11) + "Z",
          fmt::format("{}/{}/{}:{} +0000", text.substr(8, 2), months[month], text.substr(0, 4),
                      text.substr(11)),
          random.below(100'000)};
}

std::string combined_line(const visit& v) {
  return fmt::format("{} - - [{}] \"GET {} HTTP/1.1\" 200 {} \"https://example.org/\" \"{}\"\n",
                     v.host, v.log_time, v.path, v.bytes, agent);
}

std::string json_line(const visit& v) {
  return fmt::format(
      "{{\"time\":\"{}\",\"level\":\"info\",\"host\":\"{}\",\"request\":{{\"method\":\"GET\","
      "\"path\":\"{}\"}},\"status\":200,\"bytes\":{},\"agent\":\"{}\"}}\n",
      v.time, v.host, v.path, v.bytes, agent);
}

std::uint64_t write_lines(const std::string& path, std::uint64_t size,
                          std::string (*line)(const visit&)) {
  std::ofstream out(path, std::ios::binary);
  bloomtime::math::random_source random(1);
  std::uint64_t written = 0;
  for (std::uint64_t number = 0; written < size; ++number) {
    const std::string text = line(visit_number(number, random));
    out << text;
    written += text.size();
  }
  out.close();
  if (!out) throw std::runtime_error("cannot write " + path);
  return written;
}

template <class Work>
double nanoseconds(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

void read_all(const std::string& path, const std::vector<std::string>& items) {
  cli::event_reader reader({.items = items}, {path}, "bench", [](std::string_view) {});
  std::uint64_t sum = 0;
  while (const cli::event* e = reader.next()) {
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
  std::string (*line)(const visit&);
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
  const std::uint64_t size = run.quick ? 200'000'000 : 500'000'000;
  const std::vector<subject> subjects{
      {"combined log to host and time", combined_line, {"host"}, 1, 2},
      {"combined log to path, host and time", combined_line, {"path", "host"}, 1, 2},
      {"NDJSON to nested path and time", json_line, {"request.path"}, 0.5, 0},
  };
  table shown({"lines", "MB/s", "mawk MB/s", "ratio"}, 1);
  std::vector<std::pair<subject, summary>> results;
  for (const subject& s : subjects) {
    if (!run.wants(fmt::format("reader/{}", s.name))) continue;
    const temporary_file file("lines");
    const auto bytes = static_cast<double>(write_lines(file.path(), size, s.line));
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
