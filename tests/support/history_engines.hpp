#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <chrono>
#include <cstdint>

#include <bloomtime/history/history.hpp>
#include <bloomtime/history/timeline_history.hpp>

#include "support/history_samples.hpp"

// Every engine of the family, and how to draw one for so many ticks from the origin.
namespace bloomtime::support {

struct single_sample {
  using engine = single_history;
  static engine draw(std::uint64_t ticks) { return engine(any_single(ticks)); }
};

struct level_sample {
  using engine = level_history;
  static engine draw(std::uint64_t ticks) { return engine(any_levels(ticks)); }
};

struct growing_level_sample {
  using engine = level_history;
  static engine draw(std::uint64_t) { return engine(any_growing_levels()); }
};

struct tree_sample {
  using engine = tree_history;
  static engine draw(std::uint64_t ticks) { return engine(any_tree(ticks)); }
};

struct growing_tree_sample {
  using engine = tree_history;
  static engine draw(std::uint64_t) { return engine(any_growing_tree()); }
};

struct timeline_sample {
  using engine = timeline_history;
  static engine draw(std::uint64_t ticks) {
    return engine({.ticks = ticks, .error = *rc::gen::element(0.5, 0.01, 1e-6), .length = 3});
  }
};

struct partitioned_sample {
  using engine = history;
  static engine draw(std::uint64_t) {
    return engine({.partition = std::chrono::seconds(*rc::gen::inRange(1, 60))});
  }
};

using history_samples =
    ::testing::Types<single_sample, level_sample, growing_level_sample, tree_sample,
                     growing_tree_sample, timeline_sample, partitioned_sample>;

// Whether it knows every tick exactly while it is not sealed.
template <class History>
inline constexpr bool knows_ticks = requires(History& h) {
  h.compact();
};

// Does the work that may wait, so that equal histories have equal bytes.
template <history_engine History>
void settle(History& h) {
  if constexpr (knows_ticks<History>) h.compact();
}

}  // namespace bloomtime::support
