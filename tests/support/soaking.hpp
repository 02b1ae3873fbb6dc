#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/digest.hpp>

namespace bloomtime::support {

// Whether the tests of tests/soak are to do all they promise, which takes hours.
inline bool soaking() { return std::getenv("BLOOMTIME_SOAK") != nullptr; }

// How many operations to do: `all` of them or `few`, or as many as BLOOMTIME_SOAK says if that is
// above 1.
inline std::uint64_t soak_operations(std::uint64_t all, std::uint64_t few) {
  const char* const wanted = std::getenv("BLOOMTIME_SOAK");
  if (wanted == nullptr) return few;
  const std::uint64_t number = std::strtoull(wanted, nullptr, 10);
  return number > 1 ? std::min(number, all) : all;
}

// Many short lives try more configurations than few long ones.
inline std::uint64_t soak_lives(std::uint64_t operations, std::uint64_t fewest) {
  return std::max(fewest, operations / 1'000'000);
}

// The seed of a life. Every round has others, so that one long run can be made of short ones:
// BLOOMTIME_SOAK_ROUND is its number, 0 if unset.
inline std::uint64_t soak_seed(std::uint64_t life) {
  const char* const round = std::getenv("BLOOMTIME_SOAK_ROUND");
  return round == nullptr ? life : std::strtoull(round, nullptr, 10) << 32 | life;
}

// The digests of the items of a life. In one life of four, a quarter of them are aimed at one block
// or page of a table, as by someone who knows its seed.
class soak_items {
 public:
  soak_items(const hash_seed& seed, std::uint64_t life) : seed_(seed), aimed_(life % 4 == 3) {}

  bool aimed() const { return aimed_; }
  digest operator()(std::uint64_t item) const {
    return aimed_ && item % 4 == 0
               ? digest{detail::mix(item) << 24 | 0x123456, std::uint64_t{7} << 40}
               : detail::as_digest(item, seed_);
  }

 private:
  hash_seed seed_;
  bool aimed_;
};

}  // namespace bloomtime::support
