#include "cli/generate/report.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "text/number.hpp"

namespace bloomtime::cli {

using namespace text;

namespace {

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

cell share_cell(std::uint64_t part, std::uint64_t whole) {
  const double p = share(part, whole);
  return {p, fmt::format("{:.1f} %", 100 * p)};
}

cell bar_cell(std::uint64_t part, std::uint64_t most) {
  constexpr double width = 40;
  std::string bar;
  for (double drawn = 0.5; drawn <= width * share(part, most); ++drawn) bar += "█";
  return text_cell(bar);
}

column bar_column() { return {"bar", "", side::left, audience::people, 1}; }

table levels_of(const traffic::profile& what) {
  table t{.key = "levels",
          .columns = {{"level", "level"},
                      {"bucket_seconds", "bucket"},
                      {"pairs", "pairs"},
                      {"share", "of all pairs"},
                      bar_column()}};
  for (std::size_t level = 0; level < traffic::profile::levels; ++level) {
    const std::uint64_t bucket = std::uint64_t{1} << level;
    const std::uint64_t pairs = what.pairs[level];
    t.rows.push_back({{count_cell(level),
                       {bucket, count_text(bucket) + " s"},
                       count_cell(pairs),
                       share_cell(pairs, what.pairs[0]),
                       bar_cell(pairs, what.pairs[0])}});
  }
  return t;
}

table gaps_of(const traffic::profile& what) {
  table t{.key = "gaps",
          .columns = {{"gap_from", "gap from"},
                      {"gap_to", "to"},
                      {"count", "count"},
                      {"share", "share"},
                      bar_column()}};
  const std::uint64_t all = what.records - what.items;
  const std::uint64_t most = *std::max_element(what.gaps.begin(), what.gaps.end());
  std::size_t used = what.gaps.size();
  while (used != 0 && what.gaps[used - 1] == 0) --used;
  for (std::size_t c = 0; c < used; ++c) {
    const std::uint64_t from = c == 0 ? 0 : std::uint64_t{1} << (c - 1);
    const std::uint64_t to = c == 0 ? 0 : from + (from - 1);
    t.rows.push_back({{{from, count_text(from) + " s"},
                       {to, count_text(to) + " s"},
                       count_cell(what.gaps[c]),
                       share_cell(what.gaps[c], all),
                       bar_cell(what.gaps[c], most)}});
  }
  return t;
}

table hours_of(const traffic::profile& what) {
  table t{.key = "hours", .columns = {{"hour", "hour"}, {"records", "records"}, bar_column()}};
  const std::uint64_t most = *std::max_element(what.hours.begin(), what.hours.end());
  for (std::size_t h = 0; h < what.hours.size(); ++h) {
    t.rows.push_back({{{std::uint64_t{h}, fmt::format("{:02}", h)},
                       count_cell(what.hours[h]),
                       bar_cell(what.hours[h], most)}});
  }
  return t;
}

}  // namespace

report report_of(const traffic::profile& what) {
  const auto percent = [&](std::uint64_t part) { return share_cell(part, what.records).text; };
  return {.command = "generate",
          .title = fmt::format("{} records, {} items, {} pairs of item and second",
                               count_text(what.records), count_text(what.items),
                               count_text(what.pairs[0])),
          .fields = {{"records", what.records},
                     {"items", what.items},
                     {"pairs", what.pairs[0]},
                     {"top_one", what.top_one},
                     {"top_ten", what.top_ten},
                     {"top_hundredth", what.top_hundredth}},
          .tables = {levels_of(what), gaps_of(what), hours_of(what)},
          .notes = {},
          .closing = {fmt::format(
              "The most frequent item has {} of all records, the first ten {}, the "
              "most frequent 1 % of all items {}.",
              percent(what.top_one), percent(what.top_ten), percent(what.top_hundredth))}};
}

}  // namespace bloomtime::cli
