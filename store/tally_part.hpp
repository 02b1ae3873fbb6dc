#pragma once

#include <cstdint>
#include <string>

#include <fmt/format.h>

#include <bloomtime/tally/tally_filter.hpp>

#include "store/reader.hpp"
#include "text/usage_error.hpp"

// Where a store keeps its tally.
namespace bloomtime::cli {

inline constexpr std::uint64_t default_tally_memory = 16'000'000;

inline std::string tally_role(const std::string& item) { return "tally." + item; }

// The tally of a store::reader or store::writer that was made by bloomtime tally.
template <class Store>
tally_filter load_tally(const Store& from, const std::vector<std::string>& items,
                        const std::string& directory) {
  if (items.size() != 1 || !from.has(tally_role(items.front()))) {
    throw usage_error(fmt::format(
        "{} holds a profile and no tally; name a store that bloomtime tally made, or a new one",
        directory));
  }
  return store::load_part<tally_filter>(from.container(tally_role(items.front())));
}

}  // namespace bloomtime::cli
