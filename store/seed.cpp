#include "store/seed.hpp"

#include <random>

#include "text/quantity.hpp"
#include "text/text.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::store {

std::uint64_t random_seed() {
  std::random_device source;
  return (std::uint64_t{source()} << 32) ^ source();
}

std::optional<std::uint64_t> parse_seed(const std::string& text) {
  if (text == "random") return std::nullopt;
  if (const auto seed = text::number_in<std::uint64_t>(text)) return seed;
  text::refuse("--seed must be random or a whole number below 2^64, got {}", text::shown(text));
}

}  // namespace bloomtime::store
