#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <bloomtime/digest.hpp>
#include <bloomtime/layout.hpp>

namespace bloomtime::oracle {

// Where the bits of an item are, one at a time and straight from docs/FORMAT.md: no vectors, no
// tables and no code of the library, so that a mistake there cannot hide here.
class reference_bits {
 public:
  reference_bits(layout kind, std::uint64_t bits, unsigned k)
      : kind_(kind), k_(k), set_(bits, false) {}

  std::vector<std::uint64_t> positions(digest d) const {
    std::vector<std::uint64_t> all;
    if (kind_ == layout::flat) {
      for (unsigned i = 0; i < k_; ++i) all.push_back(scaled(remix(d, i), set_.size()));
      return all;
    }
    const std::uint64_t line = scaled(d.hi, set_.size() / 512);
    const std::uint64_t start = d.lo >> 61;
    for (std::uint64_t word = 0; word < 8; ++word) {
      const std::uint64_t distance = (word + 8 - start) % 8;
      if (distance < k_) all.push_back(line * 512 + word * 64 + (d.lo >> 6 * word) % 64);
      if (distance + 8 < k_) all.push_back(line * 512 + word * 64 + (remix(d, 1) >> 6 * word) % 64);
    }
    return all;
  }

  // Says whether a bit changed.
  bool insert(digest d) {
    bool changed = false;
    for (const std::uint64_t p : positions(d)) {
      changed = changed || !set_[p];
      set_[p] = true;
    }
    return changed;
  }

  bool contains(digest d) const {
    for (const std::uint64_t p : positions(d)) {
      if (!set_[p]) return false;
    }
    return true;
  }

  std::uint64_t ones() const {
    std::uint64_t count = 0;
    for (const bool bit : set_) count += bit;
    return count;
  }

  std::vector<std::byte> bytes() const {
    std::vector<std::byte> packed(set_.size() / 8);
    for (std::size_t p = 0; p < set_.size(); ++p) {
      if (set_[p]) packed[p / 8] |= static_cast<std::byte>(1 << p % 8);
    }
    return packed;
  }

 private:
  __extension__ using wide = unsigned __int128;

  static std::uint64_t scaled(std::uint64_t hash, std::uint64_t size) {
    return static_cast<std::uint64_t>(wide{hash} * size >> 64);
  }

  static std::uint64_t remix(digest d, std::uint64_t i) {
    const wide product = wide{d.lo ^ (i * 0x9e3779b97f4a7c15)} * (d.hi | 1);
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }

  layout kind_;
  unsigned k_;
  std::vector<bool> set_;
};

}  // namespace bloomtime::oracle
