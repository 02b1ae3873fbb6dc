#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include <bloomtime/detail/packed_cells.hpp>
#include <bloomtime/detail/stored.hpp>
#include <bloomtime/published/time_decaying/detail/fade.hpp>

namespace bloomtime::detail {

// A change of one cell.
struct raise {
  std::uint64_t cell;
  std::uint64_t from;
  std::uint64_t to;
};

// Counters of 16 or 32 bits, as published. A counter that overflows is pinned: it keeps its largest
// value, and answers ignore it.
class counter_cells {
 public:
  // Engine 6 has a decay::fine_rate.
  static constexpr std::string_view name = "decaying_filter";
  static constexpr stored_kind kind{family::heat, {1, 6}, "a decaying filter"};
  static constexpr std::size_t sections = 1;

  // `setting` is the one parameter that differs between kinds of cells: here bits per counter.
  static std::uint64_t setting_of(const published::decaying_config& config);
  static bool is_setting(std::uint64_t bits, std::uint64_t) { return bits == 16 || bits == 32; }
  static std::uint64_t cells_in(std::uint64_t bytes, std::uint64_t bits) {
    return bytes / (bits / 8);
  }

  counter_cells() noexcept : counters_(packed_cells<16>(0)) {}
  counter_cells(std::uint64_t cells, std::uint64_t bits);
  static counter_cells read(const container_view& stored, std::uint64_t cells, std::uint64_t bits);

  std::uint64_t setting() const noexcept { return largest() == narrow_largest ? 16 : 32; }
  std::uint64_t size() const noexcept;
  std::uint64_t memory() const noexcept { return bytes().size(); }

  std::uint64_t get(std::uint64_t cell) const noexcept {
    return std::visit([&](const auto& c) { return std::uint64_t{c.get(cell)}; }, counters_);
  }
  // The part of a counter that an addition of `more` changes, which set() needs.
  std::uint64_t part(std::uint64_t cell, std::uint64_t /*more*/) const noexcept {
    return get(cell);
  }
  bool pinned(std::uint64_t cell) const noexcept { return get(cell) == largest(); }
  std::uint64_t pinned_cells() const noexcept { return pinned_; }

  // Reserves memory so that set() of these cannot fail.
  void prepare(std::span<const raise>) const noexcept {}
  // Returns false if the counter overflows and is pinned.
  bool set(const raise& r) noexcept;
  void sweep(const fade& by) noexcept;

  void write(container_writer& out) const;

 private:
  static constexpr std::uint64_t narrow_largest = std::numeric_limits<std::uint16_t>::max();

  std::uint64_t largest() const noexcept {
    return std::visit([](const auto& c) { return std::uint64_t{c.max_value()}; }, counters_);
  }
  std::span<const std::byte> bytes() const noexcept {
    return std::visit([](const auto& c) { return c.bytes(); }, counters_);
  }

  void pin(std::uint64_t cell) noexcept;

  std::variant<packed_cells<16>, packed_cells<32>> counters_;
  std::uint64_t pinned_ = 0;
};

}  // namespace bloomtime::detail
