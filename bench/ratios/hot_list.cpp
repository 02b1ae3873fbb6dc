#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <bloomtime/digest.hpp>
#include <bloomtime/heat/hot_list.hpp>
#include <bloomtime/math/random.hpp>
#include <bloomtime/math/zipf.hpp>

#include "bench/harness/exact_map.hpp"
#include "bench/harness/keys.hpp"
#include "bench/ratios/ratios.hpp"

namespace bench {
namespace {

using bloomtime::hot_list;
using bloomtime::instant;
using keys = std::span<const short_key>;

std::string_view text_of(const short_key& key) {
  return {reinterpret_cast<const char*>(&key), sizeof key};
}

// The share of the hottest items that the list has, with all events in one tick.
double recall_of(const hot_list& list, const std::vector<short_key>& events, std::size_t n) {
  std::unordered_map<short_key, std::uint64_t> counts;
  for (const short_key key : events) ++counts[key];
  std::vector<std::pair<std::uint64_t, short_key>> sorted;
  for (const auto& [key, count] : counts) sorted.push_back({count, key});
  std::sort(sorted.rbegin(), sorted.rend());
  std::unordered_set<std::string> listed;
  for (const auto& item : list.top(n, instant::from_seconds(1000))) listed.insert(item.item);
  std::size_t found = 0;
  for (std::size_t i = 0; i < n; ++i) {
    found += listed.contains(std::string(text_of(sorted[i].second)));
  }
  return static_cast<double>(found) / static_cast<double>(n);
}

void measure(const ratio_session& run, std::uint64_t entries) {
  const std::uint64_t items = run.quick ? 100'000 : 1'000'000;
  const bloomtime::math::zipf law(items, 1.0);
  bloomtime::math::random_source random(1);
  std::vector<short_key> events(run.quick ? 1'000'000 : 4'000'000);
  for (short_key& key : events) key = key_of<short_key>(law(random));
  hot_list list({.entries = entries, .half_life = std::chrono::hours(24)});
  exact_map map;
  for (const short_key key : events) {
    list.add(text_of(key), instant::from_seconds(1000));
    ++map[bloomtime::digest_of(key)];
  }
  comparison side(fmt::format(
      "Hot items: {} entries, {} events of {} items by Zipf(1.0), {} bytes an entry, recall of the "
      "hottest 100 {:.3f}",
      entries, events.size(), map.size(), list.memory() / entries, recall_of(list, events, 100)));
  std::size_t next = 0;
  const auto timed = [&](auto use) {
    return [&, use] {
      return time_in_blocks<short_key>(
          run.operations(),
          [&](std::span<short_key> block) {
            for (short_key& key : block) {
              key = events[next];
              next = next + 1 == events.size() ? 0 : next + 1;
            }
          },
          use);
    };
  };
  const auto map_add = side.add("exact map, update", timed([&](keys block) {
                                  for (const short_key& key : block) {
                                    ++map[bloomtime::digest_of(text_of(key))];
                                  }
                                }));
  const auto add = side.add("hot_list, add", timed([&](keys block) {
                              for (const short_key& key : block) {
                                keep(list.add(text_of(key), instant::from_seconds(1000)));
                              }
                            }));
  side.expect(add, map_add, 2);
  side.run(run.rounds());
  side.print();
}

}  // namespace

void hot_list_ratios(const ratio_session& run) {
  for (const std::uint64_t entries : {1000, 10'000}) measure(run, entries);
}

}  // namespace bench
