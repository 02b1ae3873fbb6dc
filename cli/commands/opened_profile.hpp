#pragma once

#include <string>
#include <vector>

#include "cli/commands/store_time.hpp"
#include "cli/profile/profiler.hpp"
#include "cli/store/reader.hpp"

namespace bloomtime::cli {

// A store as it stood at one moment, opened for questions about heat.
struct opened_profile {
  store::facts read;
  time_zone zone;
  profiler profile;
  instant at;

  // The field that --field names; without it the only one, or an error that lists them.
  const field_profile& field(const std::string& typed) const;
  // Without --field all of them.
  std::vector<const field_profile*> fields(const std::string& typed) const;
};

// At the time typed with --at, or at the newest event.
opened_profile open_profile(const std::string& directory, const std::string& at);

// The newest event that is believed; before the first of those the newest that waits.
instant newest_of(const store::facts& read, const profiler& profile);

}  // namespace bloomtime::cli
