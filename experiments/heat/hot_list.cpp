// Recall and precision of the 100 hottest items of a hot list against exact decayed counts, with
// and without a heat_filter to tighten bounds, over the number of entries.

#include <cmath>
#include <numeric>
#include <set>

#include <bloomtime/heat/heat_filter.hpp>
#include <bloomtime/heat/hot_list.hpp>

#include "measures.hpp"

namespace {

using namespace experiments;
using namespace bloomtime;

constexpr std::size_t wanted = 100;

std::string name_of(std::uint32_t item) { return std::to_string(item); }

// The hottest items, and all that are as hot as the last of them: any of these is correct.
std::set<std::string> hottest(const stream& s, const exact_heat& exact) {
  std::vector<double> heat;
  for (std::uint32_t i = 0; i < s.items; ++i) heat.push_back(exact.at(i, s.epochs - 1));
  std::vector<double> sorted = heat;
  std::sort(sorted.rbegin(), sorted.rend());
  const double least = sorted[std::min(wanted, sorted.size()) - 1] * (1 - 1e-9);
  std::set<std::string> names;
  for (std::uint32_t i = 0; i < s.items; ++i) {
    if (heat[i] >= least) names.insert(name_of(i));
  }
  return names;
}

void print(const stream& s, double lambda, std::uint64_t entries, const char* bounds,
           const std::vector<hot_item>& top, const std::set<std::string>& right,
           std::uint64_t memory) {
  double found = 0;
  double guaranteed = 0;
  double guaranteed_wrong = 0;
  for (const hot_item& item : top) {
    const bool is_right = right.contains(item.item);
    found += is_right;
    guaranteed += item.guaranteed;
    guaranteed_wrong += item.guaranteed && !is_right;
  }
  std::printf("%s,%.2f,%ju,%s,%.3f,%.3f,%.0f,%.0f,%ju\n", s.name.c_str(), lambda,
              static_cast<std::uintmax_t>(entries), bounds, found / double(wanted),
              found / static_cast<double>(std::max<std::size_t>(top.size(), 1)), guaranteed,
              guaranteed_wrong, static_cast<std::uintmax_t>(memory));
}

void measure(const stream& s, double lambda) {
  const auto right = hottest(s, exact_of(s, lambda));
  heat_filter filter({.memory = 12ul * s.items, .lambda = lambda});
  for (const hit& h : s.hits) filter.add(name_of(h.item), at(h.epoch));
  for (const std::uint64_t entries : {100u, 200u, 500u, 1000u, 2000u, 5000u}) {
    hot_list list({.entries = entries, .lambda = lambda});
    for (const hit& h : s.hits) list.add(name_of(h.item), at(h.epoch));
    const instant now = at(s.epochs - 1);
    print(s, lambda, entries, "list", list.top(wanted, now), right, list.memory());
    print(s, lambda, entries, "list and filter", list.top(wanted, now, filter), right,
          list.memory() + filter.memory());
  }
}

}  // namespace

int main() {
  std::puts("stream,lambda,entries,bounds,recall,precision,guaranteed,guaranteed_wrong,bytes");
  for (const stream& s : real_streams()) measure(s, 0.9);
  for (const double z : {0.8, 1.0, 1.2}) {
    for (const double lambda : {0.5, 0.9, 0.99}) measure(usual_zipf(z), lambda);
  }
}
