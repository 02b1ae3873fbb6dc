#include "cli/output/ranked_tables.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "cli/asking/opened_store.hpp"
#include "cli/text.hpp"

namespace bloomtime::cli {
namespace {

using profile::field_profile;
using profile::order;
using profile::ranked_item;

constexpr double seconds_per_minute = 60;
constexpr std::size_t narrow = 110;  // a screen on which sparklines have half as many bars

// -- numbers -------------------------------------------------------------------------------------

// The largest error of a count, rounded up so that it remains a bound.
std::string bound_text(const estimate& e) {
  const double most = std::max(e.upper - e.value, e.value - e.lower);
  const double hundredths = std::ceil(100 * most);
  return hundredths < 1000 ? fmt::format("± {:.2f}", hundredths / 100)
                           : fmt::format("± {}", short_text(std::ceil(most)));
}

std::string trend_text(const std::optional<double>& trend) {
  constexpr double notable = 1.1;
  if (!trend || std::isnan(*trend)) return "";
  const char* arrow = *trend > notable ? "↑" : *trend < 1 / notable ? "↓" : "→";
  return fmt::format("{} {:.1f}", arrow, *trend);
}

// Multiples of a power of ten that leaves seven digits of `largest`.
class grid {
 public:
  explicit grid(double largest) {
    constexpr int digits = 7;
    const double magnitude = std::floor(std::log10(std::abs(largest)));
    const double places = digits - 1 - std::clamp(magnitude, -300.0, 300.0);
    up_ = std::pow(10, std::max(0.0, std::min(places, 300.0)));
    down_ = std::pow(10, std::max(0.0, -places));
  }

  double nearest(double x) const { return of(std::round(steps(x))); }
  double below(double x) const {
    const double n = std::floor(steps(x));
    return of(n) <= x ? of(n) : of(n - 1);
  }
  double above(double x) const {
    const double n = std::ceil(steps(x));
    return of(n) >= x ? of(n) : of(n + 1);
  }

 private:
  double steps(double x) const { return x * up_ / down_; }
  double of(double steps) const { return steps * down_ / up_; }

