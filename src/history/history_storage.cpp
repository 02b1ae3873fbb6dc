#include <bit>
#include <string>
#include <utility>
#include <vector>

#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/storing.hpp>
#include <bloomtime/error.hpp>
#include <bloomtime/history/detail/tick_span.hpp>
#include <bloomtime/history/history.hpp>

#include "math/expect.hpp"

namespace bloomtime {
namespace {

constexpr std::uint32_t table_section = 1;
// The containers of all partitions behind one another, since there may be more of them than a
// container has sections.
constexpr std::uint32_t containers_section = 2;
constexpr std::uint64_t entry_bytes = 24;
constexpr std::uint8_t joining_engine = history::kind.engines[0];
constexpr std::uint8_t apart_engine = history::kind.engines[1];
constexpr std::uint8_t partition_engine = timeline_history::kind.engines[0];

bool has_usual_error(const history_config& c) noexcept {
  const history_config usual;
  return c.error == usual.error && c.length == usual.length;
}

}  // namespace

void history::write(detail::container_writer& out) const {
  out.info().engine = shape_.joins ? joining_engine : apart_engine;
  out.info().seed = shape_.config.seed;
  out.info().clock = clock_;
  detail::byte_writer table;
  std::vector<detail::container_writer> containers;
  containers.reserve(parts_.all().size());
  for (const auto& [first, p] : parts_.all()) {
    containers.push_back(p.engine.container());
    table.u64(first);
    table.u64(p.count);
    table.u64(containers.back().size());
  }
  detail::byte_writer& parameters = out.parameters();
  parameters.u64(shape_.partition);
  parameters.u64(shape_.config.retention);
  parameters.u64(shape_.config.late);
  parameters.u64(shape_.ahead);
  parameters.u64(shape_.config.live_memory);
  parameters.u64(shape_.config.memory);
  parameters.u64(known_from_);
  parameters.u64(partition_engine);
  parameters.u64(parts_.all().size());
  if (parts_.all().empty() && !has_usual_error(shape_.config)) {  // otherwise partitions have it
    parameters.f64(shape_.config.error);
    parameters.u64(shape_.config.length);
  }
  out.section(table_section, std::move(table).written());
  out.section(containers_section, std::move(containers));
}

// Partitions answer from the bytes of the container, of which only the heads are checked.
history history::read(const detail::container_view& view) {
  const detail::container_info& info = view.info();
  if (!info.clock || info.layout != 0) contradict();
  detail::byte_reader in = view.parameters();
  history_config config{
      .tick = info.clock->resolution(), .origin = info.clock->origin(), .seed = info.seed};
  const std::uint64_t partition = in.u64();
  config.retention = in.u64();
  config.late = in.u64();
  const std::uint64_t ahead = in.u64();
  config.live_memory = in.u64();
  config.memory = in.u64();
  auto shape = detail::history_shape::stored(config, partition, ahead);
  shape.joins = info.engine != apart_engine;
  history h(shape, in.u64());
  const std::uint64_t engine = in.u64();
  if (engine != partition_engine) {
    throw error(errc::unknown_kind, "the partitions of this history are of engine " +
                                        math::text_of(engine) + ", expected engine " +
                                        math::text_of(unsigned{partition_engine}));
  }
  const std::uint64_t count = in.u64();
  if (count == 0 && in.remaining() != 0) {
    history_config& c = h.shape_.config;
    c.error = in.f64();
    c.length = in.u64();
    expect(c.error > 0 && c.error < 1 && c.length != 0 && !has_usual_error(c));
  }
  in.expect_end();
  h.read_partitions(view, count);
  h.find_present();
  return h;
}

void history::read_partitions(const detail::container_view& view, std::uint64_t count) {
  view.expect_sections(2);
  const auto entries = view.section(table_section);
  auto containers = view.section(containers_section);
  const std::uint64_t most = detail::most_ticks / shape_.partition;  // partitions
  if (known_from_ > most || entries.size() % entry_bytes != 0 ||
      entries.size() / entry_bytes != count) {
    contradict();
  }
  detail::byte_reader entry(entries);
  std::uint64_t least = 0;  // that may come next
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t first = entry.u64();
    const std::uint64_t joined = entry.u64();
    const std::uint64_t bytes = entry.u64();
    // A block is a power of two of partitions and begins at a multiple of it. Others would overlap
    // with those that are made by joining.
    const bool aligned = std::has_single_bit(joined) && first % joined == 0;
    if (first < least || !aligned || joined > most || first > most - joined) contradict();
    least = first + joined;
    if (least <= known_from_ || bytes == 0 || bytes > containers.size() ||
        bytes % detail::line_bytes != 0) {
      contradict();
    }
    detail::partition p(joined, timeline_history::view(containers.first(bytes)));
    p.lent = containers.first(bytes);
    containers = containers.subspan(bytes);
    if (p.engine.first() != first * shape_.partition ||
        p.engine.ticks() != joined * shape_.partition || p.engine.clock() != clock_ ||
        p.engine.seed() != seed()) {
      throw error(errc::corrupt, "a partition should span " +
                                     std::to_string(joined * shape_.partition) + " ticks from " +
                                     std::to_string(first * shape_.partition) +
                                     ", with the clock and seed of its history; it spans " +
                                     std::to_string(p.engine.ticks()) + " from " +
                                     std::to_string(p.engine.first()));
    }
    shape_.config.error = p.engine.config().error;
    shape_.config.length = p.engine.config().length;
    parts_.put(first, std::move(p));
  }
  if (!containers.empty()) contradict();
}

void history::expect_sound() const {
  for (const auto& [first, p] : parts_.all()) timeline_history::verify(p.lent);
}

template class detail::stored<history>;

}  // namespace bloomtime
