#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <bloomtime/history/history.hpp>
#include <bloomtime/time.hpp>

#include "profile/profiler.hpp"
#include "profile/ranking.hpp"
#include "store/totals.hpp"

// What the history of a field says about the items whose names are kept.
namespace bloomtime::profile {

// An item whose name is kept: among the hottest of the newest event, or those with the largest
// totals.
struct kept_name {
  std::string item;  // its first 1024 bytes
  bool cut = false;  // whether it was longer
  digest id;
};
std::vector<kept_name> kept_names_of(const field_profile& field);

// The expected number of ticks of `asked` in which an item is reported that was not seen in them.
double wrong_ticks(const history& past, interval asked);

// Whether part of this time, from the first event on, has been dropped.
bool is_dropped(const history& past, interval asked, const std::optional<instant>& first_event);

// What was hot at a time in the past.
struct past_heat {
  // Sorted by heat.value: the decayed number of ticks in which the item was seen. `lower` is the
  // same. Both bounds hold with probability 1 - error.
  std::vector<ranked_item> items = {};
  std::size_t names = 0;    // how many items were compared
  double error = 0;         // the expected number of wrong ticks of an item
  bool is_partial = false;  // older history that would matter has been dropped
};

// The first n. A tick counts once, however many events of the item it had, so `lower` may be below
// the truth. `upper` allows for the events that the item has more than ticks, as the newest ones
// before `when`, and for no more events than came in all in the minutes in which the item was seen.
// `events` are those of the store, and `uncounted` more are in the history and not in them.
past_heat hottest_at(const field_profile& field, const store::minute_totals& events,
                     std::uint64_t uncounted, instant when, std::size_t n);

}  // namespace bloomtime::profile
