#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "logs/agent_family.hpp"
#include "logs/bad_line.hpp"
#include "logs/formats/logfmt.hpp"
#include "logs/json_fields.hpp"
#include "logs/layout.hpp"
#include "logs/times.hpp"
#include "logs/web_facts.hpp"

namespace bloomtime::logs {

// Reads the items and the time of lines of one layout, and parses no other fields.
class record_reader {
 public:
  explicit record_reader(line_layout layout);

  const line_layout& layout() const { return layout_; }

  // Why the line is not an event; nothing if it is one. `text` must have line_reader::padding
  // readable bytes behind it.
  std::optional<bad_line> read(std::string_view text);

  // Whether the last line was read without a problem and does not fulfil a condition: it is no
  // event, and neither its items nor its time were read.
  bool excluded() const { return excluded_; }

  // Of the last line read, until the next one.
  std::span<const std::string_view> items() const { return items_; }
  // Whether the line has each item; missing ones are empty.
  std::span<const char> present() const { return present_; }
  const zoned_time& time() const { return time_; }
  // The number in line_layout::amount; nothing if there is none, or it is infinite.
  std::optional<double> amount() const;
  std::optional<web_facts> web() const;  // nothing if the layout does not ask for it
  bool has_time() const { return layout_.time != line_layout::none; }
  // The fields that the last line lacks, if it was without an item or a time.
  std::vector<std::string> lacking() const;
  std::size_t first_lacking() const;  // its number in line_layout::fields

 private:
  std::optional<bad_line> read_columns(std::string_view text);
  std::optional<bad_line> read_keys(std::string_view text);
  std::size_t split(std::string_view text);
  std::string_view value_of(std::size_t number, std::string_view text);
  std::string_view part_of(std::size_t number, std::string_view value);
  void shorten();
  bool fulfils_conditions() const;
  bool lacks(std::size_t number) const;
  std::optional<bad_line> read_time();
  std::optional<bad_line> missing();
  void join_items();

  line_layout layout_;
  bool plain_values_ = true;  // no value has to be changed after it was found
  bool excluded_ = false;
  std::optional<json_fields> keys_;
  std::optional<logfmt_fields> pairs_;
  std::vector<std::string_view> columns_;  // up to the last one that is needed
  std::vector<std::string_view> values_;   // of layout_.fields
  std::vector<char> found_;
  std::vector<char> needed_;          // for an event
  std::vector<std::string> scratch_;  // values that differ from the line, as after unescaping
  std::vector<std::string> shortened_;
  std::vector<std::string_view> items_;
  std::vector<char> present_;
  std::vector<std::string> joined_;
  std::vector<std::string_view> parts_;
  std::unique_ptr<family_reader> families_;
  std::string joined_time_;
  time_reader times_;
  zoned_time time_;
};

}  // namespace bloomtime::logs