  double up_;
  double down_;
};

// -- columns -------------------------------------------------------------------------------------

std::size_t bars(const style& how, unsigned buckets) {
  return how.width != 0 && how.width < narrow && buckets % 2 == 0 ? buckets / 2 : buckets;
}

std::string bars_text(const std::vector<std::uint64_t>& recent, std::size_t bars) {
  if (bars == recent.size() || recent.empty()) return sparkline(recent);
  const std::size_t each = recent.size() / bars;
  std::vector<std::uint64_t> sums(bars);
  for (std::size_t i = 0; i < bars * each; ++i) sums[i / each] += recent[i];
  return sparkline(sums);
}

// Leaves room for the other columns.
std::size_t widest_item(const style& how, unsigned buckets, order by) {
  constexpr std::size_t least = 20;
  constexpr std::size_t most = 60;
  const std::size_t others =
      (how.width < narrow ? 42 : 52) + bars(how, buckets) + (by == order::newest ? 21 : 0);
  if (how.width == 0) return most;
  return std::clamp(how.width > others ? how.width - others : 0, least, most);
}

// Columns that only some tables have.
struct contents {
  bool totals = true;
  bool first_seen = false;
};

struct headings {
  std::string item;
  std::string heat;
  std::string recent;
};

// People see the item under the name of its field, and programs the field in every row. The columns
// of programs keep their place; new ones follow.
table empty_table(const std::string& key, const headings& heads, const contents& has) {
  using enum audience;
  table t{.key = key,
          .columns = {{"field", "", side::left, programs},
                      {"rank", "", side::right, programs},
                      {"item", heads.item, side::left}}};
  const auto add = [&](column c) { t.columns.push_back(std::move(c)); };
  if (has.totals) add({"", "total", side::right, people});
  add({"hits", heads.heat});
  add({"", "", side::left, people, 5});
  add({"lower", "", side::right, programs});
  add({"upper", "", side::right, programs});
  add({"guaranteed", "", side::right, programs});
  add({"rate_per_minute", "per min", side::right, everybody, 2});
  add({"trend", "trend", side::left, everybody, 3});
  if (has.first_seen) add({"", "first seen", side::left, people});
  add({"recent", heads.recent, side::left, everybody, 4});
  add({"cut", "", side::right, programs});
  for (const column& c : total_columns()) add(c);
  add({"first_seen", "", side::right, programs});
  return t;
}

table table_for_people(const field_profile& f, const contents& has) {
  return empty_table(f.name,
                     {.item = f.name,
                      .heat = fmt::format("heat ({})", span_text(f.hot.bucket())),
                      .recent = "last " + span_text(f.hot.bucket(), f.hot.buckets())},
                     has);
}

// Without the offset, which the title has.
std::string local_time(instant t, const store::log_zone& zone) {
  return time_text(t, zone.offset_at(t));
}

row row_of(const field_profile& f, const ranked_item& item, std::uint64_t rank, const contents& has,
           const asked_ranking& asked, const style& how) {
  const estimate heat = rounded(item.heat);
  const double rate = rounded(seconds_per_minute * f.hot.rate(item.heat).value);
  row r;
  const auto add = cells_of(r, how);
  const auto no_text = [] { return ""; };
  add(f.name, [&] { return f.name; });
  add(rank, [&] { return count_text(rank); });
  add(item.item, [&] {
    return cut_to(item.cut ? item.item + "…" : item.item,
                  widest_item(how, f.hot.buckets(), asked.by));
  });
  if (has.totals) add({}, [&] { return item.total ? total_text(*item.total) : ""; });
  add(heat.value, [&] { return short_text(item.heat.value); });
  add({}, [&] { return bound_text(item.heat); });
  add(heat.lower, no_text);
  add(heat.upper, no_text);
  add(item.guaranteed, no_text);
  add(rate, [&] { return short_text(rate); });
  add(item.trend ? value(rounded(*item.trend)) : value(), [&] { return trend_text(item.trend); });
  if (has.first_seen) {
    add({}, [&] { return item.first_seen ? local_time(*item.first_seen, asked.zone) : ""; });
  }
  add(item.recent, [&] { return bars_text(item.recent, bars(how, f.hot.buckets())); });
  add(item.cut, no_text);
  add_total(r, item.total);
  add(micros_or_nothing(item.first_seen), no_text);
  return r;
}

}  // namespace

std::string hits_text(const estimate& heat) {
  return fmt::format("{} {}", short_text(heat.value), bound_text(heat));
}

std::string total_text(const counted& total) {
  return (total.lower < total.upper ? "~" : "") + count_text(total.value);
}

estimate rounded(const estimate& e) {
  if (!std::isfinite(e.upper) || e.upper == 0) return e;
  const grid decimals(e.upper);
  return {decimals.nearest(e.value), decimals.below(e.lower), decimals.above(e.upper)};
}

double rounded(double x) { return std::isfinite(x) && x != 0 ? grid(x).nearest(x) : x; }

order parse_order(std::string_view typed) {
  constexpr std::array<std::pair<std::string_view, order>, 4> known{{{"heat", order::heat},
                                                                     {"total", order::total},
                                                                     {"trend", order::trend},
                                                                     {"new", order::newest}}};
  for (const auto& [name, by] : known) {
    if (typed == name) return by;
  }
  refuse("--by must be heat, total, trend or new; got {}.{}", shown(typed),
         suggestion(typed, {"heat", "total", "trend", "new"}));
}

std::vector<column> total_columns() {
  using enum audience;
  return {{"total", "", side::right, programs},
          {"total_lower", "", side::right, programs},
          {"total_upper", "", side::right, programs}};
}

void add_total(row& to, const std::optional<counted>& total) {
  if (!total) {
    for (int i = 0; i < 3; ++i) to.cells.push_back(nothing());
    return;
  }
  for (const std::uint64_t n : {total->value, total->lower, total->upper}) {
    to.cells.push_back({n, {}});  // for programs
  }
}

entries ranked_keys() {
  return {
      {"field, rank", "the field, and the rank in it from 1"},
      {"item, cut", "the item; if cut is true only its first 1024 bytes"},
      {"hits, lower, upper", "decayed count: estimate and bounds"},
      {"guaranteed", "true if it is certainly one of the first n (by heat or total)"},
      {"rate_per_minute", "events per minute at that time"},
      {"trend", "recent rate divided by rate: above 1 if rising; null if it is not hot"},
      {"recent",
       "events in each of the last 24 half-lives since the item was last listed, oldest first"},
      {"total, total_lower, total_upper",
       "events in all: never below the truth, and exact for nearly all items; null if the store "
       "has no totals"},
      {"first_seen",
       "--by new: microseconds since 1970; not seen before, as far as the history goes back"}};
}

std::vector<table> ranked_tables(const std::vector<const field_profile*>& fields,
                                 const asked_ranking& asked, const style& how) {
  std::vector<std::vector<ranked_item>> items;
  for (const field_profile* f : fields) {
    items.push_back(profile::ranked(*f, asked.by, asked.rows, asked.at));
  }
  return ranked_tables(fields, items, asked, how);
}

std::vector<table> ranked_tables(const std::vector<const field_profile*>& fields,
                                 const std::vector<std::vector<ranked_item>>& items,
                                 const asked_ranking& asked, const style& how) {
  std::vector<table> tables;
  const bool people = how.form == view::people;
  contents has{.totals = true, .first_seen = asked.by == order::newest};
  if (!people) tables.push_back(empty_table("items", {}, has));
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const field_profile& f = *fields[i];
    if (people) {
      has.totals = f.totals && (items[i].empty() || items[i].front().total);
      tables.push_back(table_for_people(f, has));
    }
    std::uint64_t rank = 0;
    for (const ranked_item& item : items[i]) {
      tables.back().rows.push_back(row_of(f, item, ++rank, has, asked, how));
    }
  }
  return tables;
}

}  // namespace bloomtime::cli
