#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <bloomtime/digest.hpp>
#include <bloomtime/time.hpp>

#include "bench/choosing/trial.hpp"

// A day of sightings, for histories: so many different pairs of an item and a second, fifty per
// item, in bursts as of people (traffic/pairs.hpp).
namespace bench {

struct sighting_event {
  bloomtime::digest item;
  bloomtime::instant time;
};
struct span_question {
  bloomtime::digest item;  // one that was seen in the day, or as often one that never was
  bloomtime::instant from;
  bloomtime::instant to;  // ten minutes later
};
inline constexpr std::uint64_t sightings_per_item = 50;

std::span<const sighting_event> sightings_of(std::uint64_t pairs);
std::span<const span_question> questions_about(std::uint64_t pairs);

// The engine has add(digest, instant), bool seen(digest, from, to) and memory(); finish(engine)
// after the last sighting.
template <class Make, class Finish>
std::function<figures(std::uint64_t)> history_trial(Make make, Finish finish) {
  return [=](std::uint64_t pairs) {
    const auto events = sightings_of(pairs);
    const auto asked = questions_about(pairs);
    auto engine = make(pairs);
    figures f;
    f.add = time_of_calls(events.size(), [&](std::uint64_t i) {
      engine.add(events[i].item, events[i].time);
      if (i + 1 == events.size()) finish(engine);
    });
    f.bytes = engine.memory();
    f.ask = time_of_calls(asked.size(), [&](std::uint64_t i) {
      keep(engine.seen(asked[i].item, asked[i].from, asked[i].to));
    });
    return f;
  };
}

}  // namespace bench
