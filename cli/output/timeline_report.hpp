#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <bloomtime/history/history.hpp>
#include <bloomtime/history/sightings.hpp>
#include <bloomtime/time.hpp>

#include "cli/output/report.hpp"
#include "store/log_zone.hpp"

namespace bloomtime::cli {

// When an item was seen within a period.
struct found_times {
  interval asked;
  sightings seen;
  std::vector<std::uint64_t> bars;  // ticks, in equal parts of the period
};

std::uint64_t ticks_of(interval i);

// With at most `most_bars` parts.
found_times find_times(const history& past, std::string_view item, interval asked,
                       std::size_t most_bars);

// The probability that an item which was not seen in these ticks is reported as seen.
double expected_error(const history& past, interval asked);

// "/a   seen 2014-01-01 09:30:00 .. 09:40:00 +0000   in 12 seconds of 601"
std::string times_title(const std::string& item, const found_times& f, const tick_clock& clock,
                        const store::log_zone& zone);

// The bars below the period.
table times_picture(const found_times& f, const tick_clock& clock, const store::log_zone& zone);

// The newest intervals without gaps, in the order of time.
table intervals_table(const found_times& f, const tick_clock& clock, const store::log_zone& zone,
                      std::size_t rows);

}  // namespace bloomtime::cli
