#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bloomtime/digest.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <sys/mman.h>

namespace bloomtime {
namespace digest_test {

// -- bytes -------------------------------------------------------------------------------------

// The input of xxHash's own sanity check, and what its reference implementation makes of it
// (libxxhash 0.8.1, XXH3_128bits_withSeed, called from C).
std::vector<std::byte> sanity_bytes(std::size_t length) {
  std::vector<std::byte> bytes(length);
  std::uint64_t state = 2654435761U;
  for (std::byte& b : bytes) {
    b = static_cast<std::byte>(state >> 56);
    state *= 11400714785074694797U;
  }
  return bytes;
}

TEST(digest, of_bytes_is_xxh3_128) {
  struct known {
    std::size_t length;
    std::uint64_t seed;
    digest expected;
  };
  // Every path of XXH3: 0, 1-3, 4-8, 9-16, 17-128, 129-240 and more bytes, one and more stripes.
  const std::array table{
      known{0, 0, {0x6001c324468d497f, 0x99aa06d3014798d8}},
      known{0, 0x9e3779b1, {0x5444f7869c671ab0, 0x92220ae55e14ab50}},
      known{1, 0, {0xc44bdff4074eecdb, 0xa6cd5e9392000f6a}},
      known{1, 0x9e3779b1, {0xb53d5557e7f76f8d, 0x89b99554ba22467c}},
      known{6, 0, {0x3e7039bdda43cfc6, 0x082afe0b8162d12a}},
      known{6, 0x9e3779b1, {0x269d8f70be98856e, 0x5a865b5389abd2b1}},
      known{12, 0, {0x061a192713f69ad9, 0x6e3efd8fc7802b18}},
      known{12, 0x9e3779b1, {0x9be9f9a67f3c7dfb, 0xd7e09d518a3405d3}},
      known{48, 0, {0xf942219aed80f67b, 0xa002ac4e5478227e}},
      known{48, 0x9e3779b1, {0x7ba3c3e453a1934e, 0x163adde36c072295}},
      known{222, 0, {0xf1aebd597cec6b3a, 0x337e09641b948717}},
      known{222, 0x9e3779b1, {0xae995bb8af917a8d, 0x91820016621e97f1}},
      known{512, 0, {0x617e49599013cb6b, 0x18d2d110dcc9bca1}},
      known{512, 0x9e3779b1, {0x545f610e9f5a78ec, 0x06eeb0d56508040f}},
      known{2367, 0, {0xcb37aeb9e5d361ed, 0xe89c0f6ff369b427}},
      known{2367, 0x9e3779b1, {0x6f5360ae69c2f406, 0xd23aae4b76c31ecb}},
  };
  for (const known& k : table) {
    const hash_seed seed{k.seed, hash_id::xxh3_128};
    EXPECT_EQ(digest_of(std::span<const std::byte>(sanity_bytes(k.length)), seed), k.expected)
        << k.length << " bytes, seed " << k.seed;
  }
}

// Every length from 0 to 80 with four seeds and both hashes.
TEST(digest, of_bytes_never_changes) {
  std::ifstream table(std::filesystem::path(BLOOMTIME_TESTS_DIR) / "unit" / "golden_digests.txt");
  unsigned checked = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream in(line);
    unsigned id = 0;
    std::uint64_t seed = 0;
    std::size_t length = 0;
    digest expected;
    in >> id >> std::hex >> seed >> std::dec >> length >> std::hex >> expected.lo >> expected.hi;
    ASSERT_TRUE(in) << line;
    const hash_seed hashed{seed, static_cast<hash_id>(id)};
    EXPECT_EQ(digest_of(std::span<const std::byte>(sanity_bytes(length)), hashed), expected)
        << line;
    ++checked;
  }
  EXPECT_EQ(checked, 2u * 4 * 81);
}

// -- seeds -------------------------------------------------------------------------------------

TEST(hash_seed, of_an_integer_is_of_the_newest_hash) {
  const hash_seed seed = 7;
  EXPECT_EQ(seed.value(), 7u);
  EXPECT_EQ(seed.id(), hash_id::short_128);
  EXPECT_EQ(seed, (hash_seed{7, newest_hash}));
  EXPECT_NE(seed, hash_seed(8));
  EXPECT_NE(seed, (hash_seed{7, hash_id::xxh3_128}));
  EXPECT_EQ(to_string(seed), "7, hash 2");
}

RC_GTEST_PROP(hash_seed, of_either_hash_gives_integers_the_same_digest,
              (std::uint64_t value, std::uint64_t seed)) {
  RC_ASSERT(digest_of(value, {seed, hash_id::xxh3_128}) ==
            digest_of(value, {seed, hash_id::short_128}));
}

TEST(hash_seed, hashes_differ_up_to_64_bytes) {
  for (std::size_t length = 0; length <= 80; ++length) {
    const std::string text(length, 'x');
    const bool same = digest_of(text, {1, hash_id::xxh3_128}) == digest_of(text, 1);
    EXPECT_EQ(same, length > 64) << length;
  }
}

// -- the short hash ----------------------------------------------------------------------------

// Half a digest never repeats among strings that share their words: each length of one byte
// repeated, and each text with a zero byte behind it.
TEST(short_hash, tells_lengths_apart) {
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 63}) {
    for (const char byte : {'\0', 'a', '\xff'}) {
      std::map<std::uint64_t, std::size_t> lo;
      std::map<std::uint64_t, std::size_t> hi;
      for (std::size_t length = 0; length <= 80; ++length) {
        const digest d = digest_of(std::string(length, byte), seed);
        EXPECT_TRUE(lo.emplace(d.lo, length).second) << length << " and " << lo[d.lo];
        EXPECT_TRUE(hi.emplace(d.hi, length).second) << length << " and " << hi[d.hi];
      }
    }
  }
}

