#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>

#include <bloomtime/detail/moved.hpp>
#include <bloomtime/detail/probes.hpp>
#include <bloomtime/math/bloom.hpp>
#include <bloomtime/math/rows.hpp>
#include <bloomtime/math/tally.hpp>
#include <bloomtime/published/dynamic_count/sizes.hpp>
#include <bloomtime/tally/detail/tally_face.hpp>

// Counters in k rows, one of each row per item (docs/math.md, Size of a filter of counters).
namespace bloomtime::detail {

struct row_shape {
  zero_when_moved<unsigned> k;
  zero_when_moved<std::uint64_t> row;  // cells of one row
};

// The part that the configurations of all these filters share: a size by accuracy or by memory.
struct row_request {
  std::uint64_t items;
  std::optional<double> error;
  std::optional<std::uint64_t> memory;  // bytes of `bits_per_cell` each
  std::optional<unsigned> k;
  double bits_per_cell;
  std::string_view called;
};
row_shape shape_of(const row_request& asked);

// Whether cells of this size are within the limits, for shapes that were read from a file.
bool plausible(row_shape shape, unsigned bits_per_cell) noexcept;

// An Engine has cell(), and stuck(value), which returns whether a cell with this value overflowed.
template <class Engine>
class row_tally : public tally_face<Engine> {
 public:
  std::uint64_t cells() const noexcept { return shape_.k * shape_.row; }
  std::uint64_t row() const noexcept { return shape_.row; }
  unsigned k() const noexcept { return shape_.k; }
  std::uint64_t position(digest d, unsigned i) const noexcept {  // of its cells
    return row_probes{shape_.row, shape_.k}.position(d, i);
  }
  // The probability that an absent item shows a count, or a present one too much, when there are
  // `items` different ones.
  double predicted_error(std::uint64_t items) const {
    this->expect_cells();
    return math::rows_error(items, cells(), shape_.k);
  }
  double confidence() const noexcept { return math::rows_confidence(shape_.k); }

  // Many items, one of each, in their order: the same as one by one.
  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA void add_bulk(const Items& items, std::span<outcome> outcomes) {
    in_bulk(items, outcomes, [this](const auto& x) { return this->add(x); });
  }
  template <std::ranges::contiguous_range Items, class E = Engine>
  BLOOMTIME_PER_ISA void remove_bulk(const Items& items,
                                     std::span<outcome> outcomes) requires(E::removes) {
    in_bulk(items, outcomes, [this](const auto& x) { return this->remove(x); });
  }
  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA void count_bulk(const Items& items, std::span<counted> answers) const {
    in_bulk(items, answers, [this](const auto& x) { return this->count(x); });
  }

  BLOOMTIME_PER_ISA tally_statistics statistics() const {
    tally_statistics s;
    s.total = this->total_;
    for (unsigned i = 0; i < shape_.k; ++i) {
      std::uint64_t used = 0;
      for (std::uint64_t c = i * shape_.row; c < (i + 1) * shape_.row; ++c) {
        const std::uint64_t value = this->self().cell(c);
        used += value != 0;
        s.largest = std::max(s.largest, value);
        s.saturated += this->self().stuck(value);
      }
      s.distinct += math::fill_items(used, shape_.row, 1) / shape_.k;
    }
    return s;
  }

 protected:
  friend tally_face<Engine>;
  static constexpr unsigned most_k = published::max_tally_k;

  template <class Items, class Answer, class Ask>
  BLOOMTIME_PER_ISA static void in_bulk(const Items& items, std::span<Answer> answers, Ask&& ask) {
    expect_as_many(std::ranges::size(items), answers.size());
    std::transform(std::ranges::begin(items), std::ranges::end(items), answers.begin(), ask);
  }

  row_tally() noexcept = default;
  row_tally(row_shape shape, const hash_seed& seed) noexcept
      : tally_face<Engine>(seed), shape_(shape) {}

  struct spots {
    std::array<std::uint64_t, most_k> cell;
    std::array<std::uint64_t, most_k> value;
    std::uint64_t least = ~std::uint64_t{0};  // of those that are not stuck
    bool all_stuck = true;
    bool any_stuck = false;
  };

  // The cells of an item and their values.
  BLOOMTIME_PER_ISA spots look_up(digest d) const noexcept {
    spots found;
    const row_probes probes{shape_.row, shape_.k};
    for (unsigned i = 0; i < shape_.k; ++i) {
      found.cell[i] = probes.position(d, i);
      found.value[i] = this->self().cell(found.cell[i]);
      if (this->self().stuck(found.value[i])) {
        found.any_stuck = true;
        continue;
      }
      found.least = std::min(found.least, found.value[i]);
      found.all_stuck = false;
    }
    return found;
  }

  // Every cell that is not stuck is an upper bound. With a stuck cell, fewer than k rows bound the
  // counts of other items, so `lower` is 0. If all cells are stuck, only the total is known.
  BLOOMTIME_PER_ISA counted count_digest(digest d) const noexcept {
    if (shape_.k == 0) return nothing_known;
    const spots found = look_up(d);
    if (found.all_stuck) {
      const std::uint64_t value = found.value[0];
      return {value, 0, std::max(value, this->total()), true};
    }
    const std::uint64_t lower =
        found.any_stuck ? 0 : math::count_at_least(found.least, this->total_, shape_.row);
    return {found.least, lower, found.least, false};
  }

  void expect_same_shape(const Engine& other) const {
    this->expect_cells();
    if (shape_.k == other.k() && shape_.row == other.row() && this->seed_ == other.seed()) return;
    const auto describe = [](const auto& f) {
      return std::to_string(f.cells()) + " cells, k " + std::to_string(f.k()) + ", seed " +
             to_string(f.seed());
    };
    this->refuse_merge(describe(*this), describe(other));
  }

  // The cells of a row add up to the total, unless one is stuck; with minimum increase, to at most
  // the total.
  bool rows_add_up() const noexcept {
    for (unsigned i = 0; i < shape_.k; ++i) {
      __extension__ unsigned __int128 sum = 0;
      bool stuck = false;
      for (std::uint64_t c = i * shape_.row; c < (i + 1) * shape_.row; ++c) {
        const std::uint64_t value = this->self().cell(c);
        sum += value;
        stuck = stuck || this->self().stuck(value);
      }
      if (!stuck && (Engine::removes ? sum != this->total_ : sum > this->total_)) return false;
    }
    return true;
  }

  row_shape shape_;
};

}  // namespace bloomtime::detail
