#include <gtest/gtest.h>

#include <bloomtime/bloom/bloom_filter.hpp>
#include <bloomtime/math/random.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "support/files.hpp"
#include "support/oracle_bloom.hpp"
#include "support/soaking.hpp"
#include "support/statistics.hpp"

// 10^9 operations against an exact bitmap if BLOOMTIME_SOAK is set, else 10^6 in a small filter.
namespace bloomtime {
namespace bloom_filter_soak {

using support::soaking;

class bloom_soak : public ::testing::TestWithParam<layout> {
 protected:
  static constexpr std::size_t block = 4096;
  static constexpr std::uint64_t rounds = 16;

  void insert(std::uint64_t operations) {
    for (std::uint64_t done = 0; done < operations; done += 2 * block) {
      draw_items();
      for (const std::uint64_t x : items_) {
        const bool fresh = filter_.add(x);
        surprises_ += fresh && inside_[x];
        inside_[x] = true;
      }
      draw_items();
      filter_.add_bulk(items_);
      for (const std::uint64_t x : items_) inside_[x] = true;
      insertions_ += 2 * block;
    }
  }

  // Items that may have been inserted, for misses.
  void ask_for_known(std::uint64_t operations) {
    for (std::uint64_t done = 0; done < operations; done += 2 * block) {
      draw_items();
      for (const std::uint64_t x : items_) surprises_ += inside_[x] && !filter_.may_contain(x);
      draw_items();
      ask_in_bulk();
      for (std::size_t i = 0; i < block; ++i) surprises_ += inside_[items_[i]] && !answers_[i];
    }
  }

  // Items that never were and are never asked for again, for the error.
  void ask_for_new(std::uint64_t operations) {
    std::uint64_t asked = 0;
    std::uint64_t positives = 0;
    for (; asked < operations; asked += block) {
      for (std::uint64_t& x : items_) x = next_new_++;
      ask_in_bulk();
      for (std::size_t i = 0; i < block; ++i) positives += answers_[i];
    }
    EXPECT_TRUE(support::plausible(positives, asked, oracle::exact_error(filter_)));
  }

  void draw_items() {
    for (std::uint64_t& x : items_) x = random_.below(universe_);
  }

  void ask_in_bulk() { filter_.may_contain_bulk(items_, std::span(answers_.get(), block)); }

  std::uint64_t operations_ = soaking() ? 500'000'000 : 500'000;  // in either layout
  std::uint64_t universe_ = operations_ / 4;
  bloom_filter filter_{bloom_config{.items = universe_ / 2, .error = 0.01, .layout = GetParam()}};
  std::vector<bool> inside_ = std::vector<bool>(universe_);
  std::vector<std::uint64_t> items_ = std::vector<std::uint64_t>(block);
  std::unique_ptr<bool[]> answers_ = std::make_unique<bool[]>(block);
  math::random_source random_{1};
  std::uint64_t next_new_ = universe_;
  std::uint64_t insertions_ = 0;
  std::uint64_t surprises_ = 0;  // misses, and inserted items that were called new
};

INSTANTIATE_TEST_SUITE_P(layouts, bloom_soak, ::testing::Values(layout::flat, layout::line),
                         [](const auto& test) { return std::string(name_of(test.param)); });

TEST_P(bloom_soak, keeps_its_promises_from_empty_to_overfull) {
  for (std::uint64_t round = 0; round < rounds; ++round) {
    insert(operations_ / rounds / 2);
    ask_for_known(operations_ / rounds / 4);
    ask_for_new(operations_ / rounds / 4);
    ASSERT_EQ(surprises_, 0U) << "round " << round;
    ASSERT_EQ(filter_.insertions(), insertions_);
  }
  const support::temporary_directory directory;
  filter_.save(directory / "filter");
  filter_ = bloom_filter(*bloom_filter::map(directory / "filter"));
  ask_for_known(universe_);
  EXPECT_EQ(surprises_, 0U);
}

TEST(bloom_soak_item, may_have_two_gigabytes) {
  if (!soaking()) GTEST_SKIP() << "set BLOOMTIME_SOAK";
  std::string item((std::size_t{1} << 31) + 1, 'x');
  bloom_filter f({.items = 10, .error = 0.001});
  f.add(item);
  EXPECT_TRUE(f.may_contain(item));
  item.back() = 'y';
  EXPECT_FALSE(f.may_contain(item));
  item.pop_back();
  EXPECT_FALSE(f.may_contain(item));
}

}  // namespace bloom_filter_soak
}  // namespace bloomtime
