#pragma once

#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

// Parses numbers that people type. Each function reads the whole text, or throws a usage_error with
// the option, what it accepts, and the text.
namespace bloomtime::text {

// A number as programs write it; nothing if the text is anything else.
template <class Number, class... Base>
std::optional<Number> number_in(std::string_view text, Base... base) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value, base...);
  return read.ec == std::errc() && read.ptr == end ? std::optional(value) : std::nullopt;
}

// A whole number from 1 to 2^64 - 1: 250, 1,000,000, 2.5k, 1M, 10^6, 1e6.
std::uint64_t parse_count(std::string_view option, std::string_view text);

// Bytes, at least 1: 16MiB and 16M are 16 * 2^20, 16MB is 16 * 10^6. Fractions of a byte are cut
// off.
std::uint64_t parse_bytes(std::string_view option, std::string_view text);

// Whole seconds, at least 1: 90, 90s, 5m, 1.5h, 1d.
std::uint64_t parse_seconds(std::string_view option, std::string_view text);

// The same as a duration, up to 292,000 years.
std::chrono::microseconds parse_span(std::string_view option, std::string_view text);

// A probability strictly between 0 and 1: 1%, 0.01, 1e-6, 10^-6.
double parse_probability(std::string_view option, std::string_view text);

}  // namespace bloomtime::text
