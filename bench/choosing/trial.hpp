#pragma once

#include <cstdint>
#include <ctime>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <bloomtime/digest.hpp>
#include <bloomtime/time.hpp>

#include "bench/harness/keys.hpp"
#include "bench/harness/measure.hpp"

// Which engine for which question: memory and time of every engine that answers it, measured beside
// what a good engineer would write instead.
namespace bench {

// What one engine took for some items: every item is added once, one call each, starting from an
// empty engine, so growth is included.
struct figures {
  std::uint64_t bytes = 0;
  double add = 0;  // ns per call; NaN if there are no times
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
  std::string counted = "items";  // what the size of a measurement is
};

// Those of docs/choosing.md.
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

inline double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// use(number) for numbers from 0 on; nanoseconds per call.
template <class Use>
double time_of_calls(std::uint64_t calls, Use&& use) {
  const double start = thread_seconds();
  for (std::uint64_t i = 0; i < calls; ++i) use(i);
  return (thread_seconds() - start) * 1e9 / static_cast<double>(calls);
}

inline constexpr std::uint64_t most_questions = 1 << 18;

// make(items), add(engine, digest, time), ask(engine, digest), and finish(engine) after the last
// one.
template <class Make, class Add, class Ask, class Finish>
std::function<figures(std::uint64_t)> trial(Make make, Add add, Ask ask, Finish finish) {
  return [=](std::uint64_t items) {
    auto engine = make(items);
    figures f;
    f.add = time_of_calls(items, [&](std::uint64_t i) {
      add(engine, bloomtime::digest_of(key_of<short_key>(i)), time_of(i, items));
      if (i + 1 == items) finish(engine);
    });
    f.bytes = engine.memory();
    std::vector<short_key> keys(most_questions);
    query_set(items, 50, 1).fill(std::span(keys));
    f.ask = time_of_calls(
        keys.size(), [&](std::uint64_t i) { keep(ask(engine, bloomtime::digest_of(keys[i]))); });
    return f;
  };
}
template <class Make, class Add, class Ask>
std::function<figures(std::uint64_t)> trial(Make make, Add add, Ask ask) {
  return trial(make, add, ask, [](auto&) {});
}

}  // namespace bench
