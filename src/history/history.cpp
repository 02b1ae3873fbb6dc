#include <bloomtime/history/history.hpp>

#include <algorithm>
#include <chrono>
#include <string>

#include "math/expect.hpp"

namespace bloomtime::detail {
namespace {

constexpr std::string_view name = "a history of partitions";
constexpr std::uint32_t table_section = 1;
constexpr std::uint32_t containers_section = 2;
constexpr std::uint64_t entry_bytes = 24;
constexpr std::uint64_t least_live_memory = std::uint64_t{1} << 20;

void expect_all(const history_shape& shape, errc code) {
  const auto expect = [&](bool holds, const char* what, std::uint64_t came) {
    if (!holds) throw error(code, std::string(what) + ", got " + math::text_of(came));
  };
  expect(shape.partition >= 1 && shape.partition <= most_timeline_ticks,
         "a partition has 1 to 2^32 ticks; use a shorter partition or a coarser resolution",
         shape.partition);
  expect(shape.ahead >= 1, "an event may open at least the next partition", shape.ahead);
  expect(shape.config.live_memory >= least_live_memory,
         "the tables of a history take at least 1 MiB before they are compacted",
         shape.config.live_memory);
}

std::uint64_t whole_ticks(std::chrono::microseconds length, std::chrono::microseconds resolution) {
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(length / resolution));
}

std::uint64_t default_partition(std::chrono::microseconds resolution) {
  const std::uint64_t day = whole_ticks(std::chrono::hours(24), resolution);
  return day <= most_timeline_ticks ? day : whole_ticks(std::chrono::hours(1), resolution);
}

// So many ticks or the longest there is.
std::chrono::microseconds duration_of(std::uint64_t ticks, std::chrono::microseconds resolution) {
  constexpr auto most = std::chrono::microseconds::max();
  if (ticks > static_cast<std::uint64_t>(most / resolution)) return most;
  return static_cast<std::int64_t>(ticks) * resolution;
}

void expect_duration(bool holds, const char* what, std::chrono::microseconds came) {
  if (holds) return;
  throw error(errc::invalid_argument,
              std::string(what) + ", got " + std::to_string(came.count()) + " microseconds");
}

}  // namespace

history_shape history_shape::of(history_config config) {
  (void)tick_clock(config.resolution, config.origin);  // refuses other resolutions
  history_shape shape{.config = config, .partition = default_partition(config.resolution)};
  if (config.partition) {
    expect_duration(config.partition->count() > 0, "a partition is longer than 0",
                    *config.partition);
    shape.partition = whole_ticks(*config.partition, config.resolution);
  }
  if (config.ahead) {
    expect_duration(config.ahead->count() >= 0, "`ahead` is not negative", *config.ahead);
    const auto ticks = static_cast<std::uint64_t>(*config.ahead / config.resolution);
    shape.ahead = ticks / shape.partition + 1;
  }
  expect_all(shape, errc::invalid_argument);
  shape.config.partition = duration_of(shape.partition, config.resolution);
  return shape;
}

history_shape history_shape::stored(history_config config, std::uint64_t partition,
                                    std::uint64_t ahead) {
  history_shape shape{.config = config, .partition = partition, .ahead = ahead};
  expect_all(shape, errc::corrupt);
  shape.config.partition = duration_of(partition, config.resolution);
  if (ahead == any_number) return shape;
  const bool fits = ahead - 1 <= any_number / partition;
  shape.config.ahead = duration_of(fits ? (ahead - 1) * partition : any_number, config.resolution);
  return shape;
}

void history_index::add(std::uint64_t first, std::uint64_t joined,
                        std::span<const std::byte> container) {
  table.u64(first);
  table.u64(joined);
  table.u64(container.size());
  containers.bytes(container);
  ++count;
}

container_writer history_index::writer() const {
  const history_config& config = shape.config;
  container_writer out({.family = family::history,
                        .engine = shape.joins ? engine_id : apart_engine_id,
                        .seed = config.seed,
                        .clock = tick_clock(config.resolution, config.origin)});
  byte_writer& p = out.parameters();
  p.u64(shape.partition);
  p.u64(config.retention);
  p.u64(config.late);
  p.u64(shape.ahead);
  p.u64(config.live_memory);
  p.u64(config.memory);
  p.u64(known_from);
  p.u64(engine);
  p.u64(count);
  out.section(table_section, table.written());
  out.section(containers_section, containers.written());
  return out;
}

history_index history_index::read(const container_view& view, std::uint8_t engine) {
  const container_info& info = view.info();
  const bool joins = info.engine != apart_engine_id;
  view.expect_kind(family::history, joins ? engine_id : apart_engine_id, name);
  if (!info.clock || info.layout != 0) refuse_parameters(name);
  byte_reader in = view.parameters();
  history_index index;
  history_config config{
      .resolution = info.clock->resolution(), .origin = info.clock->origin(), .seed = info.seed};
  const std::uint64_t partition = in.u64();
  config.retention = in.u64();
  config.late = in.u64();
  const std::uint64_t ahead = in.u64();
  config.live_memory = in.u64();
  config.memory = in.u64();
  index.shape = history_shape::stored(config, partition, ahead);
  index.shape.joins = joins;
  index.known_from = in.u64();
  const std::uint64_t kind = in.u64();
  if (kind != engine) {
    throw error(errc::unknown_kind, "the partitions of this history are of engine " +
                                        math::text_of(kind) + ", expected engine " +
                                        math::text_of(unsigned{engine}));
  }
  const std::uint64_t count = in.u64();
  in.expect_end();
  view.expect_sections(2);
  const auto entries = view.section(table_section);
  auto containers = view.section(containers_section);
  const std::uint64_t most = most_ticks / index.shape.partition;  // partitions
  if (index.known_from > most || entries.size() % entry_bytes != 0 ||
      entries.size() / entry_bytes != count) {
    refuse_parameters(name);
  }
  byte_reader entry(entries);
  std::uint64_t least = 0;  // that may come next
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t first = entry.u64();
    const std::uint64_t joined = entry.u64();
    const std::uint64_t bytes = entry.u64();
    if (first < least || joined == 0 || joined > most || first > most - joined) {
      refuse_parameters(name);
    }
    least = first + joined;
    if (least <= index.known_from || bytes > containers.size() || bytes % line_bytes != 0) {
      refuse_parameters(name);
    }
    index.partitions.push_back({first, joined, containers.first(bytes)});
    containers = containers.subspan(bytes);
  }
  if (!containers.empty()) refuse_parameters(name);
  return index;
}

}  // namespace bloomtime::detail

namespace bloomtime {

template class basic_history<published::single_history>;
template class basic_history<published::tree_history>;
template class basic_history<published::level_history>;
template class basic_history<timeline_history>;

}  // namespace bloomtime
