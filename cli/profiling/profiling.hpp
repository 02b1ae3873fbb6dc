#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/live/display.hpp"
#include "logs/layout.hpp"

namespace bloomtime::cli {

// The options of profile, as typed.
struct profile_options {
  std::vector<std::string> files;
  logs::input_options input;
  std::string half_life;
  std::string resolution;
  std::string memory;
  std::string store;
  std::string keep;
  std::string seed;
  std::string rows = "10";
  bool follow = false;
  std::string every;
  std::string checkpoint = "1m";
  std::string by = "heat";
  bool again = false;
  bool pseudonymise = false;
  std::string key_file;
  std::string threads;
};

// How long to wait between two saves or two screens, of --checkpoint or --every.
std::chrono::seconds parse_pause(const char* option, const std::string& text);

// Reads logs into a store and prints what is hot, or shows it live with --follow.
exit_status profile_logs(const profile_options& given, const output_options& asked,
                         const printer& out);

// The same with --follow, shown by another display.
using display_maker = std::function<std::unique_ptr<live::display>(const live::source&)>;
exit_status follow_logs(const profile_options& given, const output_options& asked,
                        const display_maker& shows, const printer& out);

}  // namespace bloomtime::cli
