#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>

#include <bloomtime/time.hpp>

namespace bloomtime {

struct history_config {
  // Length of a partition: at least one tick, at most 2^32, rounded down to whole ticks. Unset: a
  // day, or an hour if a day has more than 2^32 ticks.
  std::optional<std::chrono::microseconds> partition = {};
  std::uint64_t retention = 0;  // partitions to keep, the newest among them; 0: all
  // Partitions before the newest that accept late events.
  std::uint64_t late = std::numeric_limits<std::uint64_t>::max();
  // How long after the end of the newest partition an event may come, rounded up to whole
  // partitions; later events are refused as `future`. Unset: any time is accepted, and a partition
  // further ahead than `retention` or `late` reaches makes older ones late or drops them only when
  // a second partition near it is opened. So neither a gap nor a single wrong timestamp ends a
  // history.
  std::optional<std::chrono::microseconds> ahead = {};
  // Bytes of the tables of what is not sealed, at least 1 MiB. A table has at most 4096 items and
  // 65,536 sightings, about 1 MB, before it is compacted; this matters if events come late into
  // many partitions at once.
  std::uint64_t live_memory = std::uint64_t{64} << 20;
  // Bytes that all partitions should take, except those in files; beyond it more old neighbours are
  // joined than otherwise. Nothing is dropped to keep it: over_budget() tells when it is exceeded.
  // 0: any number.
  std::uint64_t memory = 0;
  // The probability that a question about `length` ticks is answered "maybe" because of items that
  // are kept without names; see timeline_config. Of each partition.
  double error = 1e-9;
  std::uint64_t length = 128;
  std::chrono::microseconds resolution = std::chrono::seconds(1);
  instant origin = {};
  std::uint64_t seed = 0;
};

}  // namespace bloomtime
