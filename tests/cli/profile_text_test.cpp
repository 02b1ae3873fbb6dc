#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <bloomtime/heat/heat_filter.hpp>
#include <bloomtime/published/time_decaying/pooled_decaying_filter.hpp>

#include "cli/output/report.hpp"
#include "cli/plan/heat_choices.hpp"
#include "profile/profiler.hpp"
#include "store/log_zone.hpp"
#include "text/text.hpp"
#include "text/time_text.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::cli {
namespace profile_text_test {

using namespace profile;
using namespace store;
using namespace text;

using namespace published;
using namespace std::chrono_literals;

TEST(sparkline, is_as_high_as_its_highest) {
  EXPECT_EQ(sparkline({}), "");
  EXPECT_EQ(sparkline(std::vector<std::uint64_t>{0, 0}), "··");
  EXPECT_EQ(sparkline(std::vector<std::uint64_t>{0, 1, 4, 7}), "·▂▅█");
  EXPECT_EQ(sparkline(std::vector<std::uint64_t>{1, 1'000'000, ~std::uint64_t{0}}), "▁▁█");
}

TEST(sparkline, can_be_drawn_in_ascii) {
  const std::string drawn = ascii_only("▁▂▃▄▅▆▇█· ↑ ↓ → ±");
  EXPECT_EQ(drawn, "_,-=+*%#. ^ v > +-");
}

TEST(cut_to, keeps_what_fits) {
  EXPECT_EQ(cut_to("abc", 3), "abc");
  EXPECT_EQ(cut_to("abcd", 3), "ab…");
  EXPECT_EQ(cut_to("日本語", 4), "日…");
  EXPECT_EQ(cut_to("", 1), "");
}

RC_GTEST_PROP(cut_to, is_never_wider_than_asked, ()) {
  const auto text = *rc::gen::arbitrary<std::string>();
  const auto columns = *rc::gen::inRange<std::size_t>(1, 30);
  RC_ASSERT(display_width(cut_to(text, columns)) <= columns);
}

TEST(span_text, has_the_largest_whole_unit) {
  EXPECT_EQ(span_text(1h), "1 h");
  EXPECT_EQ(span_text(90s), "90 s");
  EXPECT_EQ(span_text(48h), "2 d");
  EXPECT_EQ(span_text(1h, 24), "24 h");
  EXPECT_EQ(span_text(10min, 24), "240 min");
  EXPECT_EQ(span_text(1500us), "1,500 us");
}

TEST(parse_moment, has_the_offset_of_the_newest_event_unless_it_names_one) {
  store::facts read;
  read.zone = "+0100";
  const log_zone zone(read, {}, tick_clock());
  const instant noon = instant::from_seconds(1'388'574'000);  // 2014-01-01 12:00:00 +0100
  for (const char* text : {"2014-01-01 12:00:00", "2014-01-01T12:00", "2014-01-01T11:00:00Z",
                           "2014-01-01 13:00:00 +0200", "01/Jan/2014:12:00:00 +0100", "1388574000",
                           "2014-01-01T13:00+02:00", "2014-01-01T11:00Z", "1388574000.0",
                           "1388574000000", "12:00", "today 12:00"}) {
    EXPECT_EQ(parse_moment("--at", text, zone, noon), noon) << text;
  }
  EXPECT_EQ(parse_moment("--at", "2014-01-01", zone, noon).micros,
            noon.micros - 12 * 3'600'000'000);
  for (const char* text : {"", "noon", "2014-02-30", "2014-01-01T25:00", "25:00", "tomorrow"}) {
    EXPECT_THROW((void)parse_moment("--at", text, zone, noon), usage_error) << text;
  }
}

TEST(exact_size, counts_the_text_only_where_it_has_memory_of_its_own) {
  EXPECT_EQ(exact_bytes_per_item(15), 92U);
  EXPECT_EQ(exact_bytes_per_item(16), 92U + 32U);
  EXPECT_EQ(exact_bytes_per_item(100), 92U + 112U);
}

TEST(heat_choices, are_the_filters_that_would_be_built) {
  const std::vector<plan_target> targets{{.items = 1000, .error = 0.01, .memory = {}},
                                         {.items = 1, .error = 0.5, .memory = {}},
                                         {.items = 1000, .error = {}, .memory = 256},
                                         {.items = 1000, .error = {}, .memory = 1000},
                                         {.items = 1000, .error = {}, .memory = 100'000}};
  for (const plan_target& target : targets) {
    const std::uint64_t items = target.error ? target.items : 0;
    for (const heat_choice& c : heat_choices(target)) {
      EXPECT_LE(c.error, target.error.value_or(1) * (1 + 1e-12));
      if (c.engine == "heat_filter") {
        const heat_filter built({.items = items,
                                 .error = target.error,
                                 .memory = target.memory,
                                 .half_life = 1h,
                                 .cell_bits = c.cell_bits});
        EXPECT_EQ(c.k, built.k());
        EXPECT_EQ(c.k * c.row, built.cells());
        EXPECT_EQ(c.memory, built.memory());
        continue;
      }
      const decaying_config config{
          .items = items, .error = target.error, .memory = target.memory, .half_life = 1h};
      const auto compare = [&](const auto& built) {
        EXPECT_EQ(c.k, built.k());
        EXPECT_EQ(c.k * c.row, built.cells());
        EXPECT_NEAR(static_cast<double>(c.memory), static_cast<double>(built.memory()),
                    0.02 * static_cast<double>(built.memory()) + 64);
      };
      if (c.engine == "decaying_filter") compare(decaying_filter(config));
      if (c.engine == "pooled_decaying_filter") compare(pooled_decaying_filter(config));
    }
  }
}

}  // namespace profile_text_test
}  // namespace bloomtime::cli
