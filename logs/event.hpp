#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <bloomtime/digest.hpp>
#include <bloomtime/time.hpp>

#include "logs/bad_line.hpp"
#include "logs/web_facts.hpp"

namespace bloomtime::logs {

// A line of the input. `ending` follows `text` there: "\n", "\r\n", or nothing at the end of a
// file. A line longer than the limit comes in pieces.
struct line {
  enum class part { whole, piece, last_piece };

  std::string_view text;
  std::string_view ending;
  part what = part::whole;
  bool first = false;  // of the input, or of a file that replaced one that is followed

  std::string_view bytes() const { return {text.data(), text.size() + ending.size()}; }
};

// A line of the input and what it says. Items are valid until the next line is read.
struct event {
  // A line that is too long comes in pieces, all of them bad. `mark` is a file that has nothing but
  // a byte order mark. Lines that begin with # in a W3C log are headers. A line that does not
  // fulfil input_options::where is excluded.
  enum class kind { event, header, bad, mark, excluded };

  kind what = kind::event;
  bool begins = true;     // false for a further piece of a long line
  line raw;               // byte for byte
  std::string_view text;  // without line end and byte order mark; of whole lines
  // Of events:
  std::span<const std::string_view> items;  // one for each --item
  std::span<const char> present;            // whether the line has it
  std::span<const digest> digests;          // of the items; see event_reader::hash_with
  std::optional<instant> at;                // none if the lines have no time
  std::optional<web_facts> web;             // if input_options::web asks, of web logs
  std::optional<double> amount;             // if input_options::amount names a field with a number
  std::int32_t offset = 0;                  // of the timestamp, seconds east of UTC
  // Of bad lines:
  bad_line reason = bad_line::empty;
  std::size_t lacks = 0;  // the first field that is missing: number in line_layout::fields
};

}  // namespace bloomtime::logs
