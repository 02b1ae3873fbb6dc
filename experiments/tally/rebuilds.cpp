// How often a dynamic count filter is rebuilt when items are added and removed: over time for three
// ratios of additions to removals (figure 4), over the threshold (figure 5), and over n when all
// are added and then removed (of figure 6). usage: tally_rebuilds ratios|thresholds|sizes

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string_view>

#include <bloomtime/published/dynamic_count/sizes.hpp>

#include "arrivals.hpp"
#include "experiments/history/checks.hpp"

namespace {

using namespace experiments;
using namespace bloomtime;
using namespace bloomtime::published;

constexpr shrinking both_ways[] = {shrinking::published, shrinking::with_gap};

struct operation {
  std::uint64_t item;
  bool arrives;
};

// The usual arrivals, and then so many per item of both kinds, `ratio` times as many arrivals as
// departures. Departures are drawn from the present items; if there are none, an item arrives.
std::vector<operation> mixture(double theta, double ratio, std::uint64_t mixed,
                               std::uint64_t seed) {
  const population p{.theta = theta, .seed = seed};
  arrivals next(p);
  math::random_source random(~seed);
  std::vector<std::uint64_t> there;
  std::vector<operation> all;
  const std::uint64_t count = p.total + mixed * p.items;
  while (all.size() < count) {
    if (all.size() < p.total || there.empty() || random.unit() < ratio / (1 + ratio)) {
      there.push_back(next());
      all.push_back({there.back(), true});
    } else {
      std::swap(there[random.below(there.size())], there.back());
      all.push_back({there.back(), false});
      there.pop_back();
    }
  }
  return all;
}

dynamic_count_filter filter_with(double lambda, shrinking how) {
  const population p;
  return dynamic_count_filter({.items = p.items,
                               .error = usual_error,
                               .k = usual_k,
                               .total = p.total,
                               .threshold = lambda,
                               .shrinking = how});
}

// How often the filter had been rebuilt after each step of so many operations.
std::vector<std::uint64_t> rebuilds_after_steps(const std::vector<operation>& all, std::size_t step,
                                                double lambda, shrinking how) {
  dynamic_count_filter f = filter_with(lambda, how);
  std::vector<std::uint64_t> after;
  for (std::size_t i = 0; i < all.size(); ++i) {
    (void)(all[i].arrives ? f.add(all[i].item) : f.remove(all[i].item));
    if ((i + 1) % step == 0) after.push_back(rebuilds_of(f));
  }
  return after;
}

double any_theta(std::uint64_t seed) { return 2 * math::random_source(seed).unit(); }

// -- figure 4 ----------------------------------------------------------------------------------

void over_time() {
  constexpr std::uint64_t streams = 5;
  constexpr std::uint64_t step = 10;  // per item
  constexpr std::uint64_t mixed = 900;
  constexpr std::size_t steps = (usual_each + mixed) / step;
  std::puts("ratio,operations_per_item,published,with_gap");
  for (const double ratio : {2.0, 1.0, 0.5}) {
    std::map<shrinking, std::vector<double>> mean;
    for (const shrinking how : both_ways) mean[how].resize(steps);
    for (std::uint64_t seed = 1; seed <= streams; ++seed) {
      const auto all = mixture(any_theta(seed), ratio, mixed, seed);
      for (const shrinking how : both_ways) {
        for (int tenths = 1; tenths <= 10; ++tenths) {
          const auto after = rebuilds_after_steps(all, step * usual_items, tenths / 10.0, how);
          for (std::size_t i = 0; i < steps; ++i) {
            mean[how][i] += static_cast<double>(after[i]) / (10 * streams);
          }
        }
      }
    }
    const auto& published = mean[shrinking::published];
    const auto& with_gap = mean[shrinking::with_gap];
    for (std::size_t i = 0; i < steps; ++i) {
      std::printf("%.1f,%zu,%.2f,%.2f\n", ratio, (i + 1) * step, published[i], with_gap[i]);
    }
    const std::size_t filled = usual_each / step - 1;
    const double more = published.back() - published[filled];
    const double more_with_gap = with_gap.back() - with_gap[filled];
    if (ratio > 1) {
      claim(more > 0.5, "R = {}: {:.1f} rebuilds more after the fill ({:.1f} with a gap)", ratio,
            more, more_with_gap);
    } else {
      claim(more < 0.5, "R = {}: no more rebuilds after the fill, here {:.1f} ({:.1f} with a gap)",
            ratio, more, more_with_gap);
    }
    // What arrives fourfold makes cells wider by two bits, one rebuild each.
    if (ratio > 1) {
      check(more_with_gap <= 3, "R = {}: with a gap rebuilds grow by the logarithm of all counts",
            ratio);
    }
  }
}

// -- figure 5 ----------------------------------------------------------------------------------

using by_lambda = std::vector<double>;  // in tenths

void compare(double ratio, const by_lambda& published, const by_lambda& with_gap) {
  const double least = *std::min_element(published.begin(), published.end());
  const double most_below_1 = *std::max_element(published.begin(), published.end() - 1);
  check(published[0] <= least + 0.5,
        "R = {}: no threshold saves half a rebuild over 0 ({:.1f}, least {:.1f})", ratio,
        published[0], least);
  check(with_gap[10] == with_gap[5], "R = {}: with a gap thresholds from 1/2 on are the same",
        ratio);
  if (ratio <= 0.6) {
    claim(most_below_1 - least <= 1, "R = {}: the threshold does not matter below 1", ratio);
    claim(published[10] - least <= 1, "R = {}: nor at 1 ({:.1f} rebuilds instead of {:.1f})", ratio,
          published[10], least);
  } else {
    const auto best = static_cast<std::size_t>(10 * (1 - ratio) + 0.5);
    claim(published[best] < published[0],
          "R = {}: fewer rebuilds at 1 - R ({:.2f}) than at 0 ({:.2f})", ratio, published[best],
          published[0]);
  }
}

void over_thresholds() {
  constexpr std::uint64_t streams = 10;
  constexpr std::uint64_t mixed = 400;
  std::puts("ratio,lambda,published,with_gap");
  for (const double ratio : {0.3, 0.6, 0.7, 0.8, 0.9}) {
    std::map<shrinking, by_lambda> mean;
    for (const shrinking how : both_ways) mean[how].resize(11);
    for (std::uint64_t seed = 1; seed <= streams; ++seed) {
      const auto all = mixture(any_theta(seed), ratio, mixed, seed);
      for (const shrinking how : both_ways) {
        for (std::size_t tenths = 0; tenths <= 10; ++tenths) {
          const auto after = rebuilds_after_steps(all, usual_each * usual_items,
                                                  static_cast<double>(tenths) / 10, how);
          mean[how][tenths] += static_cast<double>(after.back() - after.front()) / streams;
        }
      }
    }
    for (std::size_t tenths = 0; tenths <= 10; ++tenths) {
      std::printf("%.1f,%.1f,%.2f,%.2f\n", ratio, static_cast<double>(tenths) / 10,
                  mean[shrinking::published][tenths], mean[shrinking::with_gap][tenths]);
    }
    compare(ratio, mean[shrinking::published], mean[shrinking::with_gap]);
  }
}

// -- of figure 6 -------------------------------------------------------------------------------

void over_sizes() {
  std::puts("items,base_bits,rebuilds,predicted,widest_bits,printed_formula");
  for (const std::uint64_t items : {1000u, 10'000u, 100'000u, 1'000'000u}) {
    const population p{.items = items, .total = usual_each * items};
    dynamic_count_filter f = dynamic_of(p);
    const unsigned x = f.base_bits();
    const std::uint64_t largest = published::largest_cell(items, p.total, f.cells(), usual_k);
    const std::uint64_t predicted = 2 * published::overflow_level(largest >> x);
    arrivals come(p);
    for (std::uint64_t i = 0; i < p.total; ++i) f.add(come());
    const unsigned widest = x + f.overflow_bits();
    const double overflow = static_cast<double>(f.statistics().largest >> x);
    const double printed = x + std::ceil(std::log2(overflow)) + 1;
    arrivals go(p);
    for (std::uint64_t i = 0; i < p.total; ++i) (void)f.remove(go());
    const std::uint64_t rebuilds = rebuilds_of(f);
    std::printf("%ju,%u,%ju,%ju,%u,%.0f\n", static_cast<std::uintmax_t>(items), x,
                static_cast<std::uintmax_t>(rebuilds), static_cast<std::uintmax_t>(predicted),
                widest, printed);
    check(rebuilds + 1 >= predicted && rebuilds <= predicted + 1,
          "n = {}: {} rebuilds, {} predicted", items, rebuilds, predicted);
    if (items == 10'000) claim(rebuilds == 8, "n = {}: 8 rebuilds, here {}", items, rebuilds);
    if (items == 1'000'000) claim(rebuilds == 9, "n = {}: 9 rebuilds, here {}", items, rebuilds);
    check(f.overflow_bits() == 0, "n = {}: when all have left, the overflow vector has too", items);
  }
}

}  // namespace

int main(int count, char** words) {
  const std::string_view what = count == 2 ? words[1] : "";
  if (what == "ratios") over_time();
  if (what == "thresholds") over_thresholds();
  if (what == "sizes") over_sizes();
}
