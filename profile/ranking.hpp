#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <bloomtime/estimate.hpp>
#include <bloomtime/tally/counted.hpp>
#include <bloomtime/time.hpp>

#include "profile/profiler.hpp"

namespace bloomtime::profile {

// By which number the items of a field are listed, the largest first.
enum class order {
  heat,   // decayed count
  total,  // hits in all
  trend,  // recent rate divided by rate
  newest  // when it was first seen
};

// An item of a list, with all that is known of it.
struct ranked_item {
  std::string item;  // its first 1024 bytes
  bool cut = false;  // whether it was longer
  estimate heat;
  std::optional<counted> total = {};  // none in a store without totals
  bool guaranteed = false;            // certainly one of the first n in this order
  // Only of the items in the hot list:
  std::optional<double> trend = {};
  std::vector<std::uint64_t> recent = {};
  // Only in the order `newest`. It was certainly not seen before, as far as the history goes back.
  std::optional<instant> first_seen = {};
};

// The first n items of a field. The names of the hottest items and of those with the largest totals
// are kept. `trend` and `newest` order the hottest items, but without those that have less than 16
// hits and less than 1/16 of the hits of the hottest one: a single hit has the largest trend and
// may be the newest.
//
// Throws usage_error if the store lacks the totals or the history that the order needs.
std::vector<ranked_item> ranked(const field_profile& field, order by, std::size_t n, instant when);

// When the history has it for the first time; nothing if it never has.
std::optional<instant> first_seen(const history& past, digest d);

}  // namespace bloomtime::profile
