#include <gtest/gtest.h>

#include <bloomtime/bloom/bloom_filter.hpp>
#include <bloomtime/mapped.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/expect_error.hpp"
#include "support/files.hpp"

namespace bloomtime {
namespace mapped_test {

using support::expect_error;

using mapped_bloom = mapped<bloom_filter>;
static_assert(std::is_same_v<decltype(*std::declval<mapped_bloom&>()), const bloom_filter&>);
static_assert(
    std::is_same_v<decltype(std::declval<mapped_bloom&>().operator->()), const bloom_filter*>);
static_assert(std::is_nothrow_move_constructible_v<mapped_bloom>);

class mapped_files : public ::testing::TestWithParam<layout> {
 protected:
  mapped_files() : filter_({.items = 1000, .error = 0.01, .layout = GetParam(), .seed = 3}) {
    for (int i = 0; i < 1000; ++i) filter_.add(i);
    filter_.save(path_);
  }

  support::temporary_directory directory_;
  std::filesystem::path path_ = directory_ / "filter";
  bloom_filter filter_;
};

INSTANTIATE_TEST_SUITE_P(layouts, mapped_files, ::testing::Values(layout::flat, layout::line),
                         [](const auto& test) { return std::string(name_of(test.param)); });

TEST_P(mapped_files, answer_as_the_filter_did) {
  const mapped_bloom m = bloom_filter::map(path_);
  EXPECT_NO_THROW(m.verify());
  std::vector<int> items;
  for (int i = 0; i < 3000; ++i) items.push_back(i);
  const auto answers = std::make_unique<bool[]>(items.size());
  m->may_contain_bulk(items, std::span(answers.get(), items.size()));
  for (std::size_t i = 0; i < items.size(); ++i) {
    EXPECT_EQ(answers[i], filter_.may_contain(items[i]));
    EXPECT_EQ(m->may_contain(items[i]), answers[i]);
    EXPECT_EQ(m->posterior(items[i], prior::membership(0.1)),
              filter_.posterior(items[i], prior::membership(0.1)));
  }
  EXPECT_EQ(m->serialize(), filter_.serialize());
}

TEST_P(mapped_files, outlive_their_name_and_their_replacement) {
  const mapped_bloom m = bloom_filter::map(path_);
  bloom_filter({.items = 1, .error = 0.5}).save(path_);
  EXPECT_EQ(m->serialize(), filter_.serialize());
  std::filesystem::remove(path_);
  EXPECT_EQ(m->serialize(), filter_.serialize());
  EXPECT_NO_THROW(m.verify());
}

TEST_P(mapped_files, are_left_alone_by_copies) {
  std::optional<mapped_bloom> m = bloom_filter::map(path_);
  bloom_filter copy = **m;
  int fresh = 1000;
  while (!copy.add(fresh)) ++fresh;
  EXPECT_FALSE(m.value()->may_contain(fresh));
  const mapped_bloom second = *m;
  const mapped_bloom third = std::move(*m);
  m.reset();
  EXPECT_TRUE(copy.may_contain(fresh) && copy.may_contain(1));
  EXPECT_EQ(second->serialize(), filter_.serialize());
  EXPECT_EQ(third->serialize(), filter_.serialize());
  EXPECT_EQ(bloom_filter::load(path_).serialize(), filter_.serialize());
}

TEST_P(mapped_files, merge_into_a_filter_in_memory) {
  bloom_filter f({.items = 1000, .error = 0.01, .layout = GetParam(), .seed = 3});
  f.add("mine");
  f.merge(*bloom_filter::map(path_));
  EXPECT_TRUE(f.may_contain("mine") && f.may_contain(999));
  EXPECT_EQ(f.insertions(), 1001U);
}

// The head is checked when the file is opened, the body on request.
TEST_P(mapped_files, show_damage_when_asked) {
  const auto good = support::read_file(path_);
  const std::size_t first = good.size() - (filter_.memory() + 8 + 63) / 64 * 64;
  for (const std::size_t at : {first, first + filter_.memory() - 1}) {
    auto bad = good;
    bad[at] ^= std::byte{0x10};
    support::write_file(path_, bad);
    const mapped_bloom m = bloom_filter::map(path_);
    for (int i = 0; i < 1000; ++i) (void)m->may_contain(i);  // in bounds, right or not
    expect_error(
        errc::corrupt, [&] { m.verify(); }, "checksum");
    expect_error(
        errc::corrupt, [&] { bloom_filter::load(path_); }, "checksum");
  }
}

TEST_P(mapped_files, are_refused_when_the_head_is_damaged) {
  const auto good = support::read_file(path_);
  for (std::size_t at = 0; at < 128; ++at) {
    auto bad = good;
    bad[at] ^= std::byte{1};
    support::write_file(path_, bad);
    EXPECT_THROW(bloom_filter::map(path_), error) << "byte " << at;
  }
  support::write_file(path_, std::span(good).first(good.size() - 1));
  expect_error(errc::truncated, [&] { bloom_filter::map(path_); });
  support::write_file(path_, {});
  expect_error(
      errc::truncated, [&] { bloom_filter::map(path_); }, path_.string());
  std::filesystem::remove(path_);
  expect_error(
      errc::io, [&] { bloom_filter::map(path_); }, path_.string());
  expect_error(
      errc::io, [&] { bloom_filter::map(directory_.path()); }, "regular file");
}

}  // namespace mapped_test
}  // namespace bloomtime
