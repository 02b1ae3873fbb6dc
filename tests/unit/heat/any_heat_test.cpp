#include <gtest/gtest.h>

#include <bloomtime/heat/any_heat.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "support/allocations.hpp"
#include "support/expect_error.hpp"
#include "support/files.hpp"
#include "support/moments.hpp"

namespace bloomtime::any_heat_test {

using namespace std::chrono_literals;
using published::decaying_filter;
using published::pooled_decaying_filter;
using support::after;
using support::expect_error;
using support::midnight;

any_heat_config config_of(std::string_view engine) {
  any_heat_config c{.memory = 1 << 14, .seed = 7};
  if (engine == "decay_ring" || engine == "window_table") {
    c.window = 1h;
    c.slots = 4;
  } else {
    c.lambda = 0.5;
    c.tick = 1min;
  }
  return c;
}

// The same engine, used directly.
any_heat::engines_type direct(std::string_view engine) {
  if (engine == "heat_table") {
    return heat_table({.memory = 1 << 14, .lambda = 0.5, .tick = 1min, .seed = 7});
  }
  if (engine == "heat_filter") {
    return heat_filter({.memory = 1 << 14, .lambda = 0.5, .tick = 1min, .seed = 7});
  }
  if (engine == "window_table") {
    return window_table({.window = 1h, .slots = 4, .memory = 1 << 14, .seed = 7});
  }
  if (engine == "decay_ring") {
    return decay_ring({.memory = 1 << 14, .window = 1h, .slots = 4, .seed = 7});
  }
  const published::decaying_config c{.memory = 1 << 14, .lambda = 0.5, .epoch = 1min, .seed = 7};
  if (engine == "decaying_filter") return decaying_filter(c);
  return pooled_decaying_filter(c);
}

class any_heats : public ::testing::TestWithParam<std::string_view> {
 protected:
  any_heat made = any_heat::make(config_of(GetParam()), GetParam());

