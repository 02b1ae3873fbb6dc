// Files that are plausible and yet easy to read wrongly.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/logs/input_support.hpp"

namespace bloomtime::logs {
namespace odd_input_test {

using rows = std::vector<std::vector<std::string>>;

constexpr instant in_2023 = instant::from_seconds(1'700'000'000);

TEST(odd_input, empty_lines_before_the_header) {
  const heard got = read_text("\n\r\ntime,who\n1700000000,a\n\n1700000000,b\n");
  EXPECT_EQ(got.items, (rows{{"a"}, {"b"}}));
  EXPECT_EQ(got.counts.headers, 1U);
  EXPECT_EQ(got.bad(bad_line::empty), 3U);
  EXPECT_EQ(got.counts.lines, 6U);
}

TEST(odd_input, nothing_but_a_byte_order_mark) {
  const heard got = read_text("\xef\xbb\xbf", {.items = {"host"}});
  EXPECT_EQ(got.counts.lines, 0U);
  EXPECT_TRUE(got.notes.at(0).ends_with("input: empty")) << got.notes[0];
}

TEST(odd_input, a_first_line_longer_than_what_is_looked_at) {
  const std::string long_text(100'000, 'x');
  const std::string line = R"({"item":"a","time":1700000000,"text":")" + long_text + "\"}\n";
  const heard got = read_text(line + line);
  EXPECT_EQ(got.items, (rows{{"a"}, {"a"}}));
  EXPECT_EQ(got.times[1], in_2023);
}

TEST(odd_input, headers_as_other_programs_write_them) {
  for (const char* header : {"Timestamp,Client IP", "TIME,who", "when,who", "Time (UTC),Größe",
                             "#time,what/where", "\"Date\",\"a,b\""}) {
    const heard got = read_text(std::string(header) + "\n1700000000,a\n1700000000,b\n");
    EXPECT_EQ(got.items, (rows{{"a"}, {"b"}})) << header;
    EXPECT_EQ(got.times, (std::vector<std::optional<instant>>(2, in_2023))) << header;
    EXPECT_EQ(got.counts.headers, 1U) << header;
  }
}

TEST(odd_input, rows_with_numbers) {
  const heard got = read_text(",time,who\n0,1700000000,a\n1,1700000000,b\n");
  EXPECT_EQ(got.items, (rows{{"a"}, {"b"}}));
  EXPECT_EQ(got.times[0], in_2023);
  EXPECT_EQ(read_text(",who\n5,a\n6,b\n").counts.headers, 0U);
}

TEST(odd_input, numbers_under_a_header_are_not_times) {
  const heard got = read_text("user,page\n1,a\n2,b\n");
  EXPECT_EQ(got.items, (rows{{"1"}, {"2"}}));
  EXPECT_EQ(got.times[0], std::nullopt);
}

TEST(odd_input, a_first_line_that_was_cut) {
  std::string text = "3T22:13:20Z,/x\n";
  for (int i = 0; i < 20; ++i) text += "2023-11-14T22:13:20Z,/a\n";
  const heard got = read_text(text);
  EXPECT_EQ(got.items, (rows(20, {"/a"})));
  EXPECT_EQ(got.times[0], in_2023);
}

TEST(odd_input, lines_of_logs) {
  const std::string end = R"( [14/Nov/2023:22:13:20 +0000] "GET /a HTTP/2.0" 200 5 "-" "x")";
  const std::vector<std::string> lines{
      "2001:db8::1 - -" + end, "[2001:db8::1] - -" + end, "h - -" + end + R"( "10.0.0.1" 0.004)",
      R"(h - - [14/Nov/2023:22:13:20 +0000] "GET /a" 400 0 "-" "-")"};
  for (const std::string& line : lines) {
    const heard got = read_text(line + "\n");
    ASSERT_EQ(got.items.size(), 1U) << line;
    EXPECT_EQ(got.items[0][0], "/a");
    EXPECT_EQ(got.times[0], in_2023);
    EXPECT_TRUE(got.notes[0].find("combined log") != std::string::npos) << got.notes[0];
  }
  for (const char* request : {"-", "", "\\x16\\x03\\x01"}) {
    const heard got = read_text("h - - [14/Nov/2023:22:13:20 +0000] \"" + std::string(request) +
                                "\" 400 0 \"-\" \"-\"\n");
    EXPECT_EQ(got.items, (rows{{request, "h"}}));
  }
}

TEST(odd_input, what_only_looks_like_something) {
  for (const char* line : {"Oct 10 13:55:36: Accepted publickey for root, port 22",
                           "[Wed Oct 11 14:32:52] [error] denied", "1700000000 a b", "a=1",
                           "#Fields", "2024-03-01 10:00:00", "<13>", "2024/03/01 x",
                           "[1700000000,\"a\"]", "\"a string\"", "a\xff\xfe,b", "well, then",
                           R"({"time":1,"id":"a"} {"time":2,"id":"b"})", R"({"time":1,"id":})"}) {
    const heard got = read_text(std::string(line) + "\n" + line + "\n");
    EXPECT_EQ(got.items, (rows(2, {line})));
    EXPECT_EQ(got.times[0], std::nullopt);
  }
}

TEST(odd_input, json_of_all_sorts) {
  const std::string deep = std::string(5000, '[') + std::string(5000, ']');
  std::string text;
  for (const std::string& members :
       {std::string(R"("item":1e400)"), std::string(R"("item":123456789012345678901234567890)"),
        std::string(R"("item":"a\u0000\"\\","item":"second")"),
        std::string(R"("item":null,"item":"later")"), R"("x":)" + deep + R"(,"item":"deep")",
        std::string(R"("item":"cut off)"), std::string(R"("item":"\ud800")")}) {
    text += "{" + members + R"(,"time":1700000000})" + "\n";
  }
  const heard got = read_text(text + R"({"time":1e400,"item":"a"})");
  EXPECT_EQ(got.items, (rows{{"1e400"},
                             {"123456789012345678901234567890"},
                             {std::string("a\0\"\\", 4)},
                             {"later"},
                             {"deep"}}));
  EXPECT_EQ(got.bad(bad_line::other_format), 2U);
  EXPECT_EQ(got.bad(bad_line::unreadable_time), 1U);
}

TEST(odd_input, words_that_are_no_json) {
  const heard got = read_text(
      "{\"item\":\"a\"}\n{\"item\":nul}\n{\"item\":nullx}\n{\"item\":tru}\n{\"item\":fals}\n"
      "{\"item\":1x}\n{\"item\":}\n{\"item\":null}\n{\"item\":\"b\"}\n",
      {.format = "ndjson"});
  EXPECT_EQ(got.items, (rows{{"a"}, {"b"}}));
  EXPECT_EQ(got.bad(bad_line::other_format), 6U);
  EXPECT_EQ(got.bad(bad_line::no_item), 1U);
}

TEST(odd_input, line_ends_of_all_sorts) {
  const std::string text("a\r\r\nb\n\rc\r\n\0\nd\r", 14);
  const heard got = read_text(text);
  EXPECT_EQ(got.items, (rows{{"a\r"}, {"b"}, {"\rc"}, {std::string(1, '\0')}, {"d\r"}}));
  EXPECT_EQ(got.raw, text);
}

TEST(odd_input, times_at_the_ends) {
  const heard got = read_text(
      "0000-01-01T00:00:00+23:59\ta\n9999-12-31T23:59:60.999999-23:59\tb\n"
      "-9999999999999999999\tc\n99999999999\td\n2023-11-14T22:13:20Z\te\n");
  ASSERT_EQ(got.items, (rows{{"a"}, {"b"}, {"c"}, {"d"}, {"e"}}));
  EXPECT_EQ(got.times[0]->micros, -62'167'219'200'000'000 - 86'340'000'000);
  EXPECT_EQ(got.times[1]->micros, 253'402'300'800'999'999 + 86'340'000'000);
  EXPECT_EQ(got.times[2]->micros, -10'000'000'000'000'000);
}

}  // namespace odd_input_test
}  // namespace bloomtime::logs
