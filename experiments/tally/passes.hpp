#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "arrivals.hpp"
#include "bench/harness/measure.hpp"

// All items are added and removed again, timed in blocks in which engines take turns: a disturbance
// of the machine that lasts longer than a block affects all of them equally.
namespace experiments {

// How often the structure was changed to make room for counts.
inline std::uint64_t changes_of(const bloomtime::published::dynamic_count_filter& f) {
  return rebuilds_of(f);
}
inline std::uint64_t changes_of(const bloomtime::published::spectral_filter& f) {
  return f.work().lengthened;
}
inline std::uint64_t changes_of(const bloomtime::tally_filter&) { return 0; }

struct subject {
  using block_use = std::function<void(std::span<const std::uint64_t>)>;

  block_use add;
  block_use count;
  block_use remove;
  std::function<std::uint64_t()> changes;
};

template <class Filter>
subject subject_of(Filter filter) {
  const auto f = std::make_shared<Filter>(std::move(filter));
  const auto for_each = [](auto use) {
    return [use](std::span<const std::uint64_t> items) {
      for (const std::uint64_t x : items) use(x);
    };
  };
  return {for_each([f](std::uint64_t x) { (void)f->add(x); }),
          for_each([f](std::uint64_t x) { bench::keep(f->count(x).value); }),
          for_each([f](std::uint64_t x) { (void)f->remove(x); }), [f] { return changes_of(*f); }};
}

struct block_time {
  double ns;
  std::uint64_t operations;
  bool changed;

