#pragma once

#include <cstdint>
#include <span>

#include <bloomtime/bloom/bloom_filter.hpp>

// Loops of single Bloom calls. They are compiled twice: for this build's processor, and like a
// program that is compiled with -O2 -march=x86-64-v2. Both versions use the same filter in the same
// round, so that their ratio does not depend on the machine's load.
#define BENCH_CALLS                                                                    \
  void add_each(bloomtime::bloom_filter& filter, std::span<const std::uint64_t> keys); \
  std::uint64_t count_found(const bloomtime::bloom_filter& filter,                     \
                            std::span<const std::uint64_t> keys);

namespace bench::native {
BENCH_CALLS
}
namespace bench::v2 {
BENCH_CALLS
}
