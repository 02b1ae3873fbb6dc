#include "history/any_history_config.hpp"

#include <algorithm>
#include <string>

#include <bloomtime/error.hpp>
#include <bloomtime/math/history.hpp>
#include <bloomtime/math/history_size.hpp>
#include <bloomtime/published/persistent/learning.hpp>

namespace bloomtime::detail {
namespace {

constexpr std::uint64_t usual_length = 128;  // of a question, in ticks

[[noreturn]] void refuse(const std::string& why) { throw error(errc::invalid_argument, why); }

std::uint64_t required(const std::optional<std::uint64_t>& value, const char* name) {
  if (!value) refuse(std::string("this history engine needs ") + name);
  return *value;
}

math::history_counts counts_of(const any_history_config& c) {
  return {.pairs = required(c.pairs, "pairs"),
          .items = required(c.items, "items"),
          .ticks = required(c.ticks, "ticks")};
}

// From memory, or what size(error) says.
template <class Size>
std::uint64_t bits_of(const any_history_config& c, Size&& size) {
  if (c.error.has_value() == c.memory.has_value()) {
    refuse(std::string("this history engine is sized by error or by memory; got ") +
           (c.error ? "both" : "neither"));
  }
  return c.memory ? 8 * *c.memory : size(*c.error).bits;
}

}  // namespace

void expect_parameters(const any_history_config& config, std::string_view engine) {
  const bool partitions = engine == "history";
  const bool timelines = engine == "timeline_history";
  const bool tree = engine == "tree_history";
  const bool filters = !partitions && !timelines;
  const auto expect = [&](bool has, bool given, const char* name) {
    if (given && !has) {
      refuse("the history engine " + std::string(engine) + " has no parameter " + name);
    }
  };
  expect(!timelines, config.memory.has_value(), "memory");
  expect(partitions, config.partition.has_value(), "partition");
  expect(partitions, config.ahead.has_value(), "ahead");
  expect(partitions, config.retention.has_value(), "retention");
  expect(partitions, config.late.has_value(), "late");
  expect(partitions, config.live_memory.has_value(), "live_memory");
  expect(!partitions, config.first.has_value(), "first");
  expect(!partitions, config.ticks.has_value(), "ticks");
  expect(filters, config.pairs.has_value(), "pairs");
  expect(filters && engine != "single_history", config.items.has_value(), "items");
  expect(tree, config.granularity.has_value(), "granularity");
}

history_config history_config_of(const any_history_config& c) {
  history_config made{.partition = c.partition,
                      .ahead = c.ahead,
                      .resolution = c.tick,
                      .origin = c.origin,
                      .seed = c.seed};
  made.retention = c.retention.value_or(made.retention);
  made.late = c.late.value_or(made.late);
  made.live_memory = c.live_memory.value_or(made.live_memory);
  made.memory = c.memory.value_or(made.memory);
  made.error = c.error.value_or(made.error);
  made.length = c.length.value_or(made.length);
  return made;
}

timeline_config timeline_config_of(const any_history_config& c) {
  timeline_config made{.first = c.first.value_or(0),
                       .ticks = required(c.ticks, "ticks"),
                       .resolution = c.tick,
                       .origin = c.origin,
                       .seed = c.seed};
  made.error = c.error.value_or(made.error);
  made.length = c.length.value_or(made.length);
  return made;
}

published::single_config single_config_of(const any_history_config& c) {
  return {.pairs = required(c.pairs, "pairs"),
          .error = c.error,
          .length = c.length.value_or(usual_length),
          .memory = c.memory,
          .ticks = required(c.ticks, "ticks"),
          .first = c.first.value_or(0),
          .resolution = c.tick,
          .origin = c.origin,
          .seed = c.seed};
}

published::level_config level_config_of(const any_history_config& c) {
  const math::history_counts counts = counts_of(c);
  const std::uint64_t length = std::min(c.length.value_or(usual_length), counts.ticks);
  const std::uint64_t bits = bits_of(c, [&](double error) {
    return math::level_size(math::level_rule::optimal, counts, error, length);
  });
  const std::vector<double> keys = math::guessed_keys(counts);
  const auto probes = math::cover_profile(length, static_cast<unsigned>(keys.size()));
  std::vector<math::filter_load> loads;
  for (std::size_t h = 0; h < keys.size(); ++h) loads.push_back({keys[h], probes[h]});
  published::level_config made{.ticks = counts.ticks,
                               .first = c.first.value_or(0),
                               .levels = math::allocate_bits(loads, bits),
                               .resolution = c.tick,
                               .origin = c.origin,
                               .seed = c.seed};
  if (made.levels.front().bits == 0) made.levels.front() = {64, 1};
  return made;
}

published::tree_config tree_config_of(const any_history_config& c) {
  const math::history_counts counts = counts_of(c);
  const std::uint64_t length = std::min(c.length.value_or(usual_length), counts.ticks);
  published::tree_config made{.ticks = counts.ticks,
                              .first = c.first.value_or(0),
                              .resolution = c.tick,
                              .origin = c.origin,
                              .seed = c.seed};
  made.granularity = c.granularity.value_or(made.granularity);
  const auto nodes = published::tree_history::nodes_for(made.ticks, made.granularity);
  const std::uint64_t bits = bits_of(
      c, [&](double error) { return math::tree_size(counts, made.granularity, error, length); });
  const std::vector<double> keys = math::guessed_keys(counts);
  const auto leaf = static_cast<std::size_t>(std::countr_zero(made.granularity));
  const math::tree_profile asked =
      math::tree_cover_profile(length, made.granularity, static_cast<unsigned>(nodes.size()));
  published::tree_loads loads{.nodes = {},
                              .pairs = {static_cast<double>(counts.pairs), asked.part_ticks}};
  for (std::size_t h = 0; h < nodes.size(); ++h) {
    const auto count = static_cast<double>(nodes[h]);
    const double probes = asked.nodes[h] + (h == 0 ? asked.parts : 0);
    loads.nodes.emplace_back(
        nodes[h],
        math::filter_load{keys[std::min(keys.size() - 1, leaf + h)] / count, probes / count});
  }
  made.sizes = published::allocate_tree(loads, bits);
  return made;
}

}  // namespace bloomtime::detail
