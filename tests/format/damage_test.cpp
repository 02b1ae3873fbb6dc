#include <gtest/gtest.h>

#include <bloomtime/any.hpp>
#include <bloomtime/bloom/bloom_filter.hpp>
#include <bloomtime/math/random.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "support/allocations.hpp"
#include "support/bloom_container.hpp"
#include "support/container_bytes.hpp"
#include "support/expect_error.hpp"
#include "support/files.hpp"

namespace bloomtime {
namespace damage_test {

using support::expect_error;
using bytes_type = std::vector<std::byte>;

bytes_type filled(const support::bloom_shape& shape, int items) {
  bloom_filter f = bloom_filter::load(support::empty_bloom(shape));
  for (int i = 0; i < items; ++i) f.add(i);
  return f.serialize();
}

struct small_file {
  const char* name;
  support::bloom_shape shape;
  int items;
};

class damage : public ::testing::TestWithParam<small_file> {
 protected:
  bytes_type sound() const { return filled(GetParam().shape, GetParam().items); }
};
INSTANTIATE_TEST_SUITE_P(of, damage,
                         ::testing::Values(small_file{"flat", {layout::flat, 128, 4, 7, 20}, 15},
                                           small_file{"line", {layout::line, 1024, 9, 7, 40}, 30}),
                         [](const auto& p) { return p.param.name; });

// Whatever the file says, asking must neither crash nor look outside it; the address sanitizer and,
// for a file of whole pages, the end of the mapping would tell.
void ask(const bloom_filter& f) {
  for (int i = 0; i < 50; ++i) {
    (void)f.may_contain(i);
    (void)f.posterior(i, prior::share(0.01));
    (void)f.decide(i, prior::membership(0.5), {.false_positive = 1, .false_negative = 1});
  }
  const std::vector<std::string> texts(20, "text");
  bool answers[20];
  f.may_contain_bulk(texts, answers);
  (void)describe(any_filter(f));
}

TEST_P(damage, by_any_cut_is_refused_before_anything_is_allocated) {
  const support::temporary_directory directory;
  const bytes_type whole = sound();
  support::allocations watch;
  for (std::size_t kept = 0; kept < whole.size(); ++kept) {
    const bytes_type cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(kept));
    expect_error(errc::truncated, [&] { (void)bloom_filter::load(cut); });
    support::write_file(directory / "f", cut);
    expect_error(errc::truncated, [&] { (void)bloom_filter::map(directory / "f"); });
  }
  EXPECT_EQ(watch.asked(), 0u);
}

TEST_P(damage, of_any_bit_is_refused_before_anything_is_allocated) {
  const bytes_type whole = sound();
  support::allocations watch;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      bytes_type flipped = whole;
      flipped[at] ^= static_cast<std::byte>(1u << bit);
      EXPECT_THROW((void)load_any(flipped), error) << "byte " << at << ", bit " << bit;
    }
  }
  EXPECT_EQ(watch.asked(), 0u);
}

TEST_P(damage, of_any_bit_is_refused_or_harmless_when_mapped) {
  const support::temporary_directory directory;
  const bytes_type whole = sound();
  const std::size_t head = support::head_length(whole);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      bytes_type flipped = whole;
      flipped[at] ^= static_cast<std::byte>(1u << bit);
      support::write_file(directory / "f", flipped);
      if (at < head) {
        EXPECT_THROW((void)bloom_filter::map(directory / "f"), error) << at << ", bit " << bit;
        continue;
      }
      const auto mapped = bloom_filter::map(directory / "f");
      expect_error(errc::corrupt, [&] { mapped.verify(); });
      if (bit == 0) ask(*mapped);
    }
  }
}

// With a head that claims the most and the least it may about bodies that were never checked.
TEST_P(damage, of_the_whole_body_is_harmless_when_mapped) {
  const support::temporary_directory directory;
  math::random_source random(1);
  for (int round = 0; round < 50; ++round) {
    bytes_type c = sound();
    const std::size_t head = support::head_length(c);
    for (std::size_t at = head; at < c.size(); ++at) {
      c[at] = static_cast<std::byte>(round == 0 ? 0xff : round == 1 ? 0 : random());
    }
    if (round % 3 != 0) {
      const bool most = round % 3 == 1;
      support::put<std::uint64_t>(c, support::parameter(3), most ? ~std::uint64_t{0} : 0);
      support::put<std::uint64_t>(c, support::parameter(4), most ? GetParam().shape.bits : 0);
      support::seal_head(c);
    }
    support::write_file(directory / "f", c);
    const auto mapped = bloom_filter::map(directory / "f");
    ask(*mapped);
    expect_error(errc::corrupt, [&] { mapped.verify(); });
  }
}

// 192 bytes of head, 3840 of bits and 64 of padding are a page: a read past it meets nothing.
TEST(damage_of_a_page, stays_inside_the_page) {
  const support::temporary_directory directory;
  for (const layout kind : {layout::flat, layout::line}) {
    bytes_type c = filled({kind, 3840 * 8, 8, 0, 3000}, 3000);
    ASSERT_EQ(c.size(), 4096u);
    std::fill(c.begin() + 192, c.end(), std::byte{0xff});
    support::write_file(directory / "f", c);
    const auto mapped = bloom_filter::map(directory / "f");
    for (int i = 0; i < 20'000; ++i) ASSERT_TRUE(mapped->may_contain(i));
    const digest last{~std::uint64_t{0}, ~std::uint64_t{0}};
    EXPECT_TRUE(mapped->may_contain(last));
  }
}

}  // namespace damage_test
}  // namespace bloomtime
