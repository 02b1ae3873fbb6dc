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

using namespace text;

namespace {

constexpr double seconds_per_minute = 60;

// The largest error of a count, rounded up so that it remains a bound.
std::string bound_text(const estimate& e) {
  const double most = std::max(e.upper - e.value, e.value - e.lower);
  const double hundredths = std::ceil(100 * most);
  return hundredths < 1000 ? fmt::format("± {:.2f}", hundredths / 100)
                           : fmt::format("± {}", short_text(std::ceil(most)));
}

double rate_per_minute(const profile::field_profile& f, const hot_item& item) {
  return seconds_per_minute * f.hot.rate(item.heat).value;
}

std::string trend_text(double trend) {
  constexpr double notable = 1.1;
  if (std::isnan(trend)) return "";
  const char* arrow = trend > notable ? "↑" : trend < 1 / notable ? "↓" : "→";
  return fmt::format("{} {:.1f}", arrow, trend);
}

// Leaves room for the other columns.
std::size_t widest_item(const style& how, unsigned buckets) {
  constexpr std::size_t least = 20;
  constexpr std::size_t most = 60;
  const std::size_t others = 44 + buckets;
  if (how.width == 0) return most;
  return std::clamp(how.width > others ? how.width - others : 0, least, most);
}

// People see the item under the name of its field, and programs the field in every row.
table empty_table(const std::string& key, const std::string& item, const std::string& recent) {
  using enum audience;
  return {.key = key,
          .columns = {{"field", "", side::left, programs},
                      {"rank", "", side::right, programs},
                      {"item", item, side::left},
                      {"hits", "hits now"},
                      {"", "", side::left, people, 1},
                      {"lower", "", side::right, programs},
                      {"upper", "", side::right, programs},
                      {"guaranteed", "", side::right, programs},
                      {"rate_per_minute", "rate/min", side::right, everybody, 2},
                      {"trend", "trend", side::left, everybody, 3},
                      {"recent", recent, side::left, everybody, 4},
                      {"cut", "", side::right, programs}}};
}

table table_for_people(const profile::field_profile& f) {
  return empty_table(f.name, f.name, "last " + span_text(f.hot.bucket(), f.hot.buckets()));
}

void add_rows(table& to, const profile::field_profile& f, const std::vector<hot_item>& items,
              const style& how) {
  std::uint64_t rank = 0;
  for (const hot_item& item : items) {
    const std::string name =
        cut_to(item.cut ? item.item + "…" : item.item, widest_item(how, f.hot.buckets()));
    const double rate = rate_per_minute(f, item);
    to.rows.push_back({{text_cell(f.name),
                        count_cell(++rank),
                        {item.item, name},
                        {item.heat.value, short_text(item.heat.value)},
                        {{}, bound_text(item.heat)},
                        {item.heat.lower, ""},
                        {item.heat.upper, ""},
                        {item.guaranteed, ""},
                        {rate, short_text(rate)},
                        {item.trend, trend_text(item.trend)},
                        {item.recent, sparkline(item.recent)},
                        {item.cut, ""}}});
  }
}

}  // namespace

entries hot_keys() {
  return {{"field, rank", "the field, and the rank in it from 1"},
          {"item, cut", "the item; if cut is true only its first 1024 bytes"},
          {"hits, lower, upper", "decayed count: estimate and bounds"},
          {"guaranteed", "true if it is certainly one of the n hottest"},
          {"rate_per_minute", "events per minute at that time"},
          {"trend", "recent rate divided by rate: above 1 if rising"},
          {"recent",
           "events in each of the last 24 half-lives since the item was last listed, "
           "oldest first"}};
}

std::string hits_text(const estimate& heat) {
  return fmt::format("{} {}", short_text(heat.value), bound_text(heat));
}

std::vector<table> hot_tables(const std::vector<const profile::field_profile*>& fields,
                              std::size_t n, instant at, const style& how) {
  std::vector<table> tables;
  const bool people = how.form == view::people;
  if (!people) tables.push_back(empty_table("items", "", ""));
  for (const profile::field_profile* f : fields) {
    if (people) tables.push_back(table_for_people(*f));
    add_rows(tables.back(), *f, f->hot.top(n, at, f->heat), how);
  }
  return tables;
}

}  // namespace bloomtime::cli