  double each() const { return ns / static_cast<double>(operations); }
};
using pass = std::vector<block_time>;

// The first `count` arrivals, for every subject.
template <std::size_t number>
std::array<pass, number> timed_pass(const std::array<subject, number>& subjects,
                                    const population& p, std::uint64_t count,
                                    subject::block_use subject::*use) {
  // Long enough to warm the caches again, short enough to tell blocks with a rebuild from others.
  std::vector<std::uint64_t> block(std::clamp<std::uint64_t>(p.total / 200, 512, 8192));
  arrivals next(p);
  std::array<pass, number> passes;
  for (std::uint64_t left = count; left > 0; left -= block.size()) {
    block.resize(std::min<std::uint64_t>(left, block.size()));
    for (std::uint64_t& x : block) x = next();
    for (std::size_t i = 0; i < number; ++i) {
      const std::uint64_t before = subjects[i].changes();
      const auto start = std::chrono::steady_clock::now();
      (subjects[i].*use)(block);
      const std::chrono::duration<double, std::nano> taken =
          std::chrono::steady_clock::now() - start;
      passes[i].push_back({taken.count(), block.size(), subjects[i].changes() != before});
    }
  }
  return passes;
}

struct engine_passes {
  pass fill;
  pass read;
  pass drain;
  std::uint64_t growths = 0;  // changes while it was filled
  std::uint64_t changes = 0;
};

struct round_of_passes {
  engine_passes spectral;
  engine_passes dynamic;
  engine_passes tally;
  pass roomy;  // filling a spectral filter that has been full before, and moves no counter
};

inline round_of_passes run_round(const population& p) {
  constexpr std::uint64_t most_reads = 1'000'000;
  const subject roomy = subject_of(spectral_of(p));
  for (const auto use : {&subject::add, &subject::remove})
    (void)timed_pass<1>({roomy}, p, p.total, use);
  const std::array engines{subject_of(spectral_of(p)), subject_of(dynamic_of(p)),
                           subject_of(tally_of(p))};
  const auto fill =
      timed_pass<4>({roomy, engines[0], engines[1], engines[2]}, p, p.total, &subject::add);
  std::array<std::uint64_t, 3> growths;
  for (std::size_t i = 0; i < 3; ++i) growths[i] = engines[i].changes();
  const auto read = timed_pass(engines, p, std::min(p.total, most_reads), &subject::count);
  const auto drain = timed_pass(engines, p, p.total, &subject::remove);
  const auto passes_of = [&](std::size_t i) {
    return engine_passes{fill[i + 1], read[i], drain[i], growths[i], engines[i].changes()};
  };
  return {passes_of(0), passes_of(1), passes_of(2), fill[0]};
}

// Every round did the same work in its n-th block: the minimum time of all rounds.
inline void keep_least(pass& best, const pass& other) {
  for (std::size_t i = 0; i < best.size(); ++i) best[i].ns = std::min(best[i].ns, other[i].ns);
}

inline void keep_least(engine_passes& best, const engine_passes& other) {
  for (const auto part : {&engine_passes::fill, &engine_passes::read, &engine_passes::drain}) {
    keep_least(best.*part, other.*part);
  }
}

inline round_of_passes best_of_rounds(const population& p, unsigned rounds) {
  round_of_passes best = run_round(p);
  for (unsigned i = 1; i < rounds; ++i) {
    const round_of_passes other = run_round(p);
    for (const auto engine :
         {&round_of_passes::spectral, &round_of_passes::dynamic, &round_of_passes::tally}) {
      keep_least(best.*engine, other.*engine);
    }
    keep_least(best.roomy, other.roomy);
  }
  return best;
}

// -- spectral filters with less and less slack, and a dynamic count filter beside them

inline constexpr std::array<unsigned, 4> all_slacks{2, 4, 8, 16};  // counters per spare bit

struct slack_round {
  std::array<engine_passes, all_slacks.size()> spectral;
  std::array<pass, all_slacks.size()> roomy;  // as in round_of_passes
  engine_passes dynamic;
};

inline slack_round run_slack_round(const population& p) {
  constexpr std::uint64_t most_reads = 1'000'000;
  constexpr std::size_t slacks = all_slacks.size();
  const auto engine = [&](std::size_t i) {
    return i < slacks ? subject_of(spectral_of(p, all_slacks[i])) : subject_of(dynamic_of(p));
  };
  std::array<subject, slacks> roomy;
  std::array<subject, slacks + 1> engines;
  for (std::size_t i = 0; i < slacks; ++i) roomy[i] = engine(i);
  for (std::size_t i = 0; i <= slacks; ++i) engines[i] = engine(i);
  for (const auto use : {&subject::add, &subject::remove}) {
    (void)timed_pass(roomy, p, p.total, use);
  }
  std::array<subject, 2 * slacks + 1> all;  // pairs of a roomy filter and an empty one
  for (std::size_t i = 0; i < slacks; ++i) {
    all[2 * i] = roomy[i];
    all[2 * i + 1] = engines[i];
  }
  all[2 * slacks] = engines[slacks];
  const auto fill = timed_pass(all, p, p.total, &subject::add);
  std::array<std::uint64_t, slacks + 1> growths;
  for (std::size_t i = 0; i <= slacks; ++i) growths[i] = engines[i].changes();
  const auto read = timed_pass(engines, p, std::min(p.total, most_reads), &subject::count);
  const auto drain = timed_pass(engines, p, p.total, &subject::remove);
  slack_round round;
  for (std::size_t i = 0; i < slacks; ++i) {
    round.roomy[i] = fill[2 * i];
    round.spectral[i] = {fill[2 * i + 1], read[i], drain[i], growths[i], engines[i].changes()};
  }
  round.dynamic = {fill[2 * slacks], read[slacks], drain[slacks], growths[slacks],
                   engines[slacks].changes()};
  return round;
}

inline slack_round best_of_slack_rounds(const population& p, unsigned rounds) {
  slack_round best = run_slack_round(p);
  for (unsigned round = 1; round < rounds; ++round) {
    const slack_round other = run_slack_round(p);
    for (std::size_t i = 0; i < all_slacks.size(); ++i) {
      keep_least(best.spectral[i], other.spectral[i]);
      keep_least(best.roomy[i], other.roomy[i]);
    }
    keep_least(best.dynamic, other.dynamic);
  }
  return best;
}

struct figures {
  bench::summary read;    // ns per item, over blocks
  bench::summary write;   // the same, of inserts and deletes where nothing is rebuilt
  double total = 0;       // ns of all inserts and deletes
  double rebuilding = 0;  // of these
  std::uint64_t growths = 0;
  std::uint64_t changes = 0;
};

// `plain` is what filling takes without changes, if that is known block by block; if not, blocks
// with changes are compared with the others.
inline figures figures_of(const engine_passes& engine, const pass& plain = {}) {
  figures f;
  f.growths = engine.growths;
  f.changes = engine.changes;
  std::vector<double> reads;
  std::vector<double> writes;
  for (const block_time& b : engine.read) reads.push_back(b.each());
  for (const pass* part : {&engine.fill, &engine.drain}) {
    for (const block_time& b : *part) {
      f.total += b.ns;
      if (!b.changed) writes.push_back(b.each());
    }
  }
  for (const block_time& b : plain) writes.push_back(b.each());
  f.read = bench::summarize(reads);
  f.write = bench::summarize(writes);
  for (std::size_t i = 0; i < plain.size(); ++i) f.rebuilding += engine.fill[i].ns - plain[i].ns;
  if (plain.empty()) {
    for (const pass* part : {&engine.fill, &engine.drain}) {
      for (const block_time& b : *part) {
        if (b.changed) f.rebuilding += b.ns - f.write.median * static_cast<double>(b.operations);
      }
    }
  }
  return f;
}

}  // namespace experiments
