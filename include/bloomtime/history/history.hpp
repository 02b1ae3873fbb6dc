#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/detail/cpu.hpp>
#include <bloomtime/detail/stored.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/history/detail/history_base.hpp>
#include <bloomtime/history/detail/history_shape.hpp>
#include <bloomtime/history/detail/partitions.hpp>
#include <bloomtime/history/history_config.hpp>
#include <bloomtime/history/sighting.hpp>
#include <bloomtime/history/sightings.hpp>
#include <bloomtime/history/timeline_history.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime {

// Was x seen between s and e, and when, over any length of time? It keeps a timeline_history for
// every partition of time. A partition that is over is sealed; it still accepts late events. Old
// partitions are joined by eights, so that a query about years reads few of them, and dropped when
// they are older than config().retention.
//
// "No" is certain. "Maybe" has the error of a timeline_history. Sealing and joining are done in
// steps: an event does a bounded amount of that work, some microseconds. Const members may run
// concurrently. map() answers from the file; adding to a copy of it copies the partitions.
class history : public detail::history_calls<history, detail::history_events>,
                public detail::stored<history> {
 public:
  // Histories of engine 5 join partitions only to save memory.
  static constexpr std::string_view name = "history";
  static constexpr detail::stored_kind kind{
      family::history, {6, 5}, "a history of partitions", true};

  explicit history(const history_config& config);
  BLOOMTIME_VALUE(history);

  // add() returns dropped_late before the origin, before what is kept and before what may come
  // late, and future beyond what an event may open.

  // When x was seen in these ticks, as far as they are still kept.
  template <item T>
  BLOOMTIME_PER_ISA sightings when(const T& x, interval asked) const {
    return list(detail::as_digest(x, seed_), asked);
  }

  // Does all pending work and compacts the tables of all partitions: less memory, the same answers.
  // The stored bytes do not depend on when work was done before, unless names are removed from a
  // partition that late events came into.
  void compact();
  // Compacts, and seals all partitions, including the newest, which still accepts events.
  void seal();
  // Writes every partition but the newest to a file of its own in this directory, and answers from
  // these files. They are named by their first tick and must not be changed.
  void retire(const std::filesystem::path& directory);

  // Adds what the other history recorded. Both need the same clock, seed and partition. Partitions
  // that overlap become one. What either has dropped is unknown afterwards: known_from() is the
  // later of both. If it throws, nothing has changed.
  void merge(const history& other);
  // The history of the items of one shard, with the same answers about them: every partition
  // becomes its part, compacted.
  history part(const shard& s) const;
  std::uint32_t shard_of(digest d, const shard& s) const noexcept {
    return detail::shard_of_key(detail::timeline_key(d), s);
  }
  // Drops the partitions that end before this instant. Queries about that time are then answered
  // `out_of_retention`, and events of that time are dropped as late.
  void trim(instant before) noexcept;
  // From now on keeps so many partitions, the newest among them; 0: all. What is older goes with
  // the next partition that is opened, or with advance().
  void retain(std::uint64_t partitions) noexcept;
  // Drops what is older than config().retention at this time.
  void advance(instant now) noexcept;
  // Forgets everything.
  void clear() noexcept;

  std::size_t partitions() const noexcept { return parts_.all().size(); }
  // visit(const timeline_history&) for all of them, in the order of time.
  template <class Visit>
  BLOOMTIME_PER_ISA void for_each(Visit&& visit) const {
    for (const auto& [first, p] : parts_.all()) visit(p.engine);
  }
  // Everything before this tick was dropped.
  tick known_from() const noexcept {
    return {static_cast<std::int64_t>(known_from_ * shape_.partition)};
  }
  // With `partition` and `ahead` as they are used. After loading, `error` and `length` are those of
  // the newest partition.
  const history_config& config() const noexcept { return shape_.config; }
  std::uint64_t partition_ticks() const noexcept { return shape_.partition; }
  std::uint64_t records() const noexcept;
  std::uint64_t memory() const noexcept { return parts_.memory(); }
  // Whether the partitions take more than config().memory, except those in files. Opening a
  // partition joins neighbours to save memory; nothing is dropped for it.
  bool over_budget() const noexcept { return parts_.is_too_much(); }
  // The work of sealing and joining so far: one for every item and every run of ticks that was read
  // or written.
  std::uint64_t upkeep_work() const noexcept { return parts_.work(); }

 private:
  friend detail::history_calls<history, detail::history_events>;
  friend detail::stored<history>;

  history(const detail::history_shape& shape, std::uint64_t known_from);

  outcome add_at(digest d, tick t);
  outcome allowed(tick t) const noexcept;
  void find_present() noexcept;
  void forget_before(std::uint64_t number) noexcept;
  void settle() noexcept;
  void open(std::uint64_t number);

  sighting ask(digest d, interval asked, std::uint64_t& probes) const noexcept;
  void ask_block(const detail::digest_block& items, std::span<const interval> asked,
                 std::span<sighting> answers) const noexcept;
  sighting unseen(interval asked) const noexcept;
  sightings list(digest d, interval asked) const;
  template <class Visit>
  void for_each_in(interval asked, Visit&& visit) const;

  void write(detail::container_writer& out) const;
  static history read(const detail::container_view& view);
  void read_partitions(const detail::container_view& view, std::uint64_t count);
  void expect_sound() const;

  detail::history_shape shape_;
  detail::partitions parts_;
  std::uint64_t known_from_ = 0;  // partition
  std::uint64_t present_ = 0;     // partition that `retention` and `late` count from
};

}  // namespace bloomtime
