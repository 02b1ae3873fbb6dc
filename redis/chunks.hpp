#pragma once

#include <cstddef>
#include <cstdint>

// The bytes of a filter travel in chunks that are numbered downwards: the last one is 1. So every
// chunk says how many are still to come.
namespace bloomtime::redis {

inline constexpr std::size_t chunk_bytes = std::size_t{16} << 20;
inline constexpr std::uint64_t most_chunks = std::uint64_t{1} << 22;  // 64 TiB

constexpr std::uint64_t chunks_in(std::uint64_t bytes) noexcept {
  return (bytes + chunk_bytes - 1) / chunk_bytes;
}

}  // namespace bloomtime::redis
