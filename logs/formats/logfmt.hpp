#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bloomtime::logs {

// Reads values from lines of key=value pairs: level=info msg="a \"quoted\" text" took=3ms. In
// quotes \" \\ \n \r \t \uXXXX (of ASCII) are unescaped. The first of equal keys counts. A key
// without = has no value and counts as missing.
class logfmt_fields {
 public:
  explicit logfmt_fields(std::vector<std::string> keys)
      : keys_(std::move(keys)), scratch_(keys_.size()) {}

  // values[i] belongs to keys[i], found[i] says whether it is there; both are valid until the next
  // call.
  void read(std::string_view text, std::span<std::string_view> values, std::span<char> found);

 private:
  std::vector<std::string> keys_;
  std::vector<std::string> scratch_;
};

// The keys of a line that is mostly pairs, at least two; nothing for another line.
std::optional<std::vector<std::string>> logfmt_keys(std::string_view text);

}  // namespace bloomtime::logs
