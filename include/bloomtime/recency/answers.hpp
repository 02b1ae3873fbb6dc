#pragma once

#include <cstdint>

#include <bloomtime/outcome.hpp>

// What filters that know about the last while say of an item, beside yes and no.
namespace bloomtime {

// What became of an event that was inserted if it was new, and whether its item had not been seen
// within the window before.
struct novelty {
  bool fresh;
  outcome became;

  friend bool operator==(const novelty&, const novelty&) = default;
};

// How long ago an item was last seen, in microseconds or insertions.
struct age_bracket {
  std::uint64_t youngest;
  std::uint64_t oldest;

  friend bool operator==(const age_bracket&, const age_bracket&) = default;
};

}  // namespace bloomtime
