#include <unistd.h>

#include <fmt/format.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <bloomtime/math/binomial.hpp>
#include <bloomtime/math/random.hpp>

#include "bench/harness/log_file.hpp"
#include "bench/harness/parts.hpp"
#include "bench/harness/process.hpp"

// dedupe compared with the usual line of awk: CPU time and memory of a process that reads a cached
// file of different lines and writes to /dev/null, and the lines that dedupe drops by mistake.
namespace bench {
namespace {

constexpr std::uint64_t line_bytes = 100;

void write_different_lines(const std::string& path, std::uint64_t lines) {
  std::ofstream out(path, std::ios::binary);
  std::string text(line_bytes, '\n');
  for (std::uint64_t i = 0; i < lines; ++i) {
    bloomtime::math::random_source letters(i);
    for (std::size_t at = 0; at + 1 < line_bytes; at += 9) {
      const std::uint64_t drawn = letters();
      for (std::size_t j = 0; j < 9; ++j)
        text[at + j] = static_cast<char>('a' + (drawn >> 5 * j) % 26);
    }
    out << text;
  }
  out.close();
  if (!out) throw std::runtime_error("cannot write " + path);
}

std::string told_in(const std::string& path) { return path + ".told"; }

// The number in the summary, 0 if there is none.
std::uint64_t dropped_in(const std::string& summary) {
  std::ifstream in(summary);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  const std::string name = "\"dropped\": ";
  const std::size_t at = text.find(name);
  return at == std::string::npos ? 0 : std::stoull(text.substr(at + name.size()));
}

struct measured {
  cost used;
  std::uint64_t dropped = 0;
};

measured awk(const std::string& path) {
  return {cost_of({.in = path}, [] { return run_program({"awk", "!seen[$0]++"}); })};
}

measured dedupe(const std::string& path, std::vector<std::string> more) {
  more.insert(more.begin(), {"dedupe", "--json", "--threads", "1"});
  const cost used =
      cost_of({.in = path, .err = told_in(path)}, [&] { return run_bloomtime(more); });
  const std::uint64_t dropped = dropped_in(told_in(path));
  (void)::unlink(told_in(path).c_str());
  return {used, dropped};
}

const char* verdict(bool reached) { return reached ? "reached" : "NOT REACHED"; }

void print_target(double figure, double least, const char* what) {
  fmt::print("  {:<11}  {:.1f}, at least {:.0f}: {}\n", verdict(figure >= least), figure, least,
             what);
}

// Whether a filter with this error drops so many or more one time in a hundred.
bool allows(double error, std::uint64_t lines, std::uint64_t dropped) {
  return dropped == 0 || bloomtime::math::binomial_upper_tail(lines, dropped, error) >= 0.01;
}

}  // namespace

void dedupe_tables(session& run) {
  if (!run.wants("dedupe/different lines")) return;
  const std::uint64_t lines = run.quick ? 2'000'000 : 10'000'000;
  const std::string count = std::to_string(lines);
  const temporary_file file("dedupe");
  write_different_lines(file.path(), lines);
  measured theirs;
  measured counted;
  measured timed;
  schedule cases;
  const auto with = [&](measured& kept, auto work) {
    return cases.add([&kept, work] {
      kept = work();
      return kept.used.cpu;
    });
  };
  const auto other = with(theirs, [&] { return awk(file.path()); });
  const auto last = with(counted, [&] { return dedupe(file.path(), {"--last", count}); });
  const auto window = with(timed, [&] { return dedupe(file.path(), {"--window", "10m"}); });
  cases.run(run.quick ? 2 : 3);
  const auto speed = [&](std::size_t which) {
    return 1e3 * static_cast<double>(lines * line_bytes) / cases.time(which).median;
  };
  table shown({"different lines of 100 bytes", "MB/s", "MB"}, 1);
  const auto row = [&](const char* name, std::size_t which, const measured& m) {
    shown.row(
        {name, fmt::format("{:.0f}", speed(which)), fmt::format("{:.0f}", m.used.bytes / 1e6)});
  };
  row("awk '!seen[$0]++'", other, theirs);
  row("dedupe --last", last, counted);
  row("dedupe --window 10m", window, timed);
  fmt::print("\n{} different lines at an error of 1e-6: time of one core, and memory\n", lines);
  shown.print(stdout);
  fmt::print("\nTargets: median of the rounds\n");
  for (const auto& [name, which, found] :
       {std::tuple("--last", last, counted), std::tuple("--window 10m", window, timed)}) {
    const summary ratio = cases.ratio(other, which);
    run.csv.line("dedupe", "", name, "speed over awk", ratio);
    print_target(ratio.median, 10, fmt::format("{}, speed / awk", name).c_str());
    print_target(theirs.used.bytes / found.used.bytes, 25,
                 fmt::format("{}, memory of awk / memory", name).c_str());
    fmt::print(
        "  {:<11}  {} of {} lines dropped by mistake, at most 1e-6 by the binomial tail: {}\n",
        verdict(allows(1e-6, lines, found.dropped)), found.dropped, lines, name);
    print_target(speed(which), 150, fmt::format("{}, MB/s", name).c_str());
  }
}

}  // namespace bench
