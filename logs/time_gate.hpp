#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <bloomtime/time.hpp>

#include "logs/web_facts.hpp"

namespace bloomtime::logs {

// 0 if they are in the other order.
inline std::uint64_t micros_between(instant earlier, instant later) noexcept {
  if (later <= earlier) return 0;
  return static_cast<std::uint64_t>(later.micros) - static_cast<std::uint64_t>(earlier.micros);
}

// web_facts of a line that is gone.
struct held_web {
  unsigned status = 0;
  std::string method;
  std::optional<std::uint64_t> bytes;

  web_facts facts() const { return {status, method, bytes}; }

  friend bool operator==(const held_web&, const held_web&) = default;
};

// An event whose time is far ahead of everything before it.
struct held_event {
  instant at;
  std::vector<std::optional<std::string>> items;  // nothing where the line lacks one
  std::string line;                               // byte for byte
  std::uint8_t agreeing = 0;                      // later events that do not lie far behind it
  std::uint8_t contradict = 0;                    // later events that do
  std::optional<held_web> web = {};               // of web logs

  friend bool operator==(const held_event&, const held_event&) = default;
};

// Decides which timestamps to believe. Filters forget when time passes, so a single wrong timestamp
// could clear them; and a real gap in a log looks the same. An event that would move the clock by
// more than 24 hours, as the first event does, is therefore held: two later events that are not far
// behind it confirm it, eight that are reject it (docs/profile.md gives the reasons). The decisions
// depend on the order of events alone, not on where one run ends and the next begins.
class time_gate {
 public:
  static constexpr std::chrono::microseconds far = std::chrono::hours(24);
  static constexpr unsigned enough = 2;
  static constexpr unsigned patience = 8;
  static constexpr std::size_t most_held = patience + enough - 1;

  time_gate() = default;
  time_gate(std::optional<instant> clock, std::vector<held_event> held);

  std::optional<instant> clock() const noexcept { return clock_; }  // of the newest event believed
  const std::vector<held_event>& held() const noexcept { return held_; }
  // clock(), or while no event is believed, the newest of the held events that is reachable from
  // the earliest by steps of at most 24 hours. Nothing if there were no events.
  std::optional<instant> newest() const;

  // Whether an event at `t` is believed at once and decides about no held one: nearly always.
  bool passes(instant t) noexcept {
    if (!held_.empty() || !clock_ || is_far(*clock_, t)) return false;
    if (*clock_ < t) clock_ = t;
    return true;
  }

  // Both in the order of the decisions.
  struct verdict {
    std::vector<held_event> believed;
    std::vector<held_event> rejected;
  };
  // For an event that did not pass.
  verdict judge(held_event next);

  // Whether `to` is far ahead of `from`.
  static bool is_far(instant from, instant to) noexcept {
    return micros_between(from, to) > static_cast<std::uint64_t>(far.count());
  }

 private:
  std::vector<held_event>::iterator first_believable() noexcept;

  std::optional<instant> clock_;
  std::vector<held_event> held_;
};

}  // namespace bloomtime::logs
