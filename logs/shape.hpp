#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bloomtime::logs {

// How an item is shortened, so that similar ones count as one: --no-query and --group.
struct shape {
  bool no_query = false;
  unsigned segments = 0;   // of a path; 0 for all
  unsigned bits = 0;       // of an IPv4 address; 0 for all
  unsigned wide_bits = 0;  // of an IPv6 address

  bool any() const { return no_query || segments != 0 || bits != 0 || wide_bits != 0; }
  friend bool operator==(const shape&, const shape&) = default;
};

// `scratch` holds the result if it is not a part of the value.
std::string_view shaped(std::string_view value, const shape& by, std::string& scratch);

// path:2, host:/24
struct grouping {
  std::string field;
  shape form;
};

// Throws usage_error if one cannot be understood. Groupings of the same field are joined.
std::vector<grouping> groupings_of(const std::vector<std::string>& typed);

}  // namespace bloomtime::logs
