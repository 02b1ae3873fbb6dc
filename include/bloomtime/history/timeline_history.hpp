#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ranges>
#include <span>
#include <vector>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/detail/stored.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/error.hpp>
#include <bloomtime/history/detail/history_base.hpp>
#include <bloomtime/history/detail/live_ticks.hpp>
#include <bloomtime/history/detail/positions.hpp>
#include <bloomtime/history/detail/tick_archive.hpp>
#include <bloomtime/history/detail/timelines.hpp>
#include <bloomtime/history/sighting.hpp>
#include <bloomtime/history/sightings.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/shard.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime {

struct timeline_config {
  std::uint64_t first = 0;  // tick of the span
  std::uint64_t ticks = 0;  // from then on, at most 2^32
  // The probability that a query about `length` ticks is answered "maybe" because of items without
  // names. Sealing removes the names of items that hardly repeat, of no more than this error
  // allows. Everything else is exact.
  double error = 1e-9;
  std::uint64_t length = 128;
  std::chrono::microseconds tick = std::chrono::seconds(1);
  instant origin = {};
  hash_seed seed = 0;
};

class timeline_join;

// Was x seen between s and e, and when? It keeps the ticks of every item: in a table while events
// come, then sealed in a few bits each. "No" is certain. "Maybe" is wrong for items whose digests
// agree in 48 bits, and with probability `error` because of items without names. Late events are
// never lost, even after sealing. Const members may run concurrently.
class timeline_history : public detail::history_calls<timeline_history>,
                         public detail::stored<timeline_history> {
 public:
  static constexpr std::string_view name = "timeline_history";
  static constexpr detail::stored_kind kind{family::history, {4}, "a timeline history", true};

  explicit timeline_history(const timeline_config& config);
  BLOOMTIME_VALUE(timeline_history);

  // When x was seen in these ticks.
  template <item T>
  BLOOMTIME_PER_ISA sightings when(const T& x, interval asked) const {
    return list(detail::as_digest(x, seed_), asked);
  }

  // Turns the table into timelines, all still with names: less memory, the same answers. Throws
  // error(too_large), with nothing changed, if that would take far more memory, which only a
  // crafted file can cause (docs/FORMAT.md, What is checked, and when).
  void compact();
  // Compacts, and the first time removes the names of items where that saves memory.
  void seal();

  // The same in steps of bounded work. Answers are the same at any time.
  using join = timeline_join;
  // Sets the table aside, in constant time; upkeep() turns it into timelines.
  void set_table_aside() { archive_.freeze(live_); }
  bool is_table_full() const noexcept { return detail::tick_archive::is_full(live_); }
  std::uint64_t table_memory() const noexcept;
  // From now on upkeep() compacts, or seals, what was added so far.
  void begin_compact();
  void begin_seal();
  // Does about `work` units of the pending work and subtracts what was done: one for every item and
  // every run of ticks that is read or written. Returns whether all is done. Throws as compact()
  // does.
  bool upkeep(std::uint64_t& work) { return archive_.step(work); }
  bool needs_upkeep() const noexcept { return archive_.is_busy(); }
  // Tables that were set aside and are not timelines yet.
  std::uint64_t waiting_tables() const noexcept { return archive_.tables(); }
  bool is_sealed() const noexcept { return archive_.names_removed(); }

  // Adds the ticks of the other one, which has the same span, clock and seed.
  void merge(const timeline_history& other);
  // The history of the items of one shard, compacted. Items without names are in all shards.
  timeline_history part(const shard& s) const;
  std::uint32_t shard_of(digest d, const shard& s) const noexcept {
    return detail::shard_of_key(detail::timeline_key(d), s);
  }
  // The ticks of two neighbours: `right` begins where `left` ends.
  static timeline_history joined(const timeline_history& left, const timeline_history& right);

  // Forgets everything.
  void clear() noexcept;

  // Different pairs of item and tick, and items with a name. Late events may count twice.
  std::uint64_t pairs() const noexcept;
  std::uint64_t items() const noexcept;
  // visit(key) for every item with a name, some perhaps twice. Throws error(corrupt) where the
  // timelines of a view are damaged.
  template <class Visit>
  BLOOMTIME_PER_ISA void for_each_key(Visit&& visit) const {
    visit_keys(std::ref(visit));
  }
  // The probability of a wrong "maybe" about so many ticks of an item that was not seen.
  double current_error(std::uint64_t length) const;
  timeline_config config() const noexcept;
  std::uint64_t memory() const noexcept;
  // Of tables, and of all else but filters, which are in memory only.
  std::uint64_t live_memory() const noexcept;
  std::uint64_t sealed_bytes() const noexcept { return archive_.sealed_bytes(); }
  // Of a history that was compacted and took nothing since.
  const detail::timelines& named() const noexcept { return archive_.lines(); }
  const detail::position_sets& nameless() const noexcept { return archive_.nameless(); }

  // Answers from the bytes themselves, which must outlive it; only their head is checked. The table
  // of what is not sealed is read, checked and kept in memory; it is empty after seal().
  using detail::stored<timeline_history>::view;

 private:
  friend detail::history_calls<timeline_history>;
  friend detail::stored<timeline_history>;
  friend class history;
  friend class timeline_join;

  timeline_history() = default;

  outcome add_at(digest d, tick t);
  sighting ask(digest d, interval asked, std::uint64_t& probes) const noexcept;
  // The same for a block of items that are not `maybe` yet, structure by structure, so that misses
  // of the cache overlap.
  void ask_block(const detail::digest_block& items, std::span<const interval> asked,
                 std::span<sighting> answers) const noexcept;
  sightings list(digest d, interval asked) const;
  static timeline_history united(timeline_history a, timeline_history b, std::uint64_t ticks);
  void visit_keys(const std::function<void(std::uint64_t)>& visit) const;

  detail::timelines merged_lines() const;
  detail::live_ticks whole_table() const;
  void write(detail::container_writer& out) const;
  static timeline_history read(const detail::container_view& view);
  void expect_sound() const;

  double error_ = 0;
  std::uint64_t length_ = 1;
  detail::live_ticks live_;
  detail::tick_archive archive_;
};

// Makes one history of several that follow one another, in steps. Meanwhile they still answer and
// accept late events, but must not be compacted or sealed.
class timeline_join {
 public:
  // Of these ticks. All parts must lie in them and have the same clock and seed.
  timeline_join(std::uint64_t first, std::uint64_t ticks,
                std::span<const timeline_history* const> parts);

  // As timeline_history::upkeep.
  bool step(std::uint64_t& work) { return merge_.step(work); }
  std::uint64_t bytes() const noexcept;
  // Does what is left. Takes from the same parts what came since, and what has no name.
  timeline_history finish(std::span<timeline_history* const> parts);
  // All at once.
  static timeline_history at_once(std::uint64_t first, std::uint64_t ticks,
                                  std::span<timeline_history* const> parts);

 private:
  std::uint64_t first_;
  std::uint64_t ticks_;
  std::vector<detail::tick_layers, detail::hooked<detail::tick_layers>> layers_;  // of each part
  detail::timelines_merge merge_;
};

}  // namespace bloomtime
