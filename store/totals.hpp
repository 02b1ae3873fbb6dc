#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include <bloomtime/time.hpp>

namespace bloomtime::store {

// Counts events per minute, exactly. Events may come in any order and from any century. Minutes
// begin at multiples of 60 s since 1970 UTC.
class minute_totals {
 public:
  // Returns the new count of that minute.
  std::uint64_t add(instant t);
  void add(instant t, std::uint64_t events) { add_to(minute_of(t), events); }
  // With the number of a minute, for callers that count in several totals at once.
  static std::int64_t minute_of(instant t) { return minutes().tick_of(t).number; }
  void add_to(std::int64_t minute, std::uint64_t events);
  void merge(const minute_totals& other);
  // Removes the oldest minutes. Those less than `days` before the newest are kept, and up to three
  // days more.
  void keep_newest(std::int64_t days);

  std::uint64_t events() const noexcept { return events_; }
  std::uint64_t memory() const noexcept;
  // In the minute that `t` belongs to.
  std::uint64_t at(instant t) const;

  // visit(start of the minute, events in it), in order of time, for minutes that had any.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const auto& [number, block] : blocks_) {
      for (const entry& e : block) {
        visit(minutes().start_of({number * block_minutes + e.minute}), e.count);
      }
    }
  }

  // A container of the family totals, drawn in docs/FORMAT.md.
  std::vector<std::byte> serialize() const;
  static minute_totals load(std::span<const std::byte> container);

  friend bool operator==(const minute_totals&, const minute_totals&) = default;

 private:
  struct entry {
    std::uint32_t minute;  // of its block
    std::uint64_t count;

    friend bool operator==(const entry&, const entry&) = default;
  };

  // Sorted by minute. Gaps need no memory, and an event out of order moves at most one block.
  using block_counts = std::vector<entry>;
  static constexpr std::int64_t block_minutes = 4096;

  struct place {
    std::int64_t block;
    std::uint32_t minute;
  };

  static tick_clock minutes() { return tick_clock(std::chrono::minutes(1)); }
  static place place_of(std::int64_t minute);
  std::uint64_t& count_of(std::int64_t minute);

  std::map<std::int64_t, block_counts> blocks_;
  std::uint64_t events_ = 0;
};

}  // namespace bloomtime::store
