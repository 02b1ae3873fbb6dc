// The effect of rounding: answers minus truths without shared cells, so that every difference is
// due to rounding. usage: heat_rounding summary|histogram

#include <cmath>
#include <cstring>
#include <map>

#include "measures.hpp"

namespace {

using namespace experiments;
using namespace bloomtime;
using namespace bloomtime::published;

// 2000 items of Zipf's law in 2^20 cells each row, 300 epochs: some items are hit in every epoch,
// some once. Differences are taken at the end of every tenth epoch.
stream sparse() { return zipf_stream(1, 2000, 2000, 300, 2); }
constexpr std::uint64_t cells = std::uint64_t{1} << 22;

template <class Filter>
std::vector<double> differences(Filter f, const stream& s, double lambda) {
  std::vector<double> all;
  exact_heat exact(s.items, lambda);
  for (std::size_t i = 0; i < s.hits.size(); ++i) {
    const hit& h = s.hits[i];
    f.add(h.item, at(h.epoch));
    exact.add(h);
    const bool ends = i + 1 == s.hits.size() || s.hits[i + 1].epoch != h.epoch;
    if (!ends || h.epoch % 10 != 9) continue;
    for (std::uint32_t item = 0; item < s.items; ++item) {
      all.push_back(f.at(item, at(h.epoch)).value - exact.at(item, h.epoch));
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

// Small cells are enough, and few of them: rounding is per cell, but a sweep goes through all.
std::vector<double> differences_of(const char* policy, const stream& s, double lambda) {
  if (std::strcmp(policy, "fixed point") == 0) {
    return differences(heat_filter({.memory = 2 * cells, .lambda = lambda}), s, lambda);
  }
  decaying_config c = basic_of(cells / 16, lambda);
  c.increase = increase::minimum;
  c.rounding = std::strcmp(policy, "up") == 0     ? rounding::up
               : std::strcmp(policy, "down") == 0 ? rounding::down
                                                  : rounding::random;
  if (c.rounding != rounding::up)
    c.lambda = lambda;  // what is a little less would lose a whole hit
  return differences(decaying_filter(c), s, lambda);
}

void summary(const char* policy, double lambda, const std::vector<double>& all) {
  double deficit = 0;
  double excess = 0;
  std::size_t below = 0;
  for (const double d : all) {
    (d < 0 ? deficit : excess) += std::abs(d);
    below += d < -1e-9;
  }
  const auto n = static_cast<double>(all.size());
  std::printf("%s,%.4f,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g\n", policy, lambda, deficit / n,
              std::max(0.0, -all.front()), static_cast<double>(below) / n, excess / n, all.back(),
              1 / (1 - lambda));
}

void histogram(const char* policy, double lambda, const std::vector<double>& all) {
  std::map<int, std::size_t> bins;  // of half a hit, around their number
  for (const double d : all) ++bins[static_cast<int>(std::lround(2 * d))];
  for (const auto& [bin, count] : bins) {
    std::printf("%s,%.2f,%.1f,%.3g\n", policy, lambda, bin / 2.0,
                static_cast<double>(count) / static_cast<double>(all.size()));
  }
}

}  // namespace

int main(int count, char** words) {
  const bool wants_histogram = count == 2 && std::strcmp(words[1], "histogram") == 0;
  std::puts(wants_histogram ? "policy,lambda,difference,share"
                            : "policy,lambda,mean_deficit,worst_deficit,share_below,mean_excess,"
                              "worst_excess,bound");
  const stream s = sparse();
  for (const char* policy : {"down", "up", "random", "fixed point"}) {
    if (wants_histogram) {
      histogram(policy, 0.9, differences_of(policy, s, 0.9));
      continue;
    }
    for (const double lambda : {0.5, 0.8, 0.9, 0.9375, 0.95, 0.99}) {
      summary(policy, lambda, differences_of(policy, s, lambda));
    }
  }
}
