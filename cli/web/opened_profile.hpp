#pragma once

#include <string>

#include "cli/web/document.hpp"
#include "store/reader.hpp"

namespace bloomtime::cli {

// One checkpoint of a store, with all that a page shows. Events that wait are in it, up to the
// newest one that is confirmed.
class opened_profile {
 public:
  // Throws usage_error if another command made the store.
  explicit opened_profile(const std::string& directory);

  page_subject subject() const { return {what_, profile_, totals_}; }
  const profile_summary& what() const { return what_; }
  const profile::profiler& profile() const { return profile_; }

 private:
  explicit opened_profile(const std::string& directory, const store::reader& parts);

  profile_summary what_;
  profile::profiler profile_;
  store::minute_totals totals_;
};

}  // namespace bloomtime::cli
