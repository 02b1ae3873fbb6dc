#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bloomtime::cli {

enum class json_problem { none, not_json, not_a_value };

// Picks values out of lines of JSON. A key is written as it stands in the line, or with dots as the
// way to a nested one. Strings come unescaped, numbers and truth values as written, null as if it
// were not there.
class json_fields {
 public:
  explicit json_fields(const std::vector<std::string>& keys);
  json_fields(json_fields&&) noexcept;
  json_fields& operator=(json_fields&&) noexcept;
  ~json_fields();

  // `text` must have line_reader::padding readable bytes behind it. values[i] is that of keys[i],
  // and found[i] whether there is one; they hold until the next call.
  json_problem read(std::string_view text, std::span<std::string_view> values,
                    std::span<char> found);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

// The keys of a line that is an object, down to the second level, which is written with a dot.
std::optional<std::vector<std::string>> json_keys(std::string_view text);

}  // namespace bloomtime::cli
