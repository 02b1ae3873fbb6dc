#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include <bloomtime/time.hpp>

namespace bloomtime::cli::store {

// How many events there were in each minute, exactly, in any order and from any century. Minutes
// begin at multiples of 60 s since 1970 UTC.
class minute_totals {
 public:
  void add(instant t);

  std::uint64_t events() const noexcept { return events_; }
  // In the minute that `t` belongs to.
  std::uint64_t at(instant t) const;

  // visit(start of the minute, events in it), in order of time, for minutes that had any.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const auto& [hour, counts] : hours_) {
      for (std::size_t m = 0; m < counts.size(); ++m) {
        if (counts[m] == 0) continue;
        visit(minutes().start_of({hour * 60 + static_cast<std::int64_t>(m)}), counts[m]);
      }
    }
  }

  // A container of the family totals, drawn in docs/FORMAT.md.
  std::vector<std::byte> serialize() const;
  static minute_totals load(std::span<const std::byte> container);

  friend bool operator==(const minute_totals&, const minute_totals&) = default;

 private:
  // A map of minutes would take five times the memory for a log without long gaps.
  using hour_counts = std::array<std::uint64_t, 60>;

  static clock minutes() { return clock(std::chrono::minutes(1)); }
  std::uint64_t& count_of(std::int64_t minute);

  std::map<std::int64_t, hour_counts> hours_;
  std::uint64_t events_ = 0;
};

}  // namespace bloomtime::cli::store
