#include "bench/choosing/page.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "bench/harness/machine.hpp"
#include "bench/harness/measure.hpp"

namespace bench {
namespace {

bool fits(const candidate& c, std::uint64_t items) {
  const auto machine = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                       static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return c.bytes_per_item * items <= machine / 3;
}

double median(std::vector<double> values) { return summarize(std::move(values)).median; }

// All candidates by turns, so that they meet the same machine; medians of the turns.
std::vector<measured> measure(const question& asked, std::uint64_t items) {
  const auto rounds = std::clamp<std::uint64_t>(3'000'000 / items, 1, 15);
  std::vector<std::vector<figures>> taken(asked.candidates.size());
  for (std::uint64_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < taken.size(); ++i) {
      const candidate& c = asked.candidates[i];
      if (!fits(c, items)) continue;
      std::fprintf(stderr, "%s %lu: %s\n", asked.text.c_str(), static_cast<unsigned long>(items),
                   c.name.c_str());
      taken[i].push_back(c.run(items));
    }
  }
  std::vector<measured> all;
  for (const std::vector<figures>& each : taken) {
    std::vector<double> add;
    std::vector<double> ask;
    for (const figures& f : each) {
      add.push_back(f.add);
      ask.push_back(f.ask);
    }
    if (each.empty()) {
      all.emplace_back();
    } else {
      all.emplace_back(figures{each.front().bytes, median(add), median(ask)});
    }
  }
  return all;
}

// Times as multiples of the exact structure's, in nanoseconds if that was not measured.
std::string cells_of(const measured& m, const measured& exact) {
  if (!m) return "not measured | | ";
  const std::string bytes = bytes_text(static_cast<double>(m->bytes));
  if (std::isnan(m->add)) return bytes + " | | ";
  if (!exact) return fmt::format("{} | {:.0f} ns | {:.0f} ns", bytes, m->add, m->ask);
  return fmt::format("{} | {} | {}", bytes, times_text(m->add / exact->add),
                     times_text(m->ask / exact->ask));
}

void print_question(const page& all, const question& asked, std::uint64_t most) {
  std::vector<taken_at> taken;
  for (const size& each : all.sizes) {
    if (each.items <= most) taken.push_back({each, measure(asked, each.items)});
  }
  fmt::print("\n## {}\n\nMeasured with: {}.\n\n| engine |", asked.text, asked.given);
  for (const taken_at& t : taken) fmt::print(" {} {} | add | ask |", t.at.name, asked.counted);
  fmt::print(" promise |\n|---|");
  for (std::size_t s = 0; s < taken.size(); ++s) fmt::print("---:|---:|---:|");
  fmt::print("---|\n");
  for (std::size_t i = 0; i < asked.candidates.size(); ++i) {
    const candidate& c = asked.candidates[i];
    fmt::print("| {} |", c.ours ? "`" + c.name + "`" : c.name);
    for (const taken_at& t : taken) {
      fmt::print(" {} |", cells_of(t.figures[i], t.figures.back()));
    }
    fmt::print(" {} |\n", c.promise);
    std::fflush(stdout);
  }
  fmt::print("\n{}", all.verdict(asked, taken));
}

}  // namespace

std::string bytes_text(double bytes) {
  constexpr std::array<const char*, 4> units{"B", "KB", "MB", "GB"};
  std::size_t unit = 0;
  for (; bytes >= 1000 && unit + 1 < units.size(); ++unit) bytes /= 1000;
  return fmt::format("{:.3g} {}", bytes, units[unit]);
}

std::string times_text(double ratio) { return fmt::format("{:.2g}x", ratio); }

int write_page(const page& all, int count, char** words) {
  try {
    const std::uint64_t most = count > 1 ? std::stoull(words[1]) : all.sizes.back().items;
    fmt::print("{}\nMeasured {:%Y-%m-%d} on {}, {} cores, load {}; g++ {}.\n", all.head,
               fmt::gmtime(std::time(nullptr)), processor(), sysconf(_SC_NPROCESSORS_ONLN), load(),
               __VERSION__);
    for (const question& asked : all.questions) print_question(all, asked, most);
    return 0;
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}: {}\n", words[0], e.what());
    return 1;
  }
}

}  // namespace bench
