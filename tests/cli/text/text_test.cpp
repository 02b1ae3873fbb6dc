#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "text/number.hpp"
#include "text/text.hpp"

namespace bloomtime::text {
namespace text_test {

TEST(text, display_width) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("é"), 1U);
  EXPECT_EQ(display_width("e\u0301"), 1U);  // e and a combining accent
  EXPECT_EQ(display_width("日本"), 4U);
  EXPECT_EQ(display_width("😀"), 2U);
  EXPECT_EQ(display_width("▸ ✓ –"), 5U);
  EXPECT_EQ(display_width("▁▂▃▄▅▆▇█"), 8U);
}

TEST(text, printable_leaves_nothing_to_obey) {
  EXPECT_EQ(printable("plain é 日本"), "plain é 日本");
  EXPECT_EQ(printable("\x1b[31m"), "\\x1b[31m");
  EXPECT_EQ(printable("a\tb\n"), "a\\x09b\\x0a");
  EXPECT_EQ(printable("\x7f"), "\\x7f");
  EXPECT_EQ(printable("\u009b"), "\\xc2\\x9b");       // CSI in C1
  EXPECT_EQ(printable("\u202e"), "\\xe2\\x80\\xae");  // right to left from here on
}

TEST(text, json_has_nothing_to_obey) {
  EXPECT_EQ(in_json("{\"é\": \"日本\"}\n"), "{\"é\": \"日本\"}\n");
  EXPECT_EQ(in_json("\"\x7f\u0080\u009b\u00a0\""), "\"\\u007f\\u0080\\u009b\u00a0\"");
  EXPECT_EQ(in_json("\"\u202e\u2028\ufeff\""), "\"\\u202e\\u2028\\ufeff\"");
  EXPECT_EQ(in_json("\"\U000e0001\U0001f600\""), "\"\\udb40\\udc01\U0001f600\"");
}

TEST(text, printable_shows_what_is_not_utf8) {
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("\xc3"), "\\xc3");                    // cut short
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(text, ascii_only) {
  EXPECT_EQ(ascii_only("▸ 1 – 2 ✓"), "> 1 - 2 ok");
  EXPECT_EQ(ascii_only("·█░∞…✗"), ".#.inf...!!");
  EXPECT_EQ(ascii_only("é"), "\\xc3\\xa9");
}

RC_GTEST_PROP(text, the_width_is_that_of_the_printable_form, (const std::string& bytes)) {
  const std::string shown_bytes = printable(bytes);
  RC_ASSERT(display_width(bytes) == display_width(shown_bytes));
  RC_ASSERT(printable(shown_bytes) == shown_bytes);
  const std::string ascii = ascii_only(bytes);
  RC_ASSERT(std::all_of(ascii.begin(), ascii.end(), [](char c) { return c >= ' ' && c <= '~'; }));
}

TEST(text, shown) {
  EXPECT_EQ(shown("2"), "2");
  EXPECT_EQ(shown("--itmes"), "--itmes");
  EXPECT_EQ(shown(""), "nothing");
  EXPECT_EQ(shown("a b"), "'a b'");
  EXPECT_EQ(shown("\x1b"), "'\\x1b'");
}

TEST(text, wrapped) {
  EXPECT_EQ(wrapped("", 10), (std::vector<std::string>{""}));
  EXPECT_EQ(wrapped("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrapped("incomprehensible x", 4), (std::vector<std::string>{"incomprehensible", "x"}));
  EXPECT_EQ(wrapped("日本 日本", 5), (std::vector<std::string>{"日本", "日本"}));
}

TEST(number, counts) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1'000), "1,000");
  EXPECT_EQ(count_text(1'234'567), "1,234,567");
  EXPECT_EQ(count_text(std::numeric_limits<std::uint64_t>::max()), "18,446,744,073,709,551,615");
}

TEST(number, bytes) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(999), "999 B");
  EXPECT_EQ(bytes_text(1'000), "1.00 kB");
  EXPECT_EQ(bytes_text(1'243'264), "1.24 MB");
  EXPECT_EQ(bytes_text(999'499), "999 kB");
  EXPECT_EQ(bytes_text(999'600), "1.00 MB");
  EXPECT_EQ(bytes_text(std::uint64_t{1} << 40), "1.10 TB");
  EXPECT_EQ(bytes_text(std::numeric_limits<std::uint64_t>::max()), "18.4 EB");
}

TEST(number, short_numbers) {
  EXPECT_EQ(short_text(9.946), "9.95");
  EXPECT_EQ(short_text(9.996), "10.0");
  EXPECT_EQ(short_text(352), "352");
  EXPECT_EQ(short_text(12'345), "12,345");
  EXPECT_EQ(short_text(0.5), "0.500");
  EXPECT_EQ(short_text(-2), "-2.00");
  EXPECT_EQ(short_text(4.34e-19), "4.34e-19");
  EXPECT_EQ(short_text(std::numeric_limits<double>::infinity()), "∞");
  EXPECT_EQ(short_text(std::numeric_limits<double>::quiet_NaN()), "–");
  EXPECT_EQ(nanoseconds_text(3.94), "3.9 ns");
  EXPECT_EQ(nanoseconds_text(104.6), "105 ns");
  EXPECT_EQ(nanoseconds_text(12'153), "12 us");
}

TEST(number, chances) {
  EXPECT_EQ(probability_text(0), "0");
  EXPECT_EQ(probability_text(0.01), "1.00 %");
  EXPECT_EQ(probability_text(1), "100 %");
  EXPECT_EQ(probability_text(1e-5), "0.00100 %");
  EXPECT_EQ(probability_text(1e-6), "1.00e-6");
  EXPECT_EQ(probability_text(8.27e-25), "8.27e-25");
  EXPECT_EQ(brief_probability_text(0.01), "1 %");
  EXPECT_EQ(brief_probability_text(0.999999), "99.9999 %");
  EXPECT_EQ(brief_probability_text(1e-6), "1e-6");
}

TEST(number, measured_chances_have_one_digit_more_than_the_plan) {
  EXPECT_EQ(probability_text(0.00998, 0.01), "0.998 %");
  EXPECT_EQ(probability_text(0.00967, 0.01033, 0.01), "0.967 – 1.033 %");
  EXPECT_EQ(probability_text(0, 0.01), "0.000 %");
  EXPECT_EQ(probability_text(0, 6e-6, 1e-6), "0 – 6.00e-6");
}

}  // namespace text_test
}  // namespace bloomtime::text
