#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <bloomtime/detail/hyperloglog.hpp>
#include <bloomtime/digest.hpp>

#include "logs/time_gate.hpp"
#include "store/roles.hpp"

namespace bloomtime::store {

struct profile_settings {
  std::chrono::microseconds half_life = std::chrono::hours(1);
  std::chrono::microseconds resolution = std::chrono::seconds(1);  // one tick of the decay
  std::uint64_t memory = 0;  // limit for the heat of all fields, in bytes; 0: none
};

// How many different items a field had, and the total length of the items of all events.
struct census {
  static constexpr unsigned precision = 14;  // a standard error of 0.8 % in 12 KiB

  detail::hyperloglog distinct{precision};
  std::uint64_t bytes = 0;

  void add(digest d, std::size_t length) noexcept {
    distinct.add(d);
    bytes += length;
  }
  std::uint64_t different() const {
    return static_cast<std::uint64_t>(std::llround(std::min(distinct.estimate(), 0x1p62)));
  }
};

// What a profile keeps beside its filters, so that the next run continues as if it were the same
// run: the settings, the census of each field, and the held events.
struct ledger {
  profile_settings settings;
  std::vector<census> fields;
  std::vector<logs::held_event> held;

  // A container of the family totals, drawn in docs/FORMAT.md.
  std::vector<std::byte> serialize() const;
  static ledger load(std::span<const std::byte> container);
};

}  // namespace bloomtime::store
