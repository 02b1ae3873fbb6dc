#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "traffic/event.hpp"

namespace bloomtime::traffic {

// An item in a second; sorts by second.
struct item_second {
  std::uint32_t second = 0;
  item_number item = 0;

  friend auto operator<=>(const item_second&, const item_second&) = default;
};

// A set of pairs with a fixed capacity, by open addressing.
class pair_set {
 public:
  explicit pair_set(std::size_t capacity);

  std::size_t size() const noexcept { return size_; }
  bool contains(item_second pair) const noexcept { return slots_[slot_of(pair)] != empty; }
  bool insert(item_second pair) noexcept;  // whether it is new
  std::vector<item_second> sorted() &&;    // consumes the set: a copy would not fit

 private:
  static constexpr std::uint64_t empty = ~std::uint64_t{0};  // later than any second

  std::size_t slot_of(item_second pair) const noexcept;

  std::vector<std::uint64_t> slots_;
  std::size_t size_ = 0;
};

}  // namespace bloomtime::traffic