// Words that two seeds' keys would make equal by an exchange do not collide with a third seed: the
// difference of two keys is not the same for all seeds.
RC_GTEST_PROP(short_hash, has_no_exchange_of_words_that_collides_with_every_seed,
              (std::uint64_t a, std::uint64_t b, std::uint64_t seed)) {
  const detail::short_keys keys = detail::keys_of(seed);
  const std::uint64_t distance = keys.of_word[1] - keys.of_word[0];
  const auto text = [](std::uint64_t first, std::uint64_t second) {
    std::array<std::byte, 16> bytes;
    detail::store_le64(bytes.data(), first);
    detail::store_le64(bytes.data() + 8, second);
    return bytes;
  };
  RC_PRE(b + distance != a);
  const auto one = text(a, b);
  const auto exchanged = text(b + distance, a - distance);
  RC_ASSERT(digest_of(std::span<const std::byte>(one), seed) ==
            digest_of(std::span<const std::byte>(exchanged), seed));
  RC_ASSERT(digest_of(std::span<const std::byte>(one), seed + 1) !=
            digest_of(std::span<const std::byte>(exchanged), seed + 1));
}

// If a key were another one shifted, bits of one word could replace bits of the other.
TEST(short_hash, has_no_key_that_is_another_one_shifted) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const detail::short_keys keys = detail::keys_of(seed << 54 | seed);
    for (const std::uint64_t& a : keys.of_word) {
      for (const std::uint64_t& b : keys.of_word) {
        for (unsigned shift = 0; &a != &b && shift <= static_cast<unsigned>(std::countl_zero(a));
             ++shift) {
          ASSERT_NE(a << shift, b) << seed;
        }
      }
    }
  }
}

// An item is read within its bytes: the digest does not depend on what is around it.
RC_GTEST_PROP(short_hash, depends_on_the_bytes_of_the_item_alone, (std::string text)) {
  text.resize(std::min<std::size_t>(text.size(), 70));
  const std::string padded = "<" + text + ">";
  RC_ASSERT(digest_of(text) == digest_of(std::string_view(padded).substr(1, text.size())));
}

TEST(digest, of_text_is_that_of_its_bytes) {
  EXPECT_EQ(digest_of("/index.html", {0, hash_id::xxh3_128}),
            (digest{0x89089fa2c3ad785b, 0x1df1259b2dc3ad5b}));
  EXPECT_EQ(digest_of("/index.html", {42, hash_id::xxh3_128}),
            (digest{0xbc61e002dce76a47, 0x771f7186109a4f1c}));
  const std::string owned = "/index.html";
  EXPECT_EQ(digest_of(owned), digest_of(std::as_bytes(std::span(owned))));
}

