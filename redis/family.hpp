#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include <bloomtime/time.hpp>

#include "api.hpp"

namespace bloomtime::redis {

// What keys, commands and events of a family are called.
struct family_names {
  family_names(const char* type_name, std::string_view command_prefix)
      : type(type_name), prefix(command_prefix), event_prefix(lower(command_prefix)) {}

  const char* type;
  std::string prefix;
  std::string event_prefix;
  std::string add = prefix + ".ADD";
  std::string insert = prefix + ".INSERT";
  std::string reserve = prefix + ".RESERVE";
  std::string load_chunk = prefix + ".LOADCHUNK";
  std::string add_event = event_prefix + ".add";
  std::string reserve_event = event_prefix + ".reserve";
  std::string reset_event = event_prefix + ".reset";
  std::string load_event = event_prefix + ".load";
  std::string merge_event = event_prefix + ".merge";

 private:
  static std::string lower(std::string_view word) {
    std::string result(word);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
  }
};

// What the families have in common, unless one has its own. Content is a filter: a handle of the
// library, or more than one.
template <class Content>
struct family_of {
  using content = Content;

  static constexpr bool is_timed = true;         // events have a time
  static constexpr bool weighs_items = false;    // INSERT has WEIGHTED
  static constexpr bool weighs_sources = false;  // MERGE has WEIGHTS
  static inline rm::Type* type = nullptr;        // set when the module is loaded

  static double cardinality(const content& filter, instant) { return filter.cardinality(); }
  static void merge(content& sum, const content& other, double) { sum.merge(other); }
};

}  // namespace bloomtime::redis
