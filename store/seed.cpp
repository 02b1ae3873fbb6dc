#include "store/seed.hpp"

#include <charconv>
#include <random>

#include <fmt/format.h>

#include "text/text.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::store {

std::uint64_t random_seed() {
  std::random_device source;
  return (std::uint64_t{source()} << 32) ^ source();
}

std::optional<std::uint64_t> parse_seed(const std::string& text) {
  if (text == "random") return std::nullopt;
  std::uint64_t seed = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, seed);
  if (read.ec == std::errc() && read.ptr == end) return seed;
  throw text::usage_error(
      fmt::format("--seed must be random or a whole number below 2^64, got {}", text::shown(text)));
}

}  // namespace bloomtime::store
