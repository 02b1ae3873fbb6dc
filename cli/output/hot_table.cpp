#include "cli/output/hot_table.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "cli/output/sparkline.hpp"
#include "text/number.hpp"
#include "text/text.hpp"
#include "text/time_text.hpp"

namespace bloomtime::cli {
namespace {

constexpr double seconds_per_minute = 60;

// How much a count may be off by, rounded up: a bound has to stay one.
std::string bound_text(const estimate& e) {
  const double most = std::max(e.upper - e.value, e.value - e.lower);
  const double hundredths = std::ceil(100 * most);
  return hundredths < 1000 ? fmt::format("± {:.2f}", hundredths / 100)
                           : fmt::format("± {}", short_text(std::ceil(most)));
}

double rate_per_minute(const field_profile& f, const hot_item& item) {
  return seconds_per_minute * f.hot.rate(item.heat).value;
}

std::string trend_text(double trend) {
  constexpr double notable = 1.1;
  if (std::isnan(trend)) return "";
  const char* arrow = trend > notable ? "↑" : trend < 1 / notable ? "↓" : "→";
  return fmt::format("{} {:.1f}", arrow, trend);
}

// -- for people ----------------------------------------------------------------------------------

// So that the other columns fit beside it on a screen of that width.
std::size_t widest_item(const style& how, unsigned buckets) {
  constexpr std::size_t least = 20;
  constexpr std::size_t most = 60;
  const std::size_t others = 44 + buckets;
  if (how.width == 0) return most;
  return std::clamp(how.width > others ? how.width - others : 0, least, most);
}

table table_of(const field_profile& f, const std::vector<hot_item>& items, const style& how) {
  table t{.key = f.name,
          .columns = {{"item", f.name, side::left},
                      {"hits", "hits now"},
                      {"off", "", side::left, audience::everybody, 1},
                      {"rate", "rate/min", side::right, audience::everybody, 2},
                      {"trend", "trend", side::left, audience::everybody, 3},
                      {"recent", "last " + span_text(f.hot.bucket(), f.hot.buckets()), side::left,
                       audience::everybody, 4}},
          .rows = {},
          .as_list = false};
  for (const hot_item& item : items) {
    const std::string name =
        cut_to(item.cut ? item.item + "…" : item.item, widest_item(how, f.hot.buckets()));
    t.rows.push_back({{{item.item, name},
                       {item.heat.value, short_text(item.heat.value)},
                       {{}, bound_text(item.heat)},
                       {{}, short_text(rate_per_minute(f, item))},
                       {item.trend, trend_text(item.trend)},
                       {item.recent, sparkline(item.recent)}},
                      look::plain});
  }
  return t;
}

// -- for programs --------------------------------------------------------------------------------

table empty_table() {
  return {.key = "items",
          .columns = {{"field", ""},
                      {"rank", ""},
                      {"item", ""},
                      {"hits", ""},
                      {"lower", ""},
                      {"upper", ""},
                      {"guaranteed", ""},
                      {"rate_per_minute", ""},
                      {"trend", ""},
                      {"recent", ""},
                      {"cut", ""}},
          .rows = {},
          .as_list = false};
}

void add_rows(table& to, const field_profile& f, const std::vector<hot_item>& items) {
  std::uint64_t rank = 0;
  for (const hot_item& item : items) {
    to.rows.push_back({{{f.name, ""},
                        {++rank, ""},
                        {item.item, ""},
                        {item.heat.value, ""},
                        {item.heat.lower, ""},
                        {item.heat.upper, ""},
                        {item.guaranteed, ""},
                        {rate_per_minute(f, item), ""},
                        {item.trend, ""},
                        {item.recent, ""},
                        {item.cut, ""}},
                       look::plain});
  }
}

}  // namespace

std::string hits_text(const estimate& heat) {
  return fmt::format("{} {}", short_text(heat.value), bound_text(heat));
}

std::vector<table> hot_tables(const std::vector<const field_profile*>& fields, std::size_t n,
                              instant at, const style& how) {
  std::vector<table> tables;
  if (how.form != view::people) tables.push_back(empty_table());
  for (const field_profile* f : fields) {
    const std::vector<hot_item> items = f->hot.top(n, at, f->heat);
    if (how.form == view::people) {
      tables.push_back(table_of(*f, items, how));
    } else {
      add_rows(tables.front(), *f, items);
    }
  }
  return tables;
}

}  // namespace bloomtime::cli
