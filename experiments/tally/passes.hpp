#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <vector>

#include "arrivals.hpp"
#include "bench/measure.hpp"

// Everything arrives and everything leaves again, timed in blocks.
namespace experiments {

// How often the structure was changed for the sake of counts.
inline std::uint64_t changes_of(const bloomtime::dynamic_count_filter& f) { return rebuilds_of(f); }
inline std::uint64_t changes_of(const bloomtime::spectral_filter& f) { return f.work().lengthened; }
inline std::uint64_t changes_of(const bloomtime::tally_filter&) { return 0; }

struct block_time {
  double ns;
  std::uint64_t operations;
  bool changed;
};

// use(item) for the first `count` arrivals.
template <class Filter, class Use>
std::vector<block_time> timed_pass(const Filter& f, const population& p, std::uint64_t count,
                                   Use&& use) {
  arrivals next(p);
  std::vector<std::uint64_t> block(512);
  std::vector<block_time> times;
  for (std::uint64_t left = count; left > 0; left -= block.size()) {
    block.resize(std::min<std::uint64_t>(left, block.size()));
    for (std::uint64_t& x : block) x = next();
    const std::uint64_t before = changes_of(f);
    const auto start = std::chrono::steady_clock::now();
    for (const std::uint64_t x : block) use(x);
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    times.push_back({taken.count(), block.size(), changes_of(f) != before});
  }
  return times;
}

// All passes of one engine, block by block.
struct passes {
  std::vector<block_time> fill;
  std::vector<block_time> read;
  std::vector<block_time> drain;
  std::vector<block_time> refill;  // of a spectral filter
  std::uint64_t growths = 0;       // changes while it was filled
  std::uint64_t changes = 0;
};

inline constexpr std::uint64_t most_reads = 1'000'000;

template <class Filter>
passes run_passes(Filter f, const population& p) {
  const auto add = [&](std::uint64_t x) { (void)f.add(x); };
  passes t;
  t.fill = timed_pass(f, p, p.total, add);
  t.growths = changes_of(f);
  t.read = timed_pass(f, p, std::min(p.total, most_reads),
                      [&](std::uint64_t x) { bench::keep(f.count(x).value); });
  t.drain = timed_pass(f, p, p.total, [&](std::uint64_t x) { (void)f.remove(x); });
  t.changes = changes_of(f);
  // A spectral filter that was full once has room for the same items again: filling it then is what
  // the first time would take without moving counters.
  if constexpr (std::same_as<Filter, bloomtime::spectral_filter>) {
    t.refill = timed_pass(f, p, p.total, add);
  }
  return t;
}

// Every round did the same work in its n-th block: the median of the rounds, for each.
inline passes middle_of(const std::vector<passes>& rounds) {
  passes middle = rounds[0];
  for (const auto pass : {&passes::fill, &passes::read, &passes::drain, &passes::refill}) {
    for (std::size_t i = 0; i < (middle.*pass).size(); ++i) {
      std::vector<double> times;
      for (const passes& round : rounds) times.push_back((round.*pass)[i].ns);
      (middle.*pass)[i].ns = bench::summarize(times).median;
    }
  }
  return middle;
}

struct figures {
  bench::summary read;    // ns per item, over blocks
  bench::summary write;   // the same, of inserts and deletes where nothing is rebuilt
  double total = 0;       // ns of all inserts and deletes
  double rebuilding = 0;  // of these
  std::uint64_t growths = 0;
  std::uint64_t changes = 0;
};

inline figures figures_of(const passes& t) {
  const auto per_operation = [](const block_time& b) {
    return b.ns / static_cast<double>(b.operations);
  };
  figures f;
  f.growths = t.growths;
  f.changes = t.changes;
  std::vector<double> reads;
  std::vector<double> writes;
  for (const block_time& b : t.read) reads.push_back(per_operation(b));
  for (const auto pass : {&t.fill, &t.drain}) {
    for (std::size_t i = 0; i < pass->size(); ++i) {
      const block_time& b = (*pass)[i];
      f.total += b.ns;
      if (!b.changed) writes.push_back(per_operation(b));
    }
  }
  for (const block_time& b : t.refill) writes.push_back(per_operation(b));
  f.read = bench::summarize(reads);
  f.write = bench::summarize(writes);
  const auto add_rebuilding = [&](const std::vector<block_time>& pass, auto&& plain) {
    for (std::size_t i = 0; i < pass.size(); ++i) {
      if (pass[i].changed) f.rebuilding += pass[i].ns - plain(i, pass[i].operations);
    }
  };
  const auto usual = [&](std::size_t, std::uint64_t operations) {
    return f.write.median * static_cast<double>(operations);
  };
  if (t.refill.empty()) {
    add_rebuilding(t.fill, usual);
    add_rebuilding(t.drain, usual);
  } else {
    add_rebuilding(t.fill, [&](std::size_t i, std::uint64_t) { return t.refill[i].ns; });
  }
  return f;
}

}  // namespace experiments
