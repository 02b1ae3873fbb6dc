#pragma once

#include <cstddef>
#include <cstdint>

#include <bloomtime/detail/buffer.hpp>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace bench {

// The reference of single Bloom calls: a blocked filter with blocks of 512 bits and eight bits per
// key, one in each 64-bit word. The hash of a key is the folded product with one odd constant. Its
// upper half selects the block by multiply-shift, and eight more multiply-shifts of its lower half
// select the bits. Without AVX2 the eight are computed one by one.
class blocked_filter {
 public:
  static constexpr std::uint64_t block_bytes = 64;

  explicit blocked_filter(std::uint64_t bytes)
      : blocks_(bytes / block_bytes), bits_(blocks_ * block_bytes) {}

  void add(std::uint64_t key) noexcept {
    const std::uint64_t hash = hash_of(key);
    std::byte* const block = bits_.data() + offset_of(hash);
#if defined(__AVX2__)
    const masks wanted = masks_of(hash);
    auto* const words = reinterpret_cast<__m256i*>(block);
    _mm256_store_si256(words, _mm256_or_si256(_mm256_load_si256(words), wanted.low));
    _mm256_store_si256(words + 1, _mm256_or_si256(_mm256_load_si256(words + 1), wanted.high));
#else
    auto* const words = reinterpret_cast<std::uint64_t*>(block);
    for (unsigned i = 0; i < 8; ++i) words[i] |= bit_of(hash, i);
#endif
  }

  bool may_contain(std::uint64_t key) const noexcept {
    const std::uint64_t hash = hash_of(key);
    const std::byte* const block = bits_.data() + offset_of(hash);
#if defined(__AVX2__)
    const masks wanted = masks_of(hash);
    const auto* const words = reinterpret_cast<const __m256i*>(block);
    return (_mm256_testc_si256(_mm256_load_si256(words), wanted.low) &
            _mm256_testc_si256(_mm256_load_si256(words + 1), wanted.high)) != 0;
#else
    const auto* const words = reinterpret_cast<const std::uint64_t*>(block);
    for (unsigned i = 0; i < 8; ++i) {
      if ((words[i] & bit_of(hash, i)) == 0) return false;
    }
    return true;
#endif
  }

 private:
  alignas(32) static constexpr std::uint32_t factors[8] = {0x9e3779b1, 0x85ebca77, 0xc2b2ae3d,
                                                           0x27d4eb2f, 0x165667b1, 0xd6e8feb9,
                                                           0xcaf649a9, 0xa2b8f1e5};

  __extension__ using wide = unsigned __int128;

  static std::uint64_t hash_of(std::uint64_t key) noexcept {
    const wide product = static_cast<wide>(key ^ 0x2545f4914f6cdd1d) * 0xd6e8feb86659fd93;
    return static_cast<std::uint64_t>(product ^ (product >> 64));
  }
  std::uint64_t offset_of(std::uint64_t hash) const noexcept {
    return static_cast<std::uint64_t>(static_cast<wide>(hash) * blocks_ >> 64) * block_bytes;
  }

#if defined(__AVX2__)
  struct masks {
    __m256i low;
    __m256i high;
  };
  static masks masks_of(std::uint64_t hash) noexcept {
    const __m256i product =
        _mm256_mullo_epi32(_mm256_set1_epi32(static_cast<int>(hash)),
                           _mm256_load_si256(reinterpret_cast<const __m256i*>(factors)));
    const __m256i place = _mm256_srli_epi32(product, 26);
    const __m256i one = _mm256_set1_epi64x(1);
    return {_mm256_sllv_epi64(one, _mm256_cvtepu32_epi64(_mm256_castsi256_si128(place))),
            _mm256_sllv_epi64(one, _mm256_cvtepu32_epi64(_mm256_extracti128_si256(place, 1)))};
  }
#else
  static std::uint64_t bit_of(std::uint64_t hash, unsigned i) noexcept {
    return std::uint64_t{1} << (static_cast<std::uint32_t>(hash) * factors[i] >> 26);
  }
#endif

  std::uint64_t blocks_;
  bloomtime::detail::buffer bits_;
};

}  // namespace bench
