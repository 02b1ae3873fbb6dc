#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <variant>
#include <vector>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/detail/stored.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/estimate.hpp>
#include <bloomtime/heat/decay.hpp>
#include <bloomtime/heat/detail/fading_cells.hpp>
#include <bloomtime/heat/detail/moved_to_zero.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime {

// By accuracy: `items` that are warm at the same time, and `error`, the chance that an answer about
// one of them is more than exact; or `epsilon` and `delta`: answers exceed the truth by more than
// the share epsilon of all heat with a chance of at most delta. By memory: `memory`, with `items`
// if known. And how heat fades: by `half_life`, or by the factor `lambda` per epoch.
struct heat_config {
  std::uint64_t items = 0;
  std::optional<double> error = {};
  std::optional<double> epsilon = {};
  std::optional<double> delta = {};
  std::optional<std::uint64_t> memory = {};  // bytes of cells, without counts too large for them
  std::optional<std::chrono::microseconds> half_life = {};
  std::optional<double> lambda = {};
  std::chrono::microseconds epoch = std::chrono::seconds(1);
  std::chrono::microseconds ahead =
      std::chrono::hours(24);  // further ahead is no time but an error
  unsigned cell_bits = 16;     // or 32
  std::uint64_t seed = 0;
};

// How hot is this item now? Every event counts lambda^age, age in epochs of the clock (aligned, not
// from the event on), summed up per item. The answer is never too low: upper >= truth, always. It
// is too high by other items' heat where they share all cells; see `at`. Nothing happens when time
// passes: cells halve when they are next written (Cheng et al. 2005 sweep through all of them).
// An add touches k cache lines, at most four. Const members may run concurrently.
//
// Memory is that of the cells and of a table for counts that are too large for their cell: from 128
// hits on in cells of 16 bits, from 2^23 on in cells of 32. Every such count takes 22 to 43 bytes
// in each of k rows. So memory() grows with the number of items that are this hot, up to 22 times
// that of cells of 16 bits.
class heat_filter : public detail::stored<heat_filter> {
 public:
  // Engine 8 has a decay::fine_rate.
  static constexpr detail::stored_kind kind{family::heat, {3, 8}, "a heat filter"};

  explicit heat_filter(const heat_config& config);
  BLOOMTIME_VALUE(heat_filter);

  // added or late; future if `when` is too far ahead, full if the count would exceed 64 bits, and
  // then nothing has changed. Late events count what is left of them. Throws only if memory is out,
  // with the state unchanged.
  template <item T>
  BLOOMTIME_PER_ISA outcome add(const T& x, instant when, std::uint64_t weight = 1) {
    return add_digest(detail::as_digest(x, seed_), when, weight);
  }

  // Many events in their order, each with its time and outcome: the same as one by one, and faster
  // where the filter exceeds the cache. If memory is out the events before have been added.
  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA void add_bulk(const Items& items, std::span<const instant> when,
                                  std::span<outcome> outcomes) {
    const std::span<const std::ranges::range_value_t<Items>> all(items);
    detail::expect_as_many(all.size(), when.size(), "times");
    detail::expect_as_many(all.size(), outcomes.size(), "outcomes");
    spot_blocks blocks;
    detail::in_blocks<1>(all, seed_, [&](const auto& now, const auto& next, std::size_t first) {
      add_block(blocks.turn(), now.count, next, when.subspan(first), outcomes.subspan(first));
    });
  }

  // The decayed count at `when`, or at the newest event if that is later. upper holds always, lower
  // with at least the chance confidence() for any item at any time fixed beforehand: with the
  // chance e^-k all k rows have more than e times their mean share of the other items' heat
  // (Cormode & Muthukrishnan 2005; minimum increase only lowers cells). If ages are counted from
  // the event on instead, in whole epochs (Cheng et al. 2005, equation 1), heat is at most upper /
  // lambda: an event is at most one epoch older by the clock.
  template <item T>
  BLOOMTIME_PER_ISA estimate at(const T& x, instant when) const noexcept {
    return at_digest(detail::as_digest(x, seed_), when);
  }

  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA void at_bulk(const Items& items, instant when,
                                 std::span<estimate> answers) const {
    const std::span<const std::ranges::range_value_t<Items>> all(items);
    detail::expect_as_many(all.size(), answers.size(), "answers");
    const moment asked = moment_of(when);
    spot_blocks blocks;
    detail::in_blocks<1>(all, seed_, [&](const auto& now, const auto& next, std::size_t first) {
      at_block(blocks.turn(), now.count, next, asked, answers.subspan(first));
    });
  }

  // Events per second: (1 - lambda) / epoch times the count. Not a number if nothing fades.
  template <item T>
  BLOOMTIME_PER_ISA estimate rate(const T& x, instant when) const noexcept {
    return rate_of(at(x, when));
  }

  // Lets time pass without an event; never back.
  void advance(instant now) noexcept;

  double mass(instant when) const noexcept;  // the heat of all events together, rounded up
  double confidence() const noexcept;        // 1 - e^-k

  // The filter of both streams. Both need the same cells, k, seed, decay and clock.
  void merge(const heat_filter& other);

