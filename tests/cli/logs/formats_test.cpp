#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/logs/format_samples.hpp"
#include "cli/logs/input_support.hpp"
#include "logs/detect.hpp"
#include "support/expect_error.hpp"
#include "text/usage_error.hpp"

// Every format: detected, with its items and times; and hostile lines of each.
namespace bloomtime::logs::formats_test {

using samples::sample;
using row = std::vector<std::string>;

constexpr std::int64_t start = 1'709'287'200;  // 2024-03-01 10:00:00 UTC

const sample& sample_of(const std::string& format) {
  static const std::vector<sample> all = samples::all();
  for (const sample& s : all) {
    if (s.format == format) return s;
  }
  throw std::runtime_error(format);
}

heard read_sample(const std::string& format, const row& items, int lines = 8,
                  input_options asked = {}) {
  const support::temporary_directory folder;
  const std::string file = write_text(folder / "log", samples::text_of(sample_of(format), lines));
  // For timestamps without a year.
  std::filesystem::last_write_time(
      file,
      std::chrono::file_clock::from_sys(std::chrono::sys_seconds(std::chrono::seconds(start))));
  asked.items = items;
  asked.partial = true;
  return read_files({file}, asked);
}

TEST(formats, are_detected_with_times_and_without_bad_lines) {
  for (const sample& s : samples::all()) {
    const heard got = read_sample(s.format, {}, 40);
    SCOPED_TRACE(s.format);
    EXPECT_EQ(got.counts.bad_lines(), 0U) << got.notes.at(1);
    ASSERT_EQ(got.times.size(), 40U);
    for (std::size_t i = 0; i < got.times.size(); ++i) {
      ASSERT_TRUE(got.times[i]);
      EXPECT_EQ(got.times[i]->micros / 1'000'000, start + static_cast<std::int64_t>(i));
    }
    const std::string described_as(described(*format_named(s.format)));
    EXPECT_NE(got.notes.at(0).find(": " + described_as), std::string::npos) << got.notes.at(0);
  }
}

RC_GTEST_PROP(formats, any_twenty_lines_of_a_sample_tell_its_format, ()) {
  for (const sample& s : samples::all()) {
    std::string text = s.head;
    for (int i = 0; i < 20; ++i) text += s.line(*rc::gen::inRange(0, 60)) + "\n";
    RC_ASSERT(detect(first_lines(text)) == *format_named(s.format));
  }
}

TEST(formats, web_logs_have_the_same_fields) {
  const row items{"path", "host", "status", "method", "bytes"};
  for (const char* format :
       {"combined", "common", "w3c", "cloudfront", "alb", "caddy", "traefik"}) {
    const heard got = read_sample(format, items);
    SCOPED_TRACE(format);
    ASSERT_EQ(got.items.size(), 8U);
    for (int i = 0; i < 8; ++i) {
      EXPECT_EQ(got.items[static_cast<std::size_t>(i)],
                (row{samples::page(i), samples::address(i), std::to_string(samples::status(i)),
                     samples::method(i), std::to_string(100 + i)}));
    }
  }
}

TEST(formats, web_facts_of_all_web_logs) {
  const support::temporary_directory folder;
  for (const char* format :
       {"combined", "common", "w3c", "cloudfront", "alb", "caddy", "traefik"}) {
    const std::string file = write_text(folder / format, samples::text_of(sample_of(format), 8));
    event_reader reader({.web = true}, {file});
    for (int i = 0; i < 8; ++i) {
      const event* e = reader.next();
      ASSERT_TRUE(e != nullptr && e->web) << format;
      EXPECT_EQ(e->web->status, static_cast<unsigned>(samples::status(i))) << format;
      EXPECT_EQ(e->web->method, samples::method(i)) << format;
      EXPECT_EQ(e->web->bytes, static_cast<std::uint64_t>(100 + i)) << format;
    }
  }
}

TEST(formats, agents_and_families) {
  for (const char* format : {"combined", "alb", "caddy", "traefik"}) {
    const heard got = read_sample(format, {"agent", "family"}, 2);
    EXPECT_EQ(got.items,
              (std::vector<row>{{samples::agent(0), "browser"}, {samples::agent(1), "bot"}}))
        << format;
  }
  EXPECT_EQ(read_sample("cloudfront", {"agent", "family"}, 1).items[0],
            (row{"Mozilla/5.0 (compatible; Googlebot)", "bot"}));
}

TEST(formats, sites_and_referrers) {
  EXPECT_EQ(read_sample("alb", {"site"}, 1).items[0], (row{"shop.example"}));
  EXPECT_EQ(read_sample("caddy", {"site"}, 1).items[0], (row{"shop.example"}));
  EXPECT_EQ(read_sample("traefik", {"site"}, 1).items[0], (row{"shop.example"}));
  EXPECT_EQ(read_sample("cloudfront", {"site", "referrer"}, 1).items[0],
            (row{"d1.cloudfront.net", "-"}));
  EXPECT_EQ(read_sample("combined", {"referrer"}, 1).items[0], (row{"-"}));
}

TEST(formats, of_error_logs) {
  const heard nginx =
      read_sample("nginx-error",
                  {"level", "pid", "connection", "message", "host", "site", "path", "referrer"}, 4);
  EXPECT_EQ(
      nginx.items[0],
      (row{"error", "12", "100", R"(open() "/www/a, b" failed (2: No such file or directory))",
           "192.0.2.1", "shop.example", "/shop/0/item?n=0", "https://a.example/"}));
  EXPECT_EQ(nginx.items[3], (row{"notice", "12", "", "signal process started", "", "", "", ""}));
  const heard apache = read_sample(
      "apache-error", {"module", "level", "pid", "tid", "host", "message", "referrer"}, 2);
  EXPECT_EQ(apache.items[0], (row{"", "error", "", "", "192.0.2.1", "denied: /www/x", ""}));
  EXPECT_EQ(apache.items[1], (row{"core", "error", "35708", "43286", "192.0.2.2",
                                  "AH00126: Invalid URI", "http://a.example/"}));
}

TEST(formats, of_syslog) {
  const heard got = read_sample(
      "syslog", {"host", "program", "pid", "message", "facility", "severity", "id", "data"}, 4);
  EXPECT_EQ(got.items[0], (row{"web", "sshd", "0", "Accepted key for a: b", "", "", "", ""}));
  EXPECT_EQ(got.items[1], (row{"web", "CRON", "", "(root) CMD (true)", "auth", "info", "", ""}));
  EXPECT_EQ(got.items[2], (row{"web", "kernel", "", "usb 1-1: new", "", "", "", ""}));
  EXPECT_EQ(got.items[3], (row{"web", "nginx", "77", "A message", "local4", "notice", "ID47",
                               R"([a@1 b="c \] d"][e])"}));
  EXPECT_EQ(got.zone, 0);
}

