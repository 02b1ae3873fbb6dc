#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <bloomtime/time.hpp>

// The traces of the history experiments: which item was seen in which tick.
namespace experiments {

struct record {
  std::uint32_t item;
  std::uint32_t tick;

  friend bool operator==(const record&, const record&) = default;
};

struct trace {
  std::string name;
  std::vector<record> records;  // in order of time
  std::vector<record> pairs;    // the same without repeats
  std::uint32_t items = 0;      // numbered from 0
  std::uint32_t ticks = 0;
};

// The published counts of Peng et al. 2018. The logs themselves are not available.
struct counts {
  const char* name;
  std::uint64_t records;
  std::uint32_t items;
  std::uint64_t pairs;  // of item and tick, all different
  std::uint32_t ticks;
};

inline constexpr counts edgar{"edgar", 5'582'073, 25'497, 2'127'749, 86'400};
inline constexpr counts network{"network", 2'546'560, 124'427, 2'199'573, 86'400};

// When an item is seen: in runs, of 3000 ticks on average of which it is seen in 95 %, or of 300
// and 50 %; at any time; or in bursts that begin by day rather than by night. The clustering of
// the pairs determines the error of a history of levels, and the published counts do not tell it.
enum class times : std::uint8_t { dense, bursty, uniform, diurnal };

struct generated {
  counts of;
  times when;
};

std::string name_of(const generated& g);

// All counts are exact. The same seed gives the same trace.
trace trace_of(const generated& g, std::uint64_t seed);

inline constexpr generated all_generated[] = {
    {edgar, times::dense},
    {edgar, times::bursty},
    {edgar, times::uniform},
    {network, times::diurnal},
};

// Logs of servers in ../shared/data, if there. Says on standard error which are missing.
std::vector<trace> real_traces();

// From records in order of time: pairs too.
void without_repeats(trace& t);

// `ticks` ticks from `first` on, which becomes tick 0.
trace part_of(const trace& t, std::uint32_t first, std::uint32_t ticks);

inline bloomtime::instant at(std::uint32_t tick) { return bloomtime::instant::from_seconds(tick); }

}  // namespace experiments