  std::uint64_t cells() const noexcept;
  unsigned cell_bits() const noexcept;
  unsigned k() const noexcept { return k_; }
  std::uint64_t memory() const noexcept;  // bytes of cells and of the table of large ones
  std::uint64_t seed() const noexcept { return seed_; }
  const bloomtime::decay& decay() const noexcept { return decay_; }
  const tick_clock& clock() const noexcept { return clock_; }
  std::uint64_t events() const noexcept { return events_; }
  std::optional<instant> newest() const noexcept;  // the start of the epoch of the newest event

  std::uint64_t lines_caught_up() const noexcept;  // work done for decay so far

 private:
  static constexpr unsigned most_k = 4;  // cache lines per operation
  using narrow = detail::fading_cells<std::uint16_t>;
  using broad = detail::fading_cells<std::uint32_t>;
  __extension__ using unsigned_wide = unsigned __int128;

  heat_filter() noexcept : cells_(narrow()) {}

  // Where an item's cells are, and those of a block of items.
  using spots = std::array<std::uint64_t, most_k>;
  using spot_block = std::array<spots, detail::bulk_block>;

  // The block to work on, and the one that is on its way.
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

  // What all answers about one moment have in common.
  struct moment {
    std::uint32_t halvings;
    double unit;       // hits per unit of a cell, rounded up
    double others;     // hits by which other items and rounding raise an answer at most, with the
                       // chance confidence()
    double forgotten;  // hits by which what was merged may be too low
  };

  outcome add_digest(digest d, instant when, std::uint64_t weight);
  estimate at_digest(digest d, instant when) const noexcept;
  estimate rate_of(const estimate& count) const noexcept;
  // Work on the `count` items of one block while the lines of the next are on their way.
  void add_block(spot_blocks& blocks, std::size_t count, const detail::digest_block& next,
                 std::span<const instant> when, std::span<outcome> outcomes);
  void at_block(spot_blocks& blocks, std::size_t count, const detail::digest_block& next,
                const moment& asked, std::span<estimate> answers) const noexcept;
  // use(cells, k) with the kind of cells and the number of rows known to the compiler.
  template <class Self, class Use>
  static decltype(auto) dispatch(Self& self, Use&& use);
  template <unsigned k, class Cells>
  spots spots_of(const Cells& cells, digest d) const noexcept;
  std::uint64_t row() const noexcept;  // cells of one row
  // What an event adds.
  struct arrival {
    std::uint32_t halvings;  // of the cells, when it is added
    unsigned_wide units;
    unsigned_wide mass;
  };
  template <unsigned k, class Cells>
  outcome add_to(Cells& cells, const spots& where, instant when, std::uint64_t weight);
  template <unsigned k, class Cells>
  outcome add_elsewhen(Cells& cells, const spots& where, instant when, std::uint64_t weight);
  template <unsigned k, class Cells, class Prepare>
  bool count(Cells& cells, const spots& where, const arrival& event, Prepare&& prepare);
  template <unsigned k, class Cells>
  estimate answer(const Cells& cells, const spots& where, const moment& now) const noexcept;
  arrival arrival_of(std::uint64_t weight, const bloomtime::decay::power& then,
                     const bloomtime::decay::power& now) const noexcept;
  moment moment_of(instant when) const noexcept;
  bool in_newest_epoch(instant when) const noexcept {
    return epoch_begins_ <= when && when <= epoch_ends_;
  }
  std::int64_t epoch_of(instant when) const noexcept;
  void set_epoch(std::int64_t epoch, const bloomtime::decay::power& p) noexcept;
  void go_to(std::int64_t epoch, const bloomtime::decay::power& next) noexcept;
  bloomtime::decay::power power_at(std::int64_t epoch) const noexcept;
  std::uint32_t halvings_at(const bloomtime::decay::power& p) const noexcept;
  void add_cells(const heat_filter& other);
  friend detail::stored<heat_filter>;
  void write(detail::container_writer& out) const;
  static heat_filter read(const detail::container_view& view);

  std::variant<narrow, broad> cells_;
  detail::moved_to_zero<unsigned> k_;
  std::uint64_t row_lines_ = 0;  // lines of one row
  std::uint64_t seed_ = 0;
  bloomtime::decay decay_ = bloomtime::decay::by_rate(0);
  tick_clock clock_;
  std::uint64_t ahead_ = 0;                      // epochs
  detail::moved_to_zero<std::uint64_t> events_;  // 0 until the clock has been set by the first one
  std::int64_t epoch_ = 0;                       // of the newest event
  instant epoch_begins_{1};                      // none so far
  instant epoch_ends_{0};                        // the last of it
  bloomtime::decay::power power_{};              // at that epoch
  arrival hit_{};                                // one event in that epoch
  bloomtime::decay::wide base_ = 0;  // halvings before the cells' own count of them began
  unsigned_wide mass_ = 0;
  unsigned_wide forgotten_ = 0;   // by what was merged into this one, as mass_
  unsigned_wide rounded_up_ = 0;  // by merges and by events later than a halving, as mass_
};

}  // namespace bloomtime
