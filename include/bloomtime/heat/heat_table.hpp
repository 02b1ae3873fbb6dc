#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/detail/print_shards.hpp>
#include <bloomtime/detail/print_table.hpp>
#include <bloomtime/detail/stored.hpp>
#include <bloomtime/heat/detail/forward_state.hpp>
#include <bloomtime/heat/detail/heat_face.hpp>
#include <bloomtime/heat/detail/print_weights.hpp>
#include <bloomtime/math/prints.hpp>

namespace bloomtime {

// Decay, by one of two: `half_life`, or the factor `lambda` per tick.
struct heat_table_config {
  // Different items with at least 1/8 hit at one time, if known. Only a hint: with more items the
  // table grows all the same, and its error grows with them.
  std::uint64_t items = 0;
  double error = 0.005;  // the probability that an answer is too high because items share a print
  bool reserve = false;  // allocates memory for `items` at once; otherwise it starts with 4 KiB
  // The most bytes of blocks, without counts too large for them; no limit if unset.
  std::optional<std::uint64_t> memory = {};
  std::optional<std::chrono::microseconds> half_life = {};
  std::optional<double> lambda = {};
  std::chrono::microseconds tick = std::chrono::seconds(1);
  std::chrono::microseconds ahead = std::chrono::hours(24);  // events further ahead are refused
  hash_seed seed = 0;
};

// What a table with reserved memory takes, and its error when all items are in.
struct heat_table_size {
  std::uint64_t bytes = 0;
  double error = 0;
};

// How hot is an item now? Every event counts lambda^age, with ages in ticks of the clock, summed
// per item, as in heat_filter. A table of fingerprints, each with a decayed count (docs/math.md,
// Tables of decayed counts). It starts small, grows and shrinks with the number of warm items by a
// few blocks per call, and takes about 40 bits per item at most when its memory is reserved.
//
// Promise: `upper` is never below the truth. A count that halves to 3/32 hit or less is dropped;
// `upper` includes 3/16 hit for what was dropped of an item. `value` is the count itself, too high
// where two items have the same print, which happens with the probability `error`. `lower` holds
// with probability confidence().
//
// A table at its memory limit gives up the lightest item of two blocks for a new one and remembers
// the largest count it gave up there, which fades as the items do. Items that are not in the table
// are answered by that floor, and start from it when they come back, so `upper` still holds.
// losses() counts the items given up.
//
// Outcomes of add: added, late, future, and full if a count would exceed 64 bits, or if there is no
// room and every item in the way has 1984 hits or more. Late events count what is left of them.
//
// Cost: an add reads one cache line, and a second one where blocks are full. Nothing happens when
// time passes: 64 blocks halve together when one of them is next written, and all counts above 127
// hits, which take 21 to 43 bytes each, halve with the first event of a half-life.
//
// Const members may run concurrently.
class heat_table : public detail::heat_face<heat_table, detail::forward_time>,
                   public detail::stored<heat_table> {
 public:
  static constexpr std::string_view name = "heat_table";
  static constexpr detail::stored_kind kind{family::heat, {10}, "a heat table"};

  explicit heat_table(const heat_table_config& config);
  // With `reserve`, whatever the configuration says.
  static heat_table_size size_for(heat_table_config config);
  BLOOMTIME_VALUE(heat_table);

  void advance(instant now) noexcept;  // lets time pass without an event, never back
  void clear();                        // forgets all events; parameters stay

  // Adds the events of another table, each counting `weight` times (0 to 2^32), rounded up. Both
  // need the same error, hint, seed, decay and clock. Throws error(too_large) if a count would
  // exceed 64 bits, and error(incompatible) if the memory limit leaves no room; nothing changes
  // then.
  void merge(const heat_table& other, double weight = 1);

  // The table of the items of one shard: counts are equal there, and bounds are no tighter. It has
  // its share of the events. Throws as merge() does.
  heat_table part(const shard& s) const;
  std::uint32_t shard_of(digest d, const shard& s) const noexcept {
    return detail::tag_shard(d, s);
  }

  std::uint64_t items() const noexcept { return items_; }  // the hint
  std::uint64_t memory() const noexcept;  // bytes of blocks, stash and the table of large counts
  std::optional<std::uint64_t> memory_limit() const noexcept { return limit_; }
  double confidence() const noexcept;  // of lower bounds
  // The probability that an answer is too high while `items` different items are warm: the table
  // has grown for them then. 1 if they exceed the memory limit.
  double predicted_error(std::uint64_t items) const;

  // Whether none of n more items can be `full` for want of room, unless the allocator fails. A
  // table with a memory limit gives up others for them.
  bool takes(std::uint64_t n) const noexcept {
    if (!usable()) return false;
    if (limit_ || table_.can_grow_for(n)) return true;
    const auto used = static_cast<double>(prints() + stashed() + n);
    return used <= math::grown_print_load * static_cast<double>(slots());
  }

  std::uint64_t prints() const noexcept { return usable() ? weights().prints() : 0; }
  std::uint64_t stashed() const noexcept { return table_.stash().size(); }
  std::uint64_t large_counts() const noexcept { return weights().large().size(); }
  std::uint64_t slots() const noexcept { return table_.empty() ? 0 : table_.blocks().slots(); }
  std::uint64_t work() const noexcept { return table_.work(); }  // blocks examined, for tests

 private:
  using face = detail::heat_face<heat_table, detail::forward_time>;
  using table = detail::print_table<detail::print_weights>;

  // What all answers for one time have in common.
  struct moment {
    std::uint64_t halvings;  // after the newest event
    double unit;             // hits per unit of a count, rounded up
    double dropped;          // hits by which a count may be too low
    double rounded_up;       // hits that rounding adds to a count, at most
    bool floors;
  };

  // What an event adds to its count and to the mass.
  struct arrival {
    unsigned_wide units;
    unsigned_wide mass;
  };

  // The largest count of an item that the table does not have, by what its blocks gave up.
  struct floors {
    std::uint64_t first = 0;
    std::uint64_t both = 0;
  };

  heat_table() noexcept = default;

  friend face;
  bool usable() const noexcept { return !table_.empty(); }
  outcome add_digest(digest d, instant when, std::uint64_t weight) {
    return add_print(table_.print_of(d), when, weight);
  }
  estimate at_digest(digest d, instant when) const noexcept;
  std::uint64_t warm_cells() const noexcept;
  double error_of(std::uint64_t warm) const;
  double items_of(std::uint64_t warm) const { return static_cast<double>(warm); }
  template <item T>
  BLOOMTIME_PER_ISA void add_span(std::span<const T> items, std::span<const instant> when,
                                  std::span<outcome> outcomes);
  template <item T>
  BLOOMTIME_PER_ISA void at_span(std::span<const T> items, instant when,
                                 std::span<estimate> answers) const;
  void prefetch(const detail::digest_block& items) const noexcept;

  outcome add_print(const detail::print& p, instant when, std::uint64_t weight);
  outcome add_elsewhen(const detail::print& p, instant when, std::uint64_t weight);
  bool may_overflow(const arrival& event) const noexcept;
  outcome count(const detail::print& p, const arrival& event, outcome counted) noexcept;
  enum class recorded : std::uint8_t { yes, no_room, too_large };
  // change(raise) calls raise(payload or null, place) where the print is or will be.
  template <class Change>
  recorded record(const detail::print& p, unsigned_wide units, floors under,
                  Change&& change) noexcept;
  bool find_room(const detail::print& p, std::uint64_t payload) noexcept;
  estimate answer(const detail::print& p, const moment& asked) const noexcept;
  arrival arrival_of(std::uint64_t weight, const bloomtime::decay::power& then,
                     const bloomtime::decay::power& now) const noexcept;
  moment moment_of(instant when) const noexcept;
  floors floors_of(const detail::print& p, std::uint64_t halvings) const noexcept;
  bool has_floors() const noexcept { return weights().now() < floors_until_; }
  void set_tick(std::int64_t tick, const bloomtime::decay::power& p) noexcept;
  void go_to(std::int64_t tick, const bloomtime::decay::power& next) noexcept;

  // The exact count of a print whose payload says that it has one.
  const std::uint64_t* large_of(const detail::print& p) const noexcept;
  std::uint64_t* large_of(const detail::print& p) noexcept;
  std::uint64_t count_at(const detail::print& p, std::uint64_t halvings) const noexcept;
  bool may_split() const noexcept;
  bool split() noexcept;
  void settle() noexcept;
  void set_limits() noexcept;
  math::print_plan plan() const noexcept;
  void expect_mergeable(const heat_table& other) const;
  void add_table(const heat_table& other, const forward::merge_weight& by);
  void add_prints(const heat_table& other, const forward::merge_weight& by, const shard& only = {});
  void allow_for_floors(const heat_table& other, const forward::merge_weight& by) noexcept;
  std::uint64_t highest_floor() const noexcept;

  friend detail::stored<heat_table>;
  void write(detail::container_writer& out) const;
  static heat_table read(const detail::container_view& view);
  void read_table(detail::byte_reader& in, const detail::container_view& view);
  void check_blocks();

  const detail::print_weights& weights() const noexcept { return table_.payload(); }

  table table_;
  std::uint64_t items_ = 0;
  bool reserve_ = false;
  std::optional<std::uint64_t> limit_;
  std::uint64_t floors_until_ = 0;  // halvings until no floor is left
  unsigned_wide rounded_up_ = 0;    // what rounding added to merges and late events, as mass
  unsigned_wide forgotten_ = 0;     // what merged tables dropped, as mass
  arrival hit_{};                   // one event in the newest tick
  std::uint64_t grow_from_ = 0;     // prints
  std::uint64_t shrink_below_ = 0;
  bool at_limit_ = false;
};

template <item T>
void heat_table::add_span(std::span<const T> items, std::span<const instant> when,
                          std::span<outcome> outcomes) {
  detail::in_blocks<1>(items, seed_, [&](const auto& now, const auto& next, std::size_t first) {
    prefetch(next);
    for (std::size_t i = 0; i < now.count; ++i) {
      outcomes[first + i] = losses_.count(add_digest(now[i], when[first + i], 1));
    }
  });
}

template <item T>
void heat_table::at_span(std::span<const T> items, instant when,
                         std::span<estimate> answers) const {
  const moment asked = moment_of(when);
  detail::in_blocks<1>(items, seed_, [&](const auto& now, const auto& next, std::size_t first) {
    prefetch(next);
    for (std::size_t i = 0; i < now.count; ++i) {
      answers[first + i] = answer(table_.print_of(now[i]), asked);
    }
  });
}

}  // namespace bloomtime
