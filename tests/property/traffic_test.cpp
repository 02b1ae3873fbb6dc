#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "support/traffic.hpp"
#include "traffic/operations.hpp"
#include "traffic/pairs.hpp"
#include "traffic/profile.hpp"
#include "traffic/repeats.hpp"
#include "traffic/visits.hpp"

namespace bloomtime::traffic {
namespace traffic_property {

using support::collect;
using support::count_exactly;
using support::exact_counts;

std::uint64_t any_from(std::uint64_t least, std::uint64_t most) {
  return *rc::gen::inRange<std::uint64_t>(least, most + 1);
}

span_of_time any_time(std::uint64_t most_seconds_here) {
  return {.start = static_cast<std::int64_t>(any_from(0, 4'000'000'000)),
          .seconds = any_from(1, most_seconds_here),
          .daily = *rc::gen::arbitrary<bool>()};
}

RC_GTEST_PROP(traffic_pairs, all_numbers_are_exact, ()) {
  pairs_config config;
  config.when = any_time(*rc::gen::element(3, 200, 100'000));
  config.items = any_from(1, 60);
  const std::uint64_t most = std::min<std::uint64_t>(config.items * config.when.seconds, 3'000);
  // Nearly full is where drawing alone would not end.
  config.pairs = *rc::gen::arbitrary<bool>()
                     ? std::max(config.items, most - any_from(0, std::min<std::uint64_t>(most, 2)))
                     : any_from(config.items, std::max(most, config.items));
  config.records = config.pairs + any_from(0, 2'000);
  config.model = *rc::gen::element(time_model::dense, time_model::bursty, time_model::uniform);
  if (*rc::gen::arbitrary<bool>()) config.zipf = *rc::gen::element(0., 1., 3., 100.);
  const auto counts = count_exactly(collect(pairs(config, any_from(0, 99))), config.when);
  RC_ASSERT(counts == (exact_counts{config.records, config.items, config.pairs, true, true}));
}

RC_GTEST_PROP(traffic_operations, nothing_is_removed_that_is_not_there, ()) {
  operations_config config;
  config.when = any_time(1'000);
  config.records = any_from(1, 2'000);
  config.items = any_from(1, 100);
  config.removes = any_from(0, config.records / 2);
  if (*rc::gen::arbitrary<bool>()) config.fill = any_from(0, config.records - config.removes);
  std::map<item_number, std::uint64_t> present;
  std::uint64_t removes = 0;
  std::uint64_t number = 0;
  const auto all = collect(operations(config, any_from(0, 99)));
  for (const event& e : all) {
    ++number;
    if (e.what == change::add) {
      ++present[e.item];
      continue;
    }
    RC_ASSERT(number > config.fill);
    RC_ASSERT(present[e.item] > 0U);
    --present[e.item];
    ++removes;
  }
  RC_ASSERT(removes == config.removes);
  RC_ASSERT(all.size() == config.records);
  RC_ASSERT(count_exactly(all, config.when).in_order);
}

RC_GTEST_PROP(traffic_repeats, are_as_many_as_asked_and_keep_their_gaps, ()) {
  repeats_config config;
  config.when = any_time(5'000);
  config.records = any_from(1, 2'000);
  config.repeats = any_from(0, config.records - 1);
  const std::uint64_t least = any_from(0, 100);
  config.gap = *rc::gen::arbitrary<bool>()
                   ? gap_law{gap_kind::fixed, 0, least}
                   : gap_law{gap_kind::uniform, least, least + any_from(0, 100)};
  const bool fixed = config.gap.kind == gap_kind::fixed;
  std::map<item_number, std::pair<std::int64_t, std::uint64_t>> last;
  std::uint64_t repeated = 0;
  const auto all = collect(repeats(config, any_from(0, 99)));
  for (const event& e : all) {
    const auto [at, is_new] = last.try_emplace(e.item, e.second, 0);
    if (is_new) continue;
    const auto gap = static_cast<std::uint64_t>(e.second - at->second.first);
    RC_ASSERT(gap >= (fixed ? config.gap.value : config.gap.least));
    RC_ASSERT(gap <= config.gap.value);
    at->second = {e.second, at->second.second + 1};
    ++repeated;
  }
  RC_ASSERT(all.size() == config.records);
  RC_ASSERT(repeated == config.repeats);
  RC_ASSERT(std::is_sorted(all.begin(), all.end(),
                           [](const event& a, const event& b) { return a.second < b.second; }));
  const std::uint64_t even = config.repeats / (config.records - config.repeats);
  for (const auto& [item, seen] : last) {
    RC_ASSERT(seen.second == even || seen.second == even + 1);
  }
}

RC_GTEST_PROP(traffic_visits, are_as_many_as_asked_in_their_time, ()) {
  visits_config config;
  config.when = any_time(*rc::gen::element(1, 100, 90'000));
  config.records = any_from(1, 3'000);
  config.clients = any_from(1, 100);
  const auto all = collect(visits(config, any_from(0, 99)));
  RC_ASSERT(all.size() == config.records);
  std::vector<event> events;
  for (const visit& v : all) {
    RC_ASSERT(v.client < config.clients);
    RC_ASSERT(v.page <= robots_txt);
    RC_ASSERT(v.referer == no_page || v.referer < pages);
    events.push_back({v.second, v.client});
  }
  const auto counts = count_exactly(events, config.when);
  RC_ASSERT(counts.in_order && counts.in_time);
}

RC_GTEST_PROP(traffic_profile, equals_counting_with_sets, ()) {
  const auto start = static_cast<std::int64_t>(any_from(0, 2'000'000)) - 1'000'000;
  std::vector<event> events;
  const std::uint64_t size = any_from(0, 200);
  for (std::uint64_t i = 0; i < size; ++i) {
    events.push_back({start + static_cast<std::int64_t>(any_from(0, *rc::gen::element(9, 200'000))),
                      static_cast<item_number>(any_from(0, 9))});
  }
  const profile found = profile_of(events);
  std::stable_sort(events.begin(), events.end(),
                   [](const event& a, const event& b) { return a.second < b.second; });
  std::array<std::set<std::pair<item_number, std::int64_t>>, profile::levels> buckets;
  std::map<item_number, std::int64_t> last;
  std::map<item_number, std::uint64_t> records;
  std::array<std::uint64_t, profile::gap_classes> gaps{};
  for (const event& e : events) {
    const std::int64_t since = e.second - events.front().second;
    for (std::size_t h = 0; h < buckets.size(); ++h) buckets[h].emplace(e.item, since >> h);
    if (last.count(e.item) != 0) {
      std::size_t c = 0;
      for (std::int64_t gap = since - last[e.item]; gap != 0; gap /= 2) ++c;
      ++gaps[c];
    }
    last[e.item] = since;
    ++records[e.item];
  }
  RC_ASSERT(found.records == size);
  RC_ASSERT(found.items == last.size());
  for (std::size_t h = 0; h < buckets.size(); ++h) RC_ASSERT(found.pairs[h] == buckets[h].size());
  RC_ASSERT(found.gaps == gaps);
  std::uint64_t most = 0;
  for (const auto& [item, n] : records) most = std::max(most, n);
  RC_ASSERT(found.top_one == most);
  RC_ASSERT(found.top_ten == size);
  RC_ASSERT(found.top_hundredth == most);
}

}  // namespace traffic_property
}  // namespace bloomtime::traffic
