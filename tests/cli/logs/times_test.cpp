#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "logs/times.hpp"
#include "text/time_text.hpp"

namespace bloomtime::logs {
namespace times_test {

using namespace text;

std::int64_t micros(std::string_view text) {
  const time_reading got = read_time(text);
  EXPECT_TRUE(got.ok()) << text;
  return got.time.at.micros;
}

time_problem problem(std::string_view text) { return read_time(text).problem; }

TEST(times, of_logs) {
  EXPECT_EQ(micros("10/Oct/2000:13:55:36 -0700"), 971'211'336'000'000);
  EXPECT_EQ(read_time("10/Oct/2000:13:55:36 -0700").time.offset, -7 * 3600);
  EXPECT_EQ(micros("01/Jan/1970:01:00:00 +0100"), 0);
  EXPECT_EQ(problem("31/Feb/2000:13:55:36 -0700"), time_problem::impossible);
  EXPECT_EQ(problem("29/Feb/1900:13:55:36 -0700"), time_problem::impossible);
  EXPECT_EQ(problem("10/Oct/2000:24:55:36 -0700"), time_problem::impossible);
  EXPECT_EQ(problem("10/Okt/2000:13:55:36 -0700"), time_problem::unreadable);
  EXPECT_EQ(micros("10/Oct/2000:20:55:36"), 971'211'336'000'000);
  EXPECT_EQ(micros("10/Oct/2000:20:55:36.25"), 971'211'336'250'000);
  EXPECT_EQ(problem("10/Oct/2000-20:55:36"), time_problem::unreadable);
  EXPECT_EQ(problem("10/Oct/2000:13:55:36 -0700 "), time_problem::unreadable);
}

TEST(times, of_syslog_and_error_logs) {
  constexpr instant newest = instant::from_seconds(1'709'287'200);  // 2024-03-01 10:00:00
  const auto at = [&](std::string_view text, instant by) {
    const time_reading got = read_time(text, by);
    return got.ok() ? got.time.at.micros / 1'000'000 : -1;
  };
  EXPECT_EQ(at("Mar  1 10:00:00", newest), 1'709'287'200);
  EXPECT_EQ(at("Mar 01 10:00:00.5", newest), 1'709'287'200);
  EXPECT_EQ(at("Mar  2 10:00:00", newest), 1'709'373'600);                // a day ahead
  EXPECT_EQ(at("Mar  2 10:00:01", newest), 1'709'373'601 - 366 * 86400);  // a second more
  EXPECT_EQ(at("Dec 31 23:59:59", newest), 1'704'067'199);                // of 2023
  EXPECT_EQ(at("Jan  1 00:00:00", newest), 1'704'067'200);                // of 2024
  EXPECT_EQ(at("Jan  1 00:00:00", instant::from_seconds(1'704'067'199)), 1'704'067'200);
  EXPECT_EQ(at("Feb 29 00:00:00", newest), 1'709'164'800);
  EXPECT_EQ(at("Feb 29 00:00:00", instant::from_seconds(1'700'000'000)), 1'582'934'400);  // 2020
  EXPECT_EQ(micros("Fri Mar 01 10:00:00.250000 2024"), 1'709'287'200'250'000);
  EXPECT_EQ(micros("Mar 01 2024 10:00:00"), 1'709'287'200'000'000);
  EXPECT_EQ(micros("2024/03/01 10:00:00"), 1'709'287'200'000'000);
  EXPECT_EQ(micros("01/Mar/2024 10:00:00"), 1'709'287'200'000'000);
  EXPECT_EQ(micros("01/Mar/2024 11:00:00 +0100"), 1'709'287'200'000'000);
  EXPECT_EQ(problem("Feb 30 10:00:00"), time_problem::impossible);
  EXPECT_EQ(problem("Mar  1 25:00:00"), time_problem::impossible);
  for (const char* text : {"Mar", "Mar 1 10:00:00", "Mar  1 10:00", "Mrz  1 10:00:00", "M", "Mar  ",
                           "Fri", "Fri Mar", "Mar  1 10:00:00 ", "2024/03-01 10:00:00",
                           "Mar 01 20240 10:00:00", "Mar  1 10:00:00 2024 2024"}) {
    EXPECT_EQ(problem(text), time_problem::unreadable) << text;
  }
}

TEST(times, of_rfc3339) {
  EXPECT_EQ(micros("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(micros("2000-10-10T13:55:36-07:00"), 971'211'336'000'000);
  EXPECT_EQ(micros("2000-10-10 13:55:36.25-0700"), 971'211'336'250'000);
  EXPECT_EQ(micros("2000-10-10t20:55:36,1234567z"), 971'211'336'123'456);
  EXPECT_EQ(micros("2000-10-10 20:55:36"), 971'211'336'000'000);
  EXPECT_EQ(micros("2000-10-10 13:55:36 -0700"), 971'211'336'000'000);
  for (const char* zone : {"Z", " Z", " UTC", "UTC", " GMT", "+00", " -00", " +00:00"}) {
    EXPECT_EQ(micros(std::string("2000-10-10 20:55:36") + zone), 971'211'336'000'000) << zone;
  }
  EXPECT_EQ(micros("2000-10-10 13:55:36.25-07"), 971'211'336'250'000);
  EXPECT_EQ(read_time("2000-10-10 13:55:36 -07").time.offset, -7 * 3600);
  EXPECT_EQ(micros("9999-12-31T23:59:59Z"), 253'402'300'799'000'000);
  EXPECT_EQ(micros("0000-01-01T00:00:00Z"), -62'167'219'200'000'000);
  EXPECT_EQ(micros("1969-12-31T23:59:59.5Z"), -500'000);
  EXPECT_EQ(problem("2001-02-29T00:00:00Z"), time_problem::impossible);
  EXPECT_EQ(problem("2001-00-01T00:00:00Z"), time_problem::impossible);
  EXPECT_EQ(problem("2001-01-01T00:60:00Z"), time_problem::impossible);
  EXPECT_EQ(problem("2001-01-01T00:00:00+24:00"), time_problem::impossible);
  EXPECT_EQ(problem("2001-01-01T00:00:00."), time_problem::unreadable);
  for (const char* zone : {"+1", "+01:", "+01:0", "+010", " ", " PM", "UTCx", "UTC+01", "  Z"}) {
    EXPECT_EQ(problem(std::string("2001-01-01T00:00:00") + zone), time_problem::unreadable) << zone;
  }
}

TEST(times, without_a_time_of_day_are_midnight) {
  for (const char* text : {"2000-10-10", "2000/10/10", "10/Oct/2000", "2000-10-10Z",
                           "2000-10-10 UTC", "2000-10-10 00:00"}) {
    EXPECT_EQ(micros(text), 971'136'000'000'000) << text;
  }
  EXPECT_EQ(read_time("2000-10-10").precision, time_precision::day);
  EXPECT_EQ(read_time("2000-10-10 00:00").precision, time_precision::minute);
  EXPECT_EQ(read_time("2000-10-10 00:00:00").precision, time_precision::moment);
  EXPECT_FALSE(read_time("2000-10-10").zoned);
  EXPECT_TRUE(read_time("2000-10-10Z").zoned);
  EXPECT_EQ(micros("2000-10-10+02:00"), 971'136'000'000'000 - 7'200'000'000);
  EXPECT_EQ(micros("2000-10-10T13:55-07:00"), 971'211'300'000'000);
  EXPECT_EQ(micros("10/Oct/2000:13:55 -0700"), 971'211'300'000'000);
  EXPECT_EQ(problem("2000-10-32"), time_problem::impossible);
  for (const char* text : {"2000-10", "2000-10-1", "2000-10-10T", "2000-10-10 ", "2000-10-10-07",
                           "2000-10-10-", "10/Oct/2000 ", "2000-10-10 10", "2000-10-10 10:"}) {
    EXPECT_EQ(problem(text), time_problem::unreadable) << text;
  }
}

TEST(times, with_names_of_zones) {
  constexpr std::int64_t hour = 3'600'000'000;
  constexpr std::int64_t ten = 1'709'287'200'000'000;  // 2024-03-01 10:00:00 UTC
  const auto at = [&](const std::string& zone, std::int64_t behind) {
    for (const char* text : {"2024-03-01 10:00:00", "2024-03-01T10:00", "01/Mar/2024:10:00:00",
                             "Mar 01 2024 10:00:00", "Fri, 01 Mar 2024 10:00:00"}) {
      const time_reading got = read_time(text + (" " + zone));
      EXPECT_TRUE(got.ok() && got.zoned) << text << zone;
      EXPECT_EQ(got.time.at.micros, ten + behind) << text << zone;
      EXPECT_EQ(got.time.offset, -behind / 1'000'000) << text << zone;
    }
  };
  at("Z", 0);
  at("UTC", 0);
  at("GMT", 0);
  at("CET", -hour);
  at("CEST", -2 * hour);
  at("EST", 5 * hour);
  at("EDT", 4 * hour);
  at("PDT", 7 * hour);
  at("NST", 7 * hour / 2);
  at("ACST", -19 * hour / 2);
  EXPECT_EQ(micros("Fri Mar  1 10:00:00 CET 2024"), ten - hour);  // date
  EXPECT_EQ(micros("Fri Mar 01 10:00:00 +0100 2024"), ten - hour);
  EXPECT_EQ(micros("Fri, 1 Mar 2024 10:00:00 +0100"), ten - hour);
  EXPECT_EQ(micros("01 Mar 2024 10:00:00.5"), ten + 500'000);
  for (const char* zone : {"CST", "CDT", "IST", "MSK", "GST"}) {
    EXPECT_EQ(problem("2024-03-01 10:00:00 " + std::string(zone)), time_problem::ambiguous_zone);
  }
  for (const char* text : {"2024-03-01 10:00:00 XYZ", "2024-03-01 10:00:00 cet",
                           "2024-03-01 10:00:00 CET CET", "Mar 01 2024 10:00:00 CET CET"}) {
    EXPECT_EQ(problem(text), time_problem::unreadable) << text;
  }
}

TEST(times, of_go) {
  constexpr std::int64_t ten = 1'709'287'200'000'000;
  for (const char* text :
       {"2024-03-01 10:00:00 +0000 UTC", "2024-03-01 11:00:00 +0100 CET",
        "2024-03-01 18:00:00 +0800 CST", "2024-03-01 13:00:00 +0300 +03",
        "2024-03-01 10:00:00 +0000 UTC m=+0.000000001", "2024-03-01 11:00:00 +0100 m=-12.5"}) {
    EXPECT_EQ(micros(text), ten) << text;
  }
  EXPECT_EQ(read_time("2024-03-01 18:00:00 +0800 CST").time.offset, 8 * 3600);
  for (const char* rest : {" XYZ", " UTC ", " UTC m=", " UTC m=+1", " UTC x", "  UTC"}) {
    EXPECT_EQ(problem("2024-03-01 10:00:00 +0000" + std::string(rest)), time_problem::unreadable);
  }
}

TEST(times, a_leap_second_is_the_next_one) {
  EXPECT_EQ(micros("2016-12-31T23:59:60Z"), micros("2017-01-01T00:00:00Z"));
  EXPECT_EQ(problem("2016-12-31T23:59:61Z"), time_problem::impossible);
}

TEST(times, epoch_numbers_by_magnitude) {
  for (const char* text : {"1700000000", "1700000000000", "1700000000000000", "1700000000000000000",
                           "1700000000.000", "01700000000"}) {
    EXPECT_EQ(micros(text), 1'700'000'000'000'000) << text;
  }
  EXPECT_EQ(micros("1700000000.1234567"), 1'700'000'000'123'456);
  EXPECT_EQ(micros("1700000000123.5"), 1'700'000'000'123'500);
  EXPECT_EQ(micros("99999999999"), 99'999'999'999'000'000);
  EXPECT_EQ(micros("100000000000"), 100'000'000'000'000);
  EXPECT_EQ(micros("0"), 0);
  EXPECT_EQ(micros("-1"), -1'000'000);
  EXPECT_EQ(micros("-0.0000001"), -1);  // rounded down
  EXPECT_EQ(micros("-1700000000000000001"), -1'700'000'000'000'001);
  EXPECT_EQ(micros("9999999999999999999"), 9'999'999'999'999'999);
  EXPECT_EQ(problem("10000000000000000000"), time_problem::impossible);
  for (const char* text : {"", "-", ".5", "1.", "1e9", "12a", " 1", "1 ", "+1", "--1", "0x1"}) {
    EXPECT_EQ(problem(text), time_problem::unreadable) << text;
  }
}

TEST(times, the_memory_of_the_last_one_changes_nothing) {
  time_reader reader;
  for (const char* text : {"1", "1", "2", "", "x", "x", "10/Oct/2000:13:55:36 -0700", "1",
                           "0000000000000000000000000000000000000000000000000000001", "1"}) {
    const time_reading direct = read_time(text);
    const time_reading got = reader.read(text);
    EXPECT_EQ(got.problem, direct.problem) << text;
    EXPECT_EQ(got.time, direct.time) << text;
  }
}

TEST(times, printed) {
  EXPECT_EQ(time_text(instant(971'211'336'000'000), -7 * 3600), "2000-10-10 13:55:36");
  EXPECT_EQ(time_text(instant(971'211'336'250'000), 0), "2000-10-10 20:55:36.25");
  EXPECT_EQ(time_text(instant(-1), 0), "1969-12-31 23:59:59.999999");
  EXPECT_EQ(time_text(instant(std::int64_t{1} << 62), 0), "@4611686018427.387904");
  EXPECT_EQ(zone_text(-7 * 3600), "-0700");
  EXPECT_EQ(zone_text(19800), "+0530");
}

RC_GTEST_PROP(times, what_is_printed_is_read_back, ()) {
  const auto t = *rc::gen::inRange<std::int64_t>(-62'000'000'000'000'000, 253'000'000'000'000'000);
  const auto offset = 60 * *rc::gen::inRange(-1439, 1440);
  const time_reading back = read_time(time_text(instant(t), offset) + " " + zone_text(offset));
  RC_ASSERT(back.ok());
  RC_ASSERT(back.time == (zoned_time{instant(t), offset}));
}

}  // namespace times_test
}  // namespace bloomtime::logs
