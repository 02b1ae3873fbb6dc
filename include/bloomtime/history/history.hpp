#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/detail/cpu.hpp>
#include <bloomtime/detail/stored.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/history/detail/history_shape.hpp>
#include <bloomtime/history/detail/partitions.hpp>
#include <bloomtime/history/history_config.hpp>
#include <bloomtime/history/sighting.hpp>
#include <bloomtime/history/sightings.hpp>
#include <bloomtime/history/timeline_history.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime {

// Was x seen between s and e, and when, over any length of time? A timeline_history for every
// partition of time. A partition that is over is sealed, and still accepts late events. Old
// partitions are joined by eights, so that a question about years reads few of them, and dropped
// when they are older than config().retention.
//
// "No" is certain; "maybe" is wrong as rarely as a timeline_history is. Sealing and joining go on
// in steps: an event does at most so much of it that it takes some microseconds. Const members may
// run concurrently. A map() answers from the file; adding to a copy of it copies the partitions.
class history : public detail::stored<history> {
 public:
  // Histories of engine 5 join partitions only to save memory.
  static constexpr std::string_view name = "history";
  static constexpr detail::stored_kind kind{
      family::history, {6, 5}, "a history of partitions", true};

  explicit history(const history_config& config);
  BLOOMTIME_VALUE(history);

  // added; dropped_late before the origin, before what is kept and before what may come late;
  // future beyond what an event may open. Throws only if memory is out, with the answers unchanged.
  template <item T>
  BLOOMTIME_PER_ISA outcome add(const T& x, instant when) {
    return losses_.count(add_at(detail::as_digest(x, shape_.config.seed), when));
  }

  // In any tick that from..to touches; no if there is none.
  template <item T>
  BLOOMTIME_PER_ISA sighting seen(const T& x, instant from, instant to) const noexcept {
    std::uint64_t probes = 0;
    return ask(detail::as_digest(x, shape_.config.seed), clock_.covering(from, to), probes);
  }
  // The same; sets `probes` to the number of structures read, in all partitions together.
  template <item T>
  BLOOMTIME_PER_ISA sighting seen(const T& x, interval asked,
                                  std::uint64_t& probes) const noexcept {
    return ask(detail::as_digest(x, shape_.config.seed), asked, probes);
  }

  // When x was seen in these ticks, as far as they are still known.
  template <item T>
  BLOOMTIME_PER_ISA sightings when(const T& x, interval asked) const {
    return list(detail::as_digest(x, shape_.config.seed), asked);
  }

  // Does all work that is left, and compacts the tables of all partitions: less memory, the same
  // answers, and the same bytes whenever it was done before, unless names are removed from a
  // partition to which events came late.
  void compact();
  // Compacts, and seals all partitions, the newest as well, which still accepts events.
  void seal();
  // Writes every partition but the newest to a file of its own in this directory, and answers from
  // there. Files are named by the first tick; they must stay as they are.
  void retire(const std::filesystem::path& directory);

  // Takes what the other history recorded, with the same clock, seed and partition. Partitions that
  // overlap become one. What either has dropped is unknown afterwards: known_from() is the later of
  // both. Nothing has changed if it throws.
  void merge(const history& other);
  // Drops the partitions that end before this instant. Afterwards questions about their time are
  // answered `out_of_retention`, and events of that time are dropped as late.
  void trim(instant before) noexcept;
  // Drops what config().retention excludes once this is the present.
  void advance(instant now) noexcept;
  // Forgets everything.
  void clear() noexcept;

  std::size_t partitions() const noexcept { return parts_.all().size(); }
  // visit(const timeline_history&) for all of them, in the order of time.
  template <class Visit>
  BLOOMTIME_PER_ISA void for_each(Visit&& visit) const {
    for (const auto& [first, p] : parts_.all()) visit(p.engine);
  }
  // Before this tick nothing is known any more.
  tick known_from() const noexcept {
    return {static_cast<std::int64_t>(known_from_ * shape_.partition)};
  }
  // With the partition and `ahead` that are used. `error` and `length` are those of the newest
  // partition after loading.
  const history_config& config() const noexcept { return shape_.config; }
  std::uint64_t partition_ticks() const noexcept { return shape_.partition; }
  std::uint64_t records() const noexcept;
  const bloomtime::losses& losses() const noexcept { return losses_; }
  std::uint64_t memory() const noexcept { return parts_.memory(); }
  // Whether the partitions take more than config().memory, except those in files. Neighbours that
  // can be joined are joined when a partition is opened; what is left may still be too much, and
  // nothing is dropped for it.
  bool over_budget() const noexcept { return parts_.is_too_much(); }
  // What sealing and joining took so far: one for every item, and every run of ticks, that was read
  // or written.
  std::uint64_t upkeep_work() const noexcept { return parts_.work(); }
  std::uint64_t seed() const noexcept { return shape_.config.seed; }
  const tick_clock& clock() const noexcept { return clock_; }

 private:
  friend detail::stored<history>;

  history(const detail::history_shape& shape, std::uint64_t known_from);

  outcome add_at(digest d, instant when);
  outcome allowed(tick t) const noexcept;
  void find_present() noexcept;
  void forget_before(std::uint64_t number) noexcept;
  void settle() noexcept;
  void open(std::uint64_t number);

  sighting ask(digest d, interval asked, std::uint64_t& probes) const noexcept;
  sightings list(digest d, interval asked) const;
  template <class Visit>
  void for_each_in(interval asked, Visit&& visit) const;

  void write(detail::container_writer& out) const;
  static history read(const detail::container_view& view);
  void read_partitions(const detail::container_view& view, std::uint64_t count);
  void expect_sound() const;

  detail::history_shape shape_;
  tick_clock clock_;
  detail::partitions parts_;
  std::uint64_t known_from_ = 0;  // partition
  std::uint64_t present_ = 0;     // partition that `retention` and `late` count from
  bloomtime::losses losses_;
};

}  // namespace bloomtime
