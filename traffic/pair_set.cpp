#include "traffic/pair_set.hpp"

#include <algorithm>
#include <bit>

#include <bloomtime/digest.hpp>

namespace bloomtime::traffic {
namespace {

std::uint64_t key_of(item_second pair) noexcept {
  return std::uint64_t{pair.second} << 32 | pair.item;
}

}  // namespace

pair_set::pair_set(std::size_t capacity) : slots_(std::bit_ceil(capacity * 3 / 2 + 1), empty) {}

bool pair_set::insert(item_second pair) noexcept {
  std::uint64_t& slot = slots_[slot_of(pair)];
  if (slot != empty) return false;
  slot = key_of(pair);
  ++size_;
  return true;
}

// The slot of the pair, or the free slot where its search ends.
std::size_t pair_set::slot_of(item_second pair) const noexcept {
  const std::uint64_t key = key_of(pair);
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = detail::mix(key) & mask;
  while (slots_[at] != empty && slots_[at] != key) at = (at + 1) & mask;
  return at;
}

std::vector<item_second> pair_set::sorted() && {
  std::erase(slots_, empty);
  std::sort(slots_.begin(), slots_.end());
  std::vector<item_second> pairs;
  pairs.reserve(size_);
  for (const std::uint64_t key : slots_) {
    pairs.push_back({static_cast<std::uint32_t>(key >> 32), static_cast<item_number>(key)});
  }
  return pairs;
}

}  // namespace bloomtime::traffic
