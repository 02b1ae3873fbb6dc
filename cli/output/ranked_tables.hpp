#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <bloomtime/estimate.hpp>
#include <bloomtime/tally/counted.hpp>
#include <bloomtime/time.hpp>

#include "cli/output/report.hpp"
#include "cli/output/style.hpp"
#include "profile/ranking.hpp"
#include "store/log_zone.hpp"

namespace bloomtime::cli {

// A decayed count for people, with its largest error: "18,204 ± 9".
std::string hits_text(const estimate& heat);
// A total for people, with ~ if its bounds differ.
std::string total_text(const counted& total);

// The same bounds with seven digits, rounded outwards, so that they remain bounds.
estimate rounded(const estimate& e);
double rounded(double x);

// heat, total, trend or new, as typed with --by.
profile::order parse_order(std::string_view typed);

struct asked_ranking {
  profile::order by = profile::order::heat;
  std::size_t rows = 0;  // of each field
  instant at;
  store::log_zone zone;
};

// The first items of each field: for people a table each, for programs one of all.
std::vector<table> ranked_tables(const std::vector<const profile::field_profile*>& fields,
                                 const asked_ranking& asked, const style& how);

// The same of items that were ranked elsewhere: for each field its own.
std::vector<table> ranked_tables(const std::vector<const profile::field_profile*>& fields,
                                 const std::vector<std::vector<profile::ranked_item>>& items,
                                 const asked_ranking& asked, const style& how);

// The keys of the latter, for the help.
entries ranked_keys();

// total, total_lower and total_upper for programs; null where there is no total.
std::vector<column> total_columns();
void add_total(row& to, const std::optional<counted>& total);

}  // namespace bloomtime::cli
