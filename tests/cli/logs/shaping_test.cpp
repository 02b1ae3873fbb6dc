#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "cli/logs/format_samples.hpp"
#include "cli/logs/input_support.hpp"
#include "logs/agent_family.hpp"
#include "logs/condition.hpp"
#include "logs/shape.hpp"
#include "text/usage_error.hpp"

// --where, --group, --no-query and families of agents.
namespace bloomtime::logs::shaping_test {

using row = std::vector<std::string>;

std::string refusal_of(const input_options& asked, std::string_view text = "a,time\n1,5\n") {
  try {
    (void)read_text(text, asked);
  } catch (const text::usage_error& e) {
    return e.what();
  }
  return "";
}

std::string log_of(int lines) {
  std::string text;
  for (int i = 0; i < lines; ++i) text += samples::combined(i) + "\n";
  return text;
}

TEST(where, keeps_the_lines_that_fulfil_all_conditions) {
  const std::string log = log_of(60);
  const auto events = [&](const row& where) {
    const heard got = read_text(log + "x\n", {.format = "combined", .where = where});
    EXPECT_EQ(got.counts.events + got.counts.excluded + got.counts.bad_lines(), 61U);
    return got.counts.events;
  };
  EXPECT_EQ(events({"status=404"}), 12U);
  EXPECT_EQ(events({"status==404"}), 12U);
  EXPECT_EQ(events({"status!=404"}), 48U);
  EXPECT_EQ(events({"status=404", "method=POST"}), 4U);
  EXPECT_EQ(events({"path~^/shop/[01]/"}), 30U);
  EXPECT_EQ(events({"path!~^/shop/[01]/"}), 30U);
  EXPECT_EQ(events({"bytes>=150"}), 10U);
  EXPECT_EQ(events({"bytes>150"}), 9U);
  EXPECT_EQ(events({"bytes<110.5"}), 11U);
  EXPECT_EQ(events({"bytes<=110"}), 11U);
  EXPECT_EQ(events({"family=bot"}), 30U);
  EXPECT_EQ(events({"agent~Firefox|Googlebot"}), 60U);
}

// A line that lacks the field fulfils only what is negated, and is not a bad line.
TEST(where, of_lines_that_lack_the_field) {
  const std::string log =
      "{\"id\":1,\"a\":\"x\",\"time\":1}\n{\"id\":2,\"time\":1}\n{\"a\":\"x\"}\n";
  const heard kept = read_text(log, {.where = {"a=x"}});
  EXPECT_EQ(kept.items, (std::vector<row>{{"1"}}));
  EXPECT_EQ(kept.counts.excluded, 1U);
  EXPECT_EQ(kept.counts.bad_lines(), 1U);  // fulfils the condition, and has no item
  EXPECT_EQ(read_text(log, {.where = {"a!=x"}}).items, (std::vector<row>{{"2"}}));
  EXPECT_EQ(read_text(log, {.where = {"a!~x"}}).items, (std::vector<row>{{"2"}}));
  EXPECT_EQ(read_text(log, {.where = {"a>0"}}).counts.events, 0U);
  EXPECT_NE(kept.notes.back().find("rejected"), std::string::npos);
  EXPECT_NE(kept.notes.at(kept.notes.size() - 2).find("1 of 3 lines excluded by --where"),
            std::string::npos);
}

TEST(where, compares_bytes) {
  const std::string bytes("\xff\0x", 3);
  EXPECT_TRUE(condition("a~^\\xff\\x00x$").holds(true, bytes));
  EXPECT_TRUE(condition(std::string("a=") + bytes).holds(true, bytes));
  EXPECT_TRUE(condition("a=").holds(true, ""));
  EXPECT_FALSE(condition("a=").holds(false, ""));
  EXPECT_TRUE(condition("a=b=c").holds(true, "b=c"));
}

TEST(where, what_cannot_be_understood_is_refused) {
  for (const char* typed : {"status", "=404", "", "a!b", "!=x"}) {
    EXPECT_NE(refusal_of({.where = {typed}}).find("--where must be a field"), std::string::npos)
        << typed;
  }
  EXPECT_NE(refusal_of({.where = {"a~("}}).find("is not a regular expression"), std::string::npos);
  EXPECT_NE(refusal_of({.where = {"a>x"}}).find("compares numbers"), std::string::npos);
  EXPECT_NE(refusal_of({.where = {"nothing=1"}}, log_of(3)).find("has no field nothing"),
            std::string::npos);
}

TEST(shape, of_paths) {
  std::string scratch;
  const auto first = [&](std::string_view path, unsigned count) {
    return std::string(shaped(path, {.segments = count}, scratch));
  };
  EXPECT_EQ(first("/a/b/c?d", 2), "/a/b");
  EXPECT_EQ(first("/a/b/", 2), "/a/b");
  EXPECT_EQ(first("/a/b", 2), "/a/b");
  EXPECT_EQ(first("/a?x=/b/c", 2), "/a");
  EXPECT_EQ(first("/", 1), "/");
  EXPECT_EQ(first("", 1), "");
  EXPECT_EQ(first("*", 3), "*");
  EXPECT_EQ(first("http://a.example/b/c/d", 2), "http://a.example/b/c");
  EXPECT_EQ(first("http://a.example/b?c=d://e/f", 2), "http://a.example/b");
  EXPECT_EQ(first("http://a.example", 2), "http://a.example");
  EXPECT_EQ(first("/a?u=http://b/c/d", 2), "/a");
  EXPECT_EQ(first("/a/http://b/c", 2), "/a/http:");
  EXPECT_EQ(shaped("/a?b?c", {.no_query = true}, scratch), "/a");
  EXPECT_EQ(shaped("/a#b", {.no_query = true}, scratch), "/a#b");
}

TEST(shape, of_addresses) {
  std::string scratch;
  const shape by = groupings_of({"host:/24"}).front().form;
  EXPECT_EQ(shaped("192.0.2.77", by, scratch), "192.0.2.0/24");
  EXPECT_EQ(shaped("2001:db8:1:2:3::4", by, scratch), "2001:db8:1:2::/64");
  EXPECT_EQ(shaped("::ffff:192.0.2.77", by, scratch), "192.0.2.0/24");
  EXPECT_EQ(shaped("::ffff:1:2", by, scratch), "::/64");
  for (const char* other : {"localhost", "-", "", "1.2.3", "1.2.3.4.5", "256.0.0.1", "::g", ":"}) {
    EXPECT_EQ(shaped(other, by, scratch), other);
  }
  EXPECT_EQ(shaped(std::string_view("1.2.3.4\0", 8), by, scratch),
            std::string_view("1.2.3.4\0", 8));
  const shape both = groupings_of({"h:/13", "h:/45"}).front().form;
  EXPECT_EQ(shaped("10.255.1.1", both, scratch), "10.248.0.0/13");
  EXPECT_EQ(shaped("2001:db8:ffff::1", both, scratch), "2001:db8:fff8::/45");
  const shape wide = groupings_of({"h:/48"}).front().form;
  EXPECT_EQ(shaped("10.255.1.1", wide, scratch), "10.255.1.1");
  EXPECT_EQ(shaped("::ffff:10.255.1.1", wide, scratch), "::/48");
  EXPECT_EQ(shaped("10.1.1.1", {.bits = 32}, scratch), "10.1.1.1/32");
}

TEST(shape, of_items) {
  const heard got = read_text(log_of(2), {.items = {"path", "host", "host,path"},
                                          .where = {"path~n="},
                                          .group = {"host:/24"},
                                          .no_query = true});
  EXPECT_EQ(got.items[1], (row{"/shop/1/item", "192.0.2.0/24", "192.0.2.0/24,/shop/1/item"}));
  EXPECT_EQ(read_text(log_of(2), {.group = {"path:2"}}).items[1], (row{"/shop/1", "192.0.2.2"}));
  for (const char* typed : {"path", "path:", ":2", "path:0", "path:x", "host:/129", "host:/0"}) {
    EXPECT_NE(refusal_of({.group = {typed}}).find("--group must be a field"), std::string::npos)
        << typed;
  }
  EXPECT_NE(refusal_of({.items = {"host"}, .group = {"path:2"}}, log_of(2)).find("is no item"),
            std::string::npos);
}

TEST(agent_family, of_agents) {
  for (const char* agent : {"Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/120.0 Safari/537.36",
                            "Opera/9.80 (X11; Linux) Presto/2.12", "Lynx/2.9.0dev.5"}) {
    EXPECT_EQ(agent_family(agent), "browser") << agent;
  }
  for (const char* agent :
       {"Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
        "facebookexternalhit/1.1", "ELB-HealthChecker/2.0", "Twitterbot/1.0"}) {
    EXPECT_EQ(agent_family(agent), "bot") << agent;
  }
  for (const char* agent :
       {"curl/8.5.0", "Wget/1.21", "python-requests/2.31", "Go-http-client/1.1"}) {
    EXPECT_EQ(agent_family(agent), "tool") << agent;
  }
  for (const char* agent : {"-", "", "my app"}) EXPECT_EQ(agent_family(agent), "other") << agent;
  family_reader remembers;
  for (int round = 0; round < 3; ++round) {
    for (const char* agent : {"", "curl/8.5.0", "-", "Twitterbot/1.0"}) {
      EXPECT_EQ(remembers.read(agent), agent_family(agent));
    }
  }
}

}  // namespace bloomtime::logs::shaping_test
