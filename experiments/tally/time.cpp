// Times of reads, writes and rebuilds over n (figure 6); of filling and emptying a filter and the
// share of rebuilding in it over theta (figures 8 and 9). Filters take turns in blocks.
// usage: tally_time sizes|skews

#include <cmath>
#include <cstdio>
#include <map>
#include <string_view>

#include <bloomtime/published/dynamic_count/sizes.hpp>

#include "experiments/history/checks.hpp"
#include "passes.hpp"

namespace {

using namespace experiments;
using namespace bloomtime;
using namespace bloomtime::published;

struct engines {
  figures spectral;
  figures dynamic;
  figures tally;
};

engines run_rounds(const population& p, unsigned rounds) {
  const round_of_passes best = best_of_rounds(p, rounds);
  return {figures_of(best.spectral, best.roomy), figures_of(best.dynamic), figures_of(best.tally)};
}

// -- figure 6 ----------------------------------------------------------------------------------

double one_rebuild(const figures& f) {
  return f.changes == 0 ? 0 : f.rebuilding / static_cast<double>(f.changes);
}

void print_sizes(const population& p, const char* engine, const figures& f) {
  std::printf("%ju,%ju,%s,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%ju\n",
              static_cast<std::uintmax_t>(p.items), static_cast<std::uintmax_t>(p.total / p.items),
              engine, f.read.median, f.read.lower, f.read.upper, f.write.median, f.write.lower,
              f.write.upper, one_rebuild(f), static_cast<std::uintmax_t>(f.changes));
}

// A tenth of the arrivals for a million items, to save time.
void time_sizes() {
  struct size {
    std::uint64_t items;
    std::uint64_t each;
    unsigned rounds;
  };
  constexpr size all_sizes[] = {{1000, usual_each, 9},
                                {10'000, usual_each, 3},
                                {100'000, usual_each, 1},
                                {1'000'000, usual_each / 10, 1}};
  std::puts(
      "items,each,engine,read_ns,read_lower,read_upper,write_ns,write_lower,write_upper,"
      "rebuild_ns,rebuilds");
  std::map<std::uint64_t, engines> done;
  for (const auto& [items, each, rounds] : all_sizes) {
    const population p{.items = items, .total = each * items};
    const engines& e = done[items] = run_rounds(p, rounds);
    print_sizes(p, "spectral", e.spectral);
    print_sizes(p, "dynamic", e.dynamic);
    print_sizes(p, "tally", e.tally);
    const double read = e.spectral.read.median / e.dynamic.read.median;
    const double write = e.spectral.write.median / e.dynamic.write.median;
    check(read >= 2, "n = {}: a read of dynamic is 2x faster than of spectral ({:.2f}x)", items,
          read);
    check(write >= 2,
          "n = {}: a write of dynamic is 2x faster than of spectral ({:.2f}x; {:.2f}x with "
          "rebuilds)",
          items, write, e.spectral.total / e.dynamic.total);
    claim(one_rebuild(e.dynamic) < one_rebuild(e.spectral),
          "n = {}: one rebuild of dynamic ({:.1f} us) takes less than one of spectral ({:.3f} us)",
          items, one_rebuild(e.dynamic) / 1000, one_rebuild(e.spectral) / 1000);
  }
  const auto compare_ends = [&](const char* name, figures engines::*engine) {
    const auto growth = [&](bench::summary figures::*figure) {
      return (done[1'000'000].*engine.*figure).median / (done[1000].*engine.*figure).median;
    };
    const double read = growth(&figures::read);
    const double write = growth(&figures::write);
    claim(read < 1.5 && write < 1.5,
          "{}: a read takes as long for a million items as for 1000 ({:.1f}x), and a write "
          "({:.1f}x)",
          name, read, write);
  };
  compare_ends("spectral", &engines::spectral);
  compare_ends("dynamic", &engines::dynamic);
  const double lengthened = static_cast<double>(done[100'000].spectral.changes) /
                            static_cast<double>(done[1000].spectral.changes);
  check(lengthened > 90 && lengthened < 110,
        "counters of spectral are lengthened {:.1f} times as often for 100 times the items",
        lengthened);
}

// -- figures 8 and 9 ---------------------------------------------------------------------------

// How wide the overflow vector becomes if every item comes as often as is most likely and lies in
// random cells: the middle of 21 tries.
unsigned predicted_growths(const population& p) {
  const dynamic_count_filter empty = dynamic_of(p);
  const math::zipf law(p.items, p.theta);
  math::random_source random(0);
  std::vector<double> tries(21);
  for (double& largest : tries) {
    std::vector<double> cells(empty.cells());
    for (std::uint64_t i = 0; i < p.items; ++i) {
      for (unsigned row = 0; row < usual_k; ++row) {
        double& cell = cells[row * empty.row() + random.below(empty.row())];
        cell += static_cast<double>(p.total) * law.probability(i + 1);
        largest = std::max(largest, cell);
      }
    }
  }
  const auto largest = static_cast<std::uint64_t>(bench::summarize(tries).median);
  return published::overflow_level(largest >> empty.base_bits());
}

double share_of(const figures& f) { return f.rebuilding / f.total; }

void print_skew(const population& p, const char* engine, const figures& f) {
  std::printf("%.1f,%s,%.2f,%ju,%.4f\n", p.theta, engine, f.total / 1e6,
              static_cast<std::uintmax_t>(f.changes), share_of(f));
}

void time_skews() {
  constexpr unsigned rounds = 9;
  std::puts("theta,engine,total_ms,rebuilds,share_rebuilding");
  std::map<int, engines> done;
  for (int fifths = 0; fifths <= 10; ++fifths) {
    const population p{.theta = fifths / 5.0};
    const engines& e = done[fifths] = run_rounds(p, rounds);
    print_skew(p, "spectral", e.spectral);
    print_skew(p, "dynamic", e.dynamic);
    print_skew(p, "tally", e.tally);
    const unsigned predicted = predicted_growths(p);
    check(std::abs(static_cast<double>(e.dynamic.growths) - predicted) <= 1,
          "theta = {}: the vector grows {} times, {} predicted", p.theta, e.dynamic.growths,
          predicted);
    claim(e.dynamic.total < e.spectral.total, "theta = {}: dynamic is faster in all", p.theta);
    claim(share_of(e.spectral) > 0.5,
          "theta = {}: spectral spends most of its time in rebuilding ({:.0f} %)", p.theta,
          100 * share_of(e.spectral));
    claim(share_of(e.dynamic) < 0.1, "theta = {}: dynamic next to nothing ({:.0f} %)", p.theta,
          100 * share_of(e.dynamic));
  }
  const engines& flat = done[0];
  const engines& skewed = done[10];
  const auto gap = [](const engines& e) { return e.spectral.total / e.dynamic.total; };
  claim(gap(skewed) < gap(flat), "dynamic gains less on skewed data: {:.1f}x at 0, {:.1f}x at 2",
        gap(flat), gap(skewed));
  claim(skewed.spectral.changes < flat.spectral.changes &&
            skewed.dynamic.changes > flat.dynamic.changes,
        "from theta = 0 to 2 rebuilds of spectral fall ({} to {}) and of dynamic rise ({} to {})",
        flat.spectral.changes, skewed.spectral.changes, flat.dynamic.changes,
        skewed.dynamic.changes);
}

}  // namespace

int main(int count, char** words) {
  const std::string_view what = count == 2 ? words[1] : "";
  if (what == "sizes") time_sizes();
  if (what == "skews") time_skews();
}
