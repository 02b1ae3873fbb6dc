#include <bloomtime/bloomtime.hpp>

#include <array>
#include <chrono>

#include "bench/choosing/trial.hpp"
#include "bench/harness/exact_map.hpp"
#include "bench/harness/faded.hpp"
#include "bench/harness/filter_ring.hpp"
#include "bench/harness/sorted_pairs.hpp"

namespace bench {
namespace {

using namespace bloomtime;
using namespace std::chrono_literals;

constexpr double error = 1e-3;

template <class Value>
Value value_of(const Value* found) {
  return found != nullptr ? *found : Value{};
}

// -- recency -------------------------------------------------------------------------------------

question recently() {
  const auto add = [](auto& e, digest d, instant t) { keep(e.add_if_new(d, t).fresh); };
  const auto ask = [](const auto& e, digest d) { return e.seen(d, last_event); };
  return {"Was x seen within the last hour?",
          "error 1e-3; add is a test-and-set",
          {{"recency_table", "a \"no\" is certain; ages, posterior; grows", true, 0,
            trial([](std::uint64_t) { return recency_table({.window = 1h, .error = error}); }, add,
                  ask)},
           {"recency_table, reserved", "the same, for a known number of items", true, 0,
            trial(
                [](std::uint64_t n) {
                  return recency_table(
                      {.window = 1h, .items = n, .error = error, .reserve = true, .ticks = 12});
                },
                add, ask)},
           {"age_partitioned_filter", "a \"no\" is certain; fixed memory", true, 0,
            trial(
                [](std::uint64_t n) {
                  return age_partitioned_filter({.window = 1h, .items = n, .error = error});
                },
                add, ask)},
           {"recency_filter", "a \"no\" is certain; ages, posterior; fixed memory", true, 0,
            trial(
                [](std::uint64_t n) {
                  return recency_filter({.window = 1h, .items = n, .error = error});
                },
                add, ask)},
           {"ring of 11 Bloom filters", "a \"no\" is certain; fixed memory; built in the benchmark",
            false, 0,
            trial([](std::uint64_t n) { return filter_ring(n, error); },
                  [](filter_ring& e, digest d, instant) { keep(e.add_if_new(d).fresh); },
                  [](const filter_ring& e, digest d) { return e.seen(d); })},
           {"hash map", "exact", false, 0,
            trial([](std::uint64_t) { return exact_map(); },
                  [](exact_map& e, digest d, instant t) {
                    e[d] = static_cast<std::uint64_t>(t.micros);
                  },
                  [](const exact_map& e, digest d) { return value_of(e.find(d)); })}}};
}

// -- heat ----------------------------------------------------------------------------------------

question hot() {
  const auto add = [](auto& e, digest d, instant t) { e.add(d, t); };
  const auto ask = [](const auto& e, digest d) { return e.at(d, last_event).value; };
  return {"How hot is x now?",
          "half-life 1 hour; errors as by default for tables, 0.01 for the filter",
          {{"heat_table", "`upper` is never too low; grows", true, 0,
            trial([](std::uint64_t) { return heat_table({.half_life = 1h}); }, add, ask)},
           {"heat_filter", "`upper` is never too low; fixed memory", true, 0,
            trial(
                [](std::uint64_t n) {
                  return heat_filter({.items = n, .error = 0.01, .half_life = 1h});
                },
                add, ask)},
           {"hash map", "exact", false, 0,
            trial([](std::uint64_t) { return exact_map(); },
                  [](exact_map& e, digest d, instant t) { add_faded(e[d], t); },
                  [](const exact_map& e, digest d) { return value_of(e.find(d)); })}}};
}

// A count for each minute of an hour, in one array, found by the number of the item.
class exact_rings {
 public:
  void add(digest d, instant t) {
    std::uint64_t& number = numbers_[d];
    if (number == 0) {
      rings_.emplace_back();
      number = rings_.size();
    }
    ring& r = rings_[number - 1];
    const auto minute = static_cast<std::uint64_t>(t.micros / 60'000'000);
    for (; r.newest < minute; ++r.newest) {
      if (r.newest + 60 < minute) r.newest = minute - 60;
      r.counts[(r.newest + 1) % 60] = 0;
    }
    ++r.counts[minute % 60];
  }
  std::uint64_t sum(digest d) const {
    const std::uint64_t* const number = numbers_.find(d);
    if (number == nullptr) return 0;
    std::uint64_t all = 0;
    for (const std::uint16_t c : rings_[*number - 1].counts) all += c;
    return all;
  }
  std::uint64_t memory() const { return numbers_.memory() + rings_.capacity() * sizeof(ring); }