TEST(digest, of_the_empty_item_is_a_digest_like_any_other) {
  for (const hash_id id : {hash_id::xxh3_128, hash_id::short_128}) {
    const hash_seed seed{0, id};
    const digest empty = digest_of("", seed);
    EXPECT_EQ(digest_of(std::string_view(), seed), empty);  // a null pointer and no bytes
    EXPECT_EQ(digest_of(std::span<const std::byte>(), seed), empty);
    EXPECT_NE(digest_of("", {1, id}), empty);
  }
}

TEST(digest, sees_zero_bytes) {
  const std::string one(1, '\0');
  const std::string two(2, '\0');
  for (const hash_seed& seed : {hash_seed(0, hash_id::xxh3_128), hash_seed(0)}) {
    EXPECT_NE(digest_of(one, seed), digest_of("", seed));
    EXPECT_NE(digest_of(one, seed), digest_of(two, seed));
    EXPECT_NE(digest_of(std::string_view("a\0b", 3), seed), digest_of("a", seed));
    EXPECT_NE(digest_of(std::string_view("abc\0", 4), seed), digest_of("abc", seed));
  }
}

RC_GTEST_PROP(digest, of_bytes_depends_on_the_seed, (const std::string& text, std::uint64_t seed)) {
  for (const hash_id id : {hash_id::xxh3_128, hash_id::short_128}) {
    const digest d = digest_of(text, {seed, id});
    const digest other = digest_of(text, {seed + 1, id});
    RC_ASSERT(digest_of(text, {seed, id}) == d);
    RC_ASSERT(d.lo != other.lo);
    RC_ASSERT(d.hi != other.hi);
  }
}

// One byte more than a signed 32-bit length can say. The pages are never written but for the last,
// so this takes address space, not memory.
TEST(digest, of_an_item_of_two_gibibytes) {
  const std::size_t size = (std::size_t{1} << 31) + 1;
  void* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) GTEST_SKIP() << "there is no address space for 2 GiB";
  auto* const bytes = static_cast<std::byte*>(memory);
  bytes[size - 1] = std::byte{1};
  EXPECT_EQ(digest_of(std::span<const std::byte>(bytes, size)),
            (digest{0xf58b29d152831144, 0x1cfa232be3d45ed1}));
  ::munmap(memory, size);
}

// -- integers ----------------------------------------------------------------------------------

// Made by a few lines of Python with unbounded integers, from the text in docs/FORMAT.md. With seed
// s, the lo of 0 is output number s + 1 of splitmix64 started at 0, which is published.
static_assert(digest_of(0) == digest{0xe220a8397b1dcdaf, 0xb20d2e52b87f9c6c});
static_assert(digest_of(0, 1) == digest{0x6e789e6aa1b965f4, 0x312d7a873176b9a7});
static_assert(digest_of(1) == digest{0x910a2dec89025cc1, 0x92cb37fbf2ca0bc1});
static_assert(digest_of(2) == digest{0x975835de1c9756ce, 0x08c16ebd1212c6cd});
static_assert(digest_of(-1) == digest{0xe4d971771b652c20, 0xae24667e0804eb23});
static_assert(digest_of(std::numeric_limits<std::int64_t>::min()) ==
              digest{0x481ec0a212a9f3db, 0x4f364c5b90af2ea5});
static_assert(digest_of(42) == digest{0xbdd732262feb6e95, 0x95d028675970ccac});
static_assert(digest_of(42, 1) == digest{0x28efe333b266f103, 0x30b9c550e0fc5df4});
static_assert(digest_of(42, 42) == digest{0x45e78cf4fe332d8c, 0xa97a4e911f546b35});
static_assert(digest_of(std::numeric_limits<std::uint64_t>::max(),
                        std::numeric_limits<std::uint64_t>::max()) ==
              digest{0xb4d055fcf2cbbd7b, 0x595ab5a34213eb23});

// A truth value or a character is more likely a mistake than an item.
static_assert(!integer_item<bool> && !integer_item<char> && !integer_item<double>);
static_assert(integer_item<signed char> && integer_item<std::uint64_t>);

RC_GTEST_PROP(digest, of_integers_depends_on_the_value_alone, (std::int8_t value)) {
  const digest expected = digest_of(static_cast<std::int64_t>(value));
  RC_ASSERT(digest_of(value) == expected);
  RC_ASSERT(digest_of(static_cast<std::int16_t>(value)) == expected);
  RC_ASSERT(digest_of(static_cast<std::int32_t>(value)) == expected);
  RC_ASSERT(digest_of(static_cast<std::uint64_t>(static_cast<std::int64_t>(value))) == expected);
  const auto byte = static_cast<std::uint8_t>(value);
  RC_ASSERT(digest_of(byte) == digest_of(static_cast<std::uint64_t>(byte)));
  RC_ASSERT((digest_of(byte) == expected) == (value >= 0));  // 255 is not -1
}

