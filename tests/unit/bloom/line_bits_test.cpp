#include <gtest/gtest.h>

#include <bloomtime/bloom/detail/line_bulk.hpp>
#include <bloomtime/detail/buffer.hpp>
#include <bloomtime/math/random.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace bloomtime::detail {
namespace line_bits_test {

// The line layout bit by bit, as docs/FORMAT.md tells it, without any of the library's arithmetic.
class model {
 public:
  model(std::uint64_t lines, unsigned k) : lines_(lines), k_(k), bits_(lines * 512) {}

  std::vector<std::uint64_t> positions(digest d) const {
    __extension__ using wide = unsigned __int128;
    const auto line = static_cast<std::uint64_t>((wide{d.hi} * lines_) >> 64);
    const unsigned start = static_cast<unsigned>(d.lo >> 61);
    const wide product = wide{d.lo ^ 0x9e3779b97f4a7c15} * (d.hi | 1);
    const std::uint64_t second =
        static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    std::vector<std::uint64_t> all;
    for (unsigned word = 0; word < 8; ++word) {
      const unsigned distance = (word + 8 - start) % 8;
      const std::uint64_t base = line * 512 + word * 64;
      if (distance < k_) all.push_back(base + (d.lo >> (6 * word)) % 64);
      if (distance + 8 < k_) all.push_back(base + (second >> (6 * word)) % 64);
    }
    return all;
  }

  bool contains(digest d) const {
    for (const std::uint64_t p : positions(d)) {
      if (!bits_[p]) return false;
    }
    return true;
  }

  std::uint64_t insert(digest d) {
    std::uint64_t fresh = 0;
    for (const std::uint64_t p : positions(d)) {
      fresh += !bits_[p];
      bits_[p] = true;
    }
    return fresh;
  }

  buffer bytes() const {
    buffer out(bits_.size() / 8);
    for (std::size_t p = 0; p < bits_.size(); ++p) {
      if (bits_[p]) out.data()[p / 8] |= static_cast<std::byte>(1u << (p % 8));
    }
    return out;
  }

