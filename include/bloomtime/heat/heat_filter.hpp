#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/detail/stored.hpp>
#include <bloomtime/heat/detail/fading_cells.hpp>
#include <bloomtime/heat/detail/forward_state.hpp>
#include <bloomtime/heat/detail/heat_face.hpp>

namespace bloomtime {

// Size, by one of three:
//   items, error      `error` is the probability that an answer is too high while `items` different
//                     items are warm.
//   epsilon, delta    Answers exceed the truth by more than epsilon times the heat of all events
//                     with probability at most delta.
//   memory            In bytes; with `items`, if known, the best k for them.
// Decay, by one of two: `half_life`, or the factor `lambda` per tick.
struct heat_config {
  std::uint64_t items = 0;
  std::optional<double> error = {};
  std::optional<double> epsilon = {};
  std::optional<double> delta = {};
  std::optional<std::uint64_t> memory = {};  // of cells, without counts too large for them
  std::optional<std::chrono::microseconds> half_life = {};
  std::optional<double> lambda = {};
  std::chrono::microseconds tick = std::chrono::seconds(1);
  std::chrono::microseconds ahead = std::chrono::hours(24);  // events further ahead are refused
  unsigned cell_bits = 16;                                   // or 32
  hash_seed seed = 0;
};

// How hot is an item now? Every event counts lambda^age, with ages in ticks of the clock (aligned
// to the clock, not to the event), summed per item. If ages are counted from the event on instead
// (Cheng et al. 2005, equation 1), heat is at most upper / lambda.
//
// Promise: `upper` is never below the truth. It is too high where other items share all k cells.
// Outcomes of add: added, late, future, and full if a count would exceed 64 bits. Late events count
// what is left of them.
//
// Cost: an add reads and writes k cache lines, at most four. Nothing happens when time passes:
// cells halve when they are next written. memory() counts the cells and the table of counts that
// are too large for their cell: 128 hits in cells of 16 bits, 2^23 in cells of 32. Each takes 22 to
// 43 bytes in each of k rows, so memory() may grow to 22 times that of cells of 16 bits.
//
// Const members may run concurrently. Source: Cheng et al. 2005 with minimum increase and lazy
// halving (docs/math.md, Minimum increase under decay).
class heat_filter : public detail::heat_face<heat_filter, detail::forward_state>,
                    public detail::stored<heat_filter> {
 public:
  // Engine 8 has a decay::fine_rate.
  static constexpr std::string_view name = "heat_filter";
  static constexpr detail::stored_kind kind{family::heat, {3, 8}, "a heat filter"};

  explicit heat_filter(const heat_config& config);
  BLOOMTIME_VALUE(heat_filter);

  // The value of at() without its bounds, which take longer to compute than it.
  template <item T>
  BLOOMTIME_PER_ISA double value_at(const T& x, instant when) const noexcept {
    return value_of(detail::as_digest(x, seed_), when);
  }

  void advance(instant now) noexcept;  // lets time pass without an event, never back
  void clear() noexcept;               // forgets all events; parameters stay

  // Adds the events of another filter, each counting `weight` times (0 to 2^32), rounded up. Both
  // need equal cells, k, seed, decay and clock. Throws error(too_large) if a count would exceed 64
  // bits; nothing changes then.
  void merge(const heat_filter& other, double weight = 1);

  unsigned cell_bits() const noexcept;
  std::uint64_t memory() const noexcept;  // bytes of cells and of the table of large counts
  std::uint64_t lines_caught_up() const noexcept;  // work done for decay so far

 private:
  static constexpr unsigned most_k = 4;  // cache lines per operation
  using narrow = detail::fading_cells<std::uint16_t>;
  using broad = detail::fading_cells<std::uint32_t>;

  heat_filter() noexcept : cells_(narrow()) {}

  // Where an item's cells are, and those of a block of items.
  using spots = std::array<std::uint64_t, most_k>;
  using spot_block = std::array<spots, detail::bulk_block>;

  // The block to work on, and the one that is being prefetched.
  struct spot_blocks {
    std::array<spot_block, 2> all;
    bool odd = false;

    spot_blocks& turn() noexcept {
      odd = !odd;
      return *this;
    }
    const spot_block& now() const noexcept { return all[odd ? 0 : 1]; }
    spot_block& next() noexcept { return all[odd ? 1 : 0]; }
  };

  // What all answers for one time have in common.
  struct moment {
    std::uint32_t halvings;
    double unit;       // hits per unit of a cell, rounded up
    double others;     // hits that other items and rounding add to an answer, at most, with
                       // probability confidence()
    double forgotten;  // hits by which merged counts may be too low
  };

  // What an event adds to its cells and to the mass.
  struct arrival {
    std::uint32_t halvings;  // of the cells when it is added
    unsigned_wide units;
    unsigned_wide mass;
  };

  friend detail::heat_face<heat_filter, detail::forward_state>;
  outcome add_digest(digest d, instant when, std::uint64_t weight);
  estimate at_digest(digest d, instant when) const noexcept;
  double value_of(digest d, instant when) const noexcept;
  std::uint64_t warm_cells() const noexcept;
  template <item T>
  BLOOMTIME_PER_ISA void add_span(std::span<const T> items, std::span<const instant> when,
                                  std::span<outcome> outcomes);
  template <item T>
  BLOOMTIME_PER_ISA void at_span(std::span<const T> items, instant when,
                                 std::span<estimate> answers) const;
  // Process the `count` items of one block while the lines of the next are prefetched.
  void add_block(spot_blocks& blocks, std::size_t count, const detail::digest_block& next,
                 std::span<const instant> when, std::span<outcome> outcomes);
  void at_block(spot_blocks& blocks, std::size_t count, const detail::digest_block& next,
                const moment& asked, std::span<estimate> answers) const noexcept;
  // use(cells, k) with the kind of cells and the number of rows known to the compiler.
  template <class Self, class Use>
  static decltype(auto) dispatch(Self& self, Use&& use);
  template <unsigned k, class Cells>
  spots spots_of(const Cells& cells, digest d) const noexcept;
  template <unsigned k, class Cells>
  outcome add_to(Cells& cells, const spots& where, instant when, std::uint64_t weight);
  template <unsigned k, class Cells>
  outcome add_elsewhen(Cells& cells, const spots& where, instant when, std::uint64_t weight);
  template <unsigned k, class Cells, class Prepare>
  bool count(Cells& cells, const spots& where, const arrival& event, Prepare&& prepare);
  template <unsigned k, class Cells>
  static std::uint64_t least_of(const Cells& cells, const spots& where,
                                std::uint32_t halvings) noexcept;
  template <unsigned k, class Cells>
  estimate answer(const Cells& cells, const spots& where, const moment& now) const noexcept;
  arrival arrival_of(std::uint64_t weight, const bloomtime::decay::power& then,
                     const bloomtime::decay::power& now) const noexcept;
  moment moment_of(instant when) const noexcept;
  void set_tick(std::int64_t tick, const bloomtime::decay::power& p) noexcept;
  void go_to(std::int64_t tick, const bloomtime::decay::power& next) noexcept;
  std::uint32_t halvings_at(const bloomtime::decay::power& p) const noexcept;
  void add_filter(const heat_filter& other, const forward::merge_weight& by);
  void add_cells(const heat_filter& other, const forward::merge_weight& by);

  friend detail::stored<heat_filter>;
  void write(detail::container_writer& out) const;
  static heat_filter read(const detail::container_view& view);

  std::variant<narrow, broad> cells_;
  std::uint64_t row_lines_ = 0;      // lines of one row
  arrival hit_{};                    // one event in the newest tick
  double unit_ = 0;                  // hits per unit of a cell in the newest tick, rounded up
  double mass_unit_ = 0;             // the same of mass_
  bloomtime::decay::wide base_ = 0;  // halvings before the cells began to count them
  unsigned_wide forgotten_ = 0;      // what merged filters forgot, in units of mass_
  unsigned_wide rounded_up_ = 0;     // what rounding added to merges and late events
};

template <item T>
void heat_filter::add_span(std::span<const T> items, std::span<const instant> when,
                           std::span<outcome> outcomes) {
  spot_blocks blocks;
  detail::in_blocks<1>(items, seed_, [&](const auto& now, const auto& next, std::size_t first) {
    add_block(blocks.turn(), now.count, next, when.subspan(first), outcomes.subspan(first));
  });
}

template <item T>
void heat_filter::at_span(std::span<const T> items, instant when,
                          std::span<estimate> answers) const {
  const moment asked = moment_of(when);
  spot_blocks blocks;
  detail::in_blocks<1>(items, seed_, [&](const auto& now, const auto& next, std::size_t first) {
    at_block(blocks.turn(), now.count, next, asked, answers.subspan(first));
  });
}

}  // namespace bloomtime