TEST(digest, of_an_integer_is_not_that_of_its_text_or_bytes) {
  const std::uint64_t value = 42;
  EXPECT_NE(digest_of(value), digest_of("42"));
  EXPECT_NE(digest_of(value), digest_of(std::as_bytes(std::span(&value, 1))));
}

constexpr std::uint64_t inverse(std::uint64_t odd) {  // modulo 2^64, by Newton's iteration
  std::uint64_t x = odd;
  for (int i = 0; i < 6; ++i) x *= 2 - odd * x;
  return x;
}

constexpr std::uint64_t unshift(std::uint64_t y, unsigned s) {  // solves y = x ^ (x >> s)
  std::uint64_t x = y;
  for (unsigned known = s; known < 64; known += s) x = y ^ (x >> s);
  return x;
}

constexpr std::uint64_t unmix(std::uint64_t x) {
  x = unshift(x, 31) * inverse(0x94d049bb133111eb);
  x = unshift(x, 27) * inverse(0xbf58476d1ce4e5b9);
  return unshift(x, 30);
}

// No two integers share even half a digest, because either can be turned back into the integer.
RC_GTEST_PROP(digest, halves_of_an_integer_can_be_undone,
              (std::uint64_t value, std::uint64_t seed)) {
  const digest d = digest_of(value, seed);
  RC_ASSERT(unmix(d.lo) - (seed + 1) * 0x9e3779b97f4a7c15 == value);
  RC_ASSERT(unshift(d.hi, 32) * inverse(0xe7037ed1a0b428db) * 0x94d049bb133111eb ==
            unshift(d.lo, 31));
}

RC_GTEST_PROP(digest, of_integers_depends_on_the_seed, (std::uint64_t value, std::uint64_t seed)) {
  RC_ASSERT(digest_of(value, seed).lo != digest_of(value, seed + 1).lo);
  RC_ASSERT(digest_of(value, seed).hi != digest_of(value, seed + 1).hi);
}

// -- pairs -------------------------------------------------------------------------------------

static_assert(derive(digest_of(42), 0) == digest{0xb63e0fdc97f6ff76, 0x3b7403f188899bbd});
static_assert(derive(digest_of(42), 1) == digest{0xe885a5d6b856466c, 0xbeaca8757663603c});
static_assert(derive(digest_of(42), 5) == digest{0xb30ee9e047011297, 0x3a70fed83285e8b5});
static_assert(derive(digest_of(42), ~std::uint64_t{0}) ==
              digest{0x093dc8518f714454, 0xf5591ea3d54e20ff});
static_assert(derive(digest{1, 2}, 3) == digest{0x8c016849d9b368a3, 0xd955cd6df33bcd88});

RC_GTEST_PROP(digest, of_a_pair_differs_from_its_parts_and_their_exchange,
              (std::uint64_t item, std::uint64_t other)) {
  RC_PRE(item != other);
  const digest pair = derive(digest_of(item), other);
  RC_ASSERT(pair != digest_of(item));
  RC_ASSERT(pair != digest_of(other));
  RC_ASSERT(pair != derive(digest_of(other), item));
  RC_ASSERT(pair != derive(digest_of(item), item));
}

TEST(digest, derived_twice_depends_on_the_order) {
  const digest d = digest_of("x");
  EXPECT_NE(derive(derive(d, 1), 2), derive(derive(d, 2), 1));
}

// -- the parts ---------------------------------------------------------------------------------

RC_GTEST_PROP(digest, multiply_gives_both_halves_of_the_product,
              (std::uint64_t a, std::uint64_t b)) {
  // Schoolbook, in 32-bit digits.
  const std::uint64_t a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
  const std::uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
  const std::uint64_t cross = a0 * b1 + (middle & 0xffffffff);
  const detail::product p = detail::multiply(a, b);
  RC_ASSERT(p.low == a * b);
  RC_ASSERT(p.high == a1 * b1 + (middle >> 32) + (cross >> 32));
  RC_ASSERT(detail::fold(a, b) == (p.low ^ p.high));
}

}  // namespace digest_test
}  // namespace bloomtime
