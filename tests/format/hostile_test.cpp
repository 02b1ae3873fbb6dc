#include <gtest/gtest.h>

#include <bloomtime/any.hpp>
#include <bloomtime/bloom/bloom_filter.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "support/allocations.hpp"
#include "support/bloom_container.hpp"
#include "support/container_bytes.hpp"
#include "support/expect_error.hpp"
#include "support/files.hpp"

// Files made to deceive: every checksum is right, and one thing is a lie.
namespace bloomtime {
namespace hostile_test {

using support::expect_error;
using support::parameter;
using support::put;
namespace field = support::field;
using bytes_type = std::vector<std::byte>;

enum parameters : std::size_t { bits, k, capacity, insertions, ones };
constexpr std::uint64_t most = ~std::uint64_t{0};

class hostile : public ::testing::TestWithParam<layout> {
 protected:
  bytes_type sound() const {
    const support::bloom_shape shape{GetParam(), 1024, 5, 3, 50};
    bloom_filter f = bloom_filter::load(support::empty_bloom(shape));
    for (int i = 0; i < 40; ++i) f.add(i);
    return f.serialize();
  }

  template <class T>
  bytes_type with(std::size_t at, T value) const {
    bytes_type c = sound();
    put<T>(c, at, value);
    support::seal(c);
    return c;
  }
  bytes_type lying(parameters p, std::uint64_t value) const {
    return with<std::uint64_t>(parameter(p), value);
  }

