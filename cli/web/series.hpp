#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include <bloomtime/time.hpp>

#include "cli/output/json.hpp"
#include "store/log_zone.hpp"
#include "store/totals.hpp"

namespace bloomtime::cli {

// Equal steps of time, as the columns of a chart. Steps of an hour or more begin with an hour or a
// day of the log's own zone.
struct steps {
  instant first;
  std::chrono::seconds each{60};
  std::size_t count = 0;
};

// So many steps that from..to has no more than `most`.
steps steps_between(instant from, instant to, std::size_t most, std::int32_t offset);
// Steps of this length.
steps steps_between(instant from, instant to, std::chrono::seconds each, std::int32_t offset);

// The events of each step.
std::vector<std::uint64_t> sums_of(const store::minute_totals& totals, const steps& of);

// {"from": microseconds since 1970, "step_seconds": n, "count": n}
ordered_json to_json(const steps& of);

}  // namespace bloomtime::cli
