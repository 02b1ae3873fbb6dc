#include <gtest/gtest.h>

#include <bloomtime/any.hpp>
#include <bloomtime/published/inferential/shares.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "format/golden_recipes.hpp"
#include "support/allocations.hpp"
#include "support/expect_error.hpp"
#include "support/heap.hpp"
#include "support/numbers.hpp"

// Every constructor of the family at the ends of every parameter: it refuses with a sentence, or
// the filter takes the memory that it tells. And filters that were moved from.
namespace bloomtime::recency_extremes_test {

using namespace published;
using support::expect_error;
using support::infinite;
using support::most;
using support::nan;

constexpr std::uint64_t two(int power) { return std::uint64_t{1} << power; }
constexpr std::initializer_list<double> errors{0., -1., nan, 1e-300, 0.5, 1 - 1e-16, 1., infinite};
constexpr std::initializer_list<std::uint64_t> memories{0, 1, 8, 64, two(16), two(40), most};

// While it lives, buffers are counted, and those above 4 MiB are refused.
class counted_buffers {
 public:
  counted_buffers() noexcept {
    bytes_ = 0;
    set_allocator({allocate, [](void* block) { std::free(block); }});
  }
  counted_buffers(const counted_buffers&) = delete;
  counted_buffers& operator=(const counted_buffers&) = delete;
  ~counted_buffers() {
    set_allocator(
        {[](std::size_t n) { return std::malloc(n); }, [](void* block) { std::free(block); }});
  }

  static std::uint64_t bytes() noexcept { return bytes_; }

 private:
  static void* allocate(std::size_t bytes) {
    if (bytes > two(22)) return nullptr;
    bytes_ += bytes;
    return std::malloc(bytes);
  }
  static inline std::uint64_t bytes_ = 0;
};

struct builds {
  int built = 0;
  int refused = 0;

