#include <algorithm>
#include <bit>
#include <string>

#include <bloomtime/error.hpp>
#include <bloomtime/history/any_history.hpp>
#include <bloomtime/published/persistent/learning.hpp>
#include <bloomtime/published/persistent/levels.hpp>
#include <bloomtime/published/persistent/sizes.hpp>

#include "detail/handle.hpp"

// The parameters of each engine, taken from those of all.
namespace bloomtime {

using published::level_history;
using published::single_history;
using published::tree_history;

namespace {

constexpr std::uint64_t usual_length = 128;  // of a question, in ticks

template <class Config>
Config config_for(const any_history_config& given, std::string_view engine, Config own = {}) {
  own.tick = given.tick;
  own.origin = given.origin;
  own.seed = given.seed;
#define PASS(parameter) BLOOMTIME_PASS_PARAMETER(given, own, engine, parameter)
  PASS(error);
  PASS(length);
  PASS(memory);
  PASS(partition);
  PASS(ahead);
  PASS(retention);
  PASS(late);
  PASS(live_memory);
  PASS(first);
  PASS(ticks);
  PASS(pairs);
  PASS(items);
  PASS(granularity);
#undef PASS
  return own;
}

history made(const any_history_config& c, std::type_identity<history>) {
  return history(config_for<history_config>(c, history::name));
}

timeline_history made(const any_history_config& c, std::type_identity<timeline_history>) {
  if (!c.ticks) detail::require_parameter(timeline_history::name, "ticks");
  return timeline_history(config_for<timeline_config>(c, timeline_history::name));
}

single_history made(const any_history_config& c, std::type_identity<single_history>) {
  if (!c.pairs) detail::require_parameter(single_history::name, "pairs");
  if (!c.ticks) detail::require_parameter(single_history::name, "ticks");
  return single_history(
      config_for<published::single_config>(c, single_history::name, {.length = usual_length}));
}

// tree_history and level_history have filters of given sizes. Here they are sized by what is
// expected.
template <class Config>
struct sized_config : Config {
  std::optional<double> error = {};
  std::optional<std::uint64_t> memory = {};
  std::uint64_t length = usual_length;
  std::uint64_t pairs = 0;
  std::uint64_t items = 0;

  math::history_counts counts() const {
    return {.pairs = pairs, .items = items, .ticks = this->ticks};
  }
};

template <class Engine, class Config>
sized_config<Config> sized_config_for(const any_history_config& c) {
  auto own = config_for<sized_config<Config>>(c, Engine::name);
  if (!c.pairs) detail::require_parameter(Engine::name, "pairs");
  if (!c.items) detail::require_parameter(Engine::name, "items");
  if (!c.ticks) detail::require_parameter(Engine::name, "ticks");
  if (c.error.has_value() == c.memory.has_value()) {
    throw error(errc::invalid_argument, std::string(Engine::name) +
                                            " is sized by error or by memory; got " +
                                            (c.error ? "both" : "neither"));
  }
  own.length = std::min(own.length, own.ticks);
  return own;
}

level_history made(const any_history_config& c, std::type_identity<level_history>) {
  auto own = sized_config_for<level_history, published::level_config>(c);
  const math::history_counts counts = own.counts();
  const std::uint64_t bits = own.memory ? 8 * *own.memory
                                        : published::level_size(published::level_rule::optimal,
                                                                counts, *own.error, own.length)
                                              .bits;
  const std::vector<double> keys = published::guessed_keys(counts);
  const auto probes = published::cover_profile(own.length, static_cast<unsigned>(keys.size()));
  std::vector<published::filter_load> loads;
  for (std::size_t h = 0; h < keys.size(); ++h) loads.push_back({keys[h], probes[h]});
  own.levels = published::allocate_bits(loads, bits);
  if (own.levels.front().bits == 0) own.levels.front() = {64, 1};
  return level_history(own);
}

tree_history made(const any_history_config& c, std::type_identity<tree_history>) {
  auto own = sized_config_for<tree_history, published::tree_config>(c);
  const math::history_counts counts = own.counts();
  const auto nodes = tree_history::nodes_for(own.ticks, own.granularity);
  const std::uint64_t bits =
      own.memory ? 8 * *own.memory
                 : published::tree_size(counts, own.granularity, *own.error, own.length).bits;
  const std::vector<double> keys = published::guessed_keys(counts);
  const auto leaf = static_cast<std::size_t>(std::countr_zero(own.granularity));
  const published::tree_profile asked = published::tree_cover_profile(
      own.length, own.granularity, static_cast<unsigned>(nodes.size()));
  published::tree_loads loads{.nodes = {},
                              .pairs = {static_cast<double>(counts.pairs), asked.part_ticks}};
  for (std::size_t h = 0; h < nodes.size(); ++h) {
    const auto count = static_cast<double>(nodes[h]);
    const double probes = asked.nodes[h] + (h == 0 ? asked.parts : 0);
    loads.nodes.emplace_back(
        nodes[h],
        published::filter_load{keys[std::min(keys.size() - 1, leaf + h)] / count, probes / count});
  }
  own.sizes = published::allocate_tree(loads, bits);
  return tree_history(own);
}

}  // namespace

any_history any_history::make(const any_history_config& config, std::string_view engine) {
  return make_named(engine, [&](auto type) { return made(config, type); });
}

}  // namespace bloomtime
