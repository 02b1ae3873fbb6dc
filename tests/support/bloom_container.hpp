#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <bloomtime/detail/container.hpp>
#include <bloomtime/layout.hpp>

namespace bloomtime::support {

struct bloom_shape {
  bloomtime::layout layout;
  std::uint64_t bits;
  unsigned k;
  hash_seed seed = 0;
  std::uint64_t capacity = 0;
};

// The container of an empty Bloom filter of exactly this shape: what a plan would choose may change
// from one version to the next, and k and small sizes are for tests to choose.
inline std::vector<std::byte> empty_bloom(const bloom_shape& shape) {
  detail::container_writer out({.family = family::bloom,
                                .engine = 1,
                                .layout = static_cast<std::uint8_t>(shape.layout),
                                .seed = shape.seed,
                                .clock = {}});
  for (const std::uint64_t p :
       {shape.bits, std::uint64_t{shape.k}, shape.capacity, std::uint64_t{0}, std::uint64_t{0}}) {
    out.parameters().u64(p);
  }
  const std::vector<std::byte> zeros(shape.bits / 8);
  out.section(1, zeros);
  return out.bytes();
}

}  // namespace bloomtime::support
