#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <bloomtime/digest.hpp>
#include <bloomtime/time.hpp>

// Which engine for which question: memory and time of every engine that answers it, measured beside
// what a good engineer would write instead.
namespace bench {

// What one engine took for some items: every item is added once, one call each, starting from an
// empty engine, so growth is included.
struct figures {
  std::uint64_t bytes = 0;
  double add = 0;  // ns per call
  double ask = 0;  // of an item that was added or, as often, of one that was not
};

struct candidate {
  std::string name;
  std::string promise;
  bool ours = true;
  // Bytes per item if it may not fit into this machine; 0 if it certainly does.
  std::uint64_t bytes_per_item = 0;
  std::function<figures(std::uint64_t items)> run;
};

// The first candidate is the recommended one, the last one is exact.
struct question {
  std::string text;
  std::string given;  // parameters of the measurement
  std::vector<candidate> candidates;
};

std::vector<question> questions();

// The events of a measurement are spread evenly over the hour before this time.
inline constexpr bloomtime::instant last_event = bloomtime::instant::from_seconds(1'700'000'000);
inline constexpr std::int64_t event_span = 3'500'000'000;  // microseconds

inline bloomtime::instant time_of(std::uint64_t number, std::uint64_t items) noexcept {
  const double share = static_cast<double>(number + 1) / static_cast<double>(items);
  return bloomtime::instant(last_event.micros - event_span +
                            static_cast<std::int64_t>(share * event_span));
}

// Figures of one candidate at one size; none if it was not measured.
using measured = std::optional<figures>;

// All candidates by turns, so that they meet the same machine; medians of the turns.
std::vector<measured> measure(const question& asked, std::uint64_t items);

}  // namespace bench
