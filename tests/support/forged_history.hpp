#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <bloomtime/detail/container.hpp>
#include <bloomtime/history/detail/positions.hpp>
#include <bloomtime/history/detail/timelines.hpp>
#include <bloomtime/history/history.hpp>
#include <bloomtime/history/timeline_history.hpp>

// Histories that say whatever they are told to, in containers without a fault.
namespace bloomtime::support {

struct forged_history {
  std::uint64_t ticks = 0;
  std::uint64_t first = 0;
  detail::timelines named;
  std::vector<detail::positions> nameless;
  double error = 1e-9;
  std::uint64_t length = 128;
  bool sealed = true;

  // A container of a timeline_history.
  std::vector<std::byte> bytes() const {
    detail::container_writer out({.family = family::history,
                                  .engine = timeline_history::kind.engines[0],
                                  .seed = 0,
                                  .clock = tick_clock()});
    detail::byte_writer& p = out.parameters();
    for (const std::uint64_t n : {first, ticks, std::uint64_t{1}}) p.u64(n);
    p.f64(error);
    p.u64(length);
    p.u64(sealed ? 1 : 0);
    p.u64(0);  // no table
    p.u64(0);
    const detail::timelines_shape& shape = named.shape();
    for (const std::uint64_t n : {shape.items, shape.ticks, std::uint64_t{shape.bucket_bits},
                                  std::uint64_t{shape.offset_bits}, nameless.size()}) {
      p.u64(n);
    }
    for (const detail::positions& set : nameless) {
      for (const std::uint64_t n :
           {set.shape().first, set.shape().span, set.shape().range, set.shape().count}) {
        p.u64(n);
      }
    }
    const detail::buffer table(detail::stream_bytes(0));
    out.section(1, named.directory().bytes());
    out.section(2, named.stream().bytes());
    out.section(3, table.bytes());
    for (std::uint32_t i = 0; i < nameless.size(); ++i) {
      out.section(16 + 2 * i, nameless[i].marks().bytes());
      out.section(17 + 2 * i, nameless[i].list().bytes());
    }
    return out.bytes();
  }

  // A container of a history with this as its only part, a block of `count` partitions.
  std::vector<std::byte> as_partition(std::uint64_t count = 1) const {
    const history_config config{};
    detail::container_writer out({.family = family::history,
                                  .engine = history::kind.engines[0],
                                  .seed = 0,
                                  .clock = tick_clock()});
    const std::vector<std::byte> container = bytes();
    constexpr std::uint64_t any_number = UINT64_MAX;
    for (const std::uint64_t n :
         {ticks / count, config.retention, config.late, any_number, config.live_memory,
          config.memory, std::uint64_t{0}, std::uint64_t{timeline_history::kind.engines[0]},
          std::uint64_t{1}}) {
      out.parameters().u64(n);
    }
    detail::byte_writer table;
    for (const std::uint64_t n : {first / (ticks / count), count, container.size()}) {
      table.u64(n);
    }
    out.section(1, std::move(table).written());
    out.section(2, container);
    return out.bytes();
  }
};

// Every item in all ticks but the last `gap`.
inline forged_history of_long_runs(std::uint64_t ticks, const std::vector<digest>& items,
                                   std::uint64_t gap = 0) {
  std::vector<std::uint64_t> keys;
  for (const digest& d : items) keys.push_back(detail::timeline_key(d));
  std::sort(keys.begin(), keys.end());
  detail::timelines_writer out(ticks, keys.size());
  for (const std::uint64_t key : keys) {
    detail::tick_runs run{{0, static_cast<std::uint32_t>(ticks - 1 - gap)}};
    out.add(key, run);
  }
  return {.ticks = ticks, .first = 0, .named = out.finish(), .nameless = {}};
}

}  // namespace bloomtime::support
