#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <bloomtime/detail/cpu.hpp>
#include <bloomtime/detail/hooked.hpp>
#include <bloomtime/detail/probes.hpp>
#include <bloomtime/detail/process_key.hpp>
#include <bloomtime/digest.hpp>

namespace bloomtime::detail {

// A hash index from digests to slots: open addressing with linear probing, at most half full. It
// keeps 32 bits of a hash of each digest; the caller compares the digest itself. The hash depends
// on the random key of the process, so crafted digests do not cluster. Only reserve() allocates.
class digest_index {
 public:
  // is_it(slot) returns whether the slot has this digest. Inlined, so that a digest stays in
  // registers: in memory it is written by halves and read as a whole, for which the read waits.
  template <class IsIt>
  BLOOMTIME_INLINE std::optional<std::uint32_t> find(digest d, IsIt&& is_it) const noexcept {
    if (places_.empty()) return std::nullopt;
    const std::uint32_t wanted = tag(d);
    for (std::size_t i = wanted & mask(); places_[i].next_slot != 0; i = (i + 1) & mask()) {
      const std::uint32_t slot = places_[i].next_slot - 1;
      if (places_[i].tag == wanted && is_it(slot)) return slot;
    }
    return std::nullopt;
  }

  // For a search that follows.
  void prefetch(digest d) const noexcept {
    if (places_.empty()) return;
    prefetch_read(reinterpret_cast<const std::byte*>(&places_[tag(d) & mask()]));
  }

  // The number of places that a search for this digest reads if it has no slot.
  std::size_t probes(digest d) const noexcept {
    if (places_.empty()) return 0;
    std::size_t read = 1;
    for (std::size_t i = tag(d) & mask(); places_[i].next_slot != 0; i = (i + 1) & mask()) ++read;
    return read;
  }

  // Makes room for `count` entries in total.
  void reserve(std::size_t count) {
    if (2 * count <= places_.size()) return;
    digest_index larger;
    larger.places_.resize(std::bit_ceil(2 * count));
    for (const place& p : places_) {
      if (p.next_slot != 0) larger.put(p);
    }
    places_.swap(larger.places_);
  }

  void insert(digest d, std::uint32_t slot) noexcept { put({tag(d), slot + 1}); }

  // Closes the gap, as side_table::erase does.
  void erase(digest d, std::uint32_t slot) noexcept {
    std::size_t hole = tag(d) & mask();
    while (places_[hole].next_slot != slot + 1) hole = (hole + 1) & mask();
    for (std::size_t i = (hole + 1) & mask(); places_[i].next_slot != 0; i = (i + 1) & mask()) {
      if (((i - places_[i].tag) & mask()) >= ((i - hole) & mask())) {
        places_[hole] = places_[i];
        hole = i;
      }
    }
    places_[hole] = {};
  }

  std::uint64_t bytes() const noexcept { return hooked_bytes<place>(places_.capacity()); }

 private:
  struct place {
    std::uint32_t tag = 0;
    std::uint32_t next_slot = 0;  // the slot + 1; zero where the place is free
  };

  std::uint32_t tag(digest d) const noexcept {
    return static_cast<std::uint32_t>(fold(d.lo ^ key_, d.hi ^ other_key_) >> 32);
  }
  std::size_t mask() const noexcept { return places_.size() - 1; }

  void put(place p) noexcept {
    std::size_t i = p.tag & mask();
    while (places_[i].next_slot != 0) i = (i + 1) & mask();
    places_[i] = p;
  }

  std::vector<place, hooked<place>> places_;
  std::uint64_t key_ = process_key();
  std::uint64_t other_key_ = mix(key_);
};

}  // namespace bloomtime::detail
