#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <bloomtime/detail/hooked.hpp>
#include <bloomtime/detail/stored.hpp>
#include <bloomtime/heat/detail/heat_face.hpp>
#include <bloomtime/heat/detail/window_pages.hpp>
#include <bloomtime/shard.hpp>

namespace bloomtime {

struct window_table_config {
  std::optional<std::chrono::microseconds> window = {};
  unsigned slots = 60;  // of the window, 1 to 1023; events up to one slot older than it may count
  // Different items at one time, if known. Only a hint: with more items the table grows all the
  // same, and its error grows with them.
  std::uint64_t items = 0;
  double error = 1e-3;  // the probability that an answer is too high because items share a key
  // Allocates memory for `items` with hits in two slots each at once; otherwise the table starts
  // with 4 KiB.
  bool reserve = false;
  std::optional<std::uint64_t> memory = {};  // the most bytes of pages; no limit if unset
  std::chrono::microseconds ahead = std::chrono::hours(24);  // events further ahead are refused
  hash_seed seed = 0;
};

// How many hits did x have within the window, for example in the last hour? For every item a list
// of the slots of time in which it had hits, in a table that grows and shrinks with what the window
// holds. An item with one hit takes 4 to 6 bytes, one with hits in every one of 60 slots about 61
// and one more for each count above 3 (docs/heat.md).
//
// Promise: `upper` is never below the truth, and `value` is `upper`. Events of the slot that the
// window cuts count in `upper` and not in `lower`. An answer is too high for no other reason than
// that two items have the same key, which happens with the probability `error`; `lower` holds with
// probability confidence().
//
// Outcomes of add: added, late, future, dropped_late if the event is too old to count, and full if
// the memory limit leaves no room or all counts together would exceed 64 bits. A full event is not
// counted, so its item may be answered too low until a window later; losses() counts such events.
// At the limit, room appears as hits expire.
//
// Const members may run concurrently. A table that was moved from answers 0 to everything and
// throws error(invalid_argument) when events are added or when it is stored.
class window_table : public detail::heat_face<window_table, detail::heat_time>,
                     public detail::stored<window_table> {
 public:
  static constexpr std::string_view name = "window_table";
  static constexpr detail::stored_kind kind{family::heat, {11}, "a window table"};

  explicit window_table(const window_table_config& config);
  BLOOMTIME_VALUE(window_table);

  void advance(instant now) noexcept;  // lets time pass without an event, never back
  void clear();                        // as it was made

  // Adds the events of another table, each counting `weight` times, a whole number up to 2^32. Both
  // need the same window, slots and seed, and hints and errors that give keys of the same length.
  // Throws error(incompatible) if the memory limit leaves no room for both.
  void merge(const window_table& other, double weight = 1);

  // The table of the items of one shard, with the same counts. It has its share of the events.
  window_table part(const shard& s) const;
  std::uint32_t shard_of(digest d, const shard& s) const noexcept {
    return shard_of_key(key_of(d), s);
  }

  // The hits of the last `span`, rounded up to whole slots, as at() gives those of the window.
  // Throws error(invalid_argument) unless it is more than 0 and at most the window.
  template <item T>
  BLOOMTIME_PER_ISA estimate within(const T& x, instant when,
                                    std::chrono::microseconds span) const {
    return hits_of(detail::as_digest(x, seed_), when, slots_in(span));
  }

  double mass(instant when) const noexcept;  // the hits of all items together
  // The probability that an answer is too high while `items` different items are in the window.
  double predicted_error(std::uint64_t items) const;
  double confidence() const noexcept;  // of lower bounds: that an item shares its key with none
  unsigned slots() const noexcept { return pages_.form().slots; }
  std::uint64_t items() const noexcept { return items_; }  // the hint
  unsigned key_bits() const noexcept { return pages_.key_bits(); }
  std::optional<std::uint64_t> memory_limit() const noexcept { return pages_.limit(); }
  std::uint64_t memory() const noexcept;                         // pages and totals
  std::uint64_t work() const noexcept { return pages_.work(); }  // pages rewritten, for tests

 private:
  friend detail::heat_face<window_table, detail::heat_time>;
  friend detail::stored<window_table>;
  using totals = std::vector<std::uint64_t, detail::hooked<std::uint64_t>>;

  window_table() = default;
  static detail::window_pages pages_of(const window_table_config& config);
  void write(detail::container_writer& out) const;
  static window_table read(const detail::container_view& view);
  void read_pages(detail::byte_reader& in, const detail::container_view& view);
  void count_totals();

  outcome add_digest(digest d, instant when, std::uint64_t weight);
  estimate at_digest(digest d, instant when) const noexcept { return hits_of(d, when, slots()); }
  estimate hits_of(digest d, instant when, unsigned slots) const noexcept;
  unsigned slots_in(std::chrono::microseconds span) const;
  estimate rate_of(const estimate& count) const noexcept;
  std::uint64_t warm_cells() const noexcept;  // keys with hits that count
  double error_of(std::uint64_t keys) const noexcept;
  double items_of(std::uint64_t keys) const noexcept;
  void prefetch_pages(const detail::digest_block& items) const noexcept;
  void prefetch_records(const detail::digest_block& items) const noexcept;

  template <item T>
  BLOOMTIME_PER_ISA void add_span(std::span<const T> items, std::span<const instant> when,
                                  std::span<outcome> outcomes) {
    expect_cells();
    detail::in_blocks<1>(items, seed_, [&](const auto& now, const auto& next, std::size_t first) {
      prefetch_pages(next);
      prefetch_records(now);
      for (std::size_t i = 0; i < now.count; ++i) {
        outcomes[first + i] = losses_.count(add_digest(now[i], when[first + i], 1));
      }
    });
  }
  template <item T>
  BLOOMTIME_PER_ISA void at_span(std::span<const T> items, instant when,
                                 std::span<estimate> answers) const noexcept {
    detail::in_blocks<1>(items, seed_, [&](const auto& now, const auto& next, std::size_t first) {
      prefetch_pages(next);
      prefetch_records(now);
      for (std::size_t i = 0; i < now.count; ++i) answers[first + i] = at_digest(now[i], when);
    });
  }

  bool usable() const noexcept { return !pages_.empty(); }
  std::uint64_t key_of(digest d) const noexcept {
    return d.lo & ((std::uint64_t{1} << key_bits()) - 1);
  }
  std::uint64_t now() const noexcept { return static_cast<std::uint64_t>(tick_); }
  std::int64_t tick_or_newest(instant when) const noexcept;
  std::uint64_t total_at(std::int64_t tick) const noexcept;
  void go_to(std::int64_t tick) noexcept;
  void expect_mergeable(const window_table& other) const;
  void add_table(const window_table& other, std::uint64_t weight, const shard& only = {});
  std::uint32_t shard_of_key(std::uint64_t key, const shard& s) const noexcept {
    return static_cast<std::uint32_t>(key >> (key_bits() - s.bits()));
  }

  detail::window_pages pages_;
  std::uint64_t items_ = 0;
  bool reserve_ = false;
  totals totals_;  // of all items, by the code of a tick
  std::uint64_t total_ = 0;
};

}  // namespace bloomtime
