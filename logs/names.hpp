#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "logs/field.hpp"
#include "logs/format.hpp"
#include "logs/formats/pattern.hpp"

namespace bloomtime::logs {

// The fields of a file: what its format and its first lines say about their names.
class file_names {
 public:
  file_names(std::string file, input_format format, std::vector<std::string_view> lines,
             std::optional<std::vector<std::string>> header,
             const std::shared_ptr<const pattern>& by_pattern);

  input_format format() const { return format_; }
  const std::string& file() const { return file_; }
  // All names, for people: keys, columns of the header, fields of the format.
  const std::vector<std::string>& all() const { return names_; }
  const std::optional<std::vector<std::string>>& header() const { return header_; }

  // By name, column number or key; nothing if it is unknown.
  std::optional<field> find(const std::string& typed) const;
  // The same; a key is taken as typed, because lines need not all have the same. Throws usage_error
  // for another unknown name, and lists those there are.
  field named(const std::string& typed) const;

  // As the options want them if nothing is typed. No time: "".
  std::string default_time() const;
  std::vector<std::string> default_items(const std::string& time) const;

 private:
  std::optional<field> known(const std::string& typed) const;
  std::vector<std::string> collect_keys() const;
  std::vector<std::string> values_of(const std::string& name) const;
  bool holds_times(const std::string& name) const;
  std::optional<std::string> time_by_suffix() const;
  std::string column_time() const;
  const char* format_with(const std::string& typed) const;
  [[noreturn]] void refuse(const std::string& typed) const;

  std::string file_;
  input_format format_;
  std::vector<std::string_view> lines_;
  std::optional<std::vector<std::string>> header_;
  std::vector<std::string> keys_;  // of formats with keys
  std::vector<field> fields_;      // of other formats
  std::vector<std::string> names_;
};

// The fields of lines of this format, unless they depend on the file.
const std::vector<field>& format_fields(input_format f);

}  // namespace bloomtime::logs
