#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <bloomtime/time.hpp>

#include "logs/condition.hpp"
#include "logs/field.hpp"
#include "logs/format.hpp"
#include "logs/formats/pattern.hpp"

// Which fields of a line are the items and the time.
namespace bloomtime::logs {

// How to read input, as typed; see command::input.
struct input_options {
  std::string format = "auto";
  std::string pattern = {};             // instead of a format
  std::vector<std::string> items = {};  // each a field, or fields joined by commas
  std::string time = {};                // a field, or two joined by a comma: date,time
  std::vector<std::string> where = {};  // conditions; lines that do not fulfil all are excluded
  std::vector<std::string> group = {};  // path:2, host:/24
  bool no_query = false;                // paths end at the ?
  std::vector<std::string> data = {};   // a first line with one of these words is not a header
  bool whole_line = false;              // events have no items: only the line and its time matter
  bool partial = false;     // a line that lacks some items is an event, unless it lacks all of them
  bool passes_bad = false;  // bad lines are passed on; decides the words of notes and errors
  bool web = false;         // events of web logs have event::web
  std::string amount = {};  // events have event::amount, the number in this field
  bool needs_time = true;   // look for a field with times if none is named
  bool follow = false;      // wait for more at the end of a file, as `tail -F` does
  std::string rejects = {};
  bool strict = false;
  std::string unpack_memory = {};  // limit for decompression; 128 MiB unless given
};

struct item_layout {
  std::string name;                // "host", "host,path"
  std::vector<std::size_t> parts;  // numbers in line_layout::fields
};

// Numbers in line_layout::fields. The bytes may be missing.
struct web_layout {
  std::size_t status = 0;
  std::size_t method = 0;
  std::optional<std::size_t> bytes = {};
};

struct placed_condition {
  condition test;
  std::size_t field = 0;  // number in line_layout::fields
};

struct line_layout {
  static constexpr std::size_t none = field::none;

  input_format format = input_format::plain;
  bool header = false;        // the first line names the columns
  std::vector<field> fields;  // all fields that are needed, each once
  std::vector<item_layout> items;
  std::size_t time = none;             // number in fields
  std::size_t clock = none;            // if the date and the time of day are two fields
  std::optional<instant> newest = {};  // as in time_reader
  std::vector<placed_condition> conditions = {};
  std::shared_ptr<const pattern> by_pattern = {};
  std::size_t amount = none;           // number in fields
  std::optional<web_layout> web = {};  // if it was asked for and the lines have it
  bool partial = false;                // as in input_options
  std::vector<std::string> names;      // of all fields of the file, as far as they are known
};

// Whether the first of these lines of CSV or TSV names the columns.
bool has_header(const input_options& asked, const std::vector<std::string_view>& lines,
                input_format format);

// The layout of a file with these first lines, by the options. `format` overrides theirs. Throws
// usage_error for a field that the file does not have, and names those it has.
line_layout layout_of(const input_options& asked, const std::string& file,
                      const std::vector<std::string_view>& lines,
                      std::optional<input_format> format = {});

// The layout below a further #Fields line. Fields that are no longer there are absent.
line_layout layout_below(const line_layout& before, std::string_view fields_line);

// One line for people: "combined log; items path and host; time time".
std::string described(const line_layout& layout);

}  // namespace bloomtime::logs
