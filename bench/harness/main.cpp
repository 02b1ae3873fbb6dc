#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

#include "bench/harness/core.hpp"
#include "bench/harness/parts.hpp"
#include "bench/harness/process.hpp"

namespace {

constexpr std::string_view usage =
    "bloomtime_bench: how fast the filters are, in nanoseconds and in random memory accesses\n"
    "  --quick        a first impression in seconds instead of minutes\n"
    "  --filter TEXT  only what has TEXT in its name, as in: 256 MiB, line 10\n"
    "  --csv FILE     write all figures with their quartiles as CSV too\n"
    "  --help         this text\n";

struct options {
  bool help = false;
  bool quick = false;
  std::string filter;
  std::string csv;
};

options parse(int count, char** words) {
  options chosen;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    const auto value = [&] {
      if (++i == count) throw std::runtime_error(std::string(word) + " needs a value");
      return std::string(words[i]);
    };
    if (word == "--help") {
      chosen.help = true;
    } else if (word == "--quick") {
      chosen.quick = true;
    } else if (word == "--filter") {
      chosen.filter = value();
    } else if (word == "--csv") {
      chosen.csv = value();
    } else {
      throw std::runtime_error("unknown option " + std::string(word) + "; try --help");
    }
  }
  return chosen;
}

constexpr std::array parts{
    bench::machine_tables,     bench::dedupe_tables,     bench::log_tools_tables,
    bench::digest_tables,      bench::bloom_tables,      bench::heat_tables,
    bench::heat_papers_tables, bench::heat_table_tables, bench::hit_window_tables,
    bench::history_tables,     bench::history_pauses,    bench::recency_tables,
    bench::window_tables,      bench::table_pauses,      bench::tally_tables,
    bench::reader_tables,      bench::profile_tables,    bench::generate_tables};

void run(const options& chosen) {
  bench::session session{chosen.quick, chosen.filter, bench::csv_file(chosen.csv)};
  for (const auto part : parts) part(session);
  fmt::print(
      "\nAnother thread shared the core in {:.1f} % of the blocks. They are left out, but where\n"
      "fewer than a quarter of a case's blocks remain.\n",
      100 * bench::core::instance().share_of_shared());
  session.csv.close();
}

}  // namespace

int main(int count, char** words) {
  if (count > 1 && words[1] == bench::as_bloomtime) return bench::be_bloomtime(count, words);
  try {
    const options chosen = parse(count, words);
    if (chosen.help) {
      fmt::print("{}", usage);
    } else {
      run(chosen);
    }
    return 0;
  } catch (const std::exception& e) {
    fmt::print(stderr, "bloomtime_bench: {}\n", e.what());
    return 2;
  }
}
