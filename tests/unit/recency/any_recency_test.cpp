#include <gtest/gtest.h>

#include <bloomtime/bloom/bloom_filter.hpp>
#include <bloomtime/recency/any_recency.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/allocations.hpp"
#include "support/expect_error.hpp"
#include "support/files.hpp"
#include "support/growth.hpp"

namespace bloomtime {
namespace any_recency_test {

using std::chrono::seconds;
using support::expect_error;

constexpr instant at_second(std::int64_t s) { return instant(s * 1'000'000); }

any_recency_config last_hundred() { return {.last = 100, .memory = 4096, .seed = 7}; }
any_recency_config a_minute() {
  return {.window = seconds(60), .items = 200, .memory = 8192, .tick = seconds(1), .seed = 7};
}

constexpr std::array<std::string_view, 3> timed_engines{"recency_table", "recency_filter",
                                                        "age_partitioned_filter"};

// Every engine with a window of insertions, and those that have one with a window of time.
std::vector<any_recency> all() {
  std::vector<any_recency> made;
  for (const std::string_view engine : any_recency::engines()) {
    made.push_back(any_recency::make(last_hundred(), engine));
  }
  for (const std::string_view engine : timed_engines) {
    made.push_back(any_recency::make(a_minute(), engine));
  }
  return made;
}

void feed(any_recency& f, int items) {
  for (int i = 0; i < items; ++i) f.add(f.digest_of(i), at_second(i / 4));
}

TEST(any_recency, makes_every_engine_by_its_name) {
  EXPECT_EQ(any_recency::engines().size(), 6U);
  for (const std::string_view engine : any_recency::engines()) {
    const any_recency f = any_recency::make(last_hundred(), engine);
    EXPECT_EQ(f.engine(), engine);
    EXPECT_EQ(std::get<std::string>(f.describe()[1].value), engine);
    EXPECT_EQ(f.window(), 100U);
    EXPECT_EQ(f.seed(), 7U);
    EXPECT_FALSE(f.timed());
  }
  EXPECT_EQ(any_recency::make(a_minute()).engine(), "recency_table");
  EXPECT_TRUE(any_recency::make(a_minute()).timed());
}

TEST(any_recency, counts_the_memory_that_the_allocator_hook_gave) {
  for (const std::string_view engine : any_recency::engines()) {
    const support::allocations hook;
    any_recency f = any_recency::make(last_hundred(), engine);
    support::expect_counted(f.memory(), hook);
    feed(f, 5000);
    support::expect_counted(f.memory(), hook);
    const any_recency copy = f;
    support::expect_counted(f.memory() + copy.memory(), hook);
  }
}

// memory() of an audit includes its costs per arm, which are not from the hook.
TEST(any_recency, counts_the_memory_of_an_audit) {
  any_recency_config c = last_hundred();
  c.audit.emplace();
  const support::allocations hook;
  any_recency f = any_recency::make(c);
  feed(f, 5000);
  EXPECT_GE(f.memory() + support::around_a_block * hook.live(), hook.live_bytes());
  EXPECT_GT(hook.live_bytes(), 60'000U);
}

TEST(any_recency, examines_what_it_describes_and_more) {
  for (any_recency& f : all()) {
    feed(f, 50);
    const std::vector<fact> facts = f.describe();
    const std::vector<fact> more = f.examine();
    ASSERT_GE(more.size(), facts.size()) << f.engine();
    for (std::size_t i = 0; i < facts.size(); ++i) {
      EXPECT_EQ(more[i].name, facts[i].name);
      EXPECT_EQ(more[i].value, facts[i].value);
    }
    const bool scans = f.engine() != "generalized_filter" && f.engine() != "recent_buffer" &&
                       f.engine() != "recency_table";
    EXPECT_EQ(more.size() > facts.size(), scans) << f.engine();
  }
}

TEST(any_recency, refuses_unknown_engines_and_parameters_by_name) {
  const auto refused = [](const any_recency_config& c, std::string_view engine,
                          const std::string& says) {
    expect_error(
        errc::invalid_argument, [&] { (void)any_recency::make(c, engine); }, says);
  };
  refused(last_hundred(), "bloom", "recency_filter, age_partitioned_filter, timing_filter");
  refused(a_minute(), "timing_filter", "timing_filter has no parameter window");
  refused({.last = 5, .memory = 99, .refresh = false}, "recent_buffer", "no parameter refresh");
  refused({.last = 5, .error = 0.1}, "generalized_filter", "no parameter error");
  refused({.last = 5, .memory = 99, .k = 3}, "recency_filter", "no parameter k");
  refused({.last = 5, .memory = 999, .ahead = seconds(1)}, "age_partitioned_filter", "ahead");
  refused({.memory = 99}, "recent_buffer", "last");
  refused({.last = 9}, "generalized_filter", "memory");
  refused({.window = seconds(9), .items = 1, .error = 0.1, .tick = seconds(1), .ticks = 9},
          "recency_filter", "both");
}

// The verbs give the answers of the engine itself.
template <class Engine>
void expect_the_same(any_recency f, Engine direct, bool timed) {
  const age_prior prior = age_prior::share(0.01);
  constexpr math::penalties costs{1, 3};
  for (int i = 0; i < 700; ++i) {
    const digest x = f.digest_of(i * i % 151);
    const instant when = at_second(i / 4);
    if constexpr (requires { direct.add(x, when); }) {
      if (timed) {
        ASSERT_EQ(f.seen(x, when), direct.seen(x, when));
        ASSERT_EQ(f.age(x, when), direct.age(x, when));
        const event_rate rate{0.05};
        ASSERT_EQ(f.posterior(x, when, rate), direct.posterior(x, when, rate));
        ASSERT_EQ(f.decide(x, when, rate, costs), direct.decide(x, when, rate, costs));
        if (i % 2 == 0) {
          ASSERT_EQ(f.add(x, when), direct.add(x, when));
        } else {
          ASSERT_EQ(f.add_if_new(x, when), direct.add_if_new(x, when));
        }
        continue;
      }
    }
    ASSERT_EQ(f.seen(x), direct.seen(x));
    ASSERT_EQ(f.age(x), direct.age(x));
    ASSERT_EQ(f.posterior(x, {}, prior), direct.posterior(x, prior));
    ASSERT_EQ(f.decide(x, {}, prior, costs), direct.decide(x, prior, costs));
    if (i % 2 == 0) {
      ASSERT_EQ(f.add(x), direct.add(x));
    } else {
      ASSERT_EQ(f.add_if_new(x, when), direct.add_if_new(x));  // the time is ignored
    }
  }
  EXPECT_EQ(f.serialize(), direct.serialize());
  EXPECT_EQ(f.memory(), direct.memory());
  EXPECT_EQ(f.insertions(), direct.insertions());
  EXPECT_EQ(f.losses(), direct.losses());
}

TEST(any_recency, does_what_the_engine_does) {
  for (const any_recency& f : all()) {
    std::visit([&](const auto& engine) { expect_the_same(f, engine, f.timed()); }, f.get());
  }
}

TEST(any_recency, many_at_once_are_as_one_by_one) {
  for (const any_recency& made : all()) {
    any_recency one = made;
    any_recency many = made;
    std::vector<digest> items;
    std::vector<instant> times;
    for (int i = 0; i < 500; ++i) {
      items.push_back(one.digest_of(i * i % 97));
      times.push_back(at_second(i / 3));
    }
    std::vector<outcome> outcomes(items.size());
    std::vector<novelty> answers(items.size());
    many.add_bulk(items, times, outcomes);
    for (std::size_t i = 0; i < items.size(); ++i)
      ASSERT_EQ(one.add(items[i], times[i]), outcomes[i]);
    many.add_if_new_bulk(items, {}, answers);
    for (std::size_t i = 0; i < items.size(); ++i) ASSERT_EQ(one.add_if_new(items[i]), answers[i]);
    EXPECT_EQ(one.identity(), many.identity());
    std::array<bool, 500> seen{};
    many.seen_bulk(items, times.back(), seen);
    for (std::size_t i = 0; i < items.size(); ++i)
      ASSERT_EQ(one.seen(items[i], times.back()), seen[i]);
    const auto short_of = [&](auto&& call) { expect_error(errc::invalid_argument, call); };
    short_of([&] { many.add_bulk(items, std::span(times).first(9), outcomes); });
    short_of([&] { many.add_bulk(items, times, std::span(outcomes).first(9)); });
    short_of([&] { many.add_if_new_bulk(items, std::span(times).first(9), answers); });
    short_of([&] { many.add_if_new_bulk(items, times, std::span(answers).first(9)); });
    short_of([&] { many.seen_bulk(items, {}, std::span(seen).first(9)); });
  }
}

TEST(any_recency, merges_where_the_engine_can) {
  for (const any_recency& made : all()) {
    any_recency f = made;
    any_recency other = made;
    f.add(f.digest_of("mine"), at_second(1));
    other.add(f.digest_of("theirs"), at_second(2));
    if (f.engine() == "recency_table" || f.engine() == "recency_filter" || f.timed()) {
      f.merge(other);
      EXPECT_TRUE(f.seen(f.digest_of("mine")) && f.seen(f.digest_of("theirs")));
    } else if (f.engine() == "age_partitioned_filter") {
      expect_error(
          errc::incompatible, [&] { f.merge(other); }, "insertions");
    } else {
      expect_error(
          errc::unsupported, [&] { f.merge(other); }, std::string(f.engine()));
    }
  }
  any_recency f = any_recency::make(a_minute());
  expect_error(
      errc::incompatible, [&] { f.merge(any_recency::make(a_minute(), "age_partitioned_filter")); },
      "age_partitioned_filter");
}

TEST(any_recency, clears_to_what_was_made) {
  for (const any_recency& made : all()) {
    any_recency f = made;
    const std::uint64_t before = f.identity();
    feed(f, 300);
    EXPECT_NE(f.identity(), before) << f.engine();
    f.clear();
    EXPECT_EQ(f.identity(), before) << f.engine();
    any_recency fresh = made;
    feed(f, 300);
    feed(fresh, 300);
    EXPECT_EQ(f.serialize(), fresh.serialize()) << f.engine();
  }
}

TEST(any_recency, time_passes_in_windows_of_time) {
  for (any_recency& f : all()) {
    const digest x = f.digest_of("x");
    f.add(x, at_second(0));
    f.advance(at_second(100));
    EXPECT_EQ(f.seen(x), !f.timed()) << f.engine();
    EXPECT_EQ(f.newest().has_value(), f.timed());
  }
}

TEST(any_recency, counts_different_items_and_room) {
  for (any_recency& f : all()) {
    feed(f, 80);
    feed(f, 0);
    if (f.engine() == "generalized_filter") {
      expect_error(errc::unsupported, [&] { (void)f.cardinality(); });
      continue;
    }
    EXPECT_NEAR(f.cardinality(), 80, 8) << f.engine();
    EXPECT_EQ(f.room_for(10), 10U) << f.engine();
    EXPECT_EQ(f.room_for(0), 0U);
    if (!f.timed()) continue;
    EXPECT_NEAR(static_cast<double>(f.room_for(1000)), 120, 8) << f.engine();
  }
}

TEST(any_recency, moves_into_fresh_memory) {
  for (any_recency& f : all()) {
    feed(f, 200);
    const auto before = f.serialize();
    f.relocate();
    EXPECT_EQ(f.serialize(), before);
    EXPECT_TRUE(f.seen(f.digest_of(199)) || f.engine() == "generalized_filter");
  }
}

TEST(any_recency, stores_every_engine) {
  const support::temporary_directory directory;
  for (any_recency& f : all()) {
    feed(f, 200);
    const any_recency again = any_recency::load(f.serialize());
    EXPECT_EQ(again.engine(), f.engine());
    EXPECT_EQ(again.serialize(), f.serialize());
    EXPECT_EQ(again.identity(), f.identity());
    EXPECT_EQ(f.serialized_size(), f.serialize().size());
    f.save(directory / "f");
    EXPECT_EQ(any_recency::load(directory / "f").serialize(), f.serialize());
    std::vector<std::byte> pieces;
    f.write_to([&](std::span<const std::byte> piece) {
      pieces.insert(pieces.end(), piece.begin(), piece.end());
    });
    EXPECT_EQ(pieces, f.serialize());
    std::visit(
        [&](const auto& engine) {
          using type = std::remove_cvref_t<decltype(engine)>;
          const auto mapped = type::map(directory / "f");
          EXPECT_EQ(mapped->serialize(), f.serialize());
        },
        f.get());
  }
  expect_error(errc::unknown_kind, [] {
    (void)any_recency::load(bloom_filter({.items = 9, .error = 0.1}).serialize());
  });
}

TEST(any_recency, keeps_whether_duplicates_renew_an_item) {
  for (const std::string_view engine : timed_engines) {
    for (const bool refresh : {false, true}) {
      any_recency_config config = a_minute();
      config.refresh = refresh;
      any_recency f = any_recency::load(any_recency::make(config, engine).serialize());
      const digest x = f.digest_of("x");
      EXPECT_TRUE(f.add_if_new(x, at_second(0)).fresh);
      EXPECT_FALSE(f.add_if_new(x, at_second(40)).fresh);
      EXPECT_EQ(f.add_if_new(x, at_second(80)).fresh, !refresh) << engine;
    }
  }
}

TEST(any_recency, counts_what_is_lost) {
  for (any_recency& f : all()) {
    const digest x = f.digest_of("x");
    EXPECT_EQ(f.add(x), f.timed() ? outcome::refused : outcome::added);
    f.add(x, at_second(1000));
    f.add(x, at_second(1));
    EXPECT_EQ(f.losses().refused, f.timed() ? 1U : 0U);
    EXPECT_EQ(f.losses().dropped_late, f.timed() ? 1U : 0U) << f.engine();
    EXPECT_EQ(any_recency::load(f.serialize()).losses(), losses{});
  }
}

// The hook gives what memory() says, without what an audit keeps inside the filter itself. Blocks
// are at most so much larger: 64 bytes align a line, 8 may be read past its end, 8 hold an address.
TEST(any_recency, all_memory_comes_from_the_hook) {
  constexpr std::uint64_t per_block = 64 + 8 + 8;
  for (const std::string_view engine : any_recency::engines()) {
    for (const bool timed : {false, true}) {
      const bool can_be =
          std::find(timed_engines.begin(), timed_engines.end(), engine) != timed_engines.end();
      if (timed && !can_be) continue;
      any_recency_config config = timed ? a_minute() : last_hundred();
      config.memory = 100'000;
      if (can_be && engine != "age_partitioned_filter") config.audit = audit_config{};
      const support::allocations watched;
      any_recency f = any_recency::make(config, engine);
      for (const int items : {0, 2000, 5000}) {
        feed(f, items);
        EXPECT_LE(f.memory(), watched.live_bytes() + sizeof f) << engine;
        EXPECT_LE(watched.live_bytes(), f.memory() + per_block * watched.live()) << engine;
      }
      EXPECT_GE(f.memory(), 4096U);
    }
  }
}

}  // namespace any_recency_test
}  // namespace bloomtime
