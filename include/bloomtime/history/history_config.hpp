#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>

#include <bloomtime/digest.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime {

struct history_config {
  // Length of a partition: at least one tick, at most 2^32, rounded down to whole ticks. Unset: a
  // day, or an hour if a day has more than 2^32 ticks.
  std::optional<std::chrono::microseconds> partition = {};
  std::uint64_t retention = 0;  // partitions to keep, the newest among them; 0: all
  // How many partitions before the newest accept late events.
  std::uint64_t late = std::numeric_limits<std::uint64_t>::max();
  // How long after the end of the newest partition an event may come, rounded up to whole
  // partitions; events further ahead are refused as `future`. Unset: any time is accepted. A
  // partition that is further ahead than `retention` or `late` reaches then makes older ones late,
  // or drops them, only when a second partition near it is opened: neither a gap nor one wrong
  // timestamp ends a history.
  std::optional<std::chrono::microseconds> ahead = {};
  // Bytes for the tables of what is not sealed, at least 1 MiB. A table is compacted when it has
  // 4096 items or 65,536 sightings, about 1 MB. The limit matters if late events come into many
  // partitions at once.
  std::uint64_t live_memory = std::uint64_t{64} << 20;
  // Bytes that all partitions should take, except those in files. Above it, more old neighbours are
  // joined. Nothing is dropped: over_budget() tells whether it is exceeded. 0: no limit.
  std::uint64_t memory = 0;
  // For each partition: the probability that a query about `length` ticks is answered "maybe"
  // because of items that are kept without names; see timeline_config.
  double error = 1e-9;
  std::uint64_t length = 128;
  std::chrono::microseconds tick = std::chrono::seconds(1);
  instant origin = {};
  hash_seed seed = 0;
};

}  // namespace bloomtime
