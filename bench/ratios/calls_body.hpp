#pragma once

#include "bench/ratios/calls.hpp"

namespace bench::BENCH_CALLS_FOR {

void add_each(bloomtime::bloom_filter& filter, std::span<const std::uint64_t> keys) {
  for (const std::uint64_t key : keys) filter.add(key);
}

std::uint64_t count_found(const bloomtime::bloom_filter& filter,
                          std::span<const std::uint64_t> keys) {
  std::uint64_t found = 0;
  for (const std::uint64_t key : keys) found += filter.may_contain(key);
  return found;
}

}  // namespace bench::BENCH_CALLS_FOR
