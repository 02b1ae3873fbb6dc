#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <bloomtime/math/binomial.hpp>
#include <bloomtime/math/random.hpp>

#include "profile/comparing.hpp"
#include "profile/past.hpp"
#include "profile/profiler.hpp"
#include "store/totals.hpp"

// What was hot then, what changed, and what is kept, beside a list of all events.
namespace bloomtime::profile {
namespace asking_test {

using namespace std::chrono_literals;

constexpr std::int64_t start = 1'388'534'400;
constexpr std::int64_t day = 86'400;

struct sample {
  std::string item;
  std::int64_t second = 0;
};

// A profile of one field, and the events that are in it.
struct twins {
  profiler profile;
  store::minute_totals totals;
  std::vector<sample> events = {};
  std::uint64_t uncounted = 0;

  explicit twins(std::chrono::microseconds half_life = 1h)
      : profile({.half_life = half_life, .resolution = 1s, .memory = 0}, {"x"}) {}

  void add(const sample& s) {
    const std::string_view item = s.item;
    constexpr char there = 1;
    logs::event e;
    e.items = {&item, 1};
    e.present = {&there, 1};
    e.at = instant::from_seconds(s.second);
    e.raw.text = item;
    events.push_back(s);
    profile.add(
        e, [&](instant t) { totals.add(t); },
        [&](const logs::held_event& h) {
          const auto same = [&](const sample& other) {
            return other.item == h.items[0] && instant::from_seconds(other.second) == h.at;
          };
          events.erase(std::find_if(events.begin(), events.end(), same));
        });
  }