 private:
  struct ring {
    std::uint64_t newest = 0;
    std::array<std::uint16_t, 60> counts{};
  };
  exact_map numbers_;
  std::vector<ring> rings_;
};

question hits() {
  const auto add = [](auto& e, digest d, instant t) { e.add(d, t); };
  const auto ask = [](const auto& e, digest d) { return e.at(d, last_event).value; };
  return {
      "How many hits did x have in the last hour?",
      "60 slots, error 1e-3",
      {{"window_table", "`upper` is never too low; grows", true, 0,
        trial([](std::uint64_t) { return window_table({.window = 1h, .error = error}); }, add,
              ask)},
       {"decay_ring", "any decay function; fixed memory", true, 1400,
        trial(
            [](std::uint64_t n) { return decay_ring({.items = n, .error = error, .window = 1h}); },
            add, ask)},
       {"hash map of rings", "exact", false, 300,
        trial([](std::uint64_t) { return exact_rings(); }, add,
              [](const exact_rings& e, digest d) { return e.sum(d); })}}};
}

// -- tally and bloom -----------------------------------------------------------------------------

question how_many() {
  const auto add = [](auto& e, digest d, instant) { e.add(d); };
  const auto ask = [](const auto& e, digest d) { return e.count(d).value; };
  return {
      "How many x are there, when items come and go?",
      "error 1e-3 for the table, 0.01 for the filter",
      {{"tally_table", "never too low; exact but for the error; grows", true, 0,
        trial([](std::uint64_t) { return tally_table({.error = error}); }, add, ask)},
       {"tally_filter", "never too low; fixed memory; merges by addition", true, 0,
        trial([](std::uint64_t n) { return tally_filter({.items = n, .error = 0.01}); }, add, ask)},
       {"hash map", "exact", false, 0,
        trial([](std::uint64_t) { return exact_map(); },
              [](exact_map& e, digest d, instant) { ++e[d]; },
              [](const exact_map& e, digest d) { return value_of(e.find(d)); })}}};
}

question ever() {
  return {"Was x ever seen?",
          "error 1e-3",
          {{"bloom_filter", "a \"no\" is certain; fixed memory", true, 0,
            trial([](std::uint64_t n) { return bloom_filter({.items = n, .error = error}); },
                  [](bloom_filter& e, digest d, instant) { e.add(d); },
                  [](const bloom_filter& e, digest d) { return e.may_contain(d); })},
           {"hash set", "exact", false, 0,
            trial([](std::uint64_t) { return exact_map(); },
                  [](exact_map& e, digest d, instant) { e[d] = 1; },
                  [](const exact_map& e, digest d) { return value_of(e.find(d)); })}}};
}

// -- history -------------------------------------------------------------------------------------

question between() {
  const instant from(last_event.micros - event_span);
  const auto ask = [from](const auto& e, digest d) { return e.seen(d, from, last_event); };
  return {
      "Was x seen between s and e?",
      "ticks of a second; every item is seen once",
      {{"history", "a \"no\" is certain; unbounded time; old parts are joined or dropped", true, 0,
        trial([](std::uint64_t) { return history({.tick = 1s}); },
              [](history& e, digest d, instant t) { e.add(d, t); },
              [from](const history& e, digest d) {
                return e.seen(d, from, last_event) == sighting::maybe;
              },
              [](history& e) { e.compact(); })},
       {"sorted array", "exact; of 64-bit digests; sorted once", false, 0,
        trial([](std::uint64_t) { return sorted_pairs(); },
              [](sorted_pairs& e, digest d, instant t) { e.add(d, t); }, ask,
              [](sorted_pairs& e) { e.sort(); })}}};
}

}  // namespace

std::vector<question> questions() {
  return {recently(), hot(), hits(), how_many(), ever(), between()};
}

}  // namespace bench
