#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <bloomtime/any.hpp>
#include <bloomtime/tally/any_tally.hpp>

#include "support/allocations.hpp"
#include "support/expect_error.hpp"
#include "support/files.hpp"

namespace bloomtime::any_tally_test {

using namespace published;
using support::expect_error;

any_tally_config small() { return {.items = 50, .error = 0.01, .seed = 7}; }

template <class Engine>
class any_tally_of : public ::testing::Test {};
using all_engines =
    ::testing::Types<tally_table, tally_filter, rising_tally, counting_filter, spectral_filter,
                     rising_spectral_filter, recurring_spectral_filter, dynamic_count_filter>;
TYPED_TEST_SUITE(any_tally_of, all_engines);

// The handle and the engine itself, with the same counts.
template <class Engine>
struct twins {
  any_tally handle = any_tally::make(small(), Engine::name);
  Engine engine{{.items = 50, .error = 0.01, .seed = 7}};

  void fill() {
    for (std::uint64_t x = 0; x < 60; ++x) {
      EXPECT_EQ(handle.add(handle.digest_of(x), 1 + x % 5), engine.add(x, 1 + x % 5));
    }
  }
  void expect_equal() const { EXPECT_EQ(handle.serialize(), engine.serialize()); }
};

TYPED_TEST(any_tally_of, agrees_with_the_engine_used_directly) {
  twins<TypeParam> t;
  EXPECT_EQ(t.handle.engine(), TypeParam::name);
  EXPECT_EQ(t.handle.removes(), TypeParam::removes);
  EXPECT_EQ(t.handle.seed(), 7u);
  t.fill();
  t.expect_equal();
  for (std::uint64_t x = 0; x < 80; ++x) {
    EXPECT_EQ(t.handle.count(t.handle.digest_of(x)), t.engine.count(x));
  }
  const digest seventh = t.handle.digest_of(std::uint64_t{7});
  if constexpr (TypeParam::removes) {
    EXPECT_EQ(t.handle.remove(seventh, 2), t.engine.remove(std::uint64_t{7}, 2));
    EXPECT_EQ(t.handle.remove(seventh, ~std::uint64_t{0}), outcome::refused);
    EXPECT_EQ(t.handle.losses().refused, 1u);
  } else {
    expect_error(
        errc::unsupported, [&] { (void)t.handle.remove(seventh); }, TypeParam::name);
  }
  EXPECT_EQ(t.handle.add(seventh, ~std::uint64_t{0}), outcome::full);
  EXPECT_EQ(t.handle.losses().full, 1u);
  t.handle.advance(instant::from_seconds(1));
  EXPECT_EQ(t.handle.newest(), std::nullopt);
  t.expect_equal();
  EXPECT_EQ(t.handle.total(), t.engine.total());
  EXPECT_EQ(t.handle.memory(), t.engine.memory());
  EXPECT_EQ(t.handle.cardinality(), t.engine.statistics().distinct);
  EXPECT_EQ(t.handle.statistics().largest, t.engine.statistics().largest);
  EXPECT_EQ(t.handle.confidence(), t.engine.confidence());
}

TYPED_TEST(any_tally_of, does_in_bulk_what_it_does_one_by_one) {
  any_tally bulk = any_tally::make(small(), TypeParam::name);
  any_tally single = bulk;
  std::vector<digest> items;
  for (int i = 0; i < 70; ++i) items.push_back(bulk.digest_of(i % 20));
  std::vector<outcome> outcomes(items.size());
  std::vector<counted> answers(items.size());
  bulk.add_bulk(items, outcomes);
  for (std::size_t i = 0; i < items.size(); ++i) EXPECT_EQ(outcomes[i], single.add(items[i]));
  EXPECT_EQ(bulk.serialize(), single.serialize());
  if (bulk.removes()) {
    const auto some = std::span<const digest>(items).first(33);
    bulk.remove_bulk(some, std::span(outcomes).first(33));
    for (std::size_t i = 0; i < 33; ++i) EXPECT_EQ(outcomes[i], single.remove(items[i]));
    EXPECT_EQ(bulk.serialize(), single.serialize());
  } else {
    expect_error(errc::unsupported, [&] { bulk.remove_bulk(items, outcomes); });
  }
  bulk.count_bulk(items, answers);
  for (std::size_t i = 0; i < items.size(); ++i) EXPECT_EQ(answers[i], single.count(items[i]));
  outcomes.pop_back();
  expect_error(
      errc::invalid_argument, [&] { bulk.add_bulk(items, outcomes); }, "70 items");
}

TYPED_TEST(any_tally_of, merges_clears_and_tells_contents_apart) {
  twins<TypeParam> t;
  const any_tally empty = t.handle;
  t.fill();
  any_tally both = t.handle;
  EXPECT_EQ(both.identity(), t.handle.identity());
  both.merge(t.handle);
  EXPECT_EQ(both.total(), 2 * t.handle.total());
  EXPECT_NE(both.identity(), t.handle.identity());
  EXPECT_NE(empty.identity(), t.handle.identity());
  both.clear();
  EXPECT_EQ(both.serialize(), empty.serialize());
  EXPECT_EQ(both.identity(), empty.identity());
  EXPECT_NE(any_tally::make({.items = 50, .error = 0.01, .seed = 8}, TypeParam::name).identity(),
            empty.identity());
  for (const std::string_view name : any_tally::engines()) {
    if (name == TypeParam::name) continue;
    expect_error(
        errc::incompatible, [&] { both.merge(any_tally::make(small(), name)); }, name);
  }
}

TYPED_TEST(any_tally_of, is_stored_and_loaded) {
  twins<TypeParam> t;
  t.fill();
  const auto bytes = t.handle.serialize();
  EXPECT_EQ(t.handle.serialized_size(), bytes.size());
  std::vector<std::byte> written;
  t.handle.write_to([&](auto piece) { written.insert(written.end(), piece.begin(), piece.end()); });
  EXPECT_EQ(written, bytes);
  EXPECT_EQ(any_tally::load(bytes).engine(), TypeParam::name);
  EXPECT_EQ(any_tally::load(bytes).serialize(), bytes);
  EXPECT_TRUE(std::holds_alternative<TypeParam>(load_any(bytes)));
  const support::temporary_directory directory;
  t.handle.save(directory.path() / "tally");
  EXPECT_EQ(any_tally::load(directory.path() / "tally").serialize(), bytes);
  EXPECT_EQ(TypeParam::map(directory.path() / "tally")->serialize(), bytes);
}

// What lies in a buffer takes up to 71 bytes more: 8 readable past the end, and alignment.
TYPED_TEST(any_tally_of, takes_all_its_memory_from_the_hook) {
  const support::allocations watched;
  const auto expect_accounted = [&](const any_tally& f) {
    EXPECT_LE(f.memory(), watched.live_bytes());
    EXPECT_LE(watched.live_bytes(), f.memory() + 71 * watched.live());
  };
  any_tally f = any_tally::make(small(), TypeParam::name);
  expect_accounted(f);
  for (int x = 0; x < 2000; ++x) f.add(f.digest_of(x), 1 + static_cast<unsigned>(x) % 3000);
  expect_accounted(f);
  const std::size_t bytes = watched.live_bytes();
  const auto content = f.serialize();
  const std::size_t asked = watched.asked();
  f.relocate();
  EXPECT_GT(watched.asked(), asked);
  if (cell_tally_engine<TypeParam>) {
    EXPECT_EQ(watched.live_bytes(), bytes);
  } else {
    EXPECT_LE(watched.live_bytes(), bytes);  // without memory reserved for the list of chunks
  }
  EXPECT_EQ(f.serialize(), content);
  expect_accounted(f);
  f.clear();
  expect_accounted(f);
}

TYPED_TEST(any_tally_of, says_how_many_more_fit) {
  if (!cell_tally_engine<TypeParam>) GTEST_SKIP() << "tables have more room at first";
  any_tally f = any_tally::make(small(), TypeParam::name);
  const std::uint64_t most = f.room_for(~std::uint64_t{0}, 0.01);
  EXPECT_GE(most, 50u);
  EXPECT_LE(most, 60u);
  EXPECT_EQ(f.room_for(3, 0.01), 3u);
  EXPECT_EQ(f.room_for(1000, 0.01), most);
  for (int x = 0; x < 30; ++x) f.add(f.digest_of(x));
  EXPECT_NEAR(static_cast<double>(f.room_for(1000, 0.01)), static_cast<double>(most) - 30, 6);
  for (int x = 0; x < 500; ++x) f.add(f.digest_of(x));
  EXPECT_EQ(f.room_for(1000, 0.01), 0u);
}

TEST(any_tally, knows_how_many_more_fit_into_a_table) {
  any_tally f = any_tally::make({.items = 2000, .error = 0.01});
  const std::uint64_t most = f.room_for(1'000'000, 0.01);
  EXPECT_GE(most, 2000u);
  const auto& table = std::get<tally_table>(f.get());
  EXPECT_LE(table.predicted_error(most), 0.01);
  EXPECT_GT(table.predicted_error(most + 1), 0.01);
  EXPECT_EQ(f.room_for(3, 0.01), 3u);
  for (int x = 0; x < 500; ++x) f.add(f.digest_of(x));
  EXPECT_EQ(f.room_for(1'000'000, 0.01), most - table.prints());
  const any_tally small = any_tally::make({.items = 2000, .error = 0.01, .memory = 4096});
  EXPECT_LT(small.room_for(1'000'000, 0.01), 2000u);
}

const fact* find(const std::vector<fact>& facts, std::string_view name) {
  const auto found =
      std::find_if(facts.begin(), facts.end(), [&](const fact& f) { return f.name == name; });
  return found == facts.end() ? nullptr : &*found;
}

TYPED_TEST(any_tally_of, describes_itself_without_a_scan_and_examines_with_one) {
  twins<TypeParam> t;
  t.fill();
  const auto facts = t.handle.describe();
  ASSERT_NE(find(facts, "engine"), nullptr);
  EXPECT_EQ(std::get<std::string>(find(facts, "engine")->value), TypeParam::name);
  EXPECT_EQ(std::get<std::uint64_t>(find(facts, "total")->value), t.engine.total());
  EXPECT_EQ(find(facts, "distinct"), nullptr);
  const auto all = t.handle.examine();
  EXPECT_EQ(std::get<double>(find(all, "distinct")->value), t.engine.statistics().distinct);
  EXPECT_EQ(std::get<double>(find(all, "error_now")->value), t.engine.current_error());
}

TEST(any_tally, makes_a_tally_table_by_default) {
  EXPECT_EQ(any_tally::make(small()).engine(), "tally_table");
  EXPECT_EQ(any_tally::engines().front(), "tally_table");
  EXPECT_EQ(any_tally::engines().size(), 8u);
}

TEST(any_tally, refuses_unknown_engines_with_a_list) {
  expect_error(
      errc::invalid_argument, [] { (void)any_tally::make(small(), "cuckoo_filter"); },
      "tally_table, tally_filter, rising_tally, counting_filter");
}

TEST(any_tally, refuses_parameters_that_the_engine_does_not_have) {
  const auto refused = [](any_tally_config c, std::string_view engine, std::string_view name) {
    c.items = 50;
    c.error = 0.01;
    expect_error(
        errc::invalid_argument, [&] { (void)any_tally::make(c, engine); },
        std::string(engine) + " has no parameter " + std::string(name));
  };
  refused({.cell_bits = 8}, "tally_table", "cell_bits");
  refused({.large_memory = 100}, "tally_table", "large_memory");
  for (const std::string_view engine : any_tally::engines()) {
    if (engine != "tally_table") refused({.reserve = true}, engine, "reserve");
  }
  for (const std::string_view tally : {"tally_table", "tally_filter", "rising_tally"}) {
    refused({.k = 3}, tally, "k");
    refused({.counters_per_slack = 3}, tally, "counters_per_slack");
  }
  for (const std::string_view spectral :
       {"spectral_filter", "rising_spectral_filter", "recurring_spectral_filter"}) {
    refused({.total = 3}, spectral, "total");
    refused({.cell_bits = 8}, spectral, "cell_bits");
    refused({.large_memory = 100}, spectral, "large_memory");
  }
  refused({.total = 3}, "counting_filter", "total");
  refused({.large_memory = 100}, "counting_filter", "large_memory");
  refused({.counters_per_slack = 3}, "counting_filter", "counters_per_slack");
  refused({.cell_bits = 8}, "dynamic_count_filter", "cell_bits");
  refused({.large_memory = 100}, "dynamic_count_filter", "large_memory");
  refused({.counters_per_slack = 3}, "dynamic_count_filter", "counters_per_slack");
  for (const std::string_view engine : any_tally::engines()) {
    if (engine == "dynamic_count_filter") continue;
    refused({.base_bits = 3}, engine, "base_bits");
    refused({.threshold = 0.5}, engine, "threshold");
    refused({.shrinking = shrinking::published}, engine, "shrinking");
  }
}

TEST(any_tally, hands_parameters_to_its_engine) {
  const auto get = [](const any_tally& f, auto* kind) {
    return std::get<std::remove_pointer_t<decltype(kind)>>(f.get());
  };
  const auto wide = any_tally::make({.items = 50, .error = 0.01, .cell_bits = 4, .large_memory = 0},
                                    "tally_filter");
  EXPECT_EQ(std::get<tally_filter>(wide.get()).cell_bits(), 4u);
  any_tally full = wide;
  EXPECT_EQ(full.add(full.digest_of("x"), 1000), outcome::full);
  const auto table =
      any_tally::make({.items = 50, .error = 0.01, .memory = 8192, .reserve = true, .total = 5000});
  EXPECT_EQ(std::get<tally_table>(table.get()).memory_limit(), 8192u);
  EXPECT_LT(table.memory(), 2000u);
  const auto by_k = any_tally::make({.items = 50, .error = 0.01, .k = 3}, "counting_filter");
  EXPECT_EQ(get(by_k, static_cast<counting_filter*>(nullptr)).k(), 3u);
  const auto dynamic = any_tally::make({.items = 50,
                                        .error = 0.01,
                                        .base_bits = 3,
                                        .threshold = 0.5,
                                        .shrinking = shrinking::published},
                                       "dynamic_count_filter");
  const auto& d = std::get<dynamic_count_filter>(dynamic.get());
  EXPECT_EQ(d.base_bits(), 3u);
  EXPECT_EQ(d.lambda(), 0.5);
  EXPECT_FALSE(d.levels().empty());
}

TEST(any_tally, refuses_containers_of_other_families) {
  const bloom_filter other({.items = 10, .error = 0.1});
  expect_error(errc::unknown_kind, [&] { (void)any_tally::load(other.serialize()); });
}

}  // namespace bloomtime::any_tally_test
