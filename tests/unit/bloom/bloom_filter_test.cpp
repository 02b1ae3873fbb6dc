#include <gtest/gtest.h>

#include <bloomtime/bloom/bloom_filter.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/allocations.hpp"
#include "support/bloom_samples.hpp"
#include "support/container_bytes.hpp"
#include "support/expect_error.hpp"
#include "support/growth.hpp"
#include "support/numbers.hpp"

namespace bloomtime {
namespace bloom_filter_test {

using support::both_layouts;
using support::expect_error;
using support::infinite;
using support::most;
using support::nan;
using support::small;

static_assert(std::is_nothrow_move_constructible_v<bloom_filter>);
static_assert(std::is_nothrow_move_assignable_v<bloom_filter>);
static_assert(std::is_copy_constructible_v<bloom_filter> &&
              std::is_copy_assignable_v<bloom_filter>);
static_assert(!std::is_default_constructible_v<bloom_filter>);
static_assert(!std::is_convertible_v<bloom_config, bloom_filter>);

template <class Filter>
concept insertable = requires(Filter& f, std::vector<int> many) {
  f.add(1);
  f.add_bulk(many);
};
template <class Filter>
concept mutable_as_a_whole = requires(Filter& f) {
  f.merge(f);
}
|| requires(Filter& f) { f.fold(1); };
static_assert(insertable<bloom_filter> && !insertable<const bloom_filter>);
static_assert(mutable_as_a_whole<bloom_filter> && !mutable_as_a_whole<const bloom_filter>);

template <class Filter>
concept asks_nothrow = requires(Filter& f, const digest& d, const std::string& s, const prior& p) {
  { f.may_contain(d) }
  noexcept->std::same_as<bool>;
  { f.may_contain(s) }
  noexcept->std::same_as<bool>;
  { f.may_contain(7) }
  noexcept->std::same_as<bool>;
  { f.posterior(s, p) }
  noexcept->std::same_as<double>;
  { f.fill() }
  noexcept;
  { f.distinct() }
  noexcept;
};
static_assert(asks_nothrow<const bloom_filter>);
static_assert(noexcept(std::declval<bloom_filter&>().add(1)));
static_assert(noexcept(std::declval<bloom_filter&>().add_bulk(std::vector<digest>())));

static_assert(item<digest> && item<std::string> && item<std::string_view> && item<const char*> &&
              item<char[4]> && item<int> && item<std::uint64_t> && item<unsigned char>);
static_assert(!item<bool> && !item<char> && !item<double> && !item<void*>);

void expect_refused(const bloom_config& config, errc code, std::string_view mention) {
  SCOPED_TRACE(mention);
  expect_error(
      code, [&] { bloom_filter{config}; }, mention);
}

TEST(bloom_filter, is_configured_by_name) {
  const bloom_filter by_accuracy({.items = 1'000'000, .error = 0.01});
  const bloom_filter by_memory({.items = 1'000'000, .memory = 1 << 20, .seed = 42});
  const bloom_filter by_layout({.items = 1'000, .error = 1e-6, .layout = layout::line});
  EXPECT_EQ(by_accuracy.capacity(), 1'000'000U);
  EXPECT_LE(by_accuracy.predicted_error(1'000'000), 0.01);
  EXPECT_EQ(by_accuracy.layout(), layout::line);
  EXPECT_LE(by_memory.memory(), 1U << 20);
  EXPECT_GT(by_memory.memory(), (1U << 20) - 64);
  EXPECT_EQ(by_memory.seed(), 42U);
  EXPECT_EQ(by_layout.layout(), layout::line);
  EXPECT_EQ(bloom_filter({.items = 1'000, .error = 1e-6}).layout(), layout::flat);
}

TEST(bloom_filter, refuses_what_makes_no_filter) {
  constexpr auto invalid = errc::invalid_argument;
  expect_refused({}, invalid, "neither");
  expect_refused({.items = 10}, invalid, "neither");
  expect_refused({.items = 10, .error = 0.1, .memory = 100}, invalid, "both");
  expect_refused({.items = 0, .error = 0.1}, invalid, "at least one item");
  expect_refused({.items = 0, .memory = 100}, invalid, "at least one item");
  for (const double wrong : {0.0, -0.0, 1.0, -0.5, 2.0, nan, infinite, -infinite}) {
    for (const auto kind :
         {std::optional<layout>(), std::optional(layout::flat), std::optional(layout::line)}) {
      expect_refused({.items = 10, .error = wrong, .layout = kind}, invalid,
                     "strictly between 0 and 1, got");
    }
  }
  expect_refused({.items = 10, .error = 0.1, .layout = layout::rows}, invalid, "flat or line");
  expect_refused({.items = 10, .memory = 99, .layout = layout::rows}, invalid, "flat or line");
  expect_refused({.items = 10, .error = 0.1, .layout = layout{7}}, invalid, "flat or line");
}

TEST(bloom_filter, refuses_sizes_out_of_range) {
  constexpr std::uint64_t limit = detail::max_buffer_bytes;
  expect_refused({.items = 10, .memory = 0}, errc::invalid_argument, "got 0");
  expect_refused({.items = 10, .memory = 7}, errc::invalid_argument, "got 7");
  expect_refused({.items = 10, .memory = 63, .layout = layout::line}, errc::invalid_argument,
                 "got 63");
  for (const std::uint64_t bytes : {limit + 1, most / 8, most / 8 + 1, most}) {
    expect_refused({.items = 10, .memory = bytes}, errc::too_large, std::to_string(limit));
    expect_refused({.items = 10, .memory = bytes, .layout = layout::line}, errc::too_large,
                   std::to_string(bytes));
  }
  expect_refused({.items = most, .error = 0.01}, errc::too_large, "items");
  expect_refused({.items = most, .error = 0.01, .layout = layout::line}, errc::too_large, "items");
}

TEST(bloom_filter, uses_no_more_memory_than_asked) {
  for (std::uint64_t bytes = 8; bytes < 400; ++bytes) {
    const bloom_filter any({.items = 20, .memory = bytes});
    const bloom_filter flat({.items = 20, .memory = bytes, .layout = layout::flat});
    EXPECT_LE(any.memory(), bytes);
    EXPECT_EQ(flat.memory(), bytes / 8 * 8);
    if (bytes < 64) continue;
    const bloom_filter line({.items = 20, .memory = bytes, .layout = layout::line});
    EXPECT_EQ(line.memory(), bytes / 64 * 64);
  }
}

TEST(bloom_filter, has_every_k_its_layout_allows) {
  for (const layout kind : both_layouts) {
    const bloom_filter crowded({.items = most / 2, .memory = 64, .layout = kind});
    const bloom_filter roomy({.items = 1, .memory = 512, .layout = kind});
    EXPECT_EQ(crowded.k(), 1U);
    EXPECT_EQ(roomy.k(), math::max_k(kind));
  }
}

TEST(bloom_filter, starts_empty) {
  for (const layout kind : both_layouts) {
    const bloom_filter f = small(kind);
    EXPECT_FALSE(f.may_contain("x"));
    EXPECT_EQ(f.ones(), 0U);
    EXPECT_EQ(f.insertions(), 0U);
    EXPECT_EQ(f.fill(), 0);
    EXPECT_EQ(f.distinct(), 0);
    EXPECT_EQ(f.current_error(), 0);
    EXPECT_EQ(f.posterior("x", prior::membership(1)), 0);
  }
}

TEST(bloom_filter, says_whether_an_item_was_new) {
  for (const layout kind : both_layouts) {
    bloom_filter f = small(kind);
    EXPECT_TRUE(f.add("x"));
    EXPECT_FALSE(f.add("x"));
    EXPECT_TRUE(f.may_contain("x"));
    EXPECT_EQ(f.insertions(), 2U);
    EXPECT_GT(f.ones(), 0U);
    EXPECT_LE(f.ones(), f.k());
    // One item, give or take probes that coincide.
    EXPECT_NEAR(f.distinct(), 1, 0.2);
  }
}

TEST(bloom_filter, knows_an_item_in_every_form) {
  for (const layout kind : both_layouts) {
    bloom_filter f({.items = 100, .error = 0.001, .layout = kind, .seed = 5});
    const std::string text = "some text";
    f.add(text);
    EXPECT_TRUE(f.may_contain(std::string_view(text)));
    EXPECT_TRUE(f.may_contain(text.c_str()));
    EXPECT_TRUE(f.may_contain("some text"));
    EXPECT_TRUE(f.may_contain(digest_of(text, 5)));
    EXPECT_FALSE(f.may_contain(digest_of(text, 6)));
    f.add(-3);
    EXPECT_TRUE(f.may_contain(std::int8_t{-3}));
    EXPECT_TRUE(f.may_contain(std::int64_t{-3}));
    EXPECT_TRUE(f.may_contain(digest_of(-3, 5)));
    EXPECT_FALSE(f.may_contain(std::uint32_t(-3)));
    EXPECT_FALSE(f.may_contain("-3"));
  }
}

TEST(bloom_filter, takes_the_empty_item) {
  for (const layout kind : both_layouts) {
    bloom_filter f = small(kind);
    EXPECT_FALSE(f.may_contain(""));
    EXPECT_TRUE(f.add(std::string()));
    EXPECT_TRUE(f.may_contain(""));
    EXPECT_TRUE(f.may_contain(std::string_view()));
    EXPECT_FALSE(f.may_contain(std::string_view("\0", 1)));
    EXPECT_FALSE(f.may_contain(0));
  }
}

TEST(bloom_filter, takes_any_contiguous_range) {
  bloom_filter f({.items = 100, .error = 0.001, .seed = 5});
  const std::array<std::string_view, 2> views{"a", "b"};
  const char* pointers[] = {"c", "d"};
  std::vector<std::string> strings{"e", "f"};
  f.add_bulk(views);
  f.add_bulk(pointers);
  f.add_bulk(strings);
  f.add_bulk(std::span(strings).first(1));
  f.add_bulk(std::vector<int>());
  EXPECT_EQ(f.insertions(), 7U);
  std::array<bool, 2> answers{};
  f.may_contain_bulk(pointers, answers);
  EXPECT_TRUE(answers[0] && answers[1]);
  f.may_contain_bulk(std::array{"e", "x"}, answers);
  EXPECT_TRUE(answers[0] && !answers[1]);
  for (const char* one : {"a", "b", "c", "d", "e", "f"}) EXPECT_TRUE(f.may_contain(one)) << one;
}

TEST(bloom_filter, refuses_room_for_another_number_of_answers) {
  for (const layout kind : both_layouts) {
    const bloom_filter f = small(kind);
    const std::vector<int> items{1, 2, 3};
    std::array<bool, 4> answers{true, true, true, true};
    for (const std::size_t room : {0U, 2U, 4U}) {
      expect_error(
          errc::invalid_argument,
          [&] { f.may_contain_bulk(items, std::span(answers).first(room)); },
          "3 items needs as many answers, got " + std::to_string(room));
    }
    EXPECT_EQ(answers, (std::array<bool, 4>{true, true, true, true}));
    EXPECT_NO_THROW(f.may_contain_bulk(std::vector<int>(), {}));
  }
}

TEST(bloom_filter, refuses_to_merge_with_another_kind) {
  const bloom_config base{.items = 100, .memory = 1024, .layout = layout::line, .seed = 1};
  const auto differing = [&](auto change) {
    bloom_config config = base;
    change(config);
    return bloom_filter(config);
  };
  struct attempt {
    bloom_filter other;
    std::string reason;
  };
  const attempt attempts[] = {
      {differing([](bloom_config& c) { c.layout = layout::flat; }), "(flat, 8192 bits"},
      {differing([](bloom_config& c) { c.memory = 2048; }), "16384 bits"},
      {differing([](bloom_config& c) { c.items = 100'000; }), "k 1, seed 1, hash 2)"},
      {differing([](bloom_config& c) { c.seed = 2; }), "seed 2, hash 2)"},
      {differing([](bloom_config& c) { c.seed = hash_seed(1, hash_id::xxh3_128); }),
       "seed 1, hash 1)"},
  };
  bloom_filter f(base);
  f.add("x");
  const auto before = f.serialize();
  for (const attempt& a : attempts) {
    expect_error(
        errc::incompatible, [&] { f.merge(a.other); }, a.reason);
    expect_error(
        errc::incompatible, [&] { f.merge(a.other); }, "(line, 8192 bits, k ");
  }
  EXPECT_EQ(f.serialize(), before);
}

TEST(bloom_filter, merges_what_was_sized_for_other_numbers_of_items) {
  bloom_filter f({.items = 100, .memory = 64, .layout = layout::line});
  bloom_filter g({.items = 101, .memory = 64, .layout = layout::line});
  ASSERT_EQ(f.k(), g.k());
  f.add("x");
  g.add("y");
  f.merge(g);
  EXPECT_TRUE(f.may_contain("x") && f.may_contain("y"));
  EXPECT_EQ(f.insertions(), 2U);
  EXPECT_EQ(f.capacity(), 101U);
  f.merge(f);
  EXPECT_EQ(f.insertions(), 4U);
}

TEST(bloom_filter, refuses_to_fold_by_what_does_not_divide) {
  for (const layout kind : both_layouts) {
    bloom_filter f({.items = 10, .memory = 6 * 64, .layout = kind});
    f.add("x");
    const std::uint64_t unit = kind == layout::line ? 512 : 64;
    const std::uint64_t blocks = f.bits() / unit;
    const auto before = f.serialize();
    for (const std::uint64_t factor :
         {std::uint64_t{0}, std::uint64_t{5}, blocks + 1, 2 * blocks, f.bits(), most}) {
      expect_error(
          errc::invalid_argument, [&] { f.fold(factor); },
          std::to_string(blocks) + " blocks of " + std::to_string(unit) +
              " bits folds by a divisor of that number, got " + std::to_string(factor));
    }
    EXPECT_EQ(f.serialize(), before);
    f.fold(1);
    EXPECT_EQ(f.serialize(), before);
    f.fold(blocks);
    EXPECT_EQ(f.bits(), unit);
    EXPECT_EQ(f.memory(), unit / 8);
    EXPECT_TRUE(f.may_contain("x"));
  }
}

TEST(bloom_filter, can_be_assigned_after_a_move) {
  bloom_filter f = small(layout::line);
  f.add("x");
  const bloom_filter original = f;
  bloom_filter taken = std::move(f);
  EXPECT_EQ(taken.serialize(), original.serialize());
  f = small(layout::flat);  // NOLINT(bugprone-use-after-move)
  f.add("y");
  EXPECT_TRUE(f.may_contain("y") && !f.may_contain("x"));
  bloom_filter other = std::move(f);
  f = taken;
  EXPECT_EQ(f.serialize(), original.serialize());
  const bloom_filter destroyed_after_a_move = std::move(other);
  EXPECT_TRUE(destroyed_after_a_move.may_contain("y"));
}

TEST(bloom_filter, survives_assignment_to_itself) {
  bloom_filter f = small(layout::line);
  f.add("x");
  const auto before = f.serialize();
  bloom_filter& same = f;
  f = same;
  EXPECT_EQ(f.serialize(), before);
  f = std::move(same);
  EXPECT_EQ(f.serialize(), before);
}

TEST(bloom_filter, copies_share_nothing) {
  bloom_filter f = small(layout::flat);
  bloom_filter copy = f;
  f.add("x");
  EXPECT_FALSE(copy.may_contain("x"));
  EXPECT_EQ(copy.insertions(), 0U);
}

TEST(bloom_filter, is_unchanged_when_memory_runs_out) {
  support::allocations memory;
  bloom_filter f({.items = 1000, .memory = 1024, .layout = layout::flat});
  bloom_filter larger({.items = 1000, .memory = 4096, .layout = layout::line});
  f.add("x");
  larger.add("y");
  const auto before = f.serialize();
  memory.refuse_after(0);
  const auto refused = [&](auto&& action) { expect_error(errc::out_of_memory, action, "bytes"); };
  refused([] { bloom_filter({.items = 1000, .memory = 1024}); });
  refused([&] { f.fold(2); });
  refused([&] { f = larger; });
  refused([&] { const bloom_filter copy = f; });
  refused([&] { bloom_filter::load(before); });
  memory.refuse_none();
  EXPECT_EQ(f.serialize(), before);
  EXPECT_EQ(f.memory(), 1024U);
  support::expect_counted(f.memory() + larger.memory(), memory);
  EXPECT_TRUE(f.may_contain("x"));
  EXPECT_EQ(memory.live(), 2U);
}

TEST(bloom_filter, allocates_nothing_per_operation) {
  support::allocations memory;
  bloom_filter f = small(layout::line);
  const std::size_t asked = memory.asked();
  std::array<bool, 100> answers{};
  const std::vector<int> items(100, 7);
  f.add("x");
  f.add_bulk(items);
  f.may_contain_bulk(items, answers);
  f.merge(f);
  EXPECT_GT(f.posterior("x", prior::membership(0.5)), 0.5);
  EXPECT_EQ(memory.asked(), asked);
}

// -- storage -----------------------------------------------------------------------------------

// The parameters in their order in the container.
enum parameter : std::size_t { p_bits, p_k, p_capacity, p_insertions, p_ones };

TEST(bloom_filter, refuses_parameters_that_contradict_each_other) {
  struct forgery {
    parameter which;
    std::uint64_t value;
  };
  for (const layout kind : both_layouts) {
    bloom_filter f({.items = 10, .memory = 128, .layout = kind});
    f.add("x");
    const std::uint64_t unit = kind == layout::line ? 512 : 64;
    for (const forgery& lie :
         {forgery{p_bits, 0}, forgery{p_bits, 1024 + unit}, forgery{p_bits, 1024 - unit},
          forgery{p_bits, 1024 - 8}, forgery{p_bits, most}, forgery{p_bits, most - unit + 1},
          forgery{p_k, 0}, forgery{p_k, math::max_k(kind) + 1U}, forgery{p_k, most},
          forgery{p_k, (std::uint64_t{1} << 32) + 1}, forgery{p_insertions, 0},
          forgery{p_ones, f.ones() - 1}, forgery{p_ones, f.ones() + 1}, forgery{p_ones, 1025},
          forgery{p_ones, most}}) {
      auto bytes = f.serialize();
      support::put(bytes, support::parameter(lie.which), lie.value);
      support::seal(bytes);
      SCOPED_TRACE(std::to_string(lie.which) + " = " + std::to_string(lie.value));
      expect_error(errc::corrupt, [&] { bloom_filter::load(bytes); });
    }
  }
}

TEST(bloom_filter, refuses_containers_of_other_kinds) {
  const auto original = small(layout::flat).serialize();
  const auto forged = [&](std::size_t at, std::uint8_t value) {
    auto bytes = original;
    support::put(bytes, at, value);
    support::seal(bytes);
    return bytes;
  };
  const auto refused = [&](std::size_t at, std::uint8_t value, std::string_view mention) {
    expect_error(
        errc::unknown_kind, [&] { bloom_filter::load(forged(at, value)); }, mention);
  };
  refused(support::field::family, 2, "family 2");
  refused(support::field::engine, 2, "engine 2");
  refused(support::field::layout, 2, "found 2");
  refused(support::field::layout, 0, "found 0");
  refused(support::field::layout, 9, "found 9");
}

TEST(bloom_filter, counts_insertions_up_to_the_limit) {
  bloom_filter f = small(layout::flat);
  f.add("x");
  auto bytes = f.serialize();
  support::put(bytes, support::parameter(p_insertions), most - 1);
  support::seal(bytes);
  bloom_filter busy = bloom_filter::load(bytes);
  EXPECT_EQ(busy.insertions(), most - 1);
  busy.merge(busy);
  EXPECT_EQ(busy.insertions(), most);
  EXPECT_EQ(busy.posterior("x", prior::share(1e-9)), 1);
}

// -- threads -----------------------------------------------------------------------------------

// Meant for the thread sanitizer.
TEST(bloom_filter, answers_threads_at_the_same_time) {
  for (const layout kind : both_layouts) {
    bloom_filter f({.items = 1000, .error = 0.01, .layout = kind});
    std::vector<int> items;
    for (int i = 0; i < 1000; ++i) items.push_back(i);
    f.add_bulk(items);
    const bloom_filter& shared = f;
    std::array<std::uint64_t, 4> missed{};
    std::vector<std::jthread> threads;
    for (std::uint64_t& misses : missed) {
      threads.emplace_back([&shared, &items, &misses] {
        const auto answers = std::make_unique<bool[]>(items.size());
        shared.may_contain_bulk(items, std::span(answers.get(), items.size()));
        for (std::size_t i = 0; i < items.size(); ++i) {
          misses += !answers[i] || !shared.may_contain(items[i]);
        }
        misses += shared.posterior(1, prior::membership(0.5)) <= 0.5;
        misses += !shared.decide(1, prior::share(0.5), {1, 1});
        misses += bloom_filter(shared).ones() != shared.ones();
        misses += shared.serialize().size() <= shared.memory();
        misses += shared.current_error() > 0.1 || shared.distinct() > 1100;
      });
    }
    threads.clear();
    EXPECT_EQ(missed, (std::array<std::uint64_t, 4>{}));
  }
}

}  // namespace bloom_filter_test
}  // namespace bloomtime
