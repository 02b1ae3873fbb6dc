#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <string>
#include <vector>

#include <unistd.h>

#include "bench/choosing/trial.hpp"
#include "bench/harness/machine.hpp"
#include "bench/harness/measure.hpp"

// Writes docs/choosing.md to standard output.
namespace bench {
namespace {

struct size {
  std::uint64_t items;
  const char* name;
};
constexpr std::array<size, 4> sizes_measured{
    {{10'000, "10^4"}, {1'000'000, "10^6"}, {10'000'000, "10^7"}, {100'000'000, "10^8"}}};
// What a cache near the core holds: below this, memory is no reason to choose a filter.
constexpr std::uint64_t little = 1 << 20;

bool fits(const candidate& c, std::uint64_t items) {
  const auto machine = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                       static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return c.bytes_per_item * items <= machine / 3;
}

double median(std::vector<double> values) { return summarize(std::move(values)).median; }

}  // namespace

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

namespace {

std::string bytes_text(double bytes) {
  constexpr std::array<const char*, 4> units{"B", "KB", "MB", "GB"};
  std::size_t unit = 0;
  for (; bytes >= 1000 && unit + 1 < units.size(); ++unit) bytes /= 1000;
  return fmt::format("{:.3g} {}", bytes, units[unit]);
}

std::string times_text(double ratio) { return fmt::format("{:.2g}x", ratio); }

std::string cells_of(const measured& m, const figures& exact) {
  if (!m) return "not measured | | ";
  return fmt::format("{} | {} | {}", bytes_text(static_cast<double>(m->bytes)),
                     times_text(m->add / exact.add), times_text(m->ask / exact.ask));
}

// One sentence per size: what the recommended engine saves, or that the exact structure is better.
std::string verdict_of(const question& asked, const std::vector<std::vector<measured>>& taken) {
  std::string text;
  for (std::size_t s = 0; s < taken.size(); ++s) {
    const measured& best = taken[s].front();
    const measured& exact = taken[s].back();
    const std::string& theirs = asked.candidates.back().name;
    const std::string& ours = asked.candidates.front().name;
    if (!best || !exact) {
      text += fmt::format("- {} items: the {} does not fit into this machine; `{}` takes {}.\n",
                          sizes_measured[s].name, theirs, ours,
                          best ? bytes_text(static_cast<double>(best->bytes)) : "too much as well");
      continue;
    }
    const double saved = static_cast<double>(exact->bytes) / static_cast<double>(best->bytes);
    if (exact->bytes <= little) {
      text += fmt::format(
          "- {} items: **use the {}**, unless there are many such sets: it is exact and takes "
          "{}.\n",
          sizes_measured[s].name, theirs, bytes_text(static_cast<double>(exact->bytes)));
    } else {
      text += fmt::format("- {} items: `{}` takes 1/{:.2g} of the {}'s memory.\n",
                          sizes_measured[s].name, ours, saved, theirs);
    }
  }
  return text;
}

void print_question(const question& asked, std::uint64_t most) {
  std::vector<std::vector<measured>> taken;
  for (const size& each : sizes_measured) {
    if (each.items <= most) taken.push_back(measure(asked, each.items));
  }
  fmt::print("\n## {}\n\nMeasured with: {}.\n\n| engine |", asked.text, asked.given);
  for (std::size_t s = 0; s < taken.size(); ++s) {
    fmt::print(" {} items | add | ask |", sizes_measured[s].name);
  }
  fmt::print(" promise |\n|---|");
  for (std::size_t s = 0; s < taken.size(); ++s) fmt::print("---:|---:|---:|");
  fmt::print("---|\n");
  for (std::size_t i = 0; i < asked.candidates.size(); ++i) {
    const candidate& c = asked.candidates[i];
    fmt::print("| {} |", c.ours ? "`" + c.name + "`" : c.name);
    for (const auto& size : taken) {
      fmt::print(" {} |", cells_of(size[i], size.back().value_or(figures{1, 1, 1})));
    }
    fmt::print(" {} |\n", c.promise);
    std::fflush(stdout);
  }
  fmt::print("\n{}", verdict_of(asked, taken));
}

constexpr const char* head = R"(# Which engine for which question?

`make choosing` measures and writes this page. Every item is added once, by one call each. Memory is
what the engine reports after that, grown from nothing unless the row says that the number of items
was known before (fixed memory, reserved). Times are those of single calls, as multiples of the last
row's in the same run: below 1x is faster than the exact structure. `ask` queries items that were
added and items that were not, half of each.

The hash map is one array with open addressing: a 128-bit digest and 8 bytes, at most 80 % full,
doubled when it is. `std::unordered_map` takes about twice its memory.

Rows of fixed memory may take less than the first one: they need the number of items before. At
errors of 1e-2 to 1e-4 a ring of plain Bloom filters takes 4 to 14 % less than a `recency_table` with
reserved memory, and knows no ages.
)";

}  // namespace
}  // namespace bench

// usage: bloomtime_choosing [ITEMS]     without sizes of more items than that
int main(int count, char** words) {
  try {
    const std::uint64_t most = count > 1 ? std::stoull(words[1]) : 100'000'000;
    fmt::print("{}\nMeasured {:%Y-%m-%d} on {}, {} cores, load {}; g++ {}.\n", bench::head,
               fmt::gmtime(std::time(nullptr)), bench::processor(), sysconf(_SC_NPROCESSORS_ONLN),
               bench::load(), __VERSION__);
    for (const bench::question& asked : bench::questions()) bench::print_question(asked, most);
    return 0;
  } catch (const std::exception& e) {
    fmt::print(stderr, "bloomtime_choosing: {}\n", e.what());
    return 1;
  }
}
