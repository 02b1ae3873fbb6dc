#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "cli/output/json.hpp"
#include "cli/output/render.hpp"

namespace bloomtime::cli {
namespace render_test {

report two_rows() {
  table t{.key = "things",
          .columns = {{"name", "name", side::left},
                      {"size", "size"},
                      {"note", "note", side::left, audience::people, 1},
                      {"secret", "", side::left, audience::programs}},
          .rows = {{{text_cell("日本"), bytes_cell(1'000), text_cell("first"), yes_no_cell(true)}},
                   {{text_cell("longer"), nothing(), text_cell(""), yes_no_cell(false)}}},
          .as_list = false};
  return {.command = "test",
          .title = "Things",
          .fields = {{"count", std::uint64_t{2}}, {"nothing", value()}},
          .tables = {t},
          .notes = {"small print"},
          .closing = {"The end."}};
}

style plain(std::size_t width = 0) {
  return {.form = view::people, .color = false, .unicode = true, .width = width};
}

TEST(render, people_see_aligned_columns) {
  EXPECT_EQ(render_people(two_rows(), plain()),
            "Things\n"
            "\n"
            "name       size  note\n"
            "日本    1.00 kB  first\n"
            "longer\n"
            "  small print\n"
            "\n"
            "The end.\n");
}

TEST(render, a_narrow_screen_loses_the_spare_column_only) {
  const std::string page = render_people(two_rows(), plain(20));
  EXPECT_EQ(page.find("note"), std::string::npos);
  EXPECT_NE(page.find("日本    1.00 kB\n"), std::string::npos);
  EXPECT_EQ(render_people(two_rows(), plain(22)), render_people(two_rows(), plain()));
  EXPECT_NE(render_people(two_rows(), plain(1)).find("size"), std::string::npos);
}

TEST(render, colours_only_if_asked_for) {
  style how = plain();
  EXPECT_EQ(render_people(two_rows(), how).find('\x1b'), std::string::npos);
  how.color = true;
  EXPECT_NE(render_people(two_rows(), how).find("\x1b[1mThings\x1b[0m"), std::string::npos);
}

TEST(render, ascii) {
  style how = plain();
  how.unicode = false;
  EXPECT_NE(render_people(two_rows(), how).find("\\xe6\\x97\\xa5"), std::string::npos);
}

TEST(render, a_list_has_a_line_per_column) {
  report r = two_rows();
  r.tables[0].as_list = true;
  r.tables[0].rows.resize(1);
  EXPECT_EQ(render_people(r, plain()),
            "Things\n"
            "\n"
            "  name  日本\n"
            "  size  1.00 kB\n"
            "  note  first\n"
            "  small print\n"
            "\n"
            "The end.\n");
}

TEST(render, tsv_is_raw) {
  EXPECT_EQ(render_tsv(two_rows()),
            "name\tsize\tsecret\n"
            "日本\t1000\ttrue\n"
            "longer\t\tfalse\n");
}

TEST(render, tsv_keeps_its_shape_whatever_the_text) {
  report r = two_rows();
  r.tables[0].rows[0].cells[0] = text_cell("a\tb\nc\\d\r");
  EXPECT_NE(render_tsv(r).find("\na\\tb\\nc\\\\d\\r\t1000"), std::string::npos);
}

TEST(render, tsv_numbers_read_back) {
  report r = two_rows();
  r.tables[0].rows[0].cells[1] = probability_cell(0.1 + 0.2);
  EXPECT_NE(render_tsv(r).find("0.30000000000000004"), std::string::npos);
}

TEST(render, json) {
  EXPECT_EQ(render_json(two_rows()),
            R"({
  "schema": 2,
  "command": "test",
  "count": 2,
  "nothing": null,
  "things": [
    {
      "name": "日本",
      "size": 1000,
      "secret": true
    },
    {
      "name": "longer",
      "size": null,
      "secret": false
    }
  ]
}
)");
}

TEST(render, json_survives_infinity_and_bytes_that_are_not_utf8) {
  report r = two_rows();
  r.tables[0].rows[0].cells[0] = text_cell("\xff");
  r.tables[0].rows[0].cells[1] = probability_cell(std::numeric_limits<double>::infinity());
  const std::string json = render_json(r);
  EXPECT_NE(json.find("\"size\": null"), std::string::npos);
  EXPECT_NE(json.find("\"name\": \"\uFFFD\""), std::string::npos);
}

TEST(render, json_has_no_controls) {
  const std::string item = "\x1b[31m\x7f\u009b\u202e\U000e0001é";
  report r = two_rows();
  r.fields = {{"item", item}};
  r.tables.clear();
  for (const std::string& json : {render_json(r), render_json_line(r)}) {
    EXPECT_NE(json.find("\"\\u001b[31m\\u007f\\u009b\\u202e\\udb40\\udc01é\""), std::string::npos)
        << json;
    EXPECT_EQ(ordered_json::parse(json)["item"].get<std::string>(), item);
  }
}

TEST(render, json_in_a_line_is_the_same_object) {
  using limits = std::numeric_limits<double>;
  report r = two_rows();
  r.fields = {
      {"texts", std::vector<std::string>{"", "\"\\\n\x01\x7f", "\xff\xc3", "日本", "[", "{"}},
      {"numbers", std::vector<std::uint64_t>{0, std::numeric_limits<std::uint64_t>::max()}},
      {"none", std::vector<std::uint64_t>{}},
      {"least", std::numeric_limits<std::int64_t>::min()},
      {"quote\"", false}};
  for (const double x :
       {0.0, -0.0, 3.0, -2.5, 0.1, 1e15, 1e16, 1e17, 123456789012345680.0, 1e300,
        limits::denorm_min(), limits::max(), limits::infinity(), limits::quiet_NaN()}) {
    r.fields.emplace_back(std::to_string(r.fields.size()), x);
  }
  r.tables.push_back({.key = "empty", .columns = r.tables.front().columns});
  const std::string line = render_json_line(r);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_EQ(ordered_json::parse(line).dump(), ordered_json::parse(render_json(r)).dump());
}

}  // namespace render_test
}  // namespace bloomtime::cli
