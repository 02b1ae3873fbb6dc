#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <bloomtime/published/dynamic_count/detail/field_vector.hpp>
#include <bloomtime/published/dynamic_count/detail/row_tally.hpp>

namespace bloomtime::published {

// When the overflow vector becomes narrower. The numbers are stored in files.
enum class shrinking : std::uint8_t {
  with_gap = 1,   // if a quarter of the narrower range stays free; prevents alternating rebuilds
  published = 2,  // at the threshold; counts the cells of each level, as the paper does
};

// Size by accuracy: `items` different items at one time, and `error`, the probability that an
// absent item shows a count or a present one too much. Size by memory: `memory` is never exceeded;
// counters that cannot grow saturate. With both, `error` determines the number of cells and
// `memory` limits their size.
struct dynamic_count_config {
  std::uint64_t items = 0;
  std::optional<double> error = {};
  std::optional<std::uint64_t> memory = {};  // bytes
  std::optional<unsigned> k = {};            // instead of the best
  std::uint64_t total = 0;                   // of all counts, if known; gives base_bits
  std::optional<unsigned> base_bits = {};    // 1 to 57, instead of what `total` gives
  double threshold = 0.25;                   // lambda, 0 to 1; smaller values shrink later
  bloomtime::published::shrinking shrinking = bloomtime::published::shrinking::with_gap;
  hash_seed seed = 0;
};

// The cells of one level of overflow counters, below its threshold and at or above it.
struct level_count {
  std::uint64_t below = 0;
  std::uint64_t above = 0;

  friend bool operator==(const level_count&, const level_count&) = default;
};

// Counts items with counters in two vectors: the dynamic count filter (Aguilar-Saborit, Trancoso,
// Muntes-Mulero and Larriba-Pey 2006). The base vector has the lowest x bits of every counter. The
// overflow vector has y more; it is rebuilt with a larger y when a counter needs it, and with a
// smaller y when no counter has needed it for a while. Kept for comparison: one frequent item
// widens every counter, which tally_filter avoids. Thresholds and levels are corrected by the
// paper's own example (docs/math.md, Levels of a dynamic count filter). Const members may run
// concurrently.
class dynamic_count_filter : public detail::row_tally<dynamic_count_filter> {
 public:
  static constexpr std::string_view name = "dynamic_count_filter";
  static constexpr detail::stored_kind kind{family::tally, {3}, "a dynamic count filter"};
  static constexpr bool removes = true;
  static constexpr bool one_sided = true;

  explicit dynamic_count_filter(const dynamic_count_config& config);
  BLOOMTIME_VALUE(dynamic_count_filter);

  // Adds the counts of another filter. Both need equal cells, base bits, k, seed and limits.
  void merge(const dynamic_count_filter& other);
  void clear() noexcept;

  unsigned base_bits() const noexcept { return base_.width(); }          // x
  unsigned overflow_bits() const noexcept { return overflow_.width(); }  // y
  std::uint64_t cell(std::uint64_t i) const noexcept {
    return base_.get(i) | (overflow_.width() == 0 ? 0 : overflow_.get(i) << base_.width());
  }
  bool stuck(std::uint64_t value) const noexcept { return saturating_ && value == highest(); }
  std::uint64_t memory() const noexcept { return base_.memory() + overflow_.memory(); }  // bytes

  std::uint64_t growths() const noexcept { return growths_; }  // rebuilds to a wider vector
  std::uint64_t shrinks() const noexcept { return shrinks_; }  // and to a narrower one
  bool saturating() const noexcept { return saturating_; }     // the memory limit prevented growth
  double lambda() const noexcept { return lambda_; }
  // Once no cell is at or above this, the overflow vector becomes narrower. 0 if it has no bits.
  std::uint64_t threshold() const noexcept { return threshold_; }
  std::uint64_t above() const noexcept { return above_; }  // cells at or above it
  std::vector<level_count> levels() const;  // 0 to overflow_bits(); only of shrinking::published

 private:
  friend detail::tally_face<dynamic_count_filter>;
  friend detail::row_tally<dynamic_count_filter>;
  friend detail::stored<dynamic_count_filter>;

  struct plan;
  struct level {
    std::uint64_t split;
    level_count cells;
  };

  explicit dynamic_count_filter(const plan& p);
  static plan plan_of(const dynamic_count_config& c);

  std::uint64_t highest() const noexcept {
    return ~std::uint64_t{0} >> (64 - base_bits() - overflow_bits());
  }
  std::uint64_t threshold_of(unsigned y) const;
  outcome add_digest(digest d, std::uint64_t amount);
  outcome remove_digest(digest d, std::uint64_t amount);
  outcome add_saturating(const spots& found, std::uint64_t amount) noexcept;
  void put(std::uint64_t i, std::uint64_t before, std::uint64_t after) noexcept;
  void put_value(std::uint64_t i, std::uint64_t value) noexcept;
  void rebuild(unsigned y);
  void shrink() noexcept;
  void recount();
  std::uint64_t& level_count_of(std::uint64_t value) noexcept;
  void write(detail::container_writer& out) const;
  static dynamic_count_filter read(const detail::container_view& view);

  detail::field_vector base_;
  detail::field_vector overflow_;
  unsigned most_overflow_ = 0;  // bits
  bool bounded_ = false;
  bool saturating_ = false;  // cells of all ones overflowed and keep their value
  double lambda_ = 0;
  std::uint64_t threshold_ = 0;
  std::uint64_t above_ = 0;
  std::uint64_t growths_ = 0;
  std::uint64_t shrinks_ = 0;
  std::vector<level> levels_;  // every possible level; only of shrinking::published
};

}  // namespace bloomtime::published
