// The memory of a spectral filter compared with a dynamic count filter, over theta and M, in bits
// per item after all arrivals (figure 7). The spectral filter by three accountings: with an index
// of offsets as in the paper, with an index of lengths, and as implemented here (offsets).

#include <cstdio>

#include "arrivals.hpp"
#include "experiments/history/checks.hpp"

namespace {

using namespace experiments;
using namespace bloomtime;
using namespace bloomtime::published;

struct bits_per_item {
  double dynamic = 0;
  double published = 0;
  double compact = 0;
  double built = 0;
  double tally = 0;
};

template <class Filter>
Filter filled(Filter f, const population& p) {
  const std::vector<std::uint64_t> counts = counts_of(p);
  for (std::uint64_t x = 0; x < p.items; ++x) f.add(x, counts[x]);
  return f;
}

// In the mean of so many runs.
bits_per_item measure(population p, std::uint64_t runs) {
  bits_per_item mean;
  for (p.seed = 1; p.seed <= runs; ++p.seed) {
    const auto share = [&](std::uint64_t bits) {
      return static_cast<double>(bits) / static_cast<double>(p.items * runs);
    };
    const spectral_filter spectral = filled(spectral_of(p), p);
    const spectral_bits bits = spectral.bits();
    mean.dynamic += share(8 * filled(dynamic_of(p), p).memory());
    mean.published += share(bits.string + bits.published_index);
    mean.compact += share(bits.string + bits.compact_index);
    mean.built += share(8 * spectral.memory());
    mean.tally += share(8 * filled(tally_of(p), p).memory());
  }
  return mean;
}

void compare(const population& p, const bits_per_item& b) {
  const std::uint64_t each = p.total / p.items;
  if (each == usual_each && p.theta <= 0.2) {
    check(b.dynamic <= 0.6 * b.built,
          "n = {}, theta = {}: dynamic / spectral = {:.3f} as built, at most 0.6 ({:.3f} as "
          "published, {:.3f} compact)",
          p.items, p.theta, b.dynamic / b.built, b.dynamic / b.published, b.dynamic / b.compact);
  }
  if (p.theta == 0.1) {
    claim(b.published > 2 * b.dynamic,
          "n = {}, M = {} n, theta = 0.1: spectral / dynamic > 2, {:.2f}", p.items, each,
          b.published / b.dynamic);
  }
  if (p.theta == 2) {
    claim(b.published < b.dynamic, "n = {}, M = {} n, theta = 2: spectral / dynamic < 1, {:.2f}",
          p.items, each, b.published / b.dynamic);
  }
}

}  // namespace

int main() {
  std::puts("items,each,theta,dynamic,spectral_published,spectral_compact,spectral_built,tally");
  for (const auto& [items, runs] : {std::pair{usual_items, 5u}, {100 * usual_items, 1u}}) {
    for (const std::uint64_t each : {10u, 100u, 1000u, 10'000u}) {
      if (items != usual_items && each != usual_each) continue;
      for (const double theta : {0.0, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0}) {
        const population p{.items = items, .total = each * items, .theta = theta};
        const bits_per_item b = measure(p, runs);
        std::printf("%ju,%ju,%.1f,%.2f,%.2f,%.2f,%.2f,%.2f\n", static_cast<std::uintmax_t>(items),
                    static_cast<std::uintmax_t>(each), theta, b.dynamic, b.published, b.compact,
                    b.built, b.tally);
        compare(p, b);
      }
    }
  }
}
