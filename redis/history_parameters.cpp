#include <algorithm>

#include "history.hpp"
#include "settings.hpp"

namespace bloomtime::redis {
namespace {

constexpr std::uint64_t day_ms = 86'400'000;
// Of the published engines: sizing them takes time in proportion to it.
constexpr std::uint64_t most_granules = 10'000;

std::uint64_t ratio_up(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

// Partitions are dropped as a whole, so a 16th of the retention, in whole granules; a day at most.
void set_retention(any_history_config& config, std::uint64_t granularity_ms,
                   std::uint64_t retention_ms) {
  const std::uint64_t wanted = std::min(day_ms, ratio_up(retention_ms, 16));
  const std::uint64_t partition_ms = ratio_up(wanted, granularity_ms) * granularity_ms;
  config.partition = span_of_ms(partition_ms);
  config.retention = ratio_up(retention_ms, partition_ms) + 1;
}

}  // namespace

bool history_family::parameters::read_granularity(arguments& in) {
  if (!in.option("GRANULARITY")) return false;
  granularity_ms = in.span_ms("granularity");
  return true;
}

bool history_family::parameters::read_option(arguments& in) {
  if (read_basic(in) || read_granularity(in)) return true;
  if (in.option("RETENTION")) {
    retention_ms = in.span_ms("retention");
  } else if (in.option("START")) {
    start_ms = in.time_ms("start");
  } else {
    return false;
  }
  return true;
}

void history_family::parameters::expect_same(const content& filter) const {
  expect_basic(filter);
  if (granularity_ms && span_of_ms(*granularity_ms) != filter.clock().resolution()) {
    fail("bad granularity: the key has another one");
  }
}

void history_family::parameters::resolve() {
  if (!granularity_ms) granularity_ms = configured().granularity_ms;
  resolve_basic(history::name);
  if (engine == history::name) return;
  if (!retention_ms) fail("ENGINE " + std::string(engine.substr(0, 64)) + " needs RETENTION");
  if (!start_ms) start_ms = now_ms();
}

void history_family::parameters::write_options(canonical_form& form) const {
  form.add("GRANULARITY", *granularity_ms);
  if (retention_ms) form.add("RETENTION", *retention_ms);
  if (start_ms) form.add("START", *start_ms);
  write_basic(form);
}

history_family::content history_family::parameters::make() const {
  any_history_config config;
  config.tick = span_of_ms(*granularity_ms);
  config.origin = from_ms(start_ms.value_or(0));
  config.error = error;
  config.seed = *seed;
  if (engine == history::name) {
    if (retention_ms) set_retention(config, *granularity_ms, *retention_ms);
    return any_history::make(config, engine);
  }
  // The others have one span of time, which begins with START and does not move.
  if (retention_ms) config.ticks = ratio_up(*retention_ms, *granularity_ms);
  if (engine != timeline_history::name) {
    if (config.ticks.value_or(0) > most_granules) {
      fail("retention must have at most " + std::to_string(most_granules) + " granules");
    }
    config.pairs = *capacity;
  }
  if (engine == "tree_history" || engine == "level_history") config.items = *capacity;
  return any_history::make(config, engine);
}

// What is not compacted yet takes at most 128 bytes for a sighting, in a table that doubles up to 1
// MiB.
std::uint64_t history_family::growth(const content& filter, const additions& items,
                                     std::uint64_t memory) {
  const bool grows = filter.engine() == history::name || filter.engine() == timeline_history::name;
  if (!grows) return 0;
  return 128 * items.size() + std::min(memory, std::uint64_t{1} << 20) + 8192;
}

}  // namespace bloomtime::redis