  // Nothing is added afterwards.
  const field_profile& field() {
    uncounted = profile.held().size();
    profile.include_held(instant::from_seconds(4'000'000'000));
    profile.compact();
    return profile.fields().front();
  }

  std::uint64_t hits(const std::string& item) const {
    return static_cast<std::uint64_t>(std::count_if(
        events.begin(), events.end(), [&](const sample& s) { return s.item == item; }));
  }

  std::set<std::int64_t> seconds(const std::string& item, std::int64_t from,
                                 std::int64_t to) const {
    std::set<std::int64_t> found;
    for (const sample& s : events) {
      if (s.item == item && from <= s.second && s.second <= to) found.insert(s.second);
    }
    return found;
  }

  std::set<std::string> items() const {
    std::set<std::string> all;
    for (const sample& s : events) all.insert(s.item);
    return all;
  }
};

// Bursts within a second, steady runs, gaps of days, and events that come weeks late.
std::vector<sample> any_stream(std::uint64_t most_items) {
  const auto items = *rc::gen::inRange<std::uint64_t>(1, most_items);
  const auto rounds = *rc::gen::inRange(1, 60);
  std::vector<sample> all;
  std::int64_t now = start;
  for (int i = 0; i < rounds; ++i) {
    const std::string item = fmt::format("i{}", *rc::gen::inRange<std::uint64_t>(0, items));
    const auto step = *rc::gen::weightedElement<std::int64_t>(
        {{6, 1}, {4, 60}, {4, 3600}, {2, 20'000}, {1, 3 * day}, {1, 20 * day}});
    const auto copies = *rc::gen::weightedElement<int>({{4, 1}, {2, 5}, {1, 40}});
    const auto late = *rc::gen::weightedElement<std::int64_t>({{8, 0}, {1, 30}, {1, 9 * day}});
    const bool in_one_second = *rc::gen::arbitrary<bool>();
    now += step;
    for (int c = 0; c < copies; ++c) {
      if (!in_one_second) ++now;
      all.push_back({item, now - late});
    }
  }
  return all;
}

std::int64_t any_second(const std::vector<sample>& stream) {
  const auto [first, last] =
      std::minmax_element(stream.begin(), stream.end(),
                          [](const sample& a, const sample& b) { return a.second < b.second; });
  return *rc::gen::inRange(first->second - 2, last->second + 3);
}

// -- hot in the past -----------------------------------------------------------------------------

RC_GTEST_PROP(asking, bounds_of_what_was_hot_contain_the_truth, ()) {
  constexpr double rounding = 1e-8;
  const auto half_life = *rc::gen::element(10, 600, 3600, 30 * 86'400);
  twins both{std::chrono::seconds(half_life)};
  const std::vector<sample> stream = any_stream(30);
  for (const sample& s : stream) both.add(s);
  const field_profile& field = both.field();
  const std::int64_t when = any_second(stream);
  const past_heat found =
      hottest_at(field, both.totals, both.uncounted, instant::from_seconds(when), 1000);
  RC_ASSERT(found.names == both.items().size());
  RC_ASSERT(!found.is_partial);
  RC_ASSERT(found.error < 1e-6);
  std::set<std::string> listed;
  double before = std::numeric_limits<double>::infinity();
  for (const ranked_item& i : found.items) {
    listed.insert(i.item);
    double heat = 0;
    std::map<std::int64_t, double> ticks;
    for (const sample& s : both.events) {
      if (s.item != i.item || s.second > when) continue;
      const double weight = std::exp2(-static_cast<double>(when - s.second) / half_life);
      heat += weight;
      ticks[s.second] = weight;
    }
    double once = 0;
    for (const auto& [t, weight] : ticks) once += weight;
    RC_ASSERT(std::abs(i.heat.value - once) <= rounding * once + 1e-15);
    RC_ASSERT(i.heat.lower <= heat * (1 + rounding));
    RC_ASSERT(heat <= i.heat.upper * (1 + rounding));
    RC_ASSERT(i.heat.value <= before);
    before = i.heat.value;
  }
  for (const std::string& item : both.items()) {
    const auto ticks = both.seconds(item, when - std::int64_t{60} * half_life, when);
    if (!ticks.empty()) RC_ASSERT(listed.contains(item));
  }
}

// -- changes -------------------------------------------------------------------------------------

// What the exact counts say.
std::optional<change> truth_of(std::uint64_t before, std::uint64_t after, double share,
                               double tests, double error) {
  if (before == 0 && after > 0) return change::fresh;
  if (after == 0 && before > 0) return change::gone;
  if (tests * math::binomial_upper_tail(before + after, after, share) <= error) {
    return change::hotter;
  }
  if (tests * math::binomial_upper_tail(before + after, before, 1 - share) <= error) {
    return change::cooler;
  }
  return std::nullopt;
}

void expect_true(const changed_item& c, const std::optional<change>& truth) {
  RC_ASSERT(truth.has_value());
  RC_ASSERT(*truth == c.what);
  RC_ASSERT(c.p_value >= 0 && c.p_value <= 1);
}

RC_GTEST_PROP(asking, changes_of_spans_are_those_of_the_seconds_in_them, ()) {
  twins both;
  const std::vector<sample> stream = any_stream(12);
  for (const sample& s : stream) both.add(s);
  const field_profile& field = both.field();
  const history& past = *field.past;
  const auto span_of = [&](std::int64_t a, std::int64_t b) {
    return past.clock().covering(instant::from_seconds(a), instant::from_seconds(b));
  };
  std::vector<std::int64_t> ends;
  for (int i = 0; i < 4; ++i) ends.push_back(any_second(stream));
  std::sort(ends.begin(), ends.end());
  const double error = *rc::gen::element(0.01, 0.3);
  const exposure lengths{static_cast<double>(ends[1] - ends[0] + 1),
                         static_cast<double>(ends[3] - ends[2] + 1)};
  const comparable all = ticks_of(field, span_of(ends[0], ends[1]), span_of(ends[2], ends[3]));
  const double share = lengths.after / (lengths.before + lengths.after);
  const double tests = 2 * static_cast<double>(all.different);
  std::set<std::string> named;
  for (const changed_item& c : changes(all, lengths, error)) {
    const auto before = both.seconds(c.item, ends[0], ends[1]).size();
    const auto after = both.seconds(c.item, ends[2], ends[3]).size();
    RC_ASSERT(c.before.value == before && c.after.value == after);
    expect_true(c, truth_of(before, after, share, tests, error));
    named.insert(c.item);
  }
  for (const std::string& item : both.items()) {
    const auto truth = truth_of(both.seconds(item, ends[0], ends[1]).size(),
                                both.seconds(item, ends[2], ends[3]).size(), share, tests, error);
    RC_ASSERT(truth.has_value() == named.contains(item));
  }
}

RC_GTEST_PROP(asking, changes_between_stores_are_those_of_exact_counts, ()) {
  twins before;
  twins after;
  for (const sample& s : any_stream(40)) before.add(s);
  for (const sample& s : any_stream(40)) after.add(s);
  const comparable all = totals_of(before.field(), after.field());
  const exposure lengths{*rc::gen::element(1.0, 50.0), *rc::gen::element(1.0, 3.0)};
  const double error = *rc::gen::element(0.01, 0.3);
  const double share = lengths.after / (lengths.before + lengths.after);
  const double tests = 2 * static_cast<double>(all.different);
  for (const compared_item& i : all.items) {
    RC_ASSERT(before.hits(i.item) <= i.before.upper && i.before.lower <= before.hits(i.item));
    RC_ASSERT(after.hits(i.item) <= i.after.upper && i.after.lower <= after.hits(i.item));
  }
  std::set<std::string> named;
  for (const changed_item& c : changes(all, lengths, error)) {
    expect_true(c, truth_of(before.hits(c.item), after.hits(c.item), share, tests, error));
    named.insert(c.item);
  }
  std::set<std::string> items = before.items();
  items.merge(after.items());
  for (const std::string& item : items) {
    const auto truth = truth_of(before.hits(item), after.hits(item), share, tests, error);
    if (truth) RC_ASSERT(named.contains(item));  // few items, so all names are kept
  }
}

// With bounds that are apart no change is named that some counts within them deny.
RC_GTEST_PROP(asking, no_change_is_named_that_the_bounds_allow_to_be_none, ()) {
  comparable all{.items = {compared_item{.item = "a", .before = {}, .after = {}}}, .different = 1};
  const auto any_counted = [] {
    const auto low = *rc::gen::inRange<std::uint64_t>(0, 60);
    const auto more = *rc::gen::inRange<std::uint64_t>(0, 60);
    return counted{low + more, low, low + more, false};
  };
  all.items[0].before = any_counted();
  all.items[0].after = any_counted();
  const exposure lengths{1, *rc::gen::element(0.5, 1.0, 4.0)};
  const double share = lengths.after / (1 + lengths.after);
  const auto named = changes(all, lengths, 0.05);
  const compared_item& i = all.items[0];
  for (const std::uint64_t b : {i.before.lower, i.before.upper}) {
    for (const std::uint64_t a : {i.after.lower, i.after.upper}) {
      const auto truth = truth_of(b, a, share, 2, 0.05);
      for (const changed_item& c : named) {
        // New and gone are changes with a direction as well, if there are enough hits.
        if (c.what == change::hotter) RC_ASSERT(truth == change::hotter || truth == change::fresh);
        if (c.what == change::cooler) RC_ASSERT(truth == change::cooler || truth == change::gone);
        if (c.what == change::fresh) RC_ASSERT(truth == change::fresh);
        if (c.what == change::gone) RC_ASSERT(truth == change::gone);
      }
    }
  }
}

double choose(std::uint64_t n, std::uint64_t k) {
  double ways = 1;
  for (std::uint64_t i = 0; i < k; ++i) {
    ways *= static_cast<double>(n - i) / static_cast<double>(i + 1);
  }
  return k > n ? 0 : ways;
}

// docs/math.md, Hits in two periods: ticks are drawn without putting back.
TEST(asking, tails_of_ticks_are_smaller_than_those_of_hits) {
  for (std::uint64_t before = 1; before <= 12; ++before) {
    for (std::uint64_t after = 1; after <= 12; ++after) {
      const double share = static_cast<double>(after) / static_cast<double>(before + after);
      for (std::uint64_t all = 1; all <= before + after; ++all) {
        double exact = 0;
        for (std::uint64_t there = std::min(all, after); there > 0; --there) {
          if (all - there > before) break;
          exact += choose(after, there) * choose(before, all - there) / choose(before + after, all);
          const double used = math::binomial_upper_tail(all, there, share);
          if (used < 0.05) {
            EXPECT_LE(exact, used * (1 + 1e-9)) << before << ' ' << after << ' ' << all;
          }
        }
      }
    }
  }
}

// Streams whose items have the same rates in both periods: hardly ever is any of them hotter or
// cooler. If one item comes twice as often, it is.
TEST(asking, chance_names_no_change) {
  constexpr int runs = 200;
  constexpr double error = 0.2;
  math::random_source random(5);
  const auto stream = [&](int hits, bool doubled) {
    twins both;
    for (int i = 0; i < hits; ++i) {
      const double u = static_cast<double>(random() >> 11) * 0x1p-53;
      const auto rank = static_cast<int>(60 * u * u);
      both.add({fmt::format("i{}", rank), start + i});
      if (doubled && rank == 3) both.add({"i3", start + i});
    }
    return both;
  };
  int wrong = 0;
  for (int run = 0; run < runs; ++run) {
    twins before = stream(2000, false);
    twins after = stream(1000, false);
    for (const changed_item& c :
         changes(totals_of(before.field(), after.field()), {2000, 1000}, error)) {
      if (c.what == change::hotter || c.what == change::cooler) {
        ++wrong;
        break;
      }
    }
  }
  EXPECT_LE(wrong, static_cast<int>(math::binomial_range(runs, error, 1e-9).high));
  twins before = stream(20'000, false);
  twins after = stream(20'000, true);
  const auto found = changes(totals_of(before.field(), after.field()), {1, 1}, 0.01);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].item, "i3");
  EXPECT_EQ(found[0].what, change::hotter);
}

// -- retention -----------------------------------------------------------------------------------

RC_GTEST_PROP(asking, keeps_what_it_promises_to_keep_and_denies_nothing_else, ()) {
  const auto days = *rc::gen::inRange<std::int64_t>(1, 30);
  twins both;
  both.profile.keep_history(std::chrono::seconds(days * day));
  const std::vector<sample> stream = any_stream(8);
  for (const sample& s : stream) both.add(s);
  const auto newest = both.profile.newest();
  const field_profile& field = both.field();
  const history& past = *field.past;
  const std::int64_t kept_from = newest->micros / 1'000'000 - days * day;
  for (const sample& s : both.events) {
    const instant at = instant::from_seconds(s.second);
    const sighting said = past.seen(s.item, at, at);
    if (s.second >= kept_from) RC_ASSERT(said == sighting::maybe);
    RC_ASSERT(said != sighting::no);
  }
  for (int i = 0; i < 20; ++i) {
    const std::string item = fmt::format("i{}", i % 8);
    std::int64_t from = any_second(stream);
    std::int64_t to = any_second(stream);
    if (to < from) std::swap(from, to);
    const bool truth = !both.seconds(item, from, to).empty();
    const sighting said = past.seen(item, instant::from_seconds(from), instant::from_seconds(to));
    if (said == sighting::no) RC_ASSERT(!truth);
    if (said == sighting::maybe) RC_ASSERT(truth);
    if (from >= kept_from) RC_ASSERT(said != sighting::out_of_retention);
  }
  // Whole days go: those that end before what is kept.
  const std::int64_t known = past.clock().start_of(past.known_from()).micros / 1'000'000;
  if (past.known_from() > tick{0}) RC_ASSERT(known <= kept_from);
  RC_ASSERT(past.known_from() == tick{0} || known > kept_from - day);
  past.for_each([&](const timeline_history& part) {
    const auto end = static_cast<std::int64_t>(part.first() + part.ticks());
    RC_ASSERT(end > past.known_from().number);
  });
}

}  // namespace asking_test
}  // namespace bloomtime::profile
