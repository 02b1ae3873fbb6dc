#include <gtest/gtest.h>

#include <bloomtime/history/history.hpp>
#include <bloomtime/history/timeline_history.hpp>
#include <bloomtime/published/persistent/level_history.hpp>
#include <bloomtime/published/persistent/single_history.hpp>
#include <bloomtime/published/persistent/tree_history.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <vector>

// seen(item, interval, probes) sets probes to the number of structures read: for every engine, and
// over all partitions of a history.
namespace bloomtime::history_probes_test {

using namespace published;

constexpr std::uint64_t ticks = 64;
constexpr std::int64_t parts = 4;
constexpr std::uint64_t items = 20;
constexpr published::filter_size size{4096, 4};
constexpr interval questions[] = {{{0}, {255}}, {{3}, {200}}, {{60}, {70}}, {{9}, {9}}};

template <class Engine>
Engine made() {
  if constexpr (std::same_as<Engine, level_history>) {
    return Engine({.ticks = ticks, .levels = {7, size}});
  } else if constexpr (std::same_as<Engine, tree_history>) {
    tree_config c{.ticks = ticks};
    for (const std::uint64_t nodes : tree_history::nodes_for(ticks, c.granularity)) {
      c.sizes.nodes.push_back({nodes, size});
    }
    c.sizes.pairs = size;
    return Engine(c);
  } else if constexpr (std::same_as<Engine, single_history>) {
    return Engine({.memory = 512, .k = 4, .ticks = ticks});
  } else {
    return Engine({.ticks = ticks});
  }
}

template <class Engine>
std::uint64_t probes_of(const Engine& e, std::uint64_t item, interval asked,
                        std::uint64_t left_over) {
  std::uint64_t probes = left_over;
  (void)e.seen(item, asked, probes);
  return probes;
}

template <class Engine>
void add_squares(Engine& e, std::int64_t seconds) {
  for (std::int64_t t = 0; t < seconds; ++t) {
    const auto item = static_cast<std::uint64_t>(t * t) % items;
    ASSERT_EQ(e.add(item, instant::from_seconds(t)), outcome::added);
  }
}

template <class Engine>
class history_probes : public testing::Test {};

using engines = testing::Types<single_history, tree_history, level_history, timeline_history>;
TYPED_TEST_SUITE(history_probes, engines);

TYPED_TEST(history_probes, are_those_of_one_question) {
  auto e = made<TypeParam>();
  add_squares(e, static_cast<std::int64_t>(ticks));
  for (std::uint64_t item = 0; item < 3 * items; ++item) {
    for (const interval asked : questions) {
      const std::uint64_t probes = probes_of(e, item, asked, 0);
      EXPECT_GT(probes, 0u);
      EXPECT_EQ(probes_of(e, item, asked, 1'000'000), probes);
    }
  }
  EXPECT_EQ(probes_of(e, 0, {{9}, {8}}, 5), 0u);
}

TEST(history_probes_of, partitions_are_those_of_all_up_to_the_answer) {
  history h({.partition = std::chrono::seconds(ticks)});
  add_squares(h, parts * static_cast<std::int64_t>(ticks));
  std::uint64_t over_several = 0;
  for (std::uint64_t item = 0; item < 3 * items; ++item) {
    for (const interval asked : questions) {
      std::uint64_t expected = 0;
      std::uint64_t read = 0;
      sighting answer = sighting::no;
      h.for_each([&](const timeline_history& e) {
        if (answer == sighting::maybe) return;
        const std::uint64_t here = probes_of(e, item, asked, 0);
        answer = e.seen(item, asked, read);
        expected += here;
        over_several += expected > here && here > 0;
      });
      EXPECT_EQ(probes_of(h, item, asked, 0), expected);
      EXPECT_EQ(probes_of(h, item, asked, 1'000'000), expected);
    }
  }
  EXPECT_GT(over_several, 0u);
  EXPECT_EQ(probes_of(h, 0, {{9}, {8}}, 5), 0u);
}

TEST(history_probes_of, a_single_history_are_the_ticks) {
  single_history h({.memory = 512, .k = 4, .ticks = 256});
  for (std::int64_t t = 0; t < 256; t += 64) h.add("x", instant::from_seconds(t));
  std::uint64_t probes = 0;
  ASSERT_EQ(h.seen("y", {{10}, {209}}, probes), sighting::no);
  EXPECT_EQ(probes, 200u);
}

}  // namespace bloomtime::history_probes_test