  std::uint64_t stored(parameters p) const {
    return support::get<std::uint64_t>(sound(), parameter(p));
  }
};
INSTANTIATE_TEST_SUITE_P(layouts, hostile, ::testing::Values(layout::flat, layout::line),
                         [](const auto& p) { return std::string(name_of(p.param)); });

// By memory, by file and by map alike, and nothing is allocated before all is checked.
void expect_refused(errc code, const bytes_type& c, std::string_view mention = "") {
  const support::temporary_directory directory;
  support::write_file(directory / "f", c);
  support::allocations watch;
  expect_error(
      code, [&] { (void)bloom_filter::load(c); }, mention);
  expect_error(
      code, [&] { (void)bloom_filter::load(directory / "f"); }, mention);
  expect_error(
      code, [&] { (void)bloom_filter::map(directory / "f"); }, mention);
  expect_error(code, [&] { (void)load_any(c); });
  EXPECT_EQ(watch.asked(), 0u);
}

TEST_P(hostile, nothing_loads) {
  EXPECT_TRUE(bloom_filter::load(sound()).serialize() == sound());
  bytes_type sealed = sound();
  support::seal(sealed);
  EXPECT_TRUE(sealed == sound());
}

TEST_P(hostile, kinds_are_unknown) {
  for (const int id : {0, 6, 7, 255}) {
    expect_refused(errc::unknown_kind, with(field::family, static_cast<std::uint8_t>(id)));
  }
  for (const int id : {0, 2, 255}) {
    expect_refused(errc::unknown_kind, with(field::engine, static_cast<std::uint8_t>(id)));
  }
  for (const int id : {0, 2, 4, 255}) {
    expect_refused(errc::unknown_kind, with(field::layout, static_cast<std::uint8_t>(id)));
    if (id != 2)
      expect_refused(errc::unknown_kind, with(field::hash, static_cast<std::uint8_t>(id)));
  }
  expect_refused(errc::newer_version, with<std::uint16_t>(field::version, 2), "version 2");
}

TEST_P(hostile, bits) {
  for (const std::uint64_t lie :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{8}, std::uint64_t{512},
        std::uint64_t{1023}, std::uint64_t{1025}, std::uint64_t{1024 + 64}, std::uint64_t{1536},
        std::uint64_t{1} << 43, (std::uint64_t{1} << 43) + 512, std::uint64_t{1} << 63, most,
        most - 511}) {
    expect_refused(errc::corrupt, lying(bits, lie));
  }
}

// The directory tells the same lie as the parameters, so only the size of the file is against it.
TEST_P(hostile, bits_and_the_length_of_their_section) {
  const std::size_t length_at = field::directory + field::entry_length;
  for (const std::uint64_t bytes :
       {std::uint64_t{192}, std::uint64_t{1} << 20, std::uint64_t{1} << 40, most / 512 * 64}) {
    bytes_type c = sound();
    put<std::uint64_t>(c, parameter(bits), bytes * 8);
    put<std::uint64_t>(c, length_at, bytes);
    support::seal(c);
    expect_refused(errc::corrupt, c);
  }
}

TEST_P(hostile, k_) {
  const std::uint64_t too_many = GetParam() == layout::line ? 17 : 65;
  // The last is 5 to whoever keeps only 32 bits of it.
  for (const std::uint64_t lie : {std::uint64_t{0}, too_many, most, (std::uint64_t{1} << 32) + 5}) {
    expect_refused(errc::corrupt, lying(k, lie));
  }
}

TEST_P(hostile, insertions_) {
  const std::uint64_t fewest = (stored(ones) + 4) / 5;  // each sets at most k = 5 bits
  EXPECT_EQ(bloom_filter::load(lying(insertions, fewest)).insertions(), fewest);
  expect_refused(errc::corrupt, lying(insertions, fewest - 1));
  expect_refused(errc::corrupt, lying(insertions, 0));
}

TEST_P(hostile, ones_beyond_reason) {
  expect_refused(errc::corrupt, lying(ones, 1025));
  expect_refused(errc::corrupt, lying(ones, most));
  expect_refused(errc::corrupt, lying(ones, 40 * 5 + 1));
}

// Only counting can tell. A map does not count when it opens, and does on verify.
TEST_P(hostile, ones_off_by_one) {
  const support::temporary_directory directory;
  for (const std::uint64_t lie : {stored(ones) - 1, stored(ones) + 1, std::uint64_t{0}}) {
    const bytes_type c = lying(ones, lie);
    support::write_file(directory / "f", c);
    support::allocations watch;
    expect_error(
        errc::corrupt, [&] { (void)bloom_filter::load(c); }, "bits are set");
    EXPECT_EQ(watch.asked(), 0u);
    const auto mapped = bloom_filter::map(directory / "f");
    EXPECT_TRUE(mapped->may_contain(1));
    expect_error(errc::corrupt, [&] { mapped.verify(); });
  }
}

// Nothing contradicts these, so they are taken, and nothing may break on them.
TEST_P(hostile, numbers_at_their_limits_do_no_harm) {
  for (const std::uint64_t claimed : {std::uint64_t{0}, most}) {
    const bloom_filter f = bloom_filter::load(lying(capacity, claimed));
    EXPECT_EQ(f.capacity(), claimed);
    (void)describe(any_filter(f));
  }
  bloom_filter f = bloom_filter::load(lying(insertions, most));
  f.merge(f);
  EXPECT_EQ(f.insertions(), most);
  f.add(1000);
  f.add_bulk(std::vector<int>(100, 7));
  EXPECT_EQ(f.insertions(), most);
  EXPECT_TRUE(bloom_filter::load(f.serialize()).serialize() == f.serialize());
  (void)describe(any_filter(f));
}

TEST_P(hostile, a_full_filter_says_maybe_to_all) {
  bytes_type c = sound();
  const std::size_t head = support::head_length(c);
  std::fill_n(c.begin() + static_cast<std::ptrdiff_t>(head), 128, std::byte{0xff});
  put<std::uint64_t>(c, parameter(ones), 1024);
  put<std::uint64_t>(c, parameter(insertions), 1024);
  support::seal(c);
  bloom_filter f = bloom_filter::load(c);
  EXPECT_EQ(f.current_error(), 1);
  EXPECT_EQ(f.fill(), 1);
  EXPECT_TRUE(f.may_contain("anything"));
  EXPECT_FALSE(f.add("anything"));
  EXPECT_DOUBLE_EQ(f.posterior("anything", prior::membership(0.25)), 0.25);
  (void)describe(any_filter(f));
}

TEST_P(hostile, sections) {
  const auto writer = [&](const std::vector<std::uint64_t>& values) {
    detail::container_writer out({.family = family::bloom,
                                  .engine = 1,
                                  .layout = static_cast<std::uint8_t>(GetParam()),
                                  .seed = 0,
                                  .clock = {}});
    for (const std::uint64_t v : values) out.parameters().u64(v);
    return out;
  };
  const bytes_type body(128);
  const std::vector<std::uint64_t> fine{1024, 5, 0, 0, 0};

  detail::container_writer good = writer(fine);
  good.section(1, body);
  EXPECT_NO_THROW(bloom_filter::load(good.bytes()));

  expect_refused(errc::corrupt, writer(fine).bytes());  // none
  detail::container_writer wrong_id = writer(fine);
  wrong_id.section(2, body);
  expect_refused(errc::corrupt, wrong_id.bytes(), "section 1");
  detail::container_writer two = writer(fine);
  two.section(1, body);
  two.section(2, body);
  expect_refused(errc::corrupt, two.bytes(), "1 sections and has 2");
  detail::container_writer longer = writer(fine);
  const bytes_type more(136);
  longer.section(1, more);
  expect_refused(errc::corrupt, longer.bytes(), "136");

  detail::container_writer few = writer({1024, 5, 0, 0});
  few.section(1, body);
  expect_refused(errc::truncated, few.bytes());
  detail::container_writer many = writer({1024, 5, 0, 0, 0, 0});
  many.section(1, body);
  expect_refused(errc::corrupt, many.bytes(), "8 more");
}

TEST_P(hostile, a_clock_where_none_belongs) {
  bytes_type c = sound();
  put<std::uint8_t>(c, field::flags, 1);
  put<std::uint64_t>(c, field::resolution, 1);
  support::seal(c);
  expect_refused(errc::corrupt, c);
}

}  // namespace hostile_test
}  // namespace bloomtime
