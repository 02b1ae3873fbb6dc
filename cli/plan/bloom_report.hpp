#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/output/report.hpp"
#include "cli/plan/bloom_choices.hpp"
#include "cli/plan/bloom_measure.hpp"

namespace bloomtime::cli {

struct planned_bloom {
  bloom_choice choice;
  std::optional<bloom_measurement> measurement;
};

struct bloom_plan {
  plan_target target;
  bool measured = false;
  std::vector<planned_bloom> entries;
  std::string saved_to;
};

report report_of(const bloom_plan& plan);

}  // namespace bloomtime::cli
