#pragma once

#include <string>
#include <vector>

#include "cli/dedupe/settings.hpp"
#include "logs/options.hpp"

namespace bloomtime::cli {

// The options of dedupe, as typed.
struct dedupe_options {
  std::vector<std::string> files;
  logs::input_options input;
  std::string window;
  std::string last;
  std::string expect;
  std::string error = "1e-6";
  bool refresh = false;
  bool no_refresh = false;
  bool wall = false;
  std::string late;
  bool follow = false;
  std::string state;
  bool count = false;
  std::string cost_duplicate;
  std::string cost_loss;
  std::string seed;
};

// Throws usage_error if the options contradict each other.
dedupe_settings settings_of(const dedupe_options& given);

}  // namespace bloomtime::cli