  // `memory` of what was made.
  template <class Make, class Memory>
  void judge(Make&& make, Memory&& memory) {
    const counted_buffers counted;
    try {
      const auto f = make();
      ++built;
      // A line of alignment and 8 bytes past the end, for each of a few buffers.
      ASSERT_LE(counted.bytes(), memory(f) + 512);
    } catch (const error& e) {
      ++refused;
      ASSERT_GT(std::string_view(e.what()).size(), 20u);
    }
  }
};

template <class Filter>
std::uint64_t memory_of(const Filter& f) {
  return f.memory();
}

TEST(recency_extremes, recency_filters) {
  using std::chrono::microseconds;
  builds all;
  const auto shortest = microseconds(1);
  const auto longest = microseconds(two(60));
  std::vector<recency_config> windows{{},
                                      {.window = microseconds::max()},
                                      {.window = microseconds::min()},
                                      {.window = shortest},
                                      {.window = longest},
                                      {.last = 0},
                                      {.last = 1},
                                      {.last = two(60)},
                                      {.last = most}};
  for (recency_config c : windows) {
    for (const std::uint64_t items : {std::uint64_t{0}, std::uint64_t{1}, two(40), most}) {
      for (const std::uint32_t ticks : {0u, 1u, 10u, 4096u, (1u << 24) + 1, 0xfffffffcu, ~0u}) {
        c.items = items;
        c.ticks = ticks;
        for (const double error : errors) {
          c.memory.reset();
          c.error = error;
          ASSERT_NO_FATAL_FAILURE(
              all.judge([&] { return recency_filter(c); }, memory_of<recency_filter>));
        }
        for (const std::uint64_t memory : memories) {
          c.error.reset();
          c.memory = memory;
          ASSERT_NO_FATAL_FAILURE(
              all.judge([&] { return recency_filter(c); }, memory_of<recency_filter>));
        }
      }
    }
  }
  EXPECT_GT(all.built, 100);
  EXPECT_GT(all.refused, 1000);
}

TEST(recency_extremes, recency_tables) {
  using std::chrono::microseconds;
  builds all;
  std::vector<recency_table_config> windows{{},
                                            {.window = microseconds::max()},
                                            {.window = microseconds::min()},
                                            {.window = microseconds(1)},
                                            {.window = microseconds(two(60))},
                                            {.last = 0},
                                            {.last = 1},
                                            {.last = two(60)},
                                            {.last = most}};
  for (recency_table_config c : windows) {
    for (const std::uint64_t items :
         {std::uint64_t{0}, std::uint64_t{1}, two(20), two(39), two(40), most}) {
      for (const std::uint32_t ticks : {0u, 1u, 2u, 62u, 1024u, 1025u, ~0u}) {
        for (const double error : {0., -1., nan, 1e-300, 1e-12, 1e-3, 0.5, 1 - 1e-16, 1.}) {
          for (const bool reserve : {false, true}) {
            c.items = items;
            c.ticks = ticks;
            c.error = error;
            c.reserve = reserve;
            c.memory.reset();
            ASSERT_NO_FATAL_FAILURE(
                all.judge([&] { return recency_table(c); }, memory_of<recency_table>));
            for (const std::uint64_t memory : memories) {
              c.memory = memory;
              ASSERT_NO_FATAL_FAILURE(
                  all.judge([&] { return recency_table(c); }, memory_of<recency_table>));
            }
          }
        }
      }
    }
  }
  EXPECT_GT(all.built, 1000);
  EXPECT_GT(all.refused, 10'000);
}

// One tick has as many items as the window has.
TEST(recency_extremes, the_longest_window_of_insertions_has_a_table) {
  for (const std::uint32_t ticks : {1u, 1024u}) {
    recency_table f({.last = two(60), .error = 1e-3, .ticks = ticks});
    EXPECT_EQ(f.add(1), outcome::added);
    EXPECT_TRUE(f.seen(1));
    EXPECT_LE(f.predicted_error(two(39)), 1e-3);
  }
}

// The ring of arrivals took 34 GB.
TEST(recency_extremes, as_many_ticks_as_can_be_are_refused) {
  expect_error(
      errc::invalid_argument,
      [] {
        recency_filter f({.window = std::chrono::hours(24),
                          .items = 10,
                          .error = 0.01,
                          .ticks = ~std::uint32_t{0}});
      },
      "2^24 ticks, got 4294967295");
  const recency_filter f(
      {.window = std::chrono::hours(24), .items = 10, .error = 0.01, .ticks = 1u << 16});
  EXPECT_LT(f.memory(), 700'000u);
}

TEST(recency_extremes, sizes_of_other_filters) {
  const recency_filter made({.last = 100, .items = 100, .error = 0.01});
  EXPECT_EQ(recency_filter({.last = 100, .items = 100, .size = made.size()}).serialize(),
            made.serialize());
  const auto bad = [&](auto&& change) {
    math::stamp_size size = made.size();
    change(size);
    expect_error(errc::invalid_argument,
                 [&] { recency_filter f({.last = 100, .items = 100, .size = size}); });
  };
  bad([](math::stamp_size& s) { s.bits = 0; });
  bad([](math::stamp_size& s) { s.bits = 33; });
  bad([](math::stamp_size& s) { s.bits = 2; });
  bad([](math::stamp_size& s) { s.k = 0; });
  bad([](math::stamp_size& s) { s.k = 65; });
  bad([](math::stamp_size& s) { s.cells = 0; });
  bad([](math::stamp_size& s) { s.cells = most; });
  bad([](math::stamp_size& s) { s.oldest = 0; });
  bad([](math::stamp_size& s) { s.oldest = 11; });
  bad([](math::stamp_size& s) { s.layout = layout::rows; });
  expect_error(errc::invalid_argument, [&] {
    recency_filter f({.last = 100, .items = 100, .error = 0.1, .size = made.size()});
  });
}

TEST(recency_extremes, timing_filters) {
  builds all;
  for (const std::uint64_t window :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, two(40), two(40) + 1, most}) {
    for (const std::optional<unsigned> k : {std::optional<unsigned>(), {0}, {1}, {64}, {65}}) {
      for (const std::optional<unsigned> bits : {std::optional<unsigned>(), {0}, {2}, {32}, {33}}) {
        for (const std::optional<std::uint64_t> sweep :
             {std::optional<std::uint64_t>(), {0}, {1}, {most}}) {
          timing_config c{.window = window, .k = k, .bits = bits, .sweep = sweep};
          const auto judge = [&] {
            all.judge([&] { return timing_filter(c); }, memory_of<timing_filter>);
          };
          for (const double error : errors) {
            c.error = error;
            ASSERT_NO_FATAL_FAILURE(judge());
          }
          c.error.reset();
          for (const std::uint64_t memory : memories) {
            c.memory = memory;
            ASSERT_NO_FATAL_FAILURE(judge());
          }
        }
      }
    }
  }
  EXPECT_GT(all.built, 100);
}

TEST(recency_extremes, baselines_audits_and_shares) {
  builds all;
  for (const std::uint64_t window : {std::uint64_t{0}, std::uint64_t{1}, two(40), most}) {
    for (const std::uint64_t memory : memories) {
      for (const unsigned k : {0u, 1u, 64u, 65u, ~0u}) {
        ASSERT_NO_FATAL_FAILURE(all.judge(
            [&] {
              return generalized_filter({.window = window, .memory = memory, .k0 = k, .k1 = 1});
            },
            memory_of<generalized_filter>));
        ASSERT_NO_FATAL_FAILURE(all.judge(
            [&] {
              return generalized_filter({.window = window, .memory = memory, .k0 = 64, .k1 = k});
            },
            memory_of<generalized_filter>));
      }
      for (const unsigned bits : {0u, 1u, 2u, 16u, 32u, 33u, ~0u}) {
        ASSERT_NO_FATAL_FAILURE(all.judge(
            [&] { return recent_buffer({.window = window, .memory = memory, .bits = bits}); },
            [](const recent_buffer& b) { return b.memory(); }));
      }
      ASSERT_NO_FATAL_FAILURE(all.judge(
          [&] { return published::frequency_sketch({.window = window, .memory = memory}); },
          memory_of<published::frequency_sketch>));
    }
    for (const std::uint32_t entries : {0u, 1u, 64u, 65536u, 65537u, ~0u}) {
      ASSERT_NO_FATAL_FAILURE(all.judge(
          [&] { return audit({.window = window, .entries = entries}); }, memory_of<audit>));
    }
    for (const unsigned precision : {0u, 1u, 4u, 18u, 64u, ~0u}) {
      ASSERT_NO_FATAL_FAILURE(all.judge([&] { return published::equal_share(window, precision); },
                                        memory_of<published::equal_share>));
    }
  }
  EXPECT_GT(all.built, 50);
}

// Fingerprints as they are stored, and an index that is as large as it was before.
TEST(recency_extremes, loading_a_buffer_takes_what_it_tells) {
  for (const unsigned bits : {4u, 9u, 16u, 32u}) {
    recent_buffer b({.window = 5000, .memory = 4000, .bits = bits});
    for (int i = 0; i < 6000; ++i) b.add(i);
    const auto stored = b.serialize();
    const counted_buffers counted;
    const recent_buffer loaded = recent_buffer::load(stored);
    EXPECT_LE(counted.bytes(), loaded.memory() + 512);
    EXPECT_EQ(loaded.memory(), b.memory());
    const std::uint64_t values = std::min(loaded.slots(), two(static_cast<int>(bits)));
    EXPECT_LE(loaded.memory() - loaded.print_memory(), std::max<std::uint64_t>(128, 43 * values));
  }
}

// -- moved from ----------------------------------------------------------------------------------

template <class Filter>
void expect_safe(Filter made) {
  const auto before = made.serialize();
  Filter taken(std::move(made));
  EXPECT_EQ(taken.serialize(), before);
  // NOLINTBEGIN(bugprone-use-after-move)
  const age_prior prior = age_prior::share(0.01);
  if constexpr (requires { made.add(1, instant()); }) {
    const instant when(std::numeric_limits<std::int64_t>::max() / 2);
    for (const instant at : {instant(0), when}) {
      EXPECT_EQ(made.add(1, at), outcome::refused);
      EXPECT_EQ(made.add_if_new(1, at).became, outcome::refused);
      EXPECT_EQ(made.add_if_new(1, at, {1, 1}).became, outcome::refused);
      EXPECT_FALSE(made.seen(1, at));
      EXPECT_FALSE(made.age(1, at).has_value());
      EXPECT_EQ(made.posterior(1, at, prior), 0);
      EXPECT_EQ(made.posterior(1, at, [](double) { return 0.5; }), 0);
      EXPECT_FALSE(made.decide(1, at, prior, {1, 1}));
      EXPECT_FALSE(made.decide(1, at, {1, 1}));
      EXPECT_FALSE(made.observe(1, at, {}, {1, 1}));
      made.advance(at);
    }
    EXPECT_EQ(made.alive_items(), 0);
    EXPECT_EQ(made.current_error(), 0);
    expect_error(
        errc::invalid_argument, [&] { made.merge(taken); }, "moved from");
    expect_error(
        errc::invalid_argument, [&] { taken.merge(made); }, "moved from");
    const std::array<int, 3> some{1, 2, 3};
    std::array<bool, 3> answers{};
    expect_error(
        errc::invalid_argument, [&] { made.seen_bulk(some, when, answers); }, "moved from");
  } else {
    EXPECT_EQ(made.add(1), outcome::refused);
    EXPECT_FALSE(made.seen(1));
    EXPECT_EQ(made.posterior(1, prior), 0);
    EXPECT_FALSE(made.decide(1, prior, {1, 1}));
  }
  if constexpr (requires { made.current_error(); }) {
    EXPECT_EQ(made.current_error(), 0);
  }
  expect_error(
      errc::invalid_argument, [&] { (void)made.serialize(); }, "moved from");
  const Filter copy(made);
  expect_error(
      errc::invalid_argument, [&] { (void)copy.serialize(); }, "moved from");
  made = taken;
  EXPECT_EQ(made.serialize(), before);
  made = std::move(taken);
  EXPECT_EQ(made.serialize(), before);
  expect_error(
      errc::invalid_argument, [&] { (void)taken.serialize(); }, "moved from");
  // NOLINTEND(bugprone-use-after-move)
}

TEST(recency_moved_from, filters_know_nothing_and_take_nothing) {
  for (const auto make :
       {golden::timing, golden::recency_flat, golden::recency_line, golden::recency_count,
        golden::recency_generalized, golden::recency_buffer, golden::recency_table_grown,
        golden::recency_table_last, golden::recency_table_stash}) {
    std::visit(
        [](auto filter) {
          using kind = decltype(filter);
          if constexpr (std::is_same_v<kind, timing_filter> ||
                        std::is_same_v<kind, generalized_filter> ||
                        std::is_same_v<kind, recent_buffer> ||
                        std::is_same_v<kind, recency_filter> ||
                        std::is_same_v<kind, recency_table>) {
            expect_safe(std::move(filter));
          } else {
            FAIL() << "not a filter of this family";
          }
        },
        make(newest_hash));
  }
  expect_safe(recency_filter({.window = std::chrono::seconds(9),
                              .items = 5,
                              .error = 0.1,
                              .audit = audit_config{.entries = 64}}));
}

// -- memory ------------------------------------------------------------------------------------

// All memory is allocated when a filter is made. malloc keeps up to 7 free blocks of each of 64
// sizes (16 to 1040 bytes) and counts them as used.
template <class Filter, class Add>
void expect_no_growth(Filter f, Add&& add) {
  constexpr std::uint64_t kept = 7 * (64 * 65 / 2 + 64) * 16;
  const support::allocations hook;
  const std::uint64_t memory = f.memory();
  const std::uint64_t before = support::heap::in_use();
  for (std::uint64_t i = 0; i < 50'000; ++i) add(f, i);
  if (support::heap::works) {
    EXPECT_LE(support::heap::in_use(), before + kept);
  }
  EXPECT_EQ(hook.live_bytes(), 0U);
  EXPECT_EQ(f.memory(), memory);
}

TEST(recency_memory, does_not_grow_with_the_data) {
  using namespace std::chrono_literals;
  const auto timed = [](auto& f, std::uint64_t i) {
    const instant when(static_cast<std::int64_t>(i * 10'000));
    f.add(i, when);
    (void)f.add_if_new(i / 2, when);
    if (i % 64 == 0) (void)f.posterior(i, when, event_rate{0.1});
  };
  const auto counted = [](auto& f, std::uint64_t i) {
    f.add(i);
    (void)f.add_if_new(i / 2);
    if (i % 64 == 0) (void)f.posterior(i, age_prior::share(0.01));
  };
  const recency_config minute{
      .window = 60s, .items = 5000, .error = 0.01, .audit = audit_config{.entries = 64}};
  expect_no_growth(recency_filter(minute), timed);
  expect_no_growth(age_partitioned_filter({.window = 60s, .items = 500, .error = 0.01}), timed);
  expect_no_growth(recency_filter({.last = 1000, .items = 1000, .error = 0.01}), counted);
  expect_no_growth(age_partitioned_filter({.last = 1000, .error = 0.01}), counted);
  expect_no_growth(timing_filter(timing_config{.window = 1000, .error = 0.01}), counted);
  expect_no_growth(generalized_filter({.window = 1000, .memory = 8192}), counted);
  expect_no_growth(recent_buffer({.window = 1000, .memory = 2000}), counted);
}

}  // namespace bloomtime::recency_extremes_test
