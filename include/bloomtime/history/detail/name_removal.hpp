#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <bloomtime/history/detail/positions.hpp>
#include <bloomtime/history/detail/timelines.hpp>
#include <bloomtime/history/detail/timelines_merge.hpp>

namespace bloomtime::detail {

// Which items take fewer bits as positions without a name than as a timeline with one.
class name_costs {
 public:
  name_costs(const timelines_shape& shape, double error, std::uint64_t length);

  std::uint64_t with_name(const timeline_head& head) const;
  // Items from this key on keep their names.
  void keep_from(std::uint64_t key) noexcept { end_ = key; }
  bool loses_name(std::uint64_t key, const timeline_head& head) const;

 private:
  unsigned rest_bits_;
  std::uint64_t span_;
  double each_;  // bits of a position
  std::uint64_t end_ = std::uint64_t{1} << timeline_key_bits;
};

// Turns the timelines of items that hardly repeat into positions, if all of them together take
// fewer bits then. The work can be spread over many calls. Beside the timelines it takes as much
// memory as the result, and about 10 bytes for an eighth of the positions.
class name_removal {
 public:
  // Of timelines that outlive it and do not change.
  name_removal(const timelines& named, double error, std::uint64_t length);

  // Does about so much work, and takes what was done from it: one for every item that is looked at,
  // and for every position. Returns whether all is done. Throws error(corrupt) where timelines are
  // damaged.
  bool step(std::uint64_t& work);

  // After that: whether names were removed, which items still have one, and all that do not.
  bool is_worth_it() const noexcept { return nameless_.has_value(); }
  timelines& named() noexcept { return kept_; }
  positions& nameless() noexcept { return *nameless_; }
  std::uint64_t bytes() const noexcept;  // memory beside the timelines it reads

 private:
  enum class stage : std::uint8_t { count, keep, spread, sort, done };
  static constexpr std::size_t parts_of_a_slice = 2048;
  using slice_part = std::vector<std::uint64_t, hooked<std::uint64_t>>;

  void count_some(std::uint64_t& work);
  void keep_some(std::uint64_t& work);
  void begin_slices();
  void spread_some(std::uint64_t& work);
  void spread_item();
  void sort_some(std::uint64_t& work);
  void end_slices();

  const timelines& named_;
  double error_;
  std::uint64_t length_;
  name_costs costs_;
  stage stage_ = stage::count;
  timelines_cursor<bit_reader> items_;
  std::uint64_t saved_ = 0;  // bits
  positions_shape shape_;
  std::optional<timelines_merge> keeping_;
  timelines kept_;
  // Positions are sorted slice by slice, and each slice in parts by their highest bits.
  unsigned shift_ = 0;
  std::uint64_t slice_ = 0;
  std::size_t part_ = 0;
  std::size_t part_room_ = 0;  // positions that hardly any part exceeds
  std::array<slice_part, parts_of_a_slice> parts_;
  positions_writer out_;
  std::optional<positions> nameless_;
};

}  // namespace bloomtime::detail
