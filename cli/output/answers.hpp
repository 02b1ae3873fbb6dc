#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <bloomtime/history/history.hpp>
#include <bloomtime/history/sighting.hpp>
#include <bloomtime/time.hpp>

#include "cli/asking/asked_time.hpp"
#include "cli/asking/kept_names.hpp"
#include "cli/asking/opened_store.hpp"
#include "cli/output/report.hpp"
#include "cli/output/style.hpp"
#include "cli/output/timeline_report.hpp"
#include "profile/profiler.hpp"
#include "profile/ranking.hpp"

// What hot, heat, seen and timeline answer, whether the profile is in a store or grows meanwhile.
namespace bloomtime::cli {

struct asked_profile {
  const std::string& store;
  const store::facts& read;
  const profile::profiler& profile;
  std::optional<instant> at;  // nothing if there are no events

  instant when() const { return at.value_or(instant()); }
};

asked_profile asked_profile_of(const std::string& store, const opened_heat& opened);

report hot_answer(const asked_profile& asked,
                  const std::vector<const profile::field_profile*>& fields, profile::order by,
                  std::uint64_t rows, const style& how);
report heat_answer(const asked_profile& asked, const profile::field_profile& field,
                   const kept_names& names, const std::vector<std::string>& items,
                   const style& how);

struct asked_past {
  const std::string& store;
  const std::string& field;
  const store::log_zone& zone;
  const history& past;
  std::optional<instant> first;  // event, kept or not
  std::uint64_t records = 0;
  std::uint64_t held = 0;
};

asked_past asked_past_of(const std::string& store, const opened_history& opened);

// A table of rows, one for each question.
table seen_table(const std::string& field);
row seen_row(std::string_view item, const asked_time& time, sighting found, const history& past,
             const store::log_zone& zone, const style& how);
report seen_answer(const asked_past& asked, std::vector<table> tables);
// Where a whole day or minute ends: 23:59:59 instead of 23:59:59.999999.
instant end_of_shown(instant to);

// Whether part of the period is no longer kept.
bool is_dropped(const asked_past& asked, const found_times& f);
// With the newest intervals, at most `rows` of them. Without bars there were no events.
report timeline_answer(const asked_past& asked, const std::string& item, const found_times& f,
                       std::size_t rows);

}  // namespace bloomtime::cli
