#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <bloomtime/tally/counted.hpp>
#include <bloomtime/time.hpp>

#include "profile/profiler.hpp"

// What changed between two periods: those of two stores, or two spans of one store.
namespace bloomtime::profile {

// An item with its counts in both periods. Bounds hold as those of the counts do.
struct compared_item {
  std::string item;  // its first 1024 bytes
  bool cut = false;  // whether it was longer
  counted before;
  counted after;
};

// fresh: certainly absent before. gone: certainly absent after. hotter and cooler: the rates differ
// by more than chance.
enum class change { fresh, hotter, cooler, gone };

struct changed_item : compared_item {
  change what = change::hotter;
  // At most the probability that any item changes this much by chance, if all items have the same
  // rates in both periods and hits are independent.
  double p_value = 1;
};

// What both periods are measured by: seconds for rates, or all events for shares.
struct exposure {
  double before = 0;
  double after = 0;
};

// The items of a field that can be compared, because their names are kept.
struct comparable {
  std::vector<compared_item> items = {};
  std::uint64_t different = 0;  // items of both periods, also those without names
  std::size_t unmatched = 0;    // names that are too long to be looked up in the other store
  // No other item has more than this.
  std::optional<std::uint64_t> most_before = {};
  std::optional<std::uint64_t> most_after = {};
  double error = 0;  // the probability that a lower bound fails
};

// By totals. Both fields need them.
comparable totals_of(const field_profile& before, const field_profile& after);
// By the ticks in which items were seen. The field needs a history.
comparable ticks_of(const field_profile& field, interval before, interval after);

// All changes, each kind in its order, the least likely by chance first. `hotter` and `cooler` need
// a p-value of at most `error`, whatever the true counts within their bounds are.
//
// Hits of an item that has the same rate in both periods fall into the later one independently with
// the probability after / (before + after), so their number there is binomial. `p_value` is the
// binomial tail at the bounds that favour equality, times two and times the number of different
// items: names are kept because items are hot, so all items were candidates. See
// docs/math.md, Hits in two periods.
std::vector<changed_item> changes(const comparable& field, const exposure& periods, double error);

}  // namespace bloomtime::profile
