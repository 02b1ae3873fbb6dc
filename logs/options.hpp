#pragma once

#include <string>
#include <vector>

namespace bloomtime::logs {

// How to read input, as typed; see command::input.
struct input_options {
  std::string format = "auto";
  std::vector<std::string> items = {};  // each a field, or fields joined by commas
  std::string time = {};
  std::vector<std::string> data = {};  // a first line with one of these words is not a header
  bool whole_line = false;             // events have no items: only the line and its time matter
  bool partial = false;    // a line that lacks some items is an event, unless it lacks all of them
  bool needs_time = true;  // look for a field with times if none is named
  bool follow = false;     // wait for more at the end of a file, as `tail -F` does
  std::string rejects = {};
  bool strict = false;
  std::string unpack_memory = {};  // limit for decompression; 128 MiB unless given
};

}  // namespace bloomtime::logs
