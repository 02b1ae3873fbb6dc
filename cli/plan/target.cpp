#include "cli/plan/target.hpp"

#include <fmt/format.h>

#include <bloomtime/math/bloom.hpp>

#include "text/quantity.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::cli {

std::uint64_t parse_memory(const std::string& text) {
  const std::uint64_t memory = parse_bytes("--memory", text);
  if (memory <= math::max_bits / 8) return memory;
  throw usage_error(fmt::format("--memory can be at most 1TiB (2^40 bytes), got {}", text));
}

}  // namespace bloomtime::cli
