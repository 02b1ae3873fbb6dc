#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <bloomtime/detail/buffer.hpp>
#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/moved.hpp>
#include <bloomtime/detail/process_key.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/error.hpp>

namespace bloomtime::detail {

// The exact values of cells that overflowed: a map from cell number to 64 bits in one buffer, by
// open addressing with linear probing. Only reserve(), set() of a new cell, erase() and trim() move
// entries. Only the first two may throw error(out_of_memory), and then the table is unchanged. It
// holds no memory before the first entry, and none after trim() if it is empty. The position of an
// entry depends on the random key of the process, so crafted cells do not cluster.
class side_table {
 public:
  static constexpr std::uint64_t max_cell = std::numeric_limits<std::uint64_t>::max() - 1;
  static constexpr std::size_t bytes_per_entry = 16;  // of write()

  // From what write() wrote: cells strictly increasing and below `cells`, and for every entry
  // valid(cell, value) must hold. Checks everything before it allocates.
  template <class Valid>
  static side_table read(std::span<const std::byte> entries, std::uint64_t cells, Valid&& valid);

  std::uint64_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  // Bytes allocated.
  std::uint64_t bytes() const noexcept { return storage_.size(); }
  // The memory of a table that has had this many entries, and the number of entries that fit into
  // this many bytes.
  static constexpr std::uint64_t bytes_for(std::uint64_t entries) noexcept;
  static constexpr std::uint64_t entries_in(std::uint64_t bytes) noexcept;

  // Null if the cell has no entry. The pointer is valid until entries move or are erased.
  const std::uint64_t* find(std::uint64_t cell) const noexcept;
  std::uint64_t* find(std::uint64_t cell) noexcept;

  // Inserts or overwrites.
  void set(std::uint64_t cell, std::uint64_t value);
  // Makes room for `entries` in total, so that set() cannot fail until there are more of them.
  void reserve(std::uint64_t entries);
  // Returns false if there was no entry. Keeps the memory, so a reservation survives erasures.
  bool erase(std::uint64_t cell) noexcept;
  // Erases all entries for which unwanted(cell, value) holds.
  template <class Unwanted>
  void erase_if(Unwanted&& unwanted) noexcept;
  // Releases memory if erasures left most of the table empty; otherwise it costs nothing.
  void trim() noexcept;
  void clear() noexcept { *this = side_table(); }

  // use(cell, value) for every entry, in no particular order.
  template <class Use>
  void for_each(Use&& use) const;
  // All entries, in the order of their cells.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sorted() const;
  // change(cell, value&) for every entry, once each.
  template <class Change>
  void change_each(Change&& change);

  // The number of slots that a search for this cell reads if it has no entry.
  std::uint64_t probes(std::uint64_t cell) const noexcept;

  // 16 bytes per entry, in the order of their cells: equal contents give equal bytes.
  void write(byte_writer& out) const;
  std::vector<std::byte> written() const;

 private:
  struct slot {
    std::uint64_t key;  // the cell + 1; zero where the slot is free
    std::uint64_t value;
  };
  static constexpr std::uint64_t min_slots = 8;
  static constexpr std::uint64_t max_slots = max_buffer_bytes / sizeof(slot);

  // Three quarters: a search for an absent cell reads 8.5 slots on average (Knuth, TAOCP 6.4).
  static constexpr std::uint64_t capacity_of(std::uint64_t slots) noexcept { return slots / 4 * 3; }
  static constexpr std::uint64_t least_slots_for(std::uint64_t entries) noexcept {
    return std::max(min_slots, std::bit_ceil((entries * 4 + 2) / 3));
  }
  static std::uint64_t slots_for(std::uint64_t entries);

  slot* slots() noexcept { return reinterpret_cast<slot*>(storage_.data()); }
  const slot* slots() const noexcept { return reinterpret_cast<const slot*>(storage_.data()); }
  std::uint64_t slot_count() const noexcept { return storage_.size() / sizeof(slot); }
  std::uint64_t mask() const noexcept { return slot_count() - 1; }

  std::uint64_t home(std::uint64_t key) const noexcept { return mix((key - 1) ^ key_) & mask(); }
  std::uint64_t locate(std::uint64_t key) const noexcept;
  void close(std::uint64_t hole) noexcept;
  void insert_new(slot s) noexcept;
  void move_to(std::uint64_t slot_count);

