// The data: records, pairs and items over time (figure 7), the keys and bits of every level (the
// tables behind all figures), and the space of exact answers (figure 14).
// usage: history_data counts|levels|space

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "checks.hpp"
#include "scene.hpp"

namespace {

using namespace experiments;
using namespace bloomtime;

// -- figure 7 ----------------------------------------------------------------------------------

void print_counts(const trace& t) {
  constexpr std::uint32_t points = 48;
  std::vector<bool> seen(t.items);
  std::uint64_t items = 0;
  auto record = t.records.begin();
  auto pair = t.pairs.begin();
  for (std::uint32_t i = 1; i <= points; ++i) {
    const auto end = static_cast<std::uint32_t>(std::uint64_t{t.ticks} * i / points);
    while (record != t.records.end() && record->tick < end) ++record;
    for (; pair != t.pairs.end() && pair->tick < end; ++pair) {
      items += !seen[pair->item];
      seen[pair->item] = true;
    }
    std::printf("%s,%u,%td,%td,%ju\n", t.name.c_str(), end, record - t.records.begin(),
                pair - t.pairs.begin(), static_cast<std::uintmax_t>(items));
  }
  check(t.records.size() >= t.pairs.size() && t.pairs.size() >= items && items == t.items,
        "{}: {} records, {} pairs, {} items", t.name, t.records.size(), t.pairs.size(), items);
}

void all_counts() {
  std::puts("set,tick,records,pairs,items");
  for (const generated& g : all_generated) {
    const trace t = trace_of(g, 1);
    print_counts(t);
    check(t.records.size() == g.of.records && t.pairs.size() == g.of.pairs && t.items == g.of.items,
          "{}: as many as published", t.name);
  }
  for (const trace& t : real_traces()) print_counts(t);
}

// -- tables of levels --------------------------------------------------------------------------

void print_levels(const scene& s, std::string_view method, const order& o) {
  const auto& loads = method == "level learned" ? o.learned.levels : o.truth.levels;
  const std::vector<published::filter_size> sizes = level_sizes(method, o);
  for (std::size_t h = 0; h < sizes.size(); ++h) {
    std::printf("%s,%s,%zu,%.0f,%.5f,%ju,%u,%.4g\n", s.day.name.c_str(), method.data(), h,
                loads[h].keys, loads[h].probes, static_cast<std::uintmax_t>(sizes[h].bits),
                sizes[h].k, published::filter_error(loads[h].keys, sizes[h]));
  }
}

void check_levels(const scene& s, const order& o) {
  const auto& levels = o.truth.levels;
  bool halves = levels.front().keys == static_cast<double>(s.day.pairs.size());
  for (std::size_t h = 0; h + 1 < levels.size(); ++h) {
    halves =
        halves && levels[h + 1].keys <= levels[h].keys && levels[h].keys <= 2 * levels[h + 1].keys;
  }
  check(halves, "{}: from pairs to items, no level has less than half the keys of the one below",
        s.day.name);
  const auto sizes = level_sizes("level learned", o);
  const auto active = std::count_if(sizes.begin(), sizes.end(), [](auto z) { return z.bits > 0; });
  check(active == 8, "{}: {} of {} levels get bits if only length 128 is asked", s.day.name, active,
        sizes.size());
}

void all_levels() {
  std::puts("set,method,height,keys,probes,bits,k,error");
  const auto print_all = [](const scene& s, std::uint64_t bits) {
    const workload w = workload_of(s, usual_length);
    const order o = order_of(s, w, bits);
    for (const std::string_view method :
         {"level uniform", "level optimal", "level learned", "level planned"}) {
      print_levels(s, method, o);
    }
    check_levels(s, o);
  };
  for (const generated& g : all_generated) print_all(scene_of(g), usual_bits);
  for (const trace& t : real_traces()) {
    const scene s = scene_of(t);
    print_all(s, bits_like_edgar(s.day, usual_bits));
  }
}

// -- figure 14 ---------------------------------------------------------------------------------

// The coefficient of determination of a line through the points.
double straightness(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<double>(x.size());
  double sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sx += x[i];
    sy += y[i];
    sxx += x[i] * x[i];
    sxy += x[i] * y[i];
    syy += y[i] * y[i];
  }
  const double covariance = n * sxy - sx * sy;
  return covariance * covariance / ((n * sxx - sx * sx) * (n * syy - sy * sy));
}

void all_space() {
  std::puts("set,tick,pairs,method,bits,bits_per_pair");
  constexpr std::uint32_t points = 12;
  for (const generated& g : all_generated) {
    const scene whole = scene_of(g);
    const workload w = workload_of(whole, usual_length);
    std::vector<double> pairs;
    std::vector<double> exact;
    for (std::uint32_t i = 1; i <= points; ++i) {
      const trace t = part_of(whole.day, 0, whole.day.ticks / points * i);
      pairs.push_back(static_cast<double>(t.pairs.size()));
      for (const std::string_view name : {"exact", "timeline", "level optimal"}) {
        const subject s = method_of(name).make(order_of(whole, w, usual_bits));
        if (name != "level optimal") s.add(t.pairs);  // its size does not depend on them
        s.finish();
        const auto bits = static_cast<double>(s.bits());
        std::printf("%s,%u,%zu,%s,%.0f,%.3f\n", t.name.c_str(), t.ticks, t.pairs.size(),
                    name.data(), bits, bits / pairs.back());
        if (name == "exact") exact.push_back(bits);
      }
    }
    check(straightness(pairs, exact) > 0.99 && exact.back() >= 64 * pairs.back(),
          "{}: what is exact grows in proportion to pairs (R^2 = {:.4f}), {:.0f} bits for each",
          whole.day.name, straightness(pairs, exact), exact.back() / pairs.back());
  }
}

}  // namespace

int main(int count, char** words) {
  const std::string_view what = count == 2 ? words[1] : "";
  if (what == "counts") all_counts();
  if (what == "levels") all_levels();
  if (what == "space") all_space();
}
