#pragma once

#include <cstdint>
#include <optional>

#include <bloomtime/detail/packed_cells.hpp>
#include <bloomtime/published/dynamic_count/detail/row_tally.hpp>

namespace bloomtime::published {

// Size by accuracy: `items` different items at one time, and `error`, the probability that an
// absent item shows a count or a present one too much. Or by memory, with `items` if known.
struct counting_config {
  std::uint64_t items = 0;
  std::optional<double> error = {};
  std::optional<std::uint64_t> memory = {};  // bytes
  std::optional<unsigned> k = {};            // instead of the best
  unsigned cell_bits = 4;                    // 2 to 32
  hash_seed seed = 0;
};

// Counts items with counters of a fixed width: the counting Bloom filter (Fan et al. 2000). A
// counter that reaches its largest value keeps it for ever, because lowering it might undercount;
// answers report that as `saturated`. 4 bits suffice for sets, but not for frequent items;
// tally_filter has no such limit. Const members may run concurrently.
class counting_filter : public detail::row_tally<counting_filter> {
 public:
  static constexpr std::string_view name = "counting_filter";
  static constexpr bloomtime::detail::stored_kind kind{
      family::tally, {1}, "a counting filter", true};
  static constexpr bool removes = true;
  static constexpr bool one_sided = true;

  explicit counting_filter(const counting_config& config);
  BLOOMTIME_VALUE(counting_filter);

  // Adds the counts of another filter. Both need equal cells, width, k and seed.
  void merge(const counting_filter& other);
  void clear() noexcept;

  unsigned cell_bits() const noexcept { return cells_.width(); }
  std::uint64_t cell(std::uint64_t i) const noexcept { return cells_.get(i); }
  bool stuck(std::uint64_t value) const noexcept { return value == cells_.max_value(); }
  std::uint64_t memory() const noexcept { return cells_.bytes().size(); }  // bytes

 private:
  friend detail::tally_face<counting_filter>;
  friend detail::row_tally<counting_filter>;
  friend detail::stored<counting_filter>;

  counting_filter(detail::row_shape shape, unsigned cell_bits, const hash_seed& seed);

  outcome add_digest(digest d, std::uint64_t amount);
  outcome remove_digest(digest d, std::uint64_t amount);
  void write(detail::container_writer& out) const;
  static counting_filter read(const detail::container_view& view);
  void expect_sound() const;

  detail::packed_cells<> cells_;
};

}  // namespace bloomtime::published
