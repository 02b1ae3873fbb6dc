#include <gtest/gtest.h>

#include <bloomtime/bloom/bloom_filter.hpp>
#include <bloomtime/detail/buffer.hpp>
#include <bloomtime/published/dynamic_count/counting_filter.hpp>
#include <bloomtime/published/dynamic_count/dynamic_count_filter.hpp>
#include <bloomtime/published/dynamic_count/spectral_filter.hpp>
#include <bloomtime/tally/rising_tally.hpp>
#include <bloomtime/tally/tally_table.hpp>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>

// Every constructor of the bloom and tally families over the extremes of every parameter: it
// refuses with a sentence or builds in time bounded by its memory, of which there is little here.
// A constructor that does not return fails the test by its time limit.
namespace bloomtime::extremes_test {

using namespace published;

constexpr std::size_t most_memory = std::size_t{1} << 22;

class little_memory {
 public:
  little_memory() {
    set_allocator({[](std::size_t n) { return n > most_memory ? nullptr : std::malloc(n); },
                   [](void* block) { std::free(block); }});
  }
  little_memory(const little_memory&) = delete;
  little_memory& operator=(const little_memory&) = delete;
  ~little_memory() {
    set_allocator(
        {[](std::size_t n) { return std::malloc(n); }, [](void* block) { std::free(block); }});
  }
};

template <class Make>
void expect_refused_or_built(const std::string& what, Make&& make) {
  try {
    const auto filter = make();
    EXPECT_LE(filter.memory(), 4 * most_memory) << what;
    EXPECT_GE(filter.k(), 1U) << what;
  } catch (const error& e) {
    EXPECT_GE(std::string(e.what()).size(), 20U) << what;
  }
}

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t counts[] = {0,   1, 1000, std::uint64_t{1} << 32, std::uint64_t{1} << 63,
                                    most};
constexpr double chances[] = {0,
                              -1,
                              1e-300,
                              std::numeric_limits<double>::denorm_min(),
                              1e-20,
                              0.5,
                              1 - 1e-16,
                              1,
                              2,
                              std::numeric_limits<double>::quiet_NaN(),
                              std::numeric_limits<double>::infinity()};
constexpr std::uint64_t memories[] = {
    0, 1, 8, 64, 4096, std::uint64_t{1} << 40, std::uint64_t{1} << 63, most};

// All sizes a configuration can ask for, its other fields as given.
template <class Filter, class Config>
void expect_all_sizes(Config c, const std::string& what) {
  for (const std::uint64_t items : counts) {
    c.items = items;
    c.memory = {};
    for (const double chance : chances) {
      c.error = chance;
      expect_refused_or_built(
          what + ", items " + std::to_string(items) + ", error " + std::to_string(chance),
          [&] { return Filter(c); });
    }
    c.error = {};
    for (const std::uint64_t memory : memories) {
      c.memory = memory;
      expect_refused_or_built(
          what + ", items " + std::to_string(items) + ", memory " + std::to_string(memory),
          [&] { return Filter(c); });
    }
    c.error = 0.01;
    expect_refused_or_built(what + ", both", [&] { return Filter(c); });
  }
}

TEST(extremes, of_a_bloom_filter) {
  const little_memory here;
  for (const auto kind : {std::optional<layout>(), std::optional(layout::flat),
                          std::optional(layout::line), std::optional(layout::rows)}) {
    expect_all_sizes<bloom_filter>(bloom_config{.layout = kind}, "a Bloom filter");
  }
}

template <class Engine>
class extremes_of_tallies : public ::testing::Test {};
using tallies = ::testing::Types<tally_filter, rising_tally>;
TYPED_TEST_SUITE(extremes_of_tallies, tallies);

TYPED_TEST(extremes_of_tallies, in_lines) {
  const little_memory here;
  for (const std::optional<unsigned> bits : {std::optional<unsigned>(), {4U}, {8U}, {0U}, {~0U}}) {
    for (const std::uint64_t total : {std::uint64_t{0}, std::uint64_t{1}, most}) {
      expect_all_sizes<TypeParam>(
          tally_config{.total = total, .cell_bits = bits, .large_memory = total}, "a tally");
    }
  }
}

TEST(extremes, of_a_counting_filter) {
  const little_memory here;
  for (const unsigned bits : {0U, 1U, 2U, 32U, 33U, ~0U}) {
    for (const std::optional<unsigned> k : {std::optional<unsigned>(), {0U}, {1U}, {32U}, {~0U}}) {
      expect_all_sizes<counting_filter>(counting_config{.k = k, .cell_bits = bits}, "counting");
    }
  }
}

TEST(extremes, of_a_dynamic_count_filter) {
  const little_memory here;
  for (const std::optional<unsigned> k : {std::optional<unsigned>(), {0U}, {1U}, {32U}, {~0U}}) {
    for (const std::uint64_t total : {std::uint64_t{0}, std::uint64_t{1}, most}) {
      expect_all_sizes<dynamic_count_filter>(dynamic_count_config{.k = k, .total = total}, "dcf");
    }
  }
  for (const unsigned bits : {0U, 1U, 57U, 58U, ~0U}) {
    expect_all_sizes<dynamic_count_filter>(dynamic_count_config{.base_bits = bits}, "dcf");
  }
  for (const double threshold : chances) {
    expect_all_sizes<dynamic_count_filter>(
        dynamic_count_config{.threshold = threshold, .shrinking = shrinking::published}, "dcf");
  }
}

template <class Engine>
class extremes_of_spectral : public ::testing::Test {};
using spectral =
    ::testing::Types<spectral_filter, rising_spectral_filter, recurring_spectral_filter>;
TYPED_TEST_SUITE(extremes_of_spectral, spectral);

TYPED_TEST(extremes_of_spectral, filters) {
  const little_memory here;
  for (const std::optional<unsigned> k : {std::optional<unsigned>(), {0U}, {1U}, {32U}, {~0U}}) {
    for (const unsigned slack : {0U, 1U, 64U, 65U, ~0U}) {
      expect_all_sizes<TypeParam>(spectral_config{.k = k, .counters_per_slack = slack}, "spectral");
    }
  }
}

// Adding takes no longer for a large amount than for a small one: none counts one by one.
template <class Filter>
void expect_large_amounts(Filter f) {
  for (const std::uint64_t amount : {std::uint64_t{1} << 40, std::uint64_t{1} << 63}) {
    EXPECT_NE(f.add("x", amount), outcome::full);
  }
  EXPECT_EQ(f.add("x", most), outcome::full);
  EXPECT_GE(f.count("x").upper, (std::uint64_t{1} << 63) + (std::uint64_t{1} << 40));
}

TEST(extremes, of_amounts) {
  expect_large_amounts(tally_table({.items = 100, .error = 0.01}));
  expect_large_amounts(tally_filter({.items = 100, .error = 0.01}));
  expect_large_amounts(rising_tally({.items = 100, .error = 0.01}));
  expect_large_amounts(counting_filter({.items = 100, .error = 0.01}));
  expect_large_amounts(dynamic_count_filter({.items = 100, .error = 0.01}));
  expect_large_amounts(spectral_filter({.items = 100, .error = 0.01}));
  expect_large_amounts(rising_spectral_filter({.items = 100, .error = 0.01}));
  expect_large_amounts(recurring_spectral_filter({.items = 100, .error = 0.01}));
}

}  // namespace bloomtime::extremes_test
