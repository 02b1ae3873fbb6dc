#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <bloomtime/published/time_decaying/detail/counter_cells.hpp>
#include <bloomtime/published/time_decaying/detail/digit_pool.hpp>

namespace bloomtime::detail {

// Counters in hexadecimal: the lowest digit in the cell, the others in a chain from the pool, which
// starts with a node for every other cell. A bit per cell says whether its counter is zero; unlike
// the membership filter of the papers, which only ever gains bits, it is exact
// (docs/math.md, Space of a digit pool). A cell that finds no free node is pinned: all its digits
// become 15 and stay.
class digit_cells {
 public:
  // Engine 7 has a decay::fine_rate.
  static constexpr std::string_view name = "pooled_decaying_filter";
  static constexpr stored_kind kind{family::heat, {2, 7}, "a pooled decaying filter"};
  static constexpr std::size_t sections = 3;

  // `setting` is the most nodes the pool may have.
  static std::uint64_t setting_of(const published::decaying_config& config);
  static bool is_setting(std::uint64_t nodes, std::uint64_t cells) {
    return nodes <= digit_pool::most_nodes && cells <= most_cells;
  }
  static std::uint64_t cells_in(std::uint64_t bytes, std::uint64_t) {
    return bytes / (4 + 1 + digit_pool::bits_per_node / 2) * 8;
  }

  digit_cells() noexcept : digits_(0), nonzero_(0), pins_(0) {}
  digit_cells(std::uint64_t cells, std::uint64_t most_nodes)
      : digit_cells(cells, most_nodes, std::min(cells / 2, most_nodes)) {}
  // The pool has only the nodes in use; it grows when another one is needed.
  static digit_cells read(const container_view& stored, std::uint64_t cells,
                          std::uint64_t most_nodes);

  std::uint64_t setting() const noexcept { return most_nodes_; }
  std::uint64_t size() const noexcept { return digits_.size(); }
  std::uint64_t memory() const noexcept {
    return digits_.bytes().size() + nonzero_.bytes().size() + pins_.bytes().size() + pool_.memory();
  }
  const digit_pool& pool() const noexcept { return pool_; }

  std::uint64_t get(std::uint64_t cell) const noexcept;
  // The lowest digit if there is no carry: 15 of 16 events do not read the chain.
  std::uint64_t part(std::uint64_t cell, std::uint64_t more) const noexcept {
    const std::uint64_t digit = digits_.get(cell);
    return more < 16 - digit ? digit : get(cell);
  }
  bool pinned(std::uint64_t cell) const noexcept { return pinned_ != 0 && pins_.get(cell) != 0; }
  std::uint64_t pinned_cells() const noexcept { return pinned_; }

  void prepare(std::span<const raise> raises);
  bool set(const raise& r) noexcept;
  void sweep(const fade& by) noexcept;

  void write(container_writer& out) const;

 private:
  digit_cells(std::uint64_t cells, std::uint64_t most_nodes, std::uint64_t nodes);

  static constexpr std::uint64_t most_cells = std::uint64_t{1} << 31;
  static constexpr std::uint64_t too_large = std::numeric_limits<std::uint64_t>::max();

  // Digits above the lowest.
  static constexpr unsigned chain_of(std::uint64_t value) noexcept {
    return (static_cast<unsigned>(std::bit_width(value >> 4)) + 3) / 4;
  }

  void pin(std::uint64_t cell) noexcept;
  void write(const raise& r) noexcept;
  void shorten(std::uint64_t cell) noexcept;

  packed_cells<4> digits_;
  packed_cells<1> nonzero_;
  packed_cells<1> pins_;  // has no memory until a cell may be pinned
  digit_pool pool_;
  std::uint64_t most_nodes_ = 0;
  std::uint64_t pinned_ = 0;
};

}  // namespace bloomtime::detail
