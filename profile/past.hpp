#pragma once

#include <cstdint>
#include <span>

#include <bloomtime/digest.hpp>
#include <bloomtime/history/history.hpp>
#include <bloomtime/time.hpp>

#include "store/ledger.hpp"

// The history of a profile.
namespace bloomtime::profile {

// A history with one partition per day. It accepts every time that can be read: its ticks are those
// of heat, and begin with the earliest readable time instead of 1970.
history new_history(const store::profile_settings& settings, std::uint64_t seed);

// Throws if the history refuses an event.
void remember(history& past, std::span<const digest> items, std::span<const instant> times);

}  // namespace bloomtime::profile
