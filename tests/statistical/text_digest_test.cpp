#include <gtest/gtest.h>

#include <bloomtime/digest.hpp>
#include <bloomtime/math/random.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/digest_quality.hpp"

// Both hashes of byte strings, by the same tests.
namespace bloomtime {
namespace text_digest_test {

using support::expect_even;

constexpr std::uint64_t many = support::many_digests;
constexpr std::array<std::uint64_t, 3> seeds{0, 1, std::uint64_t{1} << 63};

class text_digest : public ::testing::TestWithParam<hash_id> {
 protected:
  static digest of(const std::string& text, std::uint64_t seed = 0) {
    return digest_of(text, {seed, GetParam()});
  }
};
INSTANTIATE_TEST_SUITE_P(hashes, text_digest,
                         ::testing::Values(hash_id::xxh3_128, hash_id::short_128),
                         [](const auto& p) {
                           return p.param == hash_id::xxh3_128 ? "xxh3_128" : "short_128";
                         });

void flip(std::string& text, std::size_t bit) {
  text[bit / 8] = static_cast<char>(text[bit / 8] ^ 1 << bit % 8);
}

std::string random_text(math::random_source& random, std::size_t length) {
  std::string text(length, '\0');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

// Around every length where the words are read in another way, and two that XXH3 hashes.
TEST_P(text_digest, every_bit_of_a_text_and_its_seed_flips_every_bit) {
  constexpr std::uint64_t trials = 2048;
  for (const std::size_t length :
       {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 48, 63, 64, 80}) {
    math::random_source random(length);
    std::vector<support::bit_flips> by_text(8 * length);
    std::vector<support::bit_flips> by_seed(64);
    for (std::uint64_t t = 0; t < trials; ++t) {
      std::string text = random_text(random, length);
      const std::uint64_t seed = random();
      const digest d = of(text, seed);
      for (std::size_t bit = 0; bit < 8 * length; ++bit) {
        flip(text, bit);
        support::count_flips(by_text[bit], d, of(text, seed));
        flip(text, bit);
      }
      for (unsigned bit = 0; bit < 64; ++bit) {
        support::count_flips(by_seed[bit], d, of(text, seed ^ std::uint64_t{1} << bit));
      }
    }
    const std::string name = std::to_string(length) + " bytes, ";
    support::expect_avalanche(by_text, trials, name + "text");
    support::expect_avalanche(by_seed, trials, name + "seed");
  }
}

// A counter of three bytes at both ends and in the middle of zeros.
TEST_P(text_digest, counters_in_zeros_spread_evenly) {
  for (const std::size_t length : {4, 6, 8, 11, 16, 20, 32, 40, 64, 72}) {
    for (const std::size_t at : {std::size_t{0}, (length - 3) / 2, length - 3}) {
      std::string text(length, '\0');
      expect_even(std::to_string(length) + " bytes, counted at " + std::to_string(at), many,
                  [&](std::uint64_t i) {
                    for (std::size_t b = 0; b < 3; ++b) {
                      text[at + b] = static_cast<char>(i >> 8 * b);
                    }
                    return of(text);
                  });
    }
  }
}

std::string url(std::uint64_t i) {
  return "https://example.org/" + std::to_string(i % 97) + "/item?id=" + std::to_string(i);
}

std::string address(std::uint64_t i) {
  return "10." + std::to_string(i >> 16 & 255) + '.' + std::to_string(i >> 8 & 255) + '.' +
         std::to_string(i & 255);
}

TEST_P(text_digest, usual_keys_spread_evenly) {
  for (const std::uint64_t seed : seeds) {
    const std::string with = ", seed " + std::to_string(seed);
    expect_even("decimal" + with, many,
                [&](std::uint64_t i) { return of(std::to_string(i), seed); });
    expect_even("page" + with, many,
                [&](std::uint64_t i) { return of("/page/" + std::to_string(i), seed); });
    expect_even("URL" + with, many, [&](std::uint64_t i) { return of(url(i), seed); });
    expect_even("IP address" + with, many, [&](std::uint64_t i) { return of(address(i), seed); });
  }
}

TEST_P(text_digest, one_text_with_many_seeds_spreads_evenly) {
  for (const std::string& text : {std::string(), std::string("x"), url(1), std::string(64, '\0')}) {
    const std::string name = std::to_string(text.size()) + " bytes";
    expect_even(name + ", small seeds", many, [&](std::uint64_t i) { return of(text, i); });
    expect_even(name + ", large seeds", many, [&](std::uint64_t i) { return of(text, i << 45); });
  }
}

TEST_P(text_digest, usual_keys_repeat_as_rarely_as_random_numbers) {
  for (const std::uint64_t seed : seeds) {
    std::vector<digest> digests;
    for (std::uint64_t i = 0; i < 1 << 20; ++i) {
      digests.push_back(of(std::to_string(i), seed));
      digests.push_back(of(url(i), seed));
    }
    support::expect_repeats_of_random_numbers("decimals and URLs", digests);
  }
}

// All strings of zeros with one or two bits set.
TEST_P(text_digest, strings_of_few_bits_repeat_as_rarely_as_random_numbers) {
  for (const std::uint64_t seed : seeds) {
    for (const std::size_t length : {3, 7, 8, 15, 16, 17, 32, 33, 64, 65}) {
      std::vector<digest> digests{of(std::string(length, '\0'), seed)};
      for (std::size_t a = 0; a < 8 * length; ++a) {
        std::string text(length, '\0');
        flip(text, a);
        digests.push_back(of(text, seed));
        for (std::size_t b = 0; b < a; ++b) {
          flip(text, b);
          digests.push_back(of(text, seed));
          flip(text, b);
        }
      }
      support::expect_repeats_of_random_numbers(std::to_string(length) + " bytes", digests);
    }
  }
}

// All changes of two neighbouring bytes of one text: the difference of two digests depends on the
// text, so none of them is frequent.
TEST_P(text_digest, differences_of_two_bytes_spread_evenly) {
  math::random_source random(5);
  for (const std::size_t length : {8, 16, 32, 64}) {
    for (const std::size_t at : {std::size_t{0}, length / 2, length - 2}) {
      std::vector<digest> digests;
      for (int texts = 0; texts < 7; ++texts) {
        std::string text = random_text(random, length);
        const digest d = of(text);
        const std::string before = text;
        for (unsigned change = 1; change < 1 << 16; ++change) {
          text[at] = static_cast<char>(before[at] ^ static_cast<char>(change));
          text[at + 1] = static_cast<char>(before[at + 1] ^ static_cast<char>(change >> 8));
          const digest other = of(text);
          digests.push_back({d.lo ^ other.lo, d.hi ^ other.hi});
        }
      }
      const std::string name = std::to_string(length) + " bytes at " + std::to_string(at);
      expect_even(name, digests.size(), [&](std::uint64_t i) { return digests[i]; });
    }
  }
}

// The different columns of a log in ../shared/data; nothing if it or xz is missing.
std::vector<std::string> columns_of(const std::string& log) {
  const std::string path = BLOOMTIME_TESTS_DIR "/../../shared/data/" + log;
  FILE* const pipe = ::popen(("xz -dc '" + path + "' 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return {};
  std::string text;
  char chunk[1 << 16];
  while (const std::size_t n = std::fread(chunk, 1, sizeof chunk, pipe)) text.append(chunk, n);
  ::pclose(pipe);
  std::set<std::string> columns;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of("\t\n ", at), text.size());
    columns.insert(text.substr(at, end - at));
    at = end + 1;
  }
  return {columns.begin(), columns.end()};
}

// Clients, URLs and times of real servers.
TEST_P(text_digest, columns_of_real_logs_repeat_as_rarely_as_random_numbers) {
  std::set<std::string> all;
  for (const char* log : {"apache_combined_10k.log.xz", "wpblog_2016.tsv.xz",
                          "almhuette_2015-16.tsv.xz", "asa_honeypot_2025.tsv.xz"}) {
    for (std::string& column : columns_of(log)) all.insert(std::move(column));
  }
  if (all.empty()) GTEST_SKIP() << "there are no logs in ../shared/data, or no xz";
  const std::vector<std::string> texts(all.begin(), all.end());
  for (const std::uint64_t seed : seeds) {
    std::vector<digest> digests;
    for (const std::string& text : texts) digests.push_back(of(text, seed));
    support::expect_repeats_of_random_numbers("columns", digests);
    if (texts.size() < many) continue;
    expect_even("columns", texts.size(), [&](std::uint64_t i) { return digests[i]; });
  }
}

}  // namespace text_digest_test
}  // namespace bloomtime
