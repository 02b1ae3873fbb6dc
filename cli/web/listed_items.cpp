#include "cli/web/listed_items.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <bloomtime/heat/hot_list.hpp>

#include "cli/output/timeline_report.hpp"

namespace bloomtime::cli {
namespace {

constexpr std::size_t parts = 72;       // of a timeline, as `bloomtime timeline` has them
constexpr std::uint64_t enough = 16;    // events of an item whose end is worth a line
constexpr std::int64_t half_lives = 4;  // without an event: less than 1/16 of its heat is left
constexpr std::size_t most_gone = 20;

// A row of the table for programs, once for all orders.
struct listed {
  ordered_json cells;
  std::uint64_t total = 0;
  bool cut = false;
  std::optional<found_times> times = {};
};

class list_builder {
 public:
  list_builder(const profile::field_profile& field, const asked_ranking& asked,
               const std::optional<interval>& span)
      : field_(field), asked_(asked), span_(span) {}

  ordered_json build() {
    using profile::order;
    ordered_json orders = ordered_json::object();
    orders["heat"] = rows_of(order::heat, asked_.rows);
    if (field_.totals) orders["total"] = rows_of(order::total, asked_.rows);
    orders["trend"] = rows_of(order::trend, asked_.rows);
    if (field_.past) orders["new"] = rows_of(order::newest, asked_.rows);
    if (field_.past && field_.totals) orders["gone"] = gone();
    ordered_json rows = ordered_json::array();
    ordered_json times = ordered_json::array();
    for (const listed& l : kept_) {
      rows.push_back(l.cells);
      times.push_back(times_of(l));
    }
    return {{"field", field_.name},
            {"columns", columns_},
            {"rows", std::move(rows)},
            {"times", std::move(times)},
            {"orders", std::move(orders)}};
  }

 private:
  table ranked(profile::order by, std::size_t rows) const {
    asked_ranking asked = asked_;
    asked.by = by;
    asked.rows = rows;
    return std::move(ranked_tables({&field_}, asked, {.form = view::json}).front());
  }

  ordered_json rows_of(profile::order by, std::size_t rows) {
    ordered_json numbers = ordered_json::array();
    const table t = ranked(by, rows);
    for (const row& r : t.rows) {
      const std::size_t number = number_of(read(t, r));
      if (by == profile::order::newest) kept_[number].cells[column("first_seen")] = last_cell(r);
      numbers.push_back(number);
    }
    return numbers;
  }

  // Those with many events and none lately, the largest first.
  ordered_json gone() {
    std::vector<listed> found;
    const std::int64_t since = asked_.at.micros - half_lives * field_.hot.bucket().count();
    for (const profile::order by : {profile::order::heat, profile::order::total}) {
      const table t = ranked(by, field_.hot.listed() + profile::field_totals::names);
      for (const row& r : t.rows) {
        listed l = read(t, r);
        find_times_of(l);
        if (l.total < enough || !l.times || l.times->seen.empty()) continue;
        const instant last = field_.past->clock().end_of(l.times->seen.back().last);
        if (last.micros < since) found.push_back(std::move(l));
      }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const listed& a, const listed& b) { return a.total > b.total; });
    ordered_json numbers = ordered_json::array();
    for (listed& l : found) {
      if (numbers.size() == most_gone) break;
      const std::size_t number = number_of(std::move(l));
      if (std::find(numbers.begin(), numbers.end(), number) == numbers.end())
        numbers.push_back(number);
    }
    return numbers;
  }

  listed read(const table& t, const row& r) {
    listed l{.cells = ordered_json::array()};
    const bool first = columns_.empty();
    for (std::size_t c = 0; c < t.columns.size(); ++c) {
      const std::string& key = t.columns[c].key;
      if (t.columns[c].readers == audience::people || key == "field" || key == "rank") continue;
      if (first) columns_.push_back(key);
      if (key == "total_lower") {
        if (const auto* n = std::get_if<std::uint64_t>(&r.cells[c].data)) l.total = *n;
      }
      if (key == "cut") l.cut = std::get<bool>(r.cells[c].data);
      l.cells.push_back(to_json(r.cells[c].data));
    }
    return l;
  }

  std::size_t column(const std::string& key) const {
    return static_cast<std::size_t>(std::find(columns_.begin(), columns_.end(), key) -
                                    columns_.begin());
  }

  static ordered_json last_cell(const row& r) { return to_json(r.cells.back().data); }

  // Different items may have the same beginning, which is all that is kept of a long name.
  std::string key_of(const listed& l) const {
    std::string key = l.cells.front().get<std::string>();
    if (l.cut) key += fmt::format("\n{}\n{}", l.cells[column("hits")].dump(), l.total);
    return key;
  }

  std::size_t number_of(listed&& l) {
    const auto [found, is_new] = numbers_.try_emplace(key_of(l), kept_.size());
    if (is_new) {
      find_times_of(l);
      kept_.push_back(std::move(l));
    }
    return found->second;
  }

  // A text that was cut is not the item, so nothing is known of its times.
  void find_times_of(listed& l) const {
    if (l.times || l.cut || !field_.past || !span_) return;
    l.times =
        find_times(*field_.past, l.cells.front().get_ref<const std::string&>(), *span_, parts);
  }

  // [first, last, ticks, [ticks in each part]]; null if nothing is known.
  ordered_json times_of(const listed& l) const {
    if (!l.times || l.times->seen.empty()) return nullptr;
    const tick_clock& clock = field_.past->clock();
    return {clock.start_of(l.times->seen.front().first).micros,
            clock.start_of(l.times->seen.back().last).micros, count_ticks(l.times->seen),
            l.times->bars};
  }

  const profile::field_profile& field_;
  const asked_ranking& asked_;
  std::optional<interval> span_;
  std::vector<std::string> columns_;
  std::vector<listed> kept_;
  std::map<std::string, std::size_t> numbers_;
};

}  // namespace

ordered_json listed_items(const profile::field_profile& field, const asked_ranking& asked,
                          const std::optional<interval>& span) {
  return list_builder(field, asked, span).build();
}

}  // namespace bloomtime::cli
