#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bloomtime::logs {

enum class json_problem { none, not_json, not_a_value };

// Reads values from lines of JSON. A key is written as in the line, or with dots as the path to a
// nested one. Strings are unescaped, numbers and booleans are as written, null counts as missing.
// An array counts as its first element if that is a string, and as missing otherwise.
class json_fields {
 public:
  explicit json_fields(const std::vector<std::string>& keys);
  json_fields(const json_fields&) = delete;
  json_fields& operator=(const json_fields&) = delete;
  ~json_fields();

  // `text` must have line_reader::padding readable bytes behind it. values[i] belongs to keys[i],
  // found[i] says whether it is there; both are valid until the next call.
  json_problem read(std::string_view text, std::span<std::string_view> values,
                    std::span<char> found);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

// The keys of a line that is an object, with those of nested objects as outer.inner.
std::optional<std::vector<std::string>> json_keys(std::string_view text);

}  // namespace bloomtime::logs
