#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/output/report.hpp"
#include "profile/profiler.hpp"
#include "store/log_zone.hpp"
#include "store/reader.hpp"

namespace bloomtime::cli {

// A store as it stood at one moment, opened for questions about heat.
struct opened_profile {
  store::facts read;
  log_zone zone;
  profiler profile;
  std::optional<instant> at;  // nothing if there were no events and nobody said when

  instant when() const { return at.value_or(instant()); }
  std::string title(const std::string& store) const;
  // What people should know beside the answers.
  std::vector<std::string> notes() const;

  // The field that --field names; without it the only one, or an error that lists them.
  const field_profile& field(const std::string& typed) const;
  // Without --field all of them.
  std::vector<const field_profile*> fields(const std::string& typed) const;
};

// Throws usage_error unless bloomtime profile made the store.
void expect_profile(const store::manifest& about, const std::string& directory);

// At the time typed with --at, or at the newest event.
opened_profile open_profile(const std::string& directory, const std::string& at);

// Of events that wait and are not in the answers at that time; empty if there are none.
std::string held_text(const profiler& profile, instant when);
std::string held_text(std::size_t ahead);

value micros_or_nothing(const std::optional<instant>& t);

}  // namespace bloomtime::cli
