#include <bloomtime/history/history.hpp>

#include <string>

#include "../math/expect.hpp"

namespace bloomtime::detail {
namespace {

constexpr std::string_view name = "a history of partitions";
constexpr std::uint32_t first_section = 16;
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

container_writer history_index::writer() const {
  container_writer out({.family = family::history,
                        .engine = engine_id,
                        .seed = config.seed,
                        .clock = clock(config.resolution, config.origin)});
  byte_writer& p = out.parameters();
  p.u64(config.partition);
  p.u64(config.retention);
  p.u64(config.late);
  p.u64(config.ahead);
  p.u64(config.live_memory);
  p.u64(config.memory);
  p.u64(known_from);
  p.u64(engine);
  p.u64(partitions.size());
  for (std::size_t i = 0; i < partitions.size(); ++i) {
    p.u64(partitions[i].first);
    p.u64(partitions[i].count);
    out.section(first_section + static_cast<std::uint32_t>(i), partitions[i].container);
  }
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
  view.expect_sections(count);
  const std::uint64_t most = most_ticks / index.config.partition;  // partitions
  if (index.known_from > most) refuse_parameters(name);
  std::uint64_t least = 0;  // that may come next
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t first = in.u64();
    const std::uint64_t joined = in.u64();
    if (first < least || joined == 0 || joined > most || first > most - joined) {
      refuse_parameters(name);
    }
    least = first + joined;
    if (least <= index.known_from) refuse_parameters(name);
    index.partitions.push_back(
        {first, joined, view.section(first_section + static_cast<std::uint32_t>(i))});
  }
  in.expect_end();
  return index;
}

}  // namespace bloomtime::detail
