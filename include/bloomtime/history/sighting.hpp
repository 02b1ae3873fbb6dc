#pragma once

#include <cstdint>
#include <string_view>

namespace bloomtime {

// Was it seen then? `no` is certain. out_of_retention: not found, and part of the queried time was
// dropped.
enum class sighting : std::uint8_t { no, maybe, out_of_retention };

constexpr std::string_view name_of(sighting s) noexcept {
  switch (s) {
    case sighting::no: return "no";
    case sighting::maybe: return "maybe";
    case sighting::out_of_retention: return "out of retention";
  }
  return "unknown";
}

}  // namespace bloomtime
