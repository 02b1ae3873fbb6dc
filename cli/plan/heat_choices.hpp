#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/plan/target.hpp"

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

// What the engines make of the error and the items, or of the memory alone, as profile does; that
// is at least a cache line for each of four rows.
std::vector<heat_choice> heat_choices(const plan_target& target);

}  // namespace bloomtime::cli
