#pragma once

#include <string>
#include <vector>

namespace bloomtime::cli {

// As typed; see command::input.
struct input_options {
  std::string format = "auto";
  std::vector<std::string> items = {};  // each a field, or several joined by commas
  std::string time = {};
  std::vector<std::string> data = {};  // words that are data wherever they stand, and no header
  bool partial = false;    // a line that lacks some items is an event, unless it lacks all of them
  bool needs_time = true;  // so that a field with times is looked for if none is named
  std::string rejects = {};
  bool strict = false;
  std::string unpack_memory = {};  // that compressed input may ask for; 128 MiB unless given
};

}  // namespace bloomtime::cli
