#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <bloomtime/published/dynamic_count/detail/field_vector.hpp>
#include <bloomtime/published/dynamic_count/detail/row_tally.hpp>

namespace bloomtime::published {

// When the overflow vector becomes narrower. Numbers are written into files.
enum class shrinking : std::uint8_t {
  with_gap = 1,  // with a quarter of the room left, so that no threshold makes it go back and forth
  published = 2,  // by the threshold alone; counts the cells of each level, as the paper does
};

// By accuracy: `items` that are there at the same time, and `error`, the chance that an absent one
// shows a count or a present one too much. By memory: `memory` is never exceeded; what cannot grow
// any more saturates. With both, `error` says how many cells there are and `memory` how much they
// may take.
struct dynamic_count_config {
  std::uint64_t items = 0;
  std::optional<double> error = {};
  std::optional<std::uint64_t> memory = {};  // bytes
  std::optional<unsigned> k = {};            // other than the best
  std::uint64_t total = 0;                   // of all counts, if known: says how wide cells start
  std::optional<unsigned> base_bits = {};    // or this does, 1 to 57
  double threshold = 0.25;                   // lambda, 0 to 1: smaller ones shrink later
  bloomtime::published::shrinking shrinking = bloomtime::published::shrinking::with_gap;
  std::uint64_t seed = 0;
};

// Cells of one level of overflow counters, below its threshold and not.
struct level_count {
  std::uint64_t below = 0;
  std::uint64_t above = 0;

  friend bool operator==(const level_count&, const level_count&) = default;
};

// How many x are there? The dynamic count filter (Aguilar-Saborit, Trancoso, Muntes-Mulero and
// Larriba-Pey 2006): counters in two vectors, x bits of each in one of fixed width, the rest in one
// that becomes wider when a counter needs it, for all of them, and narrower when none has done for
// a while. Kept for comparison; one frequent item widens every counter, which tally_filter spares.
// Thresholds and levels are corrected by the paper's own example
// (docs/math.md, Levels of a dynamic count filter). Const members may run concurrently.
class dynamic_count_filter : public detail::row_tally<dynamic_count_filter> {
 public:
  static constexpr std::string_view name = "dynamic_count_filter";
  static constexpr detail::stored_kind kind{family::tally, {3}, "a dynamic count filter"};
  static constexpr bool removes = true;
  static constexpr bool one_sided = true;

  explicit dynamic_count_filter(const dynamic_count_config& config);
  BLOOMTIME_VALUE(dynamic_count_filter);

  // The filter of both streams. Both need the same cells, base bits, k, seed and bounds.
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
  bool saturating() const noexcept { return saturating_; }     // memory did not allow to grow
  double lambda() const noexcept { return lambda_; }
  // No cell at or above this: the vector is one bit narrower. 0 if there is none.
  std::uint64_t threshold() const noexcept { return threshold_; }
  std::uint64_t above() const noexcept { return above_; }  // cells that have it
  std::vector<level_count> levels() const;  // 0 to overflow_bits(); empty unless as published

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
  bool saturating_ = false;  // a cell that is all ones was too small once, and stays
  double lambda_ = 0;
  std::uint64_t threshold_ = 0;
  std::uint64_t above_ = 0;
  std::uint64_t growths_ = 0;
  std::uint64_t shrinks_ = 0;
  std::vector<level> levels_;  // all there may be; empty unless as published
};

}  // namespace bloomtime::published