 private:
  std::uint64_t lines_;
  unsigned k_;
  std::vector<bool> bits_;
};

std::vector<digest> random_digests(std::size_t count, std::uint64_t seed) {
  math::random_source random(seed);
  std::vector<digest> digests(count);
  for (digest& d : digests) d = {random(), random()};
  const std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
  for (const digest d : {digest{0, 0}, digest{all, all}, digest{0, all}, digest{all, 0}}) {
    digests.push_back(d);
  }
  return digests;
}

bool equal(const buffer& a, const buffer& b) {
  return std::vector<std::byte>(a.bytes().begin(), a.bytes().end()) ==
         std::vector<std::byte>(b.bytes().begin(), b.bytes().end());
}

class bulk_lines_test : public ::testing::TestWithParam<std::pair<const char*, bool>> {
 protected:
  void SetUp() override {
    if (!vector() || cpu_has_avx2()) return;
    GTEST_SKIP() << "this processor or build has no AVX2: the vector kernels stay untested";
  }
  bool vector() const { return GetParam().second; }
  std::uint64_t insert(buffer& array, line_bits bits, std::span<const digest> items) const {
    return vector() ? insert_lines(array.data(), bits, items, 0)
                    : in_steps::insert_lines(array.data(), bits, items, 0);
  }
  void contains(const buffer& array, line_bits bits, std::span<const digest> items,
                bool* answers) const {
    vector() ? contains_lines(array.data(), bits, items, 0, answers)
             : in_steps::contains_lines(array.data(), bits, items, 0, answers);
  }
};
INSTANTIATE_TEST_SUITE_P(lines, bulk_lines_test,
                         ::testing::Values(std::pair("portable", false), std::pair("avx2", true)),
                         [](const auto& p) { return p.param.first; });

TEST_P(bulk_lines_test, do_what_the_document_says) {
  for (unsigned k = 1; k <= max_line_k; ++k) {
    for (const std::uint64_t lines : {1u, 2u, 7u, 40u}) {
      const line_bits bits{lines, k};
      model expected(lines, k);
      buffer array(lines * line_bytes);
      // About half of the bits end up set, so both answers are common.
      for (const digest d : random_digests(lines * 300 / k, k)) {
        ASSERT_EQ(insert(array, bits, std::span(&d, 1)), expected.insert(d))
            << "k " << k << ", lines " << lines;
      }
      ASSERT_TRUE(equal(array, expected.bytes())) << "k " << k << ", lines " << lines;

      const std::vector<digest> questions = random_digests(2000, k + 100);
      const auto answers = std::make_unique<bool[]>(questions.size());
      contains(array, bits, questions, answers.get());
      std::size_t positive = 0;
      for (std::size_t i = 0; i < questions.size(); ++i) {
        ASSERT_EQ(answers[i], expected.contains(questions[i])) << "k " << k << ", lines " << lines;
        positive += answers[i];
      }
      EXPECT_LT(positive, questions.size());
    }
  }
}

TEST_P(bulk_lines_test, write_to_one_line_only) {
  for (unsigned k = 1; k <= max_line_k; ++k) {
    const line_bits bits{5, k};
    for (const digest d : random_digests(50, k)) {
      buffer array(5 * line_bytes);
      insert(array, bits, std::span(&d, 1));
      for (std::size_t i = 0; i < array.size(); ++i) {
        if (i / line_bytes == bits.line(d)) continue;
        ASSERT_EQ(array.data()[i], std::byte{0}) << "k " << k;
      }
    }
  }
}

// Lists that leave the pipeline empty, half full, just full and going round.
TEST_P(bulk_lines_test, are_those_of_their_items) {
  for (unsigned k = 1; k <= max_line_k; ++k) {
    for (const std::size_t count : {0, 1, 15, 16, 17, 63, 64, 65, 127, 128, 129, 192, 300}) {
      const line_bits bits{41, k};
      std::vector<digest> items = random_digests(300, k + count);
      items.resize(count);
      buffer at_once(bits.lines * line_bytes);
      buffer one_by_one(bits.lines * line_bytes);
      std::uint64_t fresh = 0;
      for (const digest d : items) {
        fresh += portable::line_insert(one_by_one.data() + bits.offset(d), bits, d);
      }
      EXPECT_EQ(insert(at_once, bits, items), fresh);
      EXPECT_TRUE(equal(at_once, one_by_one)) << "k " << k << ", " << count << " items";

      const std::vector<digest> asked = random_digests(count, k + 50);
      const auto answers = std::make_unique<bool[]>(asked.size());
      contains(at_once, bits, asked, answers.get());
      for (std::size_t i = 0; i < asked.size(); ++i) {
        const std::byte* line = at_once.data() + bits.offset(asked[i]);
        ASSERT_EQ(answers[i], portable::line_contains(line, bits, asked[i]))
            << "k " << k << ", item " << i << " of " << asked.size();
      }
    }
  }
}

TEST_P(bulk_lines_test, miss_an_item_if_any_one_of_its_bits_is_missing) {
  for (unsigned k = 1; k <= max_line_k; ++k) {
    const line_bits bits{3, k};
    const model positions(3, k);
    for (const digest d : random_digests(20, k)) {
      buffer full(3 * line_bytes);
      for (std::byte& b : full.bytes()) b = std::byte{0xff};
      bool answer = false;
      contains(full, bits, std::span(&d, 1), &answer);
      ASSERT_TRUE(answer) << "k " << k;
      for (const std::uint64_t p : positions.positions(d)) {
        full.data()[p / 8] ^= static_cast<std::byte>(1u << (p % 8));
        contains(full, bits, std::span(&d, 1), &answer);
        ASSERT_FALSE(answer) << "k " << k << ", bit " << p;
        full.data()[p / 8] ^= static_cast<std::byte>(1u << (p % 8));
      }
    }
  }
}

TEST(line_bits, start_where_their_line_does) {
  for (const std::uint64_t lines : {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{1000},
                                    (std::uint64_t{1} << 34) - 1, std::uint64_t{1} << 34}) {
    for (const digest d : random_digests(1000, lines)) {
      __extension__ using wide = unsigned __int128;
      const auto line = static_cast<std::uint64_t>((wide{d.hi} * lines) >> 64);
      ASSERT_EQ((line_bits{lines, 1}.line(d)), line);
      ASSERT_EQ((line_bits{lines, 1}.offset(d)), line * line_bytes);
    }
  }
}

// -- single calls ------------------------------------------------------------------------------

// They are inlined with whatever their caller is compiled for. Here both kinds are, whatever this
// file is compiled for.
struct single_calls {
  unsigned (*insert)(std::byte* line, line_bits bits, digest d);
  bool (*contains)(const std::byte* line, line_bits bits, digest d);
  unsigned (*insert_round)(std::byte* line, const line_round& round, digest d);
  bool (*contains_round)(const std::byte* line, const line_round& round, digest d);
};

namespace plain {
unsigned insert(std::byte* p, line_bits b, digest d) { return portable::line_insert(p, b, d); }
bool contains(const std::byte* p, line_bits b, digest d) {
  return portable::line_contains(p, b, d);
}
unsigned insert(std::byte* p, const line_round& r, digest d) {
  return portable::line_insert(p, r, d);
}
bool contains(const std::byte* p, const line_round& r, digest d) {
  return portable::line_contains(p, r, d);
}
constexpr single_calls calls{insert, contains, insert, contains};
}  // namespace plain

#if BLOOMTIME_X86
namespace wide {
BLOOMTIME_AVX2 unsigned insert(std::byte* p, line_bits b, digest d) {
  return avx2::line_insert(p, b, d);
}
BLOOMTIME_AVX2 bool contains(const std::byte* p, line_bits b, digest d) {
  return avx2::line_contains(p, b, d);
}
BLOOMTIME_AVX2 unsigned insert(std::byte* p, const line_round& r, digest d) {
  return avx2::line_insert(p, r, d);
}
BLOOMTIME_AVX2 bool contains(const std::byte* p, const line_round& r, digest d) {
  return avx2::line_contains(p, r, d);
}
constexpr single_calls calls{insert, contains, insert, contains};
}  // namespace wide
#elif BLOOMTIME_NEON
namespace wide {
unsigned insert(std::byte* p, line_bits b, digest d) { return neon::line_insert(p, b, d); }
bool contains(const std::byte* p, line_bits b, digest d) { return neon::line_contains(p, b, d); }
unsigned insert(std::byte* p, const line_round& r, digest d) { return neon::line_insert(p, r, d); }
bool contains(const std::byte* p, const line_round& r, digest d) {
  return neon::line_contains(p, r, d);
}
constexpr single_calls calls{insert, contains, insert, contains};
}  // namespace wide
#endif

void expect_as_documented(const single_calls& calls, unsigned k) {
  const line_bits bits{1, k};
  const line_round* const round = one_round(layout::line, k);
  ASSERT_EQ(round != nullptr, k <= line_words);
  model expected(1, k);
  buffer by_bits(line_bytes);
  buffer by_round(line_bytes);
  for (const digest d : random_digests(300 / k, k)) {
    const std::uint64_t fresh = expected.insert(d);
    EXPECT_EQ(calls.insert(by_bits.data(), bits, d), fresh) << "k " << k;
    if (round == nullptr) continue;
    EXPECT_EQ(calls.insert_round(by_round.data(), *round, d), fresh) << "k " << k;
  }
  EXPECT_TRUE(equal(by_bits, expected.bytes())) << "k " << k;
  EXPECT_TRUE(round == nullptr || equal(by_round, expected.bytes())) << "k " << k;
  for (const digest d : random_digests(1000, k + 100)) {
    EXPECT_EQ(calls.contains(by_bits.data(), bits, d), expected.contains(d)) << "k " << k;
    if (round == nullptr) continue;
    EXPECT_EQ(calls.contains_round(by_round.data(), *round, d), expected.contains(d)) << "k " << k;
  }
}

TEST(line_bits, one_by_one_do_what_the_document_says) {
  for (unsigned k = 1; k <= max_line_k; ++k) expect_as_documented(plain::calls, k);
}

TEST(line_bits, one_by_one_by_vectors_do_what_the_document_says) {
#if BLOOMTIME_X86 || BLOOMTIME_NEON
  if (BLOOMTIME_X86 && !cpu_has_avx2()) GTEST_SKIP() << "this processor has no AVX2";
  for (unsigned k = 1; k <= max_line_k; ++k) expect_as_documented(wide::calls, k);
#else
  GTEST_SKIP() << "this build has no vector code";
#endif
}

TEST(line_bits, of_a_flat_filter_have_no_round) { EXPECT_EQ(one_round(layout::flat, 5), nullptr); }

TEST(line_bits, give_every_word_one_bit_per_round) {
  for (unsigned k = 1; k <= max_line_k; ++k) {
    const line_bits bits{1, k};
    EXPECT_EQ(bits.first_round() + bits.second_round(), k);
    for (const digest d : random_digests(50, k)) {
      std::vector<unsigned> first;
      for_each_line_bit(bits.first_hash(d), bits.start(d), bits.first_round(),
                        [&](unsigned word, std::uint64_t) { first.push_back(word); });
      EXPECT_EQ(std::set<unsigned>(first.begin(), first.end()).size(), std::min(k, 8u));
    }
  }
}

}  // namespace line_bits_test
}  // namespace bloomtime::detail
