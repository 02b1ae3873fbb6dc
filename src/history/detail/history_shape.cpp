#include <bloomtime/history/detail/history_shape.hpp>

#include <string>

#include <bloomtime/error.hpp>
#include <bloomtime/history/detail/timeline.hpp>

#include "math/expect.hpp"

namespace bloomtime::detail {
namespace {

constexpr std::uint64_t least_live_memory = std::uint64_t{1} << 20;

void expect_all(const history_shape& shape, errc code) {
  const auto expect = [&](bool holds, const char* what, std::uint64_t came) {
    if (!holds) throw error(code, std::string(what) + ", got " + math::text_of(came));
  };
  expect(shape.partition >= 1 && shape.partition <= most_timeline_ticks,
         "a partition has 1 to 2^32 ticks; use a shorter partition or a longer tick",
         shape.partition);
  expect(shape.ahead >= 1, "`ahead` must allow at least the next partition", shape.ahead);
  expect(shape.config.live_memory >= least_live_memory, "live_memory must be at least 1 MiB",
         shape.config.live_memory);
}

std::uint64_t whole_ticks(std::chrono::microseconds length, std::chrono::microseconds tick) {
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(length / tick));
}

std::uint64_t default_partition(std::chrono::microseconds tick) {
  const std::uint64_t day = whole_ticks(std::chrono::hours(24), tick);
  return day <= most_timeline_ticks ? day : whole_ticks(std::chrono::hours(1), tick);
}

// So many ticks, or the longest duration there is.
std::chrono::microseconds duration_of(std::uint64_t ticks, std::chrono::microseconds tick) {
  constexpr auto most = std::chrono::microseconds::max();
  if (ticks > static_cast<std::uint64_t>(most / tick)) return most;
  return static_cast<std::int64_t>(ticks) * tick;
}

void expect_duration(bool holds, const char* what, std::chrono::microseconds came) {
  if (holds) return;
  throw error(errc::invalid_argument,
              std::string(what) + ", got " + std::to_string(came.count()) + " microseconds");
}

}  // namespace

history_shape history_shape::of(history_config config) {
  (void)tick_clock(config.tick, config.origin);  // refuses any that is not positive
  if (!(config.error > 0 && config.error < 1) || config.length == 0) {
    throw error(errc::invalid_argument,
                "a history needs an error between 0 and 1, and a length of at least one tick; "
                "got " +
                    math::text_of(config.error) + " and " + math::text_of(config.length));
  }
  history_shape shape{.config = config, .partition = default_partition(config.tick)};
  if (config.partition) {
    expect_duration(config.partition->count() > 0, "a partition must be longer than 0",
                    *config.partition);
    shape.partition = whole_ticks(*config.partition, config.tick);
  }
  if (config.ahead) {
    expect_duration(config.ahead->count() >= 0, "`ahead` must not be negative", *config.ahead);
    const auto ticks = static_cast<std::uint64_t>(*config.ahead / config.tick);
    shape.ahead = ticks / shape.partition + 1;
  }
  expect_all(shape, errc::invalid_argument);
  shape.config.partition = duration_of(shape.partition, config.tick);
  return shape;
}

history_shape history_shape::stored(history_config config, std::uint64_t partition,
                                    std::uint64_t ahead) {
  history_shape shape{.config = config, .partition = partition, .ahead = ahead};
  expect_all(shape, errc::corrupt);
  shape.config.partition = duration_of(partition, config.tick);
  if (ahead == any_number) return shape;
  const bool fits = ahead - 1 <= any_number / partition;
  shape.config.ahead = duration_of(fits ? (ahead - 1) * partition : any_number, config.tick);
  return shape;
}

}  // namespace bloomtime::detail