  buffer storage_;  // first, so that an assignment that fails changes nothing
  zero_when_moved<std::uint64_t> size_;
  std::uint64_t key_ = process_key();  // the same in all tables
};

inline std::uint64_t side_table::slots_for(std::uint64_t entries) {
  if (entries > capacity_of(max_slots)) {
    throw error(errc::too_large, "a side table can have at most " +
                                     std::to_string(capacity_of(max_slots)) + " entries, got " +
                                     std::to_string(entries));
  }
  return least_slots_for(entries);
}

constexpr std::uint64_t side_table::bytes_for(std::uint64_t entries) noexcept {
  if (entries == 0) return 0;
  return entries > capacity_of(max_slots) ? max_buffer_bytes
                                          : least_slots_for(entries) * sizeof(slot);
}

constexpr std::uint64_t side_table::entries_in(std::uint64_t bytes) noexcept {
  return bytes < min_slots * sizeof(slot) ? 0 : capacity_of(std::bit_floor(bytes / sizeof(slot)));
}

// The slot of the key, or the free slot where its search ends.
inline std::uint64_t side_table::locate(std::uint64_t key) const noexcept {
  std::uint64_t i = home(key);
  while (slots()[i].key != 0 && slots()[i].key != key) i = (i + 1) & mask();
  return i;
}

inline std::uint64_t side_table::probes(std::uint64_t cell) const noexcept {
  if (size_ == 0) return 0;
  std::uint64_t read = 1;
  for (std::uint64_t i = home(cell + 1); slots()[i].key != 0; i = (i + 1) & mask()) ++read;
  return read;
}

inline const std::uint64_t* side_table::find(std::uint64_t cell) const noexcept {
  if (size_ == 0) return nullptr;
  const slot& s = slots()[locate(cell + 1)];
  return s.key != 0 ? &s.value : nullptr;
}

inline std::uint64_t* side_table::find(std::uint64_t cell) noexcept {
  return const_cast<std::uint64_t*>(std::as_const(*this).find(cell));
}

inline void side_table::set(std::uint64_t cell, std::uint64_t value) {
  if (cell > max_cell) {
    throw error(errc::invalid_argument, "a side table has cells up to " + std::to_string(max_cell) +
                                            ", got " + std::to_string(cell));
  }
  if (std::uint64_t* const present = find(cell)) {
    *present = value;
    return;
  }
  reserve(size_ + 1);
  insert_new({cell + 1, value});
}

inline void side_table::insert_new(slot s) noexcept {
  slots()[locate(s.key)] = s;
  size_ += 1;
}

inline void side_table::reserve(std::uint64_t entries) {
  if (entries > capacity_of(slot_count())) move_to(slots_for(entries));
}

inline void side_table::move_to(std::uint64_t slot_count) {
  side_table moved;
  moved.storage_ = buffer(slot_count * sizeof(slot));
  for_each([&](std::uint64_t cell, std::uint64_t value) { moved.insert_new({cell + 1, value}); });
  *this = std::move(moved);
}

inline bool side_table::erase(std::uint64_t cell) noexcept {
  if (find(cell) == nullptr) return false;
  close(locate(cell + 1));
  return true;
}

// An entry that was not visited yet never moves to a slot before the one being visited.
template <class Unwanted>
void side_table::erase_if(Unwanted&& unwanted) noexcept {
  for (std::uint64_t i = 0; i < slot_count(); ++i) {
    while (slots()[i].key != 0 && unwanted(slots()[i].key - 1, slots()[i].value)) close(i);
  }
}

// Closes the gap instead of marking it, so that searches do not become slower over time: every
// later entry of the run moves into the gap unless that would put it before its home slot (TAOCP
// 6.4, algorithm R).
inline void side_table::close(std::uint64_t hole) noexcept {
  for (std::uint64_t i = (hole + 1) & mask(); slots()[i].key != 0; i = (i + 1) & mask()) {
    const std::uint64_t from_home = (i - home(slots()[i].key)) & mask();
    const std::uint64_t from_hole = (i - hole) & mask();
    if (from_home >= from_hole) {
      slots()[hole] = slots()[i];
      hole = i;
    }
  }
  slots()[hole] = {};
  size_ -= 1;
}

// The new table is at most 3/8 full and was at most 1/8 full before, so that neither growing back
// nor shrinking again happens before many more changes.
inline void side_table::trim() noexcept {
  if (size_ == 0) {
    clear();
  } else if (size_ < slot_count() / 8) {
    try {
      move_to(slots_for(2 * size_));
    } catch (const std::exception&) {
      // Shrinking failed for lack of memory: the larger table remains in use.
    }
  }
}

template <class Use>
void side_table::for_each(Use&& use) const {
  for (std::uint64_t i = 0; i < slot_count(); ++i) {
    const slot& s = slots()[i];
    if (s.key != 0) use(s.key - 1, s.value);
  }
}

template <class Change>
void side_table::change_each(Change&& change) {
  for (std::uint64_t i = 0; i < slot_count(); ++i) {
    slot& s = slots()[i];
    if (s.key != 0) change(s.key - 1, s.value);
  }
}

inline std::vector<std::pair<std::uint64_t, std::uint64_t>> side_table::sorted() const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> entries;
  entries.reserve(size_);
  for_each([&](std::uint64_t cell, std::uint64_t value) { entries.emplace_back(cell, value); });
  std::sort(entries.begin(), entries.end());
  return entries;
}

inline void side_table::write(byte_writer& out) const {
  for (const auto& [cell, value] : sorted()) {
    out.u64(cell);
    out.u64(value);
  }
}

inline std::vector<std::byte> side_table::written() const {
  byte_writer out;
  write(out);
  return std::move(out).written();
}

template <class Valid>
side_table side_table::read(std::span<const std::byte> entries, std::uint64_t cells,
                            Valid&& valid) {
  if (entries.size() % bytes_per_entry != 0) {
    throw error(errc::truncated, "expected " + std::to_string(bytes_per_entry) +
                                     " bytes per entry of a side table, found " +
                                     std::to_string(entries.size()) + " bytes");
  }
  std::uint64_t next = 0;
  for (byte_reader in(entries); in.remaining() > 0;) {
    const std::uint64_t cell = in.u64();
    const std::uint64_t value = in.u64();
    if (cell < next || cell >= cells || cell > max_cell) {
      throw error(errc::corrupt, "expected cells of a side table in increasing order from " +
                                     std::to_string(next) + " to below " + std::to_string(cells) +
                                     ", found " + std::to_string(cell));
    }
    if (!valid(cell, value)) {
      throw error(errc::corrupt, "cell " + std::to_string(cell) +
                                     " of a side table cannot have the value " +
                                     std::to_string(value));
    }
    next = cell + 1;
  }
  side_table table;
  table.reserve(entries.size() / bytes_per_entry);
  for (byte_reader in(entries); in.remaining() > 0;) {
    const std::uint64_t key = in.u64() + 1;
    table.insert_new({key, in.u64()});
  }
  return table;
}

}  // namespace bloomtime::detail
