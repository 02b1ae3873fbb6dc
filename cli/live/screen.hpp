#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/live/controls.hpp"
#include "cli/output/report.hpp"
#include "cli/output/style.hpp"

namespace bloomtime::cli::live {

struct screen_size {
  std::size_t columns = 0;
  std::size_t rows = 0;

  friend bool operator==(const screen_size&, const screen_size&) = default;
};

// What there is to show.
struct model {
  report profile;                       // for people: title, a table for each field, notes
  std::vector<std::string> orders;      // the key o takes the next one
  std::optional<report> timeline = {};  // of one item, shown in place of the tables
  std::string state = {};               // "1,003 lines/s"
  std::string message = {};
};

// Adapts the choices to what there is to show on a screen of this size. Must precede draw().
void settle(controls& chosen, const model& shown, screen_size size, const style& how);

// The part of the screen that a timeline has.
screen_size timeline_room(const model& shown, screen_size size, const style& how);

// One line for each row of the screen, none wider than it. They contain no control characters but
// the colours of `how`.
std::vector<std::string> draw(const model& shown, const controls& chosen, screen_size size,
                              const style& how);

}  // namespace bloomtime::cli::live