TEST(formats, of_journald_logfmt_and_timed_lines) {
  const row items{"program", "unit", "host", "severity", "message"};
  const heard journald = read_sample("journald", items, 2);
  EXPECT_EQ(journald.items[0], (row{"sshd", "ssh.service", "web", "err", "Accepted key"}));
  EXPECT_EQ(journald.items[1], (row{"sshd", "ssh.service", "web", "err", ""}));  // bytes
  EXPECT_EQ(read_sample("logfmt", {"message", "path"}, 1).items[0],
            (row{R"(a "quoted" text)", "/shop/0/item?n=0"}));
  for (const row& r : read_sample("timed", {"message"}, 4).items) {
    EXPECT_EQ(r, (row{"INFO started a, b"}));
  }
  EXPECT_EQ(read_sample("timed", {"2", "3"}, 2).items,
            (std::vector<row>{{"INFO", "started"}, {"10:00:01,123", "INFO"}}));
}

// Routers write the year and decimals, databases a zone behind a blank.
TEST(formats, times_of_lines_with_years_decimals_and_zones) {
  const auto at = [](const heard& got) {
    std::vector<std::int64_t> micros;
    for (const auto& t : got.times) micros.push_back(t->micros - start * 1'000'000);
    return micros;
  };
  const heard syslog = read_text(
      "Mar  1 2024 10:00:00 r1 %ASA-6-302013: Built\n<34>Mar 01 2024 10:00:01.25 web sshd[7]: "
      "hello\n",
      {.items = {"host", "program", "message"}, .partial = true});
  EXPECT_EQ(syslog.items,
            (std::vector<row>{{"r1", "%ASA-6-302013", "Built"}, {"web", "sshd", "hello"}}));
  EXPECT_EQ(at(syslog), (std::vector<std::int64_t>{0, 1'250'000}));
  for (const char* zone : {" +01:00", " +0100", " +01", "+01", "+01:00"}) {
    const heard timed = read_text(fmt::format("2024-03-01 11:00:00.5{} [12] LOG:  a, b\n", zone));
    EXPECT_EQ(timed.items, (std::vector<row>{{"[12] LOG:  a, b"}})) << zone;
    EXPECT_EQ(at(timed), (std::vector<std::int64_t>{500'000})) << zone;
  }
  for (const char* zone : {" UTC", " Z", " GMT", " UTC:", ""}) {
    const heard timed = read_text(fmt::format("2024-03-01 10:00:00{} a\n", zone));
    EXPECT_EQ(timed.items, (std::vector<row>{{"a"}})) << zone;
    EXPECT_EQ(at(timed), (std::vector<std::int64_t>{0})) << zone;
  }
}

TEST(formats, zones_of_timed_lines_by_name) {
  const auto micros = [](const heard& got) { return got.times.at(0)->micros - start * 1'000'000; };
  for (const char* zone : {" CET", " +0100 CET", " CET:"}) {
    const heard got = read_text(fmt::format("2024-03-01 11:00:00{} [7] LOG:  a\n", zone));
    EXPECT_EQ(got.items, (std::vector<row>{{"[7] LOG:  a"}})) << zone;
    EXPECT_EQ(micros(got), 0) << zone;
  }
  for (const char* zone : {" +0000 UTC", " +0000 UTC m=+0.000123"}) {  // Go
    const heard got = read_text(fmt::format("2024-03-01 10:00:00.5{} started\n", zone));
    EXPECT_EQ(got.items, (std::vector<row>{{"started"}})) << zone;
    EXPECT_EQ(micros(got), 500'000) << zone;
  }
  const heard mixed = read_text(
      "2024-03-01 10:00:00 UTC a\n2024-03-01 18:00:00 CST b\n2024-03-01 10:00:00 INFO c\n");
  EXPECT_EQ(mixed.items, (std::vector<row>{{"a"}, {"INFO c"}}));
  EXPECT_EQ(mixed.bad(bad_line::ambiguous_zone), 1U);
}

// A column of dates, as spreadsheets and databases export it.
TEST(formats, dates_without_a_time_of_day) {
  for (const char* text :
       {"date,name\n2024-03-01,a\n2024-03-02,b\n", "2024-03-01,a\n2024-03-02,b\n",
        "day_time,name\n2024-03-01,a\n2024-03-02,b\n", "date\tname\n2024/03/01\ta\n2024/03/02\tb\n",
        "date=2024-03-01 id=a\ndate=2024-03-02 id=b\n",
        "{\"date\":\"2024-03-01\",\"id\":\"a\"}\n"
        "{\"date\":\"2024-03-02\",\"id\":\"b\"}\n"}) {
    const heard got = read_text(text);
    EXPECT_EQ(got.items, (std::vector<row>{{"a"}, {"b"}})) << text;
    ASSERT_TRUE(got.times.size() == 2 && got.times[0] && got.times[1]) << text;
    EXPECT_EQ(got.times[0]->micros, (start - 36'000) * 1'000'000) << text;
    EXPECT_EQ(got.times[1]->micros, (start + 50'400) * 1'000'000) << text;
    EXPECT_EQ(got.counts.bad_lines(), 0U) << text;
  }
}

TEST(formats, a_zone_before_a_comma_is_of_a_column) {
  for (const char* zone : {" UTC", "+01", " +0100", "Z", " CET", " CST"}) {
    const std::string rows =
        fmt::format("2024-03-01 10:00:00{0},a\n2024-03-01 10:00:01{0},b\n", zone);
    EXPECT_EQ(detect(first_lines(rows)), input_format::csv) << zone;
    EXPECT_EQ(detect(first_lines("created_at,id\n" + rows)), input_format::csv) << zone;
  }
}

TEST(formats, columns_of_w3c_logs_may_change_and_vanish) {
  const std::string log =
      "#Fields: date time c-ip cs-uri-stem\n2024-03-01 10:00:00 192.0.2.1 /a\n"
      "#Fields: time date cs-uri-stem cs-uri-query c-ip\n10:00:01 2024-03-01 /b q=1 192.0.2.2\n"
      "#Remark: c\n#Fields: date time c-ip\n2024-03-01 10:00:02 192.0.2.3\n"
      "#Fields: date c-ip cs-uri-stem\n2024-03-01 192.0.2.4 /d\n";
  const heard got = read_text(log, {.items = {"path", "host"}, .partial = true});
  EXPECT_EQ(got.items,
            (std::vector<row>{{"/a", "192.0.2.1"}, {"/b?q=1", "192.0.2.2"}, {"", "192.0.2.3"}}));
  EXPECT_EQ(got.counts.headers, 5U);
  EXPECT_EQ(got.bad(bad_line::no_time), 1U);
  EXPECT_THROW((void)read_text("/a b\n", {.format = "w3c"}), text::usage_error);
}

TEST(formats, json_arrays_are_lines_of_objects) {
  const std::vector<row> expected{{"a,\n]}b"}, {"c"}, {"d"}};
  for (const char* text :
       {R"([{"id":"a,\n]}b","time":1709287200},{"time":1709287201,"id":"c","x":[1,{"y":"]"}]},)"
        R"({"time":1709287202,"id":"d"}])",
        "\xef\xbb\xbf \n[\n  {\n    \"time\": 1709287200,\n    \"id\": \"a,\\n]}b\"\n  },\r\n  {\n"
        "    \"time\": 1709287201, \"id\": \"c\"\n  },\n  {\"time\": 1709287202, \"id\": "
        "\"d\"}\n]\n\n",
        "[{\"time\":1709287200,\"id\":\"a,\\n]}b\"},\n{\"time\":1709287201,\"id\":\"c\"}] "
        "[{\"time\":1709287202,\"id\":\"d\"}]"}) {
    const heard got = read_text(text);
    EXPECT_EQ(got.items, expected) << text;
    EXPECT_EQ(got.counts.bad_lines(), 0U) << text;
  }
  const heard cut = read_text(R"([{"time":1709287200,"id":"a"},{"time":17092)");
  EXPECT_EQ(cut.counts.events, 1U);
  EXPECT_EQ(cut.bad(bad_line::other_format), 1U);
  EXPECT_EQ(read_text("[{\"id\":1}]\n", {.format = "plain"}).items[0], (row{"[{\"id\":1}]"}));
}

TEST(formats, times_are_found_by_name_and_by_value) {
  const auto described_as = [](const std::string& text) {
    return read_text(text, {.items = {"a"}}).notes.at(0);
  };
  for (const char* name : {"created", "created_at", "@timestamp", "start_time"}) {
    EXPECT_NE(
        described_as(fmt::format("{{\"request_time\":0.5,\"{}\":1709287200,\"a\":1}}\n", name))
            .find(fmt::format("time {}", name)),
        std::string::npos);
    EXPECT_NE(described_as(fmt::format("a,request_time,{}\nx,0.5,2024-03-01T10:00:00Z\n", name))
                  .find(fmt::format("time {}", name)),
              std::string::npos);
  }
  const heard two = read_text("date,time,a\n2024-03-01,10:00:01,x\n");
  EXPECT_EQ(two.items[0], (row{"x"}));
  EXPECT_EQ(two.times[0], instant::from_seconds(start + 1));
  const heard unnamed = read_text("2024-03-01\t10:00:01\tx\n2024-03-01\t10:00:02\ty\n");
  EXPECT_EQ(unnamed.items[1], (row{"y"}));
  EXPECT_EQ(unnamed.times[1], instant::from_seconds(start + 2));
}

TEST(formats, hostile_lines_are_bad_lines_or_read_as_far_as_they_go) {
  for (const sample& s : samples::all()) {
    SCOPED_TRACE(s.format);
    const std::string whole = s.line(1);
    std::string text = s.head;
    int lines = 0;
    for (std::size_t cut = 1; cut < whole.size(); cut += 3) {
      text += whole.substr(0, cut) + "\n";
      ++lines;
    }
    for (const char* other : {"\"", "[", "<", "<999>1 x", "\\", "%", "=", "a=\"", "{\"request\":[",
                              "[client", "2024/03/01 10:00:00 [", "Mar 31 25:00:00 a b: c"}) {
      text += std::string(other) + "\n" + whole + "\n";
      lines += 2;
    }
    std::string holes = whole;
    for (std::size_t i = 5; i < holes.size(); i += 7) holes[i] = '\0';
    text += holes + "\n";
    const heard got = read_text(text, {.format = s.format, .items = {"line"}});
    const auto& c = got.counts;
    EXPECT_EQ(c.events + c.bad_lines() + c.headers, c.lines);
    EXPECT_EQ(c.lines, static_cast<std::uint64_t>(lines) + 1 + 2 * !s.head.empty());
  }
}

// The blocks ```log FORMAT of docs/input.md.
TEST(formats, examples_of_the_documentation) {
  std::ifstream document(std::string(BLOOMTIME_TESTS_DIR) + "/../docs/input.md");
  int examples = 0;
  for (std::string line; std::getline(document, line);) {
    if (!line.starts_with("```log ")) continue;
    const std::string format = line.substr(7);
    std::string text;
    while (std::getline(document, line) && line != "```") text += line + "\n";
    EXPECT_EQ(detect(first_lines(text)), *format_named(format)) << text;
    const heard got = read_text(text, {.partial = true});
    EXPECT_EQ(got.counts.bad_lines(), 0U) << text;
    ASSERT_NE(got.counts.events, 0U) << text;
    EXPECT_TRUE(got.times.front()) << text;
    ++examples;
  }
  EXPECT_EQ(examples, 16);
}

}  // namespace bloomtime::logs::formats_test
