#include <bloomtime/history/history.hpp>

#include <string>

#include "../math/expect.hpp"

namespace bloomtime::detail {
namespace {

constexpr std::string_view name = "a history of partitions";
constexpr std::uint32_t table_section = 1;
constexpr std::uint32_t containers_section = 2;
constexpr std::uint64_t entry_bytes = 24;
constexpr std::uint64_t least_live_memory = std::uint64_t{1} << 20;

void expect_all(const history_config& c, errc code) {
  const auto expect = [&](bool holds, const char* what, std::uint64_t came) {
    if (!holds) throw error(code, std::string(what) + ", got " + math::text_of(came));
  };
  expect(c.partition >= 1 && c.partition <= most_timeline_ticks, "a partition has 1 to 2^32 ticks",
         c.partition);
  expect(c.ahead >= 1, "an event may open at least the next partition", c.ahead);
  expect(c.live_memory >= least_live_memory,
         "the tables of a history take at least 1 MiB before they are compacted", c.live_memory);
}

}  // namespace

void expect_config(const history_config& config) { expect_all(config, errc::invalid_argument); }

void history_index::add(std::uint64_t first, std::uint64_t joined,
                        std::span<const std::byte> container) {
  table.u64(first);
  table.u64(joined);
  table.u64(container.size());
  containers.bytes(container);
  ++count;
}

container_writer history_index::writer() const {
  container_writer out({.family = family::history,
                        .engine = engine_id,
                        .seed = config.seed,
                        .clock = tick_clock(config.resolution, config.origin)});
  byte_writer& p = out.parameters();
  p.u64(config.partition);
  p.u64(config.retention);
  p.u64(config.late);
  p.u64(config.ahead);
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
  view.expect_kind(family::history, engine_id, name);
  const container_info& info = view.info();
  if (!info.clock || info.layout != 0) refuse_parameters(name);
  byte_reader in = view.parameters();
  history_index index;
  index.config = {.partition = in.u64(),
                  .retention = in.u64(),
                  .late = in.u64(),
                  .ahead = in.u64(),
                  .live_memory = in.u64(),
                  .memory = in.u64(),
                  .resolution = info.clock->resolution(),
                  .origin = info.clock->origin(),
                  .seed = info.seed};
  expect_all(index.config, errc::corrupt);
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
  const std::uint64_t most = most_ticks / index.config.partition;  // partitions
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
