#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "cli/live/lists.hpp"
#include "cli/live/screen.hpp"
#include "text/text.hpp"

namespace bloomtime::cli::live {
namespace screen_test {

table field(const std::string& name, const std::vector<std::string>& items) {
  table t{.key = name,
          .columns = {{"rank", "", side::right, audience::programs},
                      {"item", name, side::left},
                      {"hits", "hits"},
                      {"trend", "trend", side::left, audience::everybody, 1}}};
  std::uint64_t hits = 1'000;
  for (const std::string& item : items) {
    t.rows.push_back({{count_cell(1), text_cell(item), count_cell(hits--), text_cell("→ 1.0")}});
  }
  return t;
}

std::vector<std::string> numbered(const std::string& name, std::size_t count) {
  std::vector<std::string> items;
  for (std::size_t i = 0; i < count; ++i) items.push_back(name + std::to_string(i));
  return items;
}

model two_fields(std::size_t rows = 30) {
  return {.profile = {.command = "profile",
                      .title = "access.log: 20,000 lines",
                      .tables = {field("path", numbered("/p", rows)),
                                 field("host", numbered("h", rows))},
                      .notes = {"memory 1 MB"}},
          .orders = {"heat", "trend"},
          .state = "7 lines/s",
          .message = ""};
}

constexpr style plain{.form = view::people, .color = false, .unicode = true, .width = 0};

std::string joined(const std::vector<std::string>& lines) {
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  return all;
}

std::string drawn(const model& shown, controls chosen, screen_size size, const style& how = plain) {
  settle(chosen, shown, size, how);
  return joined(draw(shown, chosen, size, how));
}

TEST(live_screen, has_every_field_and_the_keys) {
  EXPECT_EQ(drawn(two_fields(), {}, {70, 16}),
            "access.log: 20,000 lines\n"
            "\n"
            "  path   hits  trend\n"
            "▸ /p0   1,000  → 1.0\n"
            "  /p1     999  → 1.0\n"
            "  /p2     998  → 1.0\n"
            "  /p3     997  → 1.0\n"
            "  /p4     996  → 1.0\n"
            "\n"
            "  host   hits  trend\n"
            "  h0    1,000  → 1.0\n"
            "  h1      999  → 1.0\n"
            "  h2      998  → 1.0\n"
            "  h3      997  → 1.0\n"
            "7 lines/s · by heat · path 1 of 30\n"
            "f field  o order  / find  ↑↓ select  ⏎ timeline  p pause  q quit\n");
}

TEST(live_screen, a_low_one_has_the_field_in_use) {
  controls chosen;
  chosen.field = 1;
  EXPECT_EQ(drawn(two_fields(), chosen, {30, 5}),
            "access.log: 20,000 lines\n"
            "  host   hits  trend\n"
            "▸ h0    1,000  → 1.0\n"
            "  h1      999  → 1.0\n"
            "f o / ⏎ p q\n");
  EXPECT_EQ(drawn(two_fields(), chosen, {30, 1}), "▸ h0    1,000  → 1.0\n");
  EXPECT_EQ(drawn(two_fields(), chosen, {30, 0}), "");
  EXPECT_EQ(drawn(two_fields(), chosen, {0, 3}), "\n\n\n");
}

TEST(live_screen, a_narrow_one_cuts_items_and_not_numbers) {
  model shown = two_fields(0);
  shown.profile.tables = {field("path", {"/a/long/path/of/an/item"})};
  EXPECT_EQ(drawn(shown, {}, {20, 4}),
            "  path          hits\n"
            "▸ /a/long/pa…  1,000\n"
            "\n"
            "f o / ⏎ p q\n");
}

TEST(live_screen, a_narrow_one_leaves_out_numbers_before_items_are_unreadable) {
  model shown = two_fields(0);
  table t = field("path", {"/a/long/path/of/an/item"});
  t.columns.insert(t.columns.begin() + 2, {"total", "total"});
  t.rows[0].cells.insert(t.rows[0].cells.begin() + 2, count_cell(18'204));
  t.columns.push_back({"", "first seen", side::left});
  t.rows[0].cells.push_back(text_cell("2024-03-01 10:00:00"));
  shown.profile.tables = {t};
  EXPECT_EQ(drawn(shown, {}, {20, 3}),
            "  path         total\n"
            "▸ /a/long/p…  18,204\n"
            "f o / ⏎ p q\n");
  EXPECT_EQ(drawn(shown, {}, {28, 3}),
            "  path          total   hits\n"
            "▸ /a/long/pa…  18,204  1,000\n"
            "f o / ⏎ p q\n");
  EXPECT_EQ(drawn(shown, {}, {12, 3}),
            "  path\n"
            "▸ /a/long/p…\n"
            "f o / ⏎ p q\n");
}

TEST(live_screen, finds_items) {
  controls chosen;
  chosen.find = "P1";
  const std::string page = drawn(two_fields(), chosen, {70, 24});
  EXPECT_NE(page.find("▸ /p1 "), page.npos) << page;
  EXPECT_NE(page.find("  /p19"), page.npos) << page;
  EXPECT_EQ(page.find("/p2"), page.npos) << page;
  EXPECT_NE(page.find("none found"), page.npos) << page;
  EXPECT_NE(page.find("7 lines/s · by heat · path 1 of 11 · find P1"), page.npos) << page;
  chosen.typing = true;
  EXPECT_NE(drawn(two_fields(), chosen, {70, 24}).find("\n/P1█\n"), page.npos);
}

TEST(live_screen, says_that_it_is_paused_even_without_a_line_for_that) {
  controls chosen;
  chosen.paused = true;
  for (const std::size_t rows : {3U, 5U, 6U, 24U}) {
    EXPECT_NE(drawn(two_fields(), chosen, {70, rows}).find("paused"), std::string::npos) << rows;
  }
}

TEST(live_screen, scrolls) {
  controls chosen;
  chosen.row = 25;
  const std::string page = drawn(two_fields(), chosen, {70, 12});
  EXPECT_NE(page.find("▸ /p25"), page.npos) << page;
  EXPECT_EQ(page.find("/p26"), page.npos) << page;
  EXPECT_EQ(page.find("/p2 "), page.npos) << page;
}

TEST(live_screen, shows_a_timeline_in_place_of_the_tables) {
  model shown = two_fields();
  shown.timeline = {.command = "timeline", .title = "/p1   seen today"};
  const std::string page = drawn(shown, {}, {70, 24});
  EXPECT_NE(page.find("/p1   seen today"), page.npos);
  EXPECT_EQ(page.find("/p2"), page.npos);
  EXPECT_NE(page.find("⏎ back  p pause  q quit"), page.npos);
}

TEST(live_screen, waits_for_the_first_line) {
  model shown;
  shown.profile.title = "waiting for lines";
  EXPECT_EQ(drawn(shown, {}, {40, 3}), "\n\nf o / ⏎ p q\n");
  EXPECT_EQ(drawn(shown, {}, {70, 5}),
            "waiting for lines\n\n\n\nf field  o order  / find  ↑↓ select  ⏎ timeline  p pause  q "
            "quit\n");
}

TEST(live_screen, in_ascii) {
  controls chosen;
  style how = plain;
  how.unicode = false;
  for (const std::size_t columns : {10U, 30U, 100U}) {
    for (const char c : drawn(two_fields(), chosen, {columns, 24}, how)) {
      ASSERT_TRUE(c == '\n' || (c >= ' ' && c <= '~'));
    }
  }
}

TEST(live_lists, share_the_lines) {
  const std::vector<table> tables{field("a", numbered("a", 2)), field("b", numbered("b", 50)),
                                  field("c", numbered("c", 50))};
  const std::vector<list> lists = lists_of(tables, "");
  EXPECT_EQ(heights_of(lists, 0, 16), (std::vector<std::size_t>{16, 0, 0}));
  EXPECT_EQ(heights_of(lists, 0, 32), (std::vector<std::size_t>{3, 17, 10}));
  EXPECT_EQ(heights_of(lists, 2, 32), (std::vector<std::size_t>{3, 10, 17}));
  EXPECT_EQ(heights_of(lists, 1, 200), (std::vector<std::size_t>{3, 51, 51}));
}

// Whatever items contain and however small the screen is.
RC_GTEST_PROP(live_screen, has_as_many_lines_and_columns_as_there_are, ()) {
  const auto bytes = rc::gen::weightedOneOf<std::string>(
      {{2, rc::gen::arbitrary<std::string>()},
       {1, rc::gen::elementOf(std::vector<std::string>{"\x1b[2J", "\x1b]0;x\a", "日本", "e\u0301",
                                                       "\u202e", "\r\n", "/index.html"})}});
  const auto items = *rc::gen::container<std::vector<std::string>>(bytes);
  model shown{.profile = {.command = "profile",
                          .title = *bytes,
                          .tables = {field("path", items), field("host", items)},
                          .notes = {*bytes}},
              .orders = {"heat"},
              .state = *bytes,
              .message = *bytes};
  if (*rc::gen::inRange(0, 4) == 0) {
    shown.timeline = {.command = "timeline", .title = *bytes, .tables = {field("x", items)}};
  }
  controls chosen;
  chosen.field = *rc::gen::inRange<std::size_t>(0, 3);
  chosen.row = *rc::gen::inRange<std::size_t>(0, 30);
  chosen.typing = *rc::gen::arbitrary<bool>();
  if (chosen.typing) chosen.find = *bytes;
  const screen_size size{*rc::gen::inRange<std::size_t>(0, 90),
                         *rc::gen::inRange<std::size_t>(0, 40)};
  style how = plain;
  how.color = *rc::gen::arbitrary<bool>();
  how.unicode = *rc::gen::arbitrary<bool>();
  settle(chosen, shown, size, how);
  const std::vector<std::string> lines = draw(shown, chosen, size, how);
  RC_ASSERT(lines.size() == size.rows);
  static const std::regex color("\x1b\\[[0-9]m");
  for (const std::string& line : lines) {
    const std::string words = std::regex_replace(line, color, "");
    RC_ASSERT(how.color || words == line);
    RC_ASSERT(text::printable(words) == words);
    RC_ASSERT(text::display_width(words) <= size.columns);
  }
}

}  // namespace screen_test
}  // namespace bloomtime::cli::live
