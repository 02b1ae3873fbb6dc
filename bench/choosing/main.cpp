#include <fmt/format.h>

#include <string>
#include <vector>

#include "bench/choosing/page.hpp"

// Writes docs/choosing.md to standard output.
namespace bench {
namespace {

// What a cache near the core holds: below this, memory is no reason to choose a filter.
constexpr std::uint64_t little = 1 << 20;

// One sentence per size: what the recommended engine saves, or that the exact structure is better.
std::string verdict_of(const question& asked, const std::vector<taken_at>& taken) {
  std::string text;
  for (const taken_at& t : taken) {
    const measured& best = t.figures.front();
    const measured& exact = t.figures.back();
    const std::string& theirs = asked.candidates.back().name;
    const std::string& ours = asked.candidates.front().name;
    if (!best || !exact) {
      text += fmt::format("- {} items: the {} does not fit into this machine; `{}` takes {}.\n",
                          t.at.name, theirs, ours,
                          best ? bytes_text(static_cast<double>(best->bytes)) : "too much as well");
      continue;
    }
    const double saved = static_cast<double>(exact->bytes) / static_cast<double>(best->bytes);
    if (exact->bytes <= little) {
      text += fmt::format(
          "- {} items: **use the {}**, unless there are many such sets: it is exact and takes "
          "{}.\n",
          t.at.name, theirs, bytes_text(static_cast<double>(exact->bytes)));
    } else {
      text += fmt::format("- {} items: `{}` takes 1/{:.2g} of the {}'s memory.\n", t.at.name, ours,
                          saved, theirs);
    }
  }
  return text;
}

constexpr const char* head = R"(# Which engine for which question?

`make choosing` measures and writes this page. Every item is added once, by one call each. Memory is
what the engine reports after that, grown from nothing unless the row says that the number of items
was known before (fixed memory, reserved). Times are those of single calls, as multiples of the last
row's in the same run: below 1x is faster than the exact structure. `ask` queries items that were
added and items that were not, half of each. [peers.md](peers.md) compares with other libraries.

The hash map is one array with open addressing: a 128-bit digest and 8 bytes, at most 80 % full,
doubled when it is. `std::unordered_map` takes about twice its memory.

Rows of fixed memory need the number of items before. The ring is of blocked Bloom filters and knows no
ages. At an error of 1e-2 it takes 12 % less than a `recency_table` with reserved memory, at smaller errors
more: 6 % at 1e-3, 20 % at 1e-4, 65 % at 1e-6.
)";

}  // namespace
}  // namespace bench

// usage: bloomtime_choosing [ITEMS]     without sizes of more items than that
int main(int count, char** words) {
  return bench::write_page(
      {bench::head,
       {{10'000, "10^4"}, {1'000'000, "10^6"}, {10'000'000, "10^7"}, {100'000'000, "10^8"}},
       bench::questions(),
       bench::verdict_of},
      count, words);
}
