// The bits for an error of 5 % with finer ticks and with more days: figure 15. Those of filters are
// computed from the keys of every level, those of exact answers are measured.
// usage: history_scale ticks|days

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string_view>

#include <bloomtime/history/timeline_history.hpp>
#include <bloomtime/math/random.hpp>
#include <bloomtime/published/persistent/levels.hpp>

#include "checks.hpp"
#include "scene.hpp"

namespace {

using namespace experiments;
using namespace bloomtime;

constexpr double target = 0.05;
constexpr double most_probes = 64;
constexpr generated sets[] = {
    {network, times::dense}, {network, times::bursty}, {network, times::uniform}};

// The fewest bits for which error(bits) is at most the target, to a part in a thousand.
template <class Error>
double bits_for(Error&& error) {
  double low = 1e5;
  double high = 1e11;
  while (high / low > 1.001) {
    const double middle = std::sqrt(low * high);
    (error(static_cast<std::uint64_t>(middle)) > target ? low : high) = middle;
  }
  return high;
}

struct needs {
  double single;
  double all_levels;
  double planned;
  double timeline;
};

needs needs_of(const trace& t, std::uint64_t length) {
  const std::vector<double> keys = level_keys(t);
  const std::vector<double> probes =
      published::cover_profile(length, static_cast<unsigned>(keys.size()));
  std::vector<published::filter_load> loads;
  for (std::size_t h = 0; h < keys.size(); ++h) loads.push_back({keys[h], probes[h]});
  needs n{};
  n.single =
      static_cast<double>(published::single_size_for_error(t.pairs.size(), target, length).bits);
  n.all_levels = bits_for([&](std::uint64_t bits) {
    return published::query_error(loads, published::allocate_bits(loads, bits));
  });
  n.planned = bits_for([&](std::uint64_t bits) {
    return published::plan_levels(keys, probes, bits, most_probes).error;
  });
  timeline_history exact({.ticks = t.ticks, .length = length});
  for (const record& r : t.pairs) exact.add(r.item, at(r.tick));
  exact.seal();
  n.timeline = static_cast<double>(8 * exact.memory());
  return n;
}

void print(const std::string& set, const char* asked, double x, const trace& t,
           std::uint64_t length, const needs& n) {
  const auto row = [&](const char* method, double bits) {
    std::printf("%s,%s,%g,%ju,%zu,%s,%.0f,%.3f\n", set.c_str(), asked, x,
                static_cast<std::uintmax_t>(length), t.pairs.size(), method, bits,
                bits / static_cast<double>(t.pairs.size()));
  };
  row("single", n.single);
  row("level optimal", n.all_levels);
  row("level planned", n.planned);
  row("timeline", n.timeline);
}

// -- finer ticks -------------------------------------------------------------------------------

// Every pair, or every record, happens at any of the finer ticks within its own.
trace refined(const trace& t, std::uint32_t parts, bool all_records) {
  math::random_source random(3);
  trace fine{t.name, all_records ? t.records : t.pairs, {}, t.items, t.ticks * parts};
  for (record& r : fine.records) {
    r.tick = r.tick * parts + static_cast<std::uint32_t>(random.below(parts));
  }
  std::stable_sort(fine.records.begin(), fine.records.end(),
                   [](const record& a, const record& b) { return a.tick < b.tick; });
  without_repeats(fine);
  return fine;
}

// From ticks of 1 s to 1 ms, if k may be as large as it should.
double growth_of_single() {
  const auto bits = [](double length) {
    return -std::log(published::error_of_one_probe(target, length));
  };
  return bits(1000 * usual_length) / bits(usual_length);
}

void over_ticks() {
  std::puts("set,asked,ticks_per_second,length,pairs,method,bits,bits_per_pair");
  for (const generated& g : sets) {
    const trace t = trace_of(g, 1);
    std::map<std::uint32_t, needs> same_time;
    for (const std::uint32_t parts : {1u, 10u, 100u, 1000u}) {
      const trace fine = refined(t, parts, false);
      const auto show = [&](const char* asked, const trace& of, std::uint64_t length) {
        const needs n = needs_of(of, length);
        print(t.name, asked, parts, of, length, n);
        return n;
      };
      same_time[parts] = show("same time", fine, usual_length * parts);
      show("same ticks", fine, usual_length);
      // A repeat within a second is another pair if ticks are finer.
      show("same time and all records", refined(t, parts, true), usual_length * parts);
    }
    const auto ratio = [&](double needs::*bits) {
      return same_time[1000].*bits / same_time[1].*bits;
    };
    check(std::abs(growth_of_single() - 1.88) <= 0.05 && ratio(&needs::single) < 2,
          "{}: a single filter takes {:.2f} times the bits for ticks of 1 ms, with k of at most {} "
          "{:.2f} times",
          t.name, growth_of_single(), published::most_history_k, ratio(&needs::single));
    claim(ratio(&needs::all_levels) <= 1.6,
          "{}: all levels take at most 1.6 times the bits for ticks of 1 ms ({:.2f})", t.name,
          ratio(&needs::all_levels));
  }
}

// -- more days ---------------------------------------------------------------------------------

trace repeated(const trace& day, std::uint32_t days) {
  trace all{day.name, {}, {}, day.items, day.ticks * days};
  for (std::uint32_t d = 0; d < days; ++d) {
    for (const record& r : day.pairs) all.pairs.push_back({r.item, r.tick + d * day.ticks});
  }
  return all;
}

void over_days() {
  std::puts("set,asked,days,length,pairs,method,bits,bits_per_pair");
  for (const generated& g : sets) {
    const trace t = trace_of(g, 1);
    std::map<std::uint32_t, needs> all;
    for (std::uint32_t days = 1; days <= 7; ++days) {
      const trace more = repeated(t, days);
      all[days] = needs_of(more, usual_length);
      print(t.name, "same time", days, more, usual_length, all[days]);
    }
    const double ratio = all[7].all_levels / all[1].all_levels;
    check(ratio >= 6.3 && ratio <= 7.7, "{}: a week takes {:.2f} times the bits of a day", t.name,
          ratio);
  }
}

}  // namespace

int main(int count, char** words) {
  if (count == 2 && std::string_view(words[1]) == "ticks") {
    over_ticks();
  } else {
    over_days();
  }
}
