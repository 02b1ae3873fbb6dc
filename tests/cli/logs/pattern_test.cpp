#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/logs/format_samples.hpp"
#include "cli/logs/input_support.hpp"
#include "text/usage_error.hpp"

// --pattern in the notations of Apache and goaccess.
namespace bloomtime::logs::pattern_test {

using row = std::vector<std::string>;

std::string combined_lines() {
  std::string text;
  for (int i = 0; i < 30; ++i) text += samples::combined(i) + "\n";
  return text;
}

std::string refusal_of(const std::string& pattern, const std::string& text) {
  try {
    (void)read_text(text, {.pattern = pattern});
  } catch (const text::usage_error& e) {
    return e.what();
  }
  return "";
}

TEST(pattern, of_the_combined_log_reads_what_its_format_reads) {
  const row items{"host", "path", "method", "status", "bytes", "agent", "referrer", "family"};
  const heard expected = read_text(combined_lines(), {.format = "combined", .items = items});
  for (const char* pattern : {
           R"(%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i")",
           R"(%h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\")",
           R"(%h %l %u [%t] "%r" %s %b "%{Referer}i" "%{User-Agent}i")",
           R"(%h %^[%d:%t %^] "%r" %s %b "%R" "%u")",
           R"(%h %^[%x] "%m %U %H" %s %b "%R" "%u")",
           R"(%h %^ %^ [%d:%t +0000] "%r" %~%s %b "%R" "%u")",
       }) {
    const heard got = read_text(combined_lines(), {.pattern = pattern, .items = items});
    EXPECT_EQ(got.items, expected.items) << pattern;
    EXPECT_EQ(got.times, expected.times) << pattern;
    EXPECT_EQ(got.counts.bad_lines(), 0U) << pattern;
  }
}

TEST(pattern, of_other_lines) {
  const heard got = read_text("100% 192.0.2.1|/a|?b=1|2024-03-01 10:00:00|x y|7\n",
                              {.pattern = "100%% %a|%U|%q|%{%Y-%m-%d %T}t|%{X-Id}o|%D",
                               .items = {"host", "path", "X-Id", "micros", "query"}});
  EXPECT_EQ(got.items, (std::vector<row>{{"192.0.2.1", "/a?b=1", "x y", "7", "?b=1"}}));
  EXPECT_EQ(got.times[0], instant::from_seconds(1'709'287'200));
  const heard zone =
      read_text("a [01/Mar/2024:11:00:00 +0100] b\n", {.pattern = "%h [%d:%t %^] %m"});
  EXPECT_EQ(zone.zone, 3600);
  EXPECT_EQ(zone.times[0], instant::from_seconds(1'709'287'200));
}

TEST(pattern, quotes_in_values_and_lines_that_are_cut) {
  const std::string log = "h \"a \\\" b\" 1\nh \"c\" 2\nh \"cut\nother\n";
  const heard got = read_text(log, {.pattern = "%h \"%r\" %s", .items = {"request"}});
  EXPECT_EQ(got.items, (std::vector<row>{{"a \\\" b"}, {"c"}}));
  EXPECT_EQ(got.counts.bad_lines(), 2U);
  const heard last =
      read_text("h \"c\"\nh \"cut\n", {.pattern = "%h \"%r\"", .items = {"request"}});
  EXPECT_EQ(last.items, (std::vector<row>{{"c"}, {"cut"}}));
}

TEST(pattern, what_cannot_match_is_refused_with_the_place) {
  const auto refused = [](const std::string& pattern, const std::string& part) {
    const std::string told = refusal_of(pattern, combined_lines());
    EXPECT_NE(told.find(part), std::string::npos) << pattern << ": " << told;
  };
  refused("%h %l%u", "nothing stands between two directives (character 6)");
  refused("%h %y", "unknown directive %y (character 4)");
  refused("%h %{Referer", "has a { without a } (character 4)");
  refused("%h %", "ends in the middle of a directive (character 4)");
  refused("none", "has no directive such as %h (character 1)");
  refused("%h %l %u [%t] '%r'", "matches none of the first 30 lines");
  refused("%h %l %u [%t] '%r'", "it stops at character 11");
  refused("x%h", "it stops at character 2");
  EXPECT_THROW((void)read_text("a\n", {.format = "csv", .pattern = "%h"}), text::usage_error);
}

}  // namespace bloomtime::logs::pattern_test
