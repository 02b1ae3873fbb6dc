#include "cli/asking/field_choice.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "text/suggest.hpp"
#include "text/text.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::cli {

std::size_t chosen_field(const std::vector<std::string>& names, const std::string& typed) {
  if (typed.empty()) {
    if (names.size() == 1) return 0;
    throw usage_error(
        fmt::format("the store has the fields {}; say with --field which one is meant, "
                    "as in --field {}",
                    fmt::join(names, ", "), names.front()));
  }
  const auto found = std::find(names.begin(), names.end(), typed);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const auto meant = nearest(typed, names);
  throw usage_error(fmt::format("the store has no field {}; it has {}.{}", shown(typed),
                                fmt::join(names, ", "),
                                meant ? fmt::format(" Did you mean {}?", *meant) : ""));
}

}  // namespace bloomtime::cli
