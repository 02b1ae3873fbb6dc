#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <bloomtime/recency/any_recency.hpp>
#include <bloomtime/time.hpp>

#include "cli/dedupe/settings.hpp"
#include "cli/dedupe/suppressed.hpp"
#include "logs/time_gate.hpp"
#include "store/totals.hpp"

namespace bloomtime::cli {

struct dedupe_counts {
  std::uint64_t passed = 0;    // judged and passed
  std::uint64_t dropped = 0;   // judged and dropped
  std::uint64_t unjudged = 0;  // without key or time: passed
  std::uint64_t late = 0;
  std::uint64_t crowded_out = 0;  // new, and dropped because the memory was full
  std::uint64_t forgotten = 0;    // keys in the window that the full memory did not keep
  // Expected number of dropped lines that an exact filter would have passed.
  double wrong = 0;

  std::uint64_t lines() const noexcept { return passed + dropped + unjudged; }
};

struct judged_line {
  digest key;
  instant at;                       // its timestamp, or the wall-clock time
  std::optional<double> loss = {};  // the cost of dropping it if it is new, if it has its own
};

struct line_verdict {
  bool drop = false;
  std::uint64_t suppressed = 0;  // lines of its key dropped since one passed
};

// How long drops per minute are kept; they need at most 1 MiB (store::minute_totals).
inline constexpr std::int64_t days_of_drops = 42;

// The order of stored keys.
inline bool is_before(const digest& a, const digest& b) noexcept {
  return a.lo != b.lo ? a.lo < b.lo : a.hi < b.hi;
}

// Calls ask(engine): new states have a recency_table, those of older versions their
// age_partitioned_filter.
template <class Ask>
auto ask_engine(const any_recency& filter, Ask&& ask) {
  const auto* const table = std::get_if<recency_table>(&filter.get());
  return table != nullptr ? ask(*table) : ask(std::get<age_partitioned_filter>(filter.get()));
}

// Decides line by line which keys were seen within the window. Timestamps that jump more than a day
// ahead are not believed until others confirm them (docs/profile.md); such lines are judged at once
// by their own time.
class deduper {
 public:
  explicit deduper(const dedupe_settings& settings);
  // With a random seed unless the settings have one.
  static deduper fresh(dedupe_settings settings);

  // Judges lines in order. `now` is the time of drops of lines that have none.
  void judge(std::span<const judged_line> lines, instant now, std::span<line_verdict> verdicts);
  // Reads the current error of the filter. judge() does so every few lines.
  void refresh_error();
  void pass_unjudged(std::uint64_t lines) noexcept { counts_.unjudged += lines; }
  // The last judged lines, and `unjudged` others, could not be written: those that passed will pass
  // when their key comes again.
  void take_back(std::span<const judged_line> lines, std::span<const line_verdict> verdicts,
                 std::uint64_t unjudged);

  const dedupe_settings& settings() const noexcept { return settings_; }
  const dedupe_counts& counts() const noexcept { return counts_; }
  const any_recency& filter() const noexcept { return filter_; }
  // The probability that a new line is dropped by mistake, now.
  double current_error() const;
  // Whether the error was above the one in the settings at any time of this run.
  bool overloaded() const noexcept { return overloaded_; }
  // Whether the memory was full at any time of this run.
  bool full() const noexcept {
    return filter_.losses().full != 0 || filter_.losses().forgot_early != 0;
  }
  const store::minute_totals& drops() const noexcept { return drops_; }
  const suppressed_lines& suppressed() const noexcept { return suppressed_; }
  std::uint64_t most_drops_per_minute() const noexcept { return most_drops_; }
  std::uint64_t memory() const noexcept {
    return filter_.memory() + suppressed_.memory() + drops_.memory() +
           unwritten_.capacity() * sizeof(digest);
  }

  std::vector<std::byte> serialize() const;
  static bool is_state(std::span<const std::byte> container);
  // The container of the filter in a state.
  static std::span<const std::byte> filter_in(std::span<const std::byte> container);
  // The settings it was written with, without those that may change (late, costs, count).
  static dedupe_settings settings_in(std::span<const std::byte> container);
  // Throws if the settings are not those it was written with.
  static deduper load(std::span<const std::byte> container, const dedupe_settings& settings,
                      const std::string& name);

 private:
  deduper(const dedupe_settings& settings, any_recency filter);

  void judge_alike(std::span<const judged_line> lines, std::span<const instant> times, instant now,
                   std::span<line_verdict> verdicts);
  void judge_some(std::span<const judged_line> lines, std::span<const instant> times, instant now,
                  std::span<line_verdict> verdicts);
  bool seems_seen(const judged_line& line, instant at);
  novelty judge_costs(const judged_line& line, instant at);
  instant clock_at(instant at) const noexcept;
  bool judge_doubted(const judged_line& line, instant at);
  void ask_gate(instant at, std::string remembered);
  bool crowds_out(outcome became) noexcept;
  void settle(const judged_line& line, bool drop, instant minute, line_verdict& verdict);
  double duplicate_share() const noexcept;
  bool take_unwritten(digest key);
  void expect_sound() const;
  void expect_clock() const;
  double expected_mistakes(bool seen) const noexcept;
  void weigh(double doubt, bool drop) noexcept;

  dedupe_settings settings_;
  any_recency filter_;
  logs::time_gate gate_;
  dedupe_counts counts_;
  store::minute_totals drops_;  // of the newest days
  std::uint64_t most_drops_ = 0;
  suppressed_lines suppressed_;
  std::vector<digest> unwritten_;  // keys in the filter whose line was not written, sorted
  bool overloaded_ = false;
  std::uint64_t forgotten_before_ = 0;    // this run
  std::uint64_t crowded_out_before_ = 0;  // this run
  // With costs: the expected number of new lines that the filter took for seen ones in this run,
  // and the sum of 1 - posterior over all seen lines and over those that were dropped.
  double mistakes_ = 0;
  double doubts_ = 0;
  double doubts_dropped_ = 0;
  double lost_ = 0;  // expected mistakes among the dropped lines
  double error_now_ = 0;
  std::uint64_t between_errors_ = 0;  // lines
  std::uint64_t error_due_ = 0;       // lines at which it is read again
  std::vector<digest> keys_;          // of the lines that are being judged
  std::vector<novelty> answers_;
  std::vector<instant> times_;
};

}  // namespace bloomtime::cli
