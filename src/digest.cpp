#include <bloomtime/digest.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace bloomtime {

digest digest_of(std::span<const std::byte> item, std::uint64_t seed) noexcept {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(item.data(), item.size(), seed);
  return {hash.low64, hash.high64};
}

}  // namespace bloomtime
