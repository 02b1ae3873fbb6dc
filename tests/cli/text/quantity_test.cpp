#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "text/quantity.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::text {
namespace quantity_test {

template <class Parse>
std::string refusal(Parse parse, std::string_view text) {
  try {
    parse("--x", text);
  } catch (const usage_error& e) {
    return e.what();
  }
  return "accepted";
}

TEST(quantity, counts) {
  EXPECT_EQ(parse_count("--x", "1"), 1U);
  EXPECT_EQ(parse_count("--x", "250"), 250U);
  EXPECT_EQ(parse_count("--x", "007"), 7U);
  EXPECT_EQ(parse_count("--x", "+5"), 5U);
  EXPECT_EQ(parse_count("--x", "1k"), 1'000U);
  EXPECT_EQ(parse_count("--x", "2.5k"), 2'500U);
  EXPECT_EQ(parse_count("--x", "1M"), 1'000'000U);
  EXPECT_EQ(parse_count("--x", "1m"), 1'000'000U);
  EXPECT_EQ(parse_count("--x", "1.5G"), 1'500'000'000U);
  EXPECT_EQ(parse_count("--x", "2T"), 2'000'000'000'000U);
  EXPECT_EQ(parse_count("--x", "10^6"), 1'000'000U);
  EXPECT_EQ(parse_count("--x", "10^0"), 1U);
  EXPECT_EQ(parse_count("--x", "1e6"), 1'000'000U);
  EXPECT_EQ(parse_count("--x", "1.25E+3"), 1'250U);
  EXPECT_EQ(parse_count("--x", "1000e-2"), 10U);
  EXPECT_EQ(parse_count("--x", ".5k"), 500U);
  EXPECT_EQ(parse_count("--x", "1,000,000"), 1'000'000U);
  EXPECT_EQ(parse_count("--x", "12 k"), 12'000U);
}

TEST(quantity, counts_up_to_the_last_bit) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(parse_count("--x", "18446744073709551615"), most);
  EXPECT_EQ(parse_count("--x", "18446744073709551.615k"), most);
  EXPECT_EQ(parse_count("--x", "18446744073709551615.000"), most);
  EXPECT_NE(refusal(parse_count, "18446744073709551616").find("at most 18446744073709551615"),
            std::string::npos);
  EXPECT_NE(refusal(parse_count, "1e20").find("at most"), std::string::npos);
  EXPECT_NE(refusal(parse_count, "1e999999999999999999999").find("at most"), std::string::npos);
  EXPECT_NE(refusal(parse_count, "100000000000000000000000000000000000000000").find("at most"),
            std::string::npos);
}

TEST(quantity, counts_must_be_whole_and_positive) {
  for (const char* text : {"0", "0.0", "0k", "-1", "-1e6", "0e99999999999", "-0"}) {
    EXPECT_NE(refusal(parse_count, text).find("--x must be at least 1"), std::string::npos) << text;
  }
  for (const char* text : {"1.5", "0.5", "1.0005k", "1e-3", "10^-2", "1.00000000000000000000001"}) {
    EXPECT_NE(refusal(parse_count, text).find("whole number"), std::string::npos) << text;
  }
}

TEST(quantity, garbage_is_no_count) {
  for (const char* text :
       {"",     " ",    "abc",   "nan", "inf",  "1x",   "1Mx",  "1M1",     "--5",
        "0x10", "1..2", "1.2.3", "10^", "10^x", "2^10", "1,00", "1,0000",  "1000,000",
        ",1",   ".",    "k",     "1MB", "1e",   "1\n",  "1%",   "\x1b[31m"}) {
    EXPECT_NE(refusal(parse_count, text).find("--x must be a number such as 1M"), std::string::npos)
        << text;
  }
}

TEST(quantity, an_embedded_nul_is_garbage) {
  EXPECT_THROW(parse_count("--x", std::string_view("1\0", 2)), usage_error);
  EXPECT_THROW(parse_probability("--x", std::string_view("1%\0", 3)), usage_error);
}

TEST(quantity, bytes) {
  EXPECT_EQ(parse_bytes("--x", "1"), 1U);
  EXPECT_EQ(parse_bytes("--x", "64B"), 64U);
  EXPECT_EQ(parse_bytes("--x", "512K"), 512U * 1024);
  EXPECT_EQ(parse_bytes("--x", "512KiB"), 512U * 1024);
  EXPECT_EQ(parse_bytes("--x", "512kB"), 512'000U);
  EXPECT_EQ(parse_bytes("--x", "16MiB"), std::uint64_t{16} << 20);
  EXPECT_EQ(parse_bytes("--x", "10MB"), 10'000'000U);
  EXPECT_EQ(parse_bytes("--x", "10 MB"), 10'000'000U);
  EXPECT_EQ(parse_bytes("--x", "1.5GiB"), std::uint64_t{3} << 29);
  EXPECT_EQ(parse_bytes("--x", "1T"), std::uint64_t{1} << 40);
  EXPECT_EQ(parse_bytes("--x", "2tb"), 2'000'000'000'000U);
  EXPECT_EQ(parse_bytes("--x", "0.3KiB"), 307U);  // 307.2
}

TEST(quantity, bytes_refused) {
  for (const char* text : {"0", "0MB", "-1MB", "0.1B", "1e-9MB"}) {
    EXPECT_NE(refusal(parse_bytes, text).find("at least one byte"), std::string::npos) << text;
  }
  for (const char* text : {"", "MB", "1XB", "1MBit", "1 M B", "nan"}) {
    EXPECT_NE(refusal(parse_bytes, text).find("such as 16MiB"), std::string::npos) << text;
  }
  for (const char* text : {"16777216TiB", "1e30", "99999999999999999999G"}) {
    EXPECT_NE(refusal(parse_bytes, text).find("below 2^64 bytes"), std::string::npos) << text;
  }
  EXPECT_EQ(parse_bytes("--x", "16777215TiB"), std::uint64_t{16777215} << 40);
}

TEST(quantity, chances_are_the_nearest_double) {
  EXPECT_EQ(parse_probability("--x", "1%"), 0.01);
  EXPECT_EQ(parse_probability("--x", "1 %"), 0.01);
  EXPECT_EQ(parse_probability("--x", "0.07%"), 0.0007);
  EXPECT_EQ(parse_probability("--x", "0.01"), 0.01);
  EXPECT_EQ(parse_probability("--x", ".5"), 0.5);
  EXPECT_EQ(parse_probability("--x", "1e-6"), 1e-6);
  EXPECT_EQ(parse_probability("--x", "10^-6"), 1e-6);
  EXPECT_EQ(parse_probability("--x", "99.999%"), 0.99999);
}

TEST(quantity, chances_refused) {
  for (const char* text : {"0", "0%", "1", "100%", "2", "-0.1", "-1%", "nan", "NaN", "inf", "", "%",
                           "1%%", "0.01x", "1e-999", "1/100", "0,01", "1e400"}) {
    EXPECT_NE(refusal(parse_probability, text)
                  .find("--x must lie between 0 and 1 (for example 1% or 0.01), got"),
              std::string::npos)
        << text;
  }
  EXPECT_EQ(refusal(parse_probability, "2"),
            "--x must lie between 0 and 1 (for example 1% or 0.01), got 2");
}

TEST(quantity, a_long_text_is_cut_in_the_sentence) {
  EXPECT_LT(refusal(parse_count, std::string(100'000, 'x')).size(), 200U);
}

TEST(quantity, seconds) {
  EXPECT_EQ(parse_seconds("--x", "90"), 90U);
  EXPECT_EQ(parse_seconds("--x", "90s"), 90U);
  EXPECT_EQ(parse_seconds("--x", "5m"), 300U);
  EXPECT_EQ(parse_seconds("--x", "1.5h"), 5'400U);
  EXPECT_EQ(parse_seconds("--x", "2 d"), 172'800U);
  for (const char* bad : {"0", "-5s", "0.5", "1.1s", "5y", "m", "", "1h30m", "10^30"}) {
    EXPECT_NE(refusal(parse_seconds, bad).find("such as 90s, 5m, 24h or 1d, got"),
              std::string::npos)
        << bad;
  }
}

TEST(quantity, an_unknown_unit_of_time_is_named) {
  EXPECT_TRUE(refusal(parse_seconds, "5y").ends_with("got 5y; there is no unit y"));
  EXPECT_TRUE(refusal(parse_seconds, "100 ms").ends_with("; there is no unit ms"));
  EXPECT_TRUE(refusal(parse_seconds, "0.5s").ends_with("got 0.5s"));
  EXPECT_TRUE(refusal(parse_seconds, "y").ends_with("got y"));
}

RC_GTEST_PROP(quantity, a_printed_count_reads_back, (std::uint64_t n)) {
  RC_PRE(n != 0);
  RC_ASSERT(parse_count("--x", std::to_string(n)) == n);
  RC_ASSERT(parse_bytes("--x", std::to_string(n) + "B") == n);
}

RC_GTEST_PROP(quantity, any_bytes_are_read_or_refused, (const std::string& text)) {
  for (const auto parse : {parse_count, parse_bytes, parse_seconds}) {
    try {
      RC_ASSERT(parse("--x", text) >= 1);
    } catch (const usage_error&) {
    }
  }
  try {
    const double p = parse_probability("--x", text);
    RC_ASSERT(p > 0 && p < 1);
  } catch (const usage_error&) {
  }
}

}  // namespace quantity_test
}  // namespace bloomtime::text
