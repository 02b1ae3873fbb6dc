#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <bloomtime/history/history.hpp>

#include "cli/asking/asked_time.hpp"
#include "logs/time_gate.hpp"
#include "store/log_zone.hpp"
#include "store/manifest.hpp"

namespace bloomtime::cli {

// The past of one field of a store, opened for questions. Events that still wait are in it:
// whatever becomes of them, they came.
struct opened_history {
  store::facts read;
  log_zone zone;
  std::string field;
  history past;
  time_gate gate;

  // From the first event to the newest one that is believed.
  std::optional<instant> first() const;
  std::optional<instant> last() const { return gate.newest(); }

  // The chance that an item which was not seen is said to have been, in these ticks.
  double error(interval asked) const;
};

// The field that --field names; without it the only one.
opened_history open_history(const std::string& directory, const std::string& field);

}  // namespace bloomtime::cli
