#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <bloomtime/detail/probes.hpp>
#include <bloomtime/digest.hpp>

namespace bench {

// The exact map that a good engineer would write: digests and 64-bit values in one array, open
// addressing with linear probing, at most 80 % full, doubled when it is.
class exact_map {
 public:
  explicit exact_map(std::uint64_t items = 0)
      : slots_(std::bit_ceil(std::max<std::uint64_t>(16, items * 5 / 4 + 1))) {}

  // The value of this digest; 0 in a new entry.
  std::uint64_t& operator[](bloomtime::digest d) {
    if (5 * (size_ + 1) > 4 * slots_.size()) grow();
    slot& s = slots_[place_of(d)];
    if (!s.used()) {
      s.key = d;
      ++size_;
    }
    return s.value;
  }
  // Null if there is no entry.
  const std::uint64_t* find(bloomtime::digest d) const noexcept {
    const slot& s = slots_[place_of(d)];
    return s.used() ? &s.value : nullptr;
  }

  void prefetch(bloomtime::digest d) const noexcept {
    bloomtime::detail::prefetch_read(
        reinterpret_cast<const std::byte*>(&slots_[d.lo & (slots_.size() - 1)]));
  }
  // use(value) for all entries.
  template <class Use>
  void for_each(Use&& use) {
    for (slot& s : slots_) {
      if (s.used()) use(s.value);
    }
  }

  std::uint64_t size() const noexcept { return size_; }
  std::uint64_t memory() const noexcept { return slots_.size() * sizeof(slot); }

 private:
  struct slot {
    bloomtime::digest key;  // {0, 0} where the slot is free
    std::uint64_t value = 0;

    bool used() const noexcept { return key != bloomtime::digest{}; }
  };

  std::uint64_t place_of(bloomtime::digest d) const noexcept {
    const std::uint64_t mask = slots_.size() - 1;
    std::uint64_t i = d.lo & mask;
    while (slots_[i].used() && slots_[i].key != d) i = (i + 1) & mask;
    return i;
  }
  void grow() {
    std::vector<slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const slot& s : old) {
      if (s.used()) slots_[place_of(s.key)] = s;
    }
  }

  std::vector<slot> slots_;
  std::uint64_t size_ = 0;
};

}  // namespace bench
