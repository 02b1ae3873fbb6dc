// Spectral filters with one spare bit for 2, 4, 8 and 16 counters (figures 6, 8 and 9 of
// Aguilar-Saborit et al. 2006, who do not say how much slack theirs has): times, and how many
// counters are moved. All items are added and removed, as in tally_time. Filters take turns in
// blocks. usage: tally_slack sizes|skews

#include <cstdio>
#include <string_view>

#include "experiments/history/checks.hpp"
#include "passes.hpp"

namespace {

using namespace experiments;
using namespace bloomtime;
using namespace bloomtime::published;

struct moves {
  detail::string_array::work work;
  double bits_per_item;  // of the full filter
};

// Counted in a filter of its own, so that nothing is counted while time is measured.
moves moves_of(const population& p, unsigned slack) {
  spectral_filter f = spectral_of(p, slack);
  arrivals come(p);
  for (std::uint64_t i = 0; i < p.total; ++i) f.add(come());
  const double bits = 8 * static_cast<double>(f.memory()) / static_cast<double>(p.items);
  arrivals go(p);
  for (std::uint64_t i = 0; i < p.total; ++i) (void)f.remove(go());
  return {f.work(), bits};
}

double time_of(const pass& all) {
  double ns = 0;
  for (const block_time& b : all) ns += b.ns;
  return ns;
}

struct row {
  const char* engine;
  unsigned slack;  // counters per spare bit; 0 if that means nothing
  figures times;
  double filling;  // ns
  moves moved;
};

double share_of_all(const row& r) { return r.times.rebuilding / r.times.total; }
double share_of_filling(const row& r) { return r.times.rebuilding / r.filling; }

void print(const population& p, const row& r) {
  const detail::string_array::work& work = r.moved.work;
  const double once =
      r.times.changes == 0 ? 0 : r.times.rebuilding / static_cast<double>(r.times.changes);
  std::printf("%ju,%ju,%.1f,%s,%u,%.1f,%.1f,%.2f,%.1f,%.4f,%.4f,%ju,%ju,%ju,%ju,%.1f\n",
              static_cast<std::uintmax_t>(p.items), static_cast<std::uintmax_t>(p.total / p.items),
              p.theta, r.engine, r.slack, r.times.read.median, r.times.write.median,
              r.times.total / 1e6, once, share_of_all(r), share_of_filling(r),
              static_cast<std::uintmax_t>(r.times.changes),
              static_cast<std::uintmax_t>(work.shifted), static_cast<std::uintmax_t>(work.pushed),
              static_cast<std::uintmax_t>(work.laid_out), r.moved.bits_per_item);
  std::fflush(stdout);
}

void compare(const population& p, unsigned rounds) {
  const slack_round best = best_of_slack_rounds(p, rounds);
  std::uint64_t fewer_shifted = 0;
  for (std::size_t i = 0; i < all_slacks.size(); ++i) {
    const row r{"spectral", all_slacks[i], figures_of(best.spectral[i], best.roomy[i]),
                time_of(best.spectral[i].fill), moves_of(p, all_slacks[i])};
    print(p, r);
    const std::uint64_t shifted = r.moved.work.shifted;
    guess(shifted >= fewer_shifted,
          "n = {}, theta = {}: with a spare bit for {} counters {} are shifted, no fewer than with "
          "more slack",
          p.items, p.theta, all_slacks[i], shifted);
    fewer_shifted = shifted;
    claim(share_of_all(r) > 0.5,
          "n = {}, theta = {}, a spare bit for {} counters: spectral spends most of its time in "
          "rebuilding ({:.0f} %, {:.0f} % of filling)",
          p.items, p.theta, all_slacks[i], 100 * share_of_all(r), 100 * share_of_filling(r));
  }
  const row r{"dynamic", 0, figures_of(best.dynamic), time_of(best.dynamic.fill), {}};
  print(p, r);
}

}  // namespace

int main(int count, char** words) {
  const std::string_view what = count == 2 ? words[1] : "";
  if (what != "sizes" && what != "skews") {
    std::fputs("usage: tally_slack sizes|skews\n", stderr);
    return 2;
  }
  std::puts(
      "items,each,theta,engine,counters_per_slack,read_ns,write_ns,total_ms,rebuild_ns,"
      "share_rebuilding,share_of_filling,rebuilds,shifted,pushed,laid_out,bits_per_item");
  if (what == "sizes") {
    compare({}, 9);
    compare({.items = 10'000, .total = 10'000 * usual_each}, 3);
    compare({.items = 100'000, .total = 100'000 * usual_each}, 1);
  } else {
    for (int fifths = 0; fifths <= 10; ++fifths) compare({.theta = fifths / 5.0}, 9);
  }
}
