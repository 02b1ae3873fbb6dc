#include <fmt/format.h>

#include <cstdint>
#include <ctime>
#include <span>
#include <vector>

#include <bloomtime/history/timeline_history.hpp>
#include <bloomtime/math/random.hpp>

#include "bench/harness/keys.hpp"
#include "bench/harness/tick_vectors.hpp"
#include "bench/ratios/ratios.hpp"
#include "experiments/history/exact.hpp"
#include "experiments/history/streams.hpp"

namespace bench {
namespace {

using bloomtime::instant;
using bloomtime::interval;
using bloomtime::sighting;
using bloomtime::timeline_history;
using experiments::record;
using experiments::trace;

constexpr std::uint32_t length = 128;  // ticks of a question

struct question {
  std::uint64_t item;
  std::uint32_t from;
  std::uint32_t to;
};
using questions = std::vector<question>;

// Few items that are seen in three of ten ticks.
trace dense_day(std::uint32_t items, std::uint32_t ticks) {
  trace day{"dense", {}, {}, items, ticks};
  bloomtime::math::random_source random(5);
  for (std::uint32_t t = 0; t < ticks; ++t) {
    for (std::uint32_t i = 0; i < items; ++i) {
      if (random.below(10) < 3) day.records.push_back({i, t});
    }
  }
  day.pairs = day.records;
  return day;
}

// About items of the day: at ticks at which they were seen, or at ticks at which they were not, or
// about items that were never seen.
questions positive(const trace& day, std::size_t number) {
  bloomtime::math::random_source random(6);
  questions all;
  while (all.size() < number) {
    const record r = day.pairs[random.below(day.pairs.size())];
    const auto before = static_cast<std::uint32_t>(random.below(length));
    const std::uint32_t from = r.tick < before ? 0 : r.tick - before;
    all.push_back({r.item, from, from + length - 1});
  }
  return all;
}
questions negative(const trace& day, const tick_vectors& truth, std::size_t number) {
  bloomtime::math::random_source random(7);
  questions all;
  for (std::size_t tries = 0; all.size() < number && tries < 1000 * number; ++tries) {
    const auto from = static_cast<std::uint32_t>(random.below(day.ticks - length));
    const question q{random.below(day.items), from, from + length - 1};
    if (!truth.seen(q.item, q.from, q.to)) all.push_back(q);
  }
  return all;
}
questions absent(const trace& day, std::size_t number) {
  bloomtime::math::random_source random(8);
  questions all;
  while (all.size() < number) {
    const auto from = static_cast<std::uint32_t>(random.below(day.ticks - length));
    all.push_back({first_absent + all.size(), from, from + length - 1});
  }
  return all;
}

// Of the time that this thread was given: what takes seconds is interrupted by other programs.
double thread_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

template <class Work>
double nanoseconds(std::size_t operations, Work&& work) {
  const double start = thread_time();
  work();
  return (thread_time() - start) / static_cast<double>(operations);
}

timeline_history timelines_of(const trace& day) {
  timeline_history h({.ticks = day.ticks});
  for (const record& r : day.records) keep(h.add(r.item, instant::from_seconds(r.tick)));
  h.seal();
  return h;
}

tick_vectors vectors_of(const trace& day) {
  tick_vectors v;
  for (const record& r : day.records) v.add(r.item, r.tick);
  v.seal();
  return v;
}

instant begin_of(const question& q) { return instant::from_seconds(q.from); }
instant end_of(const question& q) { return instant::from_seconds(q.to); }

void measure(const ratio_session& run, const trace& day) {
  const timeline_history timelines = timelines_of(day);
  const tick_vectors vectors = vectors_of(day);
  const std::size_t number = run.quick ? 50'000 : 200'000;
  comparison side(fmt::format(
      "A day of {} records, {} items, {} pairs ({}): timelines {:.2f} bits per pair, sorted "
      "vectors "
      "{:.2f}",
      day.records.size(), day.items, day.pairs.size(), day.name,
      8 * static_cast<double>(timelines.sealed_bytes()) / static_cast<double>(day.pairs.size()),
      8 * static_cast<double>(vectors.memory()) / static_cast<double>(day.pairs.size())));
  const auto add = [&](const std::string& name, auto call) { return side.add(name, call); };
  const auto vector_ingest = add("sorted vectors, ingest and sealing", [&] {
    return nanoseconds(day.records.size(), [&] { keep(vectors_of(day).memory()); });
  });
  const auto ingest = add("timelines, ingest and sealing", [&] {
    return nanoseconds(day.records.size(), [&] { keep(timelines_of(day).memory()); });
  });
  side.expect(ingest, vector_ingest, 1.2);
  const auto ask = [&](const std::string& what, const questions& all) {
    if (all.empty()) return;
    const auto vector_single = add("sorted vectors, " + what, [&] {
      return nanoseconds(all.size(), [&] {
        std::uint64_t seen = 0;
        for (const question& q : all) seen += vectors.seen(q.item, q.from, q.to);
        keep(seen);
      });
    });
    const auto vector_bulk = add("sorted vectors, " + what + ", bulk", [&] {
      return nanoseconds(all.size(),
                         [&] { keep(vectors.count_seen(std::span<const question>(all))); });
    });
    const auto single = add("timelines, " + what, [&] {
      return nanoseconds(all.size(), [&] {
        std::uint64_t seen = 0;
        for (const question& q : all) {
          seen += timelines.seen(q.item, begin_of(q), end_of(q)) == sighting::maybe;
        }
        keep(seen);
      });
    });
    std::vector<std::uint64_t> items;
    std::vector<interval> asked;
    for (const question& q : all) {
      items.push_back(q.item);
      asked.push_back({{q.from}, {q.to}});
    }
    const auto bulk = add("timelines, " + what + ", bulk", [&timelines, items, asked] {
      static std::vector<sighting> answers;
      answers.resize(items.size());
      return nanoseconds(items.size(), [&] {
        timelines.seen_bulk(items, asked, answers);
        keep(answers.data());
      });
    });
    side.expect(single, vector_single, 1.4);
    side.expect(bulk, vector_bulk, 1.0);
  };
  const questions yes = positive(day, number);
  const questions no = negative(day, vectors, number);
  const questions never = absent(day, number);
  ask("item seen then", yes);
  ask("item not seen then", no);
  ask("item never seen", never);
  side.run(run.quick ? 3 : 5);
  side.print();
}

}  // namespace

void timeline_ratios(const ratio_session& run) {
  using namespace experiments;
  measure(run, trace_of({edgar, times::bursty}, 1));
  measure(run, trace_of({edgar, times::uniform}, 1));
  measure(run, dense_day(200, 86'400));
}

}  // namespace bench
