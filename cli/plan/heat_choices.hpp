#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/plan/planner.hpp"

namespace bloomtime::cli {

struct heat_choice {
  std::string engine;
  unsigned cell_bits = 16;
  unsigned k = 0;
  std::uint64_t row = 0;  // cells of one of k rows
  std::uint64_t memory = 0;
  double error = 0;
  bool recommended = false;
};

// Sizes for the error and the items, or for the memory alone, as profile chooses them: at least one
// cache line for each of four rows.
std::vector<heat_choice> heat_choices(const plan_target& target);

}  // namespace bloomtime::cli
