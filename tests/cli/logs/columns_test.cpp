#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "logs/columns.hpp"

namespace bloomtime::logs {
namespace columns_test {

using texts = std::vector<std::string>;
using views = std::vector<std::string_view>;

template <class Split>
texts all_of(Split split, std::string_view text) {
  views columns(20);
  columns.resize(split(text, std::span(columns)));
  return {columns.begin(), columns.end()};
}

texts log_columns(std::string_view text, bool virtual_host = false) {
  return all_of([&](auto t, auto into) { return split_log(t, virtual_host, into); }, text);
}
texts comma_columns(std::string_view text) { return all_of(split_commas, text); }

TEST(columns, of_logs) {
  EXPECT_EQ(log_columns(R"(h - u [t z] "GET / HTTP/1.0" 200 5 "r" "a b" 0.1 "x")"),
            (texts{"h", "-", "u", "t z", "GET / HTTP/1.0", "200", "5", "r", "a b", "0.1", "x"}));
  EXPECT_EQ(log_columns(R"(v:80 h - u [t] "q" 200)", true),
            (texts{"v:80", "h", "-", "u", "t", "q", "200"}));
  EXPECT_EQ(log_columns(R"(h - John Q. Public [t] "q")"),
            (texts{"h", "-", "John Q. Public", "t", "q"}));
  EXPECT_EQ(log_columns(R"(h - [u] [t] "q")"), (texts{"h", "-", "[u]", "t", "q"}));
}

TEST(columns, of_logs_with_quotes_inside) {
  EXPECT_EQ(log_columns(R"(h - - [t] "say \"x\" y" 200)"),
            (texts{"h", "-", "-", "t", R"(say \"x\" y)", "200"}));
  EXPECT_EQ(log_columns(R"(h - - [t] "a"b" 200)"), (texts{"h", "-", "-", "t", R"(a"b)", "200"}));
  EXPECT_EQ(log_columns(R"(h - - [t] "a\\" 200)"), (texts{"h", "-", "-", "t", R"(a\\)", "200"}));
  EXPECT_EQ(log_columns(R"(h - - [t] "cut)"), (texts{"h", "-", "-", "t", "cut"}));
  EXPECT_EQ(log_columns(R"(h - - [t] "x\")"), (texts{"h", "-", "-", "t", "x\\"}));
  EXPECT_EQ(log_columns(R"(h - - [t] ")"), (texts{"h", "-", "-", "t", ""}));
}

TEST(columns, are_not_looked_for_beyond_what_is_wanted) {
  std::array<std::string_view, 1> one;
  EXPECT_EQ(split_log("h", false, one), 1U);
  EXPECT_EQ(split_commas("a,\"open", one), 1U);
  EXPECT_EQ(split_tabs("a\tb", one), 1U);
  EXPECT_EQ(one[0], "a");
}

TEST(columns, of_requests) {
  const auto parts = [](std::string_view text) {
    const request_parts p = split_request(text);
    return texts{std::string(p.method), std::string(p.path), std::string(p.protocol)};
  };
  EXPECT_EQ(parts("GET /a?b HTTP/1.1"), (texts{"GET", "/a?b", "HTTP/1.1"}));
  EXPECT_EQ(parts("GET /a b HTTP/1.1"), (texts{"GET", "/a b", "HTTP/1.1"}));
  EXPECT_EQ(parts("GET /a"), (texts{"GET", "/a", "-"}));
  EXPECT_EQ(parts("-"), (texts{"-", "-", "-"}));
  EXPECT_EQ(parts("\\x16\\x03"), (texts{"-", "\\x16\\x03", "-"}));
  EXPECT_EQ(parts(""), (texts{"-", "", "-"}));
}

TEST(columns, of_tabs_and_words) {
  EXPECT_EQ(all_of(split_tabs, "a\t\tb\t"), (texts{"a", "", "b", ""}));
  EXPECT_EQ(all_of(split_tabs, ""), (texts{""}));
  EXPECT_EQ(all_of(split_words, "  a \t b "), (texts{"a", "b"}));
  EXPECT_EQ(all_of(split_words, " "), texts{});
}

TEST(columns, of_commas) {
  EXPECT_EQ(comma_columns("a,,b,"), (texts{"a", "", "b", ""}));
  EXPECT_EQ(comma_columns(R"("a,b",c)"), (texts{R"("a,b")", "c"}));
  EXPECT_EQ(comma_columns(R"("a""b")"), (texts{R"("a""b")"}));
  EXPECT_EQ(comma_columns(R"(a,"open)"), texts{});
  EXPECT_EQ(comma_columns(R"("a"b,c)"), texts{});
  std::string scratch;
  EXPECT_EQ(unquoted(R"("a""b""")", scratch), R"(a"b")");
  EXPECT_EQ(unquoted(R"("")", scratch), "");
  EXPECT_EQ(unquoted("a\"b", scratch), "a\"b");
}

TEST(columns, unescaped_as_bloomtime_writes_them) {
  std::string scratch;
  EXPECT_EQ(unescaped(R"(a\tb\n\r\\\x41\x00z)", scratch), std::string_view("a\tb\n\r\\A\0z", 9));
  EXPECT_EQ(unescaped(R"(\"q\" \x4 \xg1 \x-1 \)", scratch), R"(\"q\" \x4 \xg1 \x-1 \)");
}

// Splitting gives the values back, so different values cannot give the same item.
RC_GTEST_PROP(columns, joined_values_are_split_again, ()) {
  const auto text = rc::gen::container<std::string>(rc::gen::element('a', ',', '"', ' ', '\t'));
  const auto values = *rc::gen::suchThat(rc::gen::container<texts>(text), [](const texts& v) {
    return v.size() > 1 && v.size() < 20;
  });
  std::string joined;
  append_joined(joined, views(values.begin(), values.end()));
  texts back;
  std::string scratch;
  for (const std::string& c : comma_columns(joined)) back.emplace_back(unquoted(c, scratch));
  RC_ASSERT(back == values);
}

}  // namespace columns_test
}  // namespace bloomtime::logs
