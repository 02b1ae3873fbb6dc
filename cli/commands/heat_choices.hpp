#pragma once

#include <cstdint>
#include <vector>

#include "cli/commands/plan_target.hpp"

namespace bloomtime::cli {

struct heat_choice {
  unsigned cell_bits = 16;
  unsigned k = 0;
  std::uint64_t row = 0;  // cells of one of k rows
  double error = 0;
  bool recommended = false;

  std::uint64_t memory() const;
};

// What heat_filter makes of the error and the items, or of the memory alone, as profile does: one
// for each width of its cells.
std::vector<heat_choice> heat_choices(const plan_target& target);

}  // namespace bloomtime::cli
