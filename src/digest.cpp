#include <bloomtime/digest.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace bloomtime {

std::string to_string(const hash_seed& seed) {
  return std::to_string(seed.value()) + ", hash " +
         std::to_string(static_cast<unsigned>(seed.id()));
}

namespace detail {

digest xxh3_128(std::span<const std::byte> item, std::uint64_t seed) noexcept {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(item.data(), item.size(), seed);
  return {hash.low64, hash.high64};
}

}  // namespace detail
}  // namespace bloomtime