  void feed(any_heat& f, int from, int to) const {
    for (int i = from; i < to; ++i) {
      f.add(f.digest_of(i % 10), after(i * 10s), static_cast<std::uint64_t>(i));
    }
  }
};
INSTANTIATE_TEST_SUITE_P(engines, any_heats, ::testing::ValuesIn(any_heat::engines()),
                         [](const auto& p) { return std::string(p.param); });

TEST_P(any_heats, are_made_by_name_and_say_it) {
  EXPECT_EQ(made.engine(), GetParam());
  EXPECT_EQ(made.seed(), 7u);
  const auto facts = made.describe();
  ASSERT_GT(facts.size(), 5u);
  EXPECT_EQ(facts[0].name, "family");
  EXPECT_EQ(std::get<std::string>(facts[1].value), GetParam());
  EXPECT_EQ(made.serialize(),
            std::visit([](const auto& e) { return e.serialize(); }, direct(GetParam())));
}

TEST_P(any_heats, agree_with_the_engine_used_directly) {
  any_heat::engines_type engine = direct(GetParam());
  std::visit(
      [&](auto& e) {
        std::vector<digest> items;
        std::vector<instant> times;
        std::vector<outcome> expected;
        for (int i = 0; i < 50; ++i) {
          const instant when = i == 40 ? after(24h * 365) : after(i * 20s);
          EXPECT_EQ(made.digest_of(i % 7), digest_of(i % 7, 7));
          EXPECT_EQ(made.add(made.digest_of(i % 7), when, 3), e.add(i % 7, when, 3));
          items.push_back(made.digest_of(i));
          times.push_back(after(1000s + i * 1s));
          expected.push_back(outcome::refused);
        }
        std::vector<outcome> outcomes(50);
        made.add_bulk(items, times, outcomes);
        e.add_bulk(items, times, expected);
        EXPECT_EQ(outcomes, expected);
        const instant now = after(1200s);
        std::vector<estimate> answers(50);
        made.at_bulk(items, now, answers);
        for (std::size_t i = 0; i < items.size(); ++i) {
          EXPECT_EQ(answers[i], e.at(items[i], now));
          EXPECT_EQ(made.at(items[i], now), answers[i]);
          EXPECT_EQ(made.rate(items[i], now), e.rate(items[i], now));
        }
        EXPECT_EQ(made.losses(), e.losses());
        EXPECT_EQ(made.losses().future, 1u);
        made.advance(now);
        e.advance(now);
        EXPECT_EQ(made.newest(), e.newest());
        EXPECT_EQ(made.mass(now), e.mass(now));
        EXPECT_EQ(made.memory(), e.memory());
        EXPECT_EQ(made.cardinality(), e.distinct());
        EXPECT_EQ(made.serialize(), e.serialize());
        made.merge(made, 2);
        e.merge(std::decay_t<decltype(e)>(e), 2);
        EXPECT_EQ(made.serialize(), e.serialize());
        made.clear();
        e.clear();
        EXPECT_EQ(made.serialize(), e.serialize());
      },
      engine);
}

TEST_P(any_heats, refuse_to_merge_with_another_engine) {
  for (const std::string_view other : any_heat::engines()) {
    if (other == GetParam()) continue;
    expect_error(
        errc::incompatible, [&] { made.merge(any_heat::make(config_of(other), other)); }, other);
  }
}

TEST_P(any_heats, have_an_identity_of_parameters_and_contents) {
  const std::uint64_t empty = made.identity();
  EXPECT_EQ(any_heat::make(config_of(GetParam()), GetParam()).identity(), empty);
  any_heat_config seeded = config_of(GetParam());
  seeded.seed = 8;
  EXPECT_NE(any_heat::make(seeded, GetParam()).identity(), empty);
  feed(made, 1, 20);
  const std::uint64_t fed = made.identity();
  EXPECT_NE(fed, empty);
  EXPECT_EQ(any_heat(made).identity(), fed);
  made.clear();
  EXPECT_EQ(made.identity(), empty);
}

TEST_P(any_heats, relocate_into_memory_of_the_same_size) {
  support::allocations hook;
  any_heat f = any_heat::make(config_of(GetParam()), GetParam());
  feed(f, 1, 100);
  const auto bytes = f.serialize();
  const std::size_t asked = hook.asked();
  const std::size_t live = hook.live();
  f.relocate();
  EXPECT_GT(hook.asked(), asked);
  EXPECT_EQ(hook.live(), live);
  EXPECT_EQ(f.serialize(), bytes);
}

TEST_P(any_heats, are_saved_and_loaded) {
  feed(made, 1, 100);
  const auto bytes = made.serialize();
  EXPECT_EQ(made.serialized_size(), bytes.size());
  std::vector<std::byte> written;
  made.write_to([&](auto piece) { written.insert(written.end(), piece.begin(), piece.end()); });
  EXPECT_EQ(written, bytes);
  const any_heat loaded = any_heat::load(bytes);
  EXPECT_EQ(loaded.engine(), GetParam());
  EXPECT_EQ(loaded.serialize(), bytes);
  const support::temporary_directory directory;
  made.save(directory.path() / "heat");
  EXPECT_EQ(any_heat::load(directory.path() / "heat").serialize(), bytes);
}

TEST_P(any_heats, have_room_until_the_error_is_reached) {
  any_heat_config c = config_of(GetParam());
  c.memory.reset();
  c.items = 1000;
  c.error = 0.01;
  any_heat f = any_heat::make(c, GetParam());
  const std::uint64_t room = f.room_for(1'000'000, 0.01);
  EXPECT_GE(room, 1000u);
  // Keys and prints have a whole number of bits, so a table may be twice as good as its error.
  EXPECT_LT(room, GetParam().ends_with("_table") ? 2300u : 1100u);
  EXPECT_EQ(f.room_for(500, 0.01), 500u);
  for (int i = 0; i < 600; ++i) f.add(f.digest_of(i), midnight);
  EXPECT_NEAR(static_cast<double>(f.room_for(1'000'000, 0.01)), static_cast<double>(room) - 600,
              60);
  EXPECT_EQ(f.room_for(10, 1e-9), 0u);
  const auto facts = f.examine();
  EXPECT_NEAR(std::get<double>(facts[facts.size() - 2].value), 600, 60);
  EXPECT_LT(std::get<double>(facts.back().value), 0.01);
}

TEST(any_heat, is_a_heat_table_unless_another_engine_is_named) {
  EXPECT_EQ(any_heat::make({.memory = 640, .lambda = 0.5}).engine(), "heat_table");
  expect_error(
      errc::invalid_argument, [] { any_heat::make({.memory = 640}, "heat_sieve"); },
      "'heat_sieve' in this family; the engines are heat_table, heat_filter, window_table, "
      "decay_ring, "
      "decaying_filter, pooled_decaying_filter");
}

TEST(any_heat, refuses_parameters_that_an_engine_does_not_have) {
  const auto refused = [](const any_heat_config& c, std::string_view engine,
                          const std::string& parameter) {
    expect_error(
        errc::invalid_argument, [&] { any_heat::make(c, engine); },
        std::string(engine) + " has no parameter " + parameter + ";");
  };
  const any_heat_config fading{.memory = 640, .lambda = 0.5};
  const auto with = [](any_heat_config c, auto change) {
    change(c);
    return c;
  };
  for (const std::string_view engine :
       {"heat_table", "heat_filter", "decaying_filter", "pooled_decaying_filter"}) {
    refused(with(fading, [](auto& c) { c.window = 1h; }), engine, "window");
    refused(with(fading, [](auto& c) { c.polynomial = 1; }), engine, "polynomial");
    refused(with(fading, [](auto& c) { c.weights = {1, 0.5}; }), engine, "weights");
    refused(with(fading, [](auto& c) { c.slots = 3; }), engine, "slots");
    refused(with(fading, [](auto& c) { c.per_octave = 3; }), engine, "per_octave");
    refused(with(fading, [](auto& c) { c.reach = 1h; }), engine, "reach");
  }
  for (const std::string_view engine : {"heat_table", "heat_filter", "decay_ring"}) {
    const any_heat_config c = engine == "decay_ring" ? any_heat_config{.window = 1h} : fading;
    refused(with(c, [](auto& x) { x.rounding = published::rounding::up; }), engine, "rounding");
    refused(with(c, [](auto& x) { x.increase = published::increase::plain; }), engine, "increase");
    refused(with(c, [](auto& x) { x.pool_memory = 1; }), engine, "pool_memory");
  }
  for (const std::string_view engine :
       {"heat_table", "decay_ring", "decaying_filter", "pooled_decaying_filter"}) {
    const any_heat_config c = engine == "decay_ring" ? any_heat_config{.window = 1h} : fading;
    refused(with(c, [](auto& x) { x.epsilon = 0.1; }), engine, "epsilon");
    refused(with(c, [](auto& x) { x.delta = 0.1; }), engine, "delta");
  }
  for (const std::string_view engine : {"window_table", "decay_ring"}) {
    refused({.half_life = 1h}, engine, "half_life");
    refused({.lambda = 0.5}, engine, "lambda");
    refused({.cell_bits = 16}, engine, "cell_bits");
  }
  refused({.polynomial = 1}, "window_table", "polynomial");
  refused({.tick = 1s}, "window_table", "tick");
  refused(with(fading, [](auto& c) { c.cell_bits = 16; }), "heat_table", "cell_bits");
  refused(with(fading, [](auto& c) { c.reserve = true; }), "heat_filter", "reserve");
  refused(with(fading, [](auto& c) { c.cell_bits = 16; }), "pooled_decaying_filter", "cell_bits");
  refused(with(fading, [](auto& c) { c.pool_memory = 1; }), "decaying_filter", "pool_memory");
}

TEST(any_heat, passes_every_parameter_on) {
  EXPECT_EQ(any_heat::make({.items = 100,
                            .error = 0.001,
                            .memory = 6400,
                            .reserve = true,
                            .half_life = 1h,
                            .tick = 1min,
                            .ahead = 2min})
                .serialize(),
            heat_table({.items = 100,
                        .error = 0.001,
                        .reserve = true,
                        .memory = 6400,
                        .half_life = 1h,
                        .tick = 1min,
                        .ahead = 2min})
                .serialize());
  const any_heat f = any_heat::make(
      {.items = 100, .memory = 6400, .half_life = 1h, .tick = 1min, .ahead = 2min, .cell_bits = 32},
      "heat_filter");
  EXPECT_EQ(f.serialize(), heat_filter({.items = 100,
                                        .memory = 6400,
                                        .half_life = 1h,
                                        .tick = 1min,
                                        .ahead = 2min,
                                        .cell_bits = 32})
                               .serialize());
  const any_heat ring = any_heat::make(
      {.memory = 6400, .polynomial = 2, .per_octave = 3, .reach = 2h, .tick = 5s, .ahead = 1h},
      "decay_ring");
  EXPECT_EQ(
      ring.serialize(),
      decay_ring(
          {.memory = 6400, .polynomial = 2, .per_octave = 3, .reach = 2h, .tick = 5s, .ahead = 1h})
          .serialize());
  const any_heat table = any_heat::make({.items = 5000,
                                         .error = 1e-5,
                                         .memory = 1 << 20,
                                         .reserve = true,
                                         .window = 2h,
                                         .slots = 100,
                                         .ahead = 1h},
                                        "window_table");
  EXPECT_EQ(table.serialize(), window_table({.window = 2h,
                                             .slots = 100,
                                             .items = 5000,
                                             .error = 1e-5,
                                             .reserve = true,
                                             .memory = 1 << 20,
                                             .ahead = 1h})
                                   .serialize());
  const any_heat pooled = any_heat::make({.memory = 6400,
                                          .lambda = 0.5,
                                          .rounding = published::rounding::down,
                                          .increase = published::increase::minimum,
                                          .pool_memory = 5000},
                                         "pooled_decaying_filter");
  EXPECT_EQ(pooled.serialize(), pooled_decaying_filter({.memory = 6400,
                                                        .lambda = 0.5,
                                                        .rounding = published::rounding::down,
                                                        .increase = published::increase::minimum,
                                                        .pool_memory = 5000})
                                    .serialize());
}

TEST(any_heat, refuses_containers_of_other_kinds) {
  expect_error(
      errc::unknown_kind, [] { any_heat::load(hot_list({.lambda = 0.5}).serialize()); },
      "expected one of the engines heat_table, heat_filter, window_table, decay_ring");
}

TEST_P(any_heats, count_hits_in_a_part_of_a_window_if_they_are_a_window_table) {
  feed(made, 0, 400);
  const digest x = made.digest_of(3);
  if (const auto* const t = std::get_if<window_table>(&made.get())) {
    EXPECT_EQ(made.within(x, after(66min), 15min), t->within(x, after(66min), 15min));
    EXPECT_LT(made.within(x, after(66min), 15min).value, made.at(x, after(66min)).value);
  } else {
    expect_error(
        errc::unsupported, [&] { (void)made.within(x, after(66min), 15min); }, GetParam());
  }
}

TEST(any_heat, merges_rings_with_whole_weights_only) {
  for (const std::string_view engine : {"decay_ring", "window_table"}) {
    any_heat ring = any_heat::make(config_of(engine), engine);
    expect_error(
        errc::unsupported, [&] { ring.merge(any_heat(ring), 0.5); }, "whole weights; got 0.5");
    expect_error(
        errc::invalid_argument, [&] { ring.merge(any_heat(ring), -1); }, "0 to 2^32");
  }
}

}  // namespace bloomtime::any_heat_test
