#include <gtest/gtest.h>

#include <bloomtime/history/any_history.hpp>
#include <bloomtime/math/random.hpp>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "support/expect_error.hpp"
#include "support/files.hpp"

// Every engine behind one handle does what the engine does.
namespace bloomtime::any_history_test {

using support::expect_error;

constexpr std::uint64_t span = 256;

instant at(std::int64_t second) { return instant::from_seconds(second); }

any_history_config config_of(std::string_view engine) {
  any_history_config c{.seed = 9};
  if (engine == "history") {
    c.partition = std::chrono::seconds(32);
    c.retention = 100;
    return c;
  }
  c.ticks = span;
  if (engine == "timeline_history") return c;
  c.pairs = 500;
  c.error = 0.01;
  c.length = 8;
  if (engine != "single_history") c.items = 50;
  return c;
}

any_history made(std::string_view engine) { return any_history::make(config_of(engine), engine); }

void fill(any_history& h, std::uint64_t seed, std::int64_t from = 0) {
  math::random_source random(seed);
  std::vector<digest> items;
  std::vector<instant> times;
  for (std::int64_t t = from; t < static_cast<std::int64_t>(span); t += 2) {
    items.push_back(h.digest_of(random.below(20)));
    times.push_back(at(t));
  }
  std::vector<outcome> outcomes(items.size());
  h.add_bulk(items, times, outcomes);
  for (const outcome o : outcomes) ASSERT_EQ(o, outcome::added);
}

class any_history_of : public testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(engines, any_history_of,
                         testing::ValuesIn(any_history::engines().begin(),
                                           any_history::engines().end()),
                         [](const auto& p) { return std::string(p.param); });

TEST_P(any_history_of, answers_as_the_engine_does) {
  any_history h = made(GetParam());
  EXPECT_EQ(h.engine(), GetParam());
  EXPECT_EQ(h.seed(), 9u);
  auto direct = h.get();
  for (std::int64_t t = -2; t < 300; ++t) {
    const digest d = h.digest_of(std::to_string(t % 11));
    const outcome expected = std::visit([&](auto& e) { return e.add(d, at(t)); }, direct);
    ASSERT_EQ(h.add(d, at(t)), expected) << t;
  }
  EXPECT_GT(h.losses().dropped_late, 0u);
  std::vector<digest> items;
  for (int i = 0; i < 40; ++i) items.push_back(h.digest_of(std::to_string(i)));
  std::vector<sighting> answers(items.size());
  h.seen_bulk(items, at(7), at(9), answers);
  std::visit(
      [&](const auto& e) {
        for (std::size_t i = 0; i < items.size(); ++i) {
          EXPECT_EQ(answers[i], e.seen(items[i], at(7), at(9)));
          EXPECT_EQ(answers[i], h.seen(items[i], at(7), at(9)));
        }
        EXPECT_EQ(h.memory(), e.memory());
        EXPECT_EQ(h.records(), e.records());
        EXPECT_EQ(h.serialize(), e.serialize());
        EXPECT_EQ(h.losses(), e.losses());
      },
      direct);
  EXPECT_EQ(answers[7], sighting::maybe);
}

TEST_P(any_history_of, merges_the_streams_of_both) {
  any_history a = made(GetParam());
  any_history b = made(GetParam());
  a.add(a.digest_of("a"), at(3));
  b.add(b.digest_of("b"), at(200));
  a.merge(b);
  EXPECT_EQ(a.seen(a.digest_of("a"), at(3), at(3)), sighting::maybe);
  EXPECT_EQ(a.seen(a.digest_of("b"), at(200), at(200)), sighting::maybe);
  EXPECT_EQ(a.records(), 2u);
  const std::string_view other = GetParam() == "history" ? "timeline_history" : "history";
  expect_error(
      errc::incompatible, [&] { a.merge(made(other)); }, "one engine");
}

TEST_P(any_history_of, forgets_everything_when_cleared) {
  any_history h = made(GetParam());
  const std::vector<std::byte> empty = h.serialize();
  fill(h, 1);
  EXPECT_NE(h.serialize(), empty);
  h.clear();
  EXPECT_EQ(h.serialize(), empty);
  EXPECT_EQ(h.losses(), losses{});
}

TEST_P(any_history_of, is_stored_and_loaded) {
  const support::temporary_directory place;
  any_history h = made(GetParam());
  fill(h, 2);
  h.save(place / "h");
  const any_history loaded = any_history::load(place / "h");
  EXPECT_EQ(loaded.engine(), h.engine());
  EXPECT_EQ(loaded.serialize(), h.serialize());
  EXPECT_EQ(loaded.identity(), h.identity());
  EXPECT_EQ(any_history::load(h.serialize()).serialize(), h.serialize());
  EXPECT_EQ(h.serialized_size(), h.serialize().size());
  std::vector<std::byte> pieces;
  h.write_to(
      [&](std::span<const std::byte> b) { pieces.insert(pieces.end(), b.begin(), b.end()); });
  EXPECT_EQ(pieces, h.serialize());
}

TEST_P(any_history_of, has_an_identity_of_its_content) {
  any_history a = made(GetParam());
  any_history b = made(GetParam());
  EXPECT_EQ(a.identity(), b.identity());
  fill(a, 3);
  EXPECT_NE(a.identity(), b.identity());
  fill(b, 3);
  EXPECT_EQ(a.identity(), b.identity());
  const std::uint64_t before = a.identity();
  a.relocate();
  EXPECT_EQ(a.identity(), before);
  EXPECT_EQ(a.seen(a.digest_of(1), at(0), at(255)), b.seen(b.digest_of(1), at(0), at(255)));
}

TEST_P(any_history_of, describes_itself) {
  any_history h = made(GetParam());
  fill(h, 4);
  const std::vector<fact> facts = h.describe();
  EXPECT_EQ(std::get<std::string>(facts.at(0).value), "history");
  EXPECT_EQ(std::get<std::string>(facts.at(1).value), GetParam());
  EXPECT_GE(h.examine().size(), facts.size());
}

TEST_P(any_history_of, refuses_parameters_that_it_does_not_have) {
  const auto refused = [&](any_history_config c, const char* name) {
    expect_error(
        errc::invalid_argument, [&] { (void)any_history::make(c, GetParam()); }, name);
  };
  any_history_config c = config_of(GetParam());
  if (GetParam() == "history") {
    c.ticks = 3;
    refused(c, "no parameter ticks");
  } else {
    c.retention = 3;
    refused(c, "no parameter retention");
  }
  if (GetParam() != "tree_history") {
    c = config_of(GetParam());
    c.granularity = 8;
    refused(c, "no parameter granularity");
  }
}

TEST(any_history, refuses_unknown_engines_by_name) {
  expect_error(
      errc::invalid_argument, [] { (void)any_history::make({}, "diary"); },
      "the engines are history, timeline_history");
  EXPECT_EQ(any_history::make({}).engine(), "history");
}

TEST(any_history, tells_when_and_how_many_where_the_engine_can) {
  for (const std::string_view engine : any_history::engines()) {
    any_history_config c = config_of(engine);
    if (c.items) c.length = span;  // so that the root has bits
    any_history h = any_history::make(c, engine);
    fill(h, 5);
    const bool lists = engine == "history" || engine == "timeline_history";
    if (lists) {
      EXPECT_FALSE(h.when(h.digest_of(std::uint64_t{3}), {{0}, {255}}).empty());
      EXPECT_EQ(h.cardinality(), 20);
      EXPECT_EQ(h.room_for(7), 7u);
      continue;
    }
    expect_error(
        errc::unsupported,
        [&] {
          (void)h.when(h.digest_of(3), {{0}, {255}});
        },
        "tell when");
    expect_error(
        errc::unsupported, [&] { (void)h.room_for(1); }, "cannot");
    if (engine == "single_history") {
      expect_error(
          errc::unsupported, [&] { (void)h.cardinality(); }, "how many");
    } else {
      EXPECT_NEAR(h.cardinality(), 20, 4) << engine;
    }
  }
}

TEST(any_history, drops_what_is_too_old) {
  any_history_config c = config_of("history");
  c.retention = 2;
  any_history h = any_history::make(c);
  h.add(h.digest_of("x"), at(3));
  h.advance(at(63));
  EXPECT_EQ(h.seen(h.digest_of("x"), at(0), at(9)), sighting::maybe);
  h.advance(at(64));
  EXPECT_EQ(h.seen(h.digest_of("x"), at(0), at(9)), sighting::out_of_retention);
  h.trim(at(200));
  EXPECT_EQ(std::get<history>(h.get()).known_from(), tick{192});
  any_history other = made("timeline_history");
  EXPECT_NO_THROW(other.advance(at(1000)));
  expect_error(
      errc::unsupported, [&] { other.trim(at(1)); }, "drop");
}

TEST(any_history, needs_as_many_times_and_answers_as_items) {
  any_history h = made("history");
  std::vector<digest> items(3);
  std::vector<instant> times(2);
  std::vector<outcome> outcomes(3);
  std::vector<sighting> answers(2);
  expect_error(
      errc::invalid_argument, [&] { h.add_bulk(items, times, outcomes); }, "times");
  expect_error(
      errc::invalid_argument, [&] { h.seen_bulk(items, at(0), at(1), answers); }, "answers");
}

}  // namespace bloomtime::any_history_test
