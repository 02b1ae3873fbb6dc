#pragma once

#include <cstdint>
#include <span>

#include <bloomtime/digest.hpp>
#include <bloomtime/history/history.hpp>
#include <bloomtime/time.hpp>

#include "store/ledger.hpp"

// What a profile remembers of when items came.
namespace bloomtime::cli {

// A partition per day. It takes whatever can be read as a time: its ticks are those of heat, and
// begin with the earliest such time instead of 1970.
history new_history(const store::profile_settings& settings, std::uint64_t seed);

// Throws if something cannot be remembered.
void remember(history& past, std::span<const digest> items, std::span<const instant> times);

}  // namespace bloomtime::cli
