#include <bloomtime/recency/any_recency.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include <bloomtime/detail/file.hpp>
#include <bloomtime/error.hpp>
#include <bloomtime/recency/recency_engine.hpp>

#include "recency/any_recency_facts.hpp"

namespace bloomtime {
namespace {

static_assert(timed_recency_engine<recency_filter>);
static_assert(timed_recency_engine<age_partitioned_filter>);
static_assert(recency_engine<published::timing_filter>);
static_assert(recency_engine<published::generalized_filter>);
static_assert(recency_engine<published::recent_buffer>);

using engines_type = any_recency::engines_type;

// In the order of the variant.
constexpr std::array<std::string_view, 5> names{"recency_filter", "age_partitioned_filter",
                                                "timing_filter", "generalized_filter",
                                                "recent_buffer"};
static_assert(names.size() == std::variant_size_v<engines_type>);

[[noreturn]] void refuse(const std::string& why) { throw error(errc::invalid_argument, why); }

// -- making ------------------------------------------------------------------------------------

std::string listed(std::span<const std::string_view> all) {
  std::string text;
  for (const std::string_view name : all) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

void expect_only(const any_recency_config& c, std::string_view engine,
                 std::span<const std::string_view> known) {
  const std::array<std::pair<std::string_view, bool>, 17> given{{
      {"window", c.window.has_value()},
      {"last", c.last.has_value()},
      {"items", c.items.has_value()},
      {"error", c.error.has_value()},
      {"memory", c.memory.has_value()},
      {"tick", c.tick.has_value()},
      {"ticks", c.ticks.has_value()},
      {"refresh", c.refresh.has_value()},
      {"ahead", c.ahead.has_value()},
      {"evenly", c.evenly.has_value()},
      {"layout", c.layout.has_value()},
      {"audit", c.audit.has_value()},
      {"k", c.k.has_value()},
      {"k0", c.k0.has_value()},
      {"k1", c.k1.has_value()},
      {"bits", c.bits.has_value()},
      {"sweep", c.sweep.has_value()},
  }};
  for (const auto& [name, is_given] : given) {
    if (!is_given || std::find(known.begin(), known.end(), name) != known.end()) continue;
    refuse(std::string(engine) + " has no parameter " + std::string(name) + "; it has " +
           listed(known));
  }
}

std::uint64_t window_of(const any_recency_config& c, std::string_view engine) {
  if (!c.last) refuse(std::string(engine) + " needs `last`, a window of insertions");
  return *c.last;
}

std::uint64_t memory_of(const any_recency_config& c, std::string_view engine) {
  if (!c.memory) refuse(std::string(engine) + " is sized by `memory`");
  return *c.memory;
}

std::uint32_t ticks_of(const any_recency_config& c) {
  if (!c.tick) return c.ticks.value_or(recency_config{}.ticks);
  if (c.ticks) refuse("recency_filter takes `tick` or `ticks`, and got both");
  if (!c.window) refuse("`tick` divides a window of time; a window of insertions has `ticks`");
  const std::int64_t tick = c.tick->count();
  if (tick < 1) refuse("a tick must be at least one microsecond, got " + std::to_string(tick));
  const std::int64_t ticks = (c.window->count() - 1) / tick + 1;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(ticks, 1, UINT32_MAX));
}

engines_type make_engine(const any_recency_config& c, std::string_view engine) {
  const auto only = [&](std::initializer_list<std::string_view> known) {
    expect_only(c, engine, {known.begin(), known.size()});
  };
  const std::uint64_t items = c.items.value_or(c.last.value_or(0));
  if (engine == "recency_filter") {
    only({"window", "last", "items", "error", "memory", "tick", "ticks", "refresh", "ahead",
          "evenly", "layout", "audit"});
    return recency_filter({.window = c.window,
                           .last = c.last,
                           .items = items,
                           .error = c.error,
                           .memory = c.memory,
                           .evenly = c.evenly.value_or(false),
                           .ticks = ticks_of(c),
                           .layout = c.layout,
                           .refresh = c.refresh.value_or(true),
                           .ahead = c.ahead,
                           .audit = c.audit,
                           .seed = c.seed});
  }
  if (engine == "age_partitioned_filter") {
    only({"window", "last", "items", "error", "memory", "tick", "refresh"});
    return age_partitioned_filter({.last = c.last,
                                   .window = c.window,
                                   .tick = c.tick,
                                   .items = items,
                                   .error = c.error,
                                   .memory = c.memory,
                                   .refresh = c.refresh.value_or(true),
                                   .seed = c.seed});
  }
  if (engine == "timing_filter") {
    only({"last", "error", "memory", "k", "bits", "sweep"});
    return published::timing_filter(published::timing_config{.window = window_of(c, engine),
                                                             .error = c.error,
                                                             .memory = c.memory,
                                                             .k = c.k,
                                                             .bits = c.bits,
                                                             .sweep = c.sweep,
                                                             .seed = c.seed});
  }
  if (engine == "generalized_filter") {
    only({"last", "memory", "k0", "k1"});
    published::generalized_config own{
        .window = window_of(c, engine), .memory = memory_of(c, engine), .seed = c.seed};
    own.k0 = c.k0.value_or(own.k0);
    own.k1 = c.k1.value_or(own.k1);
    return published::generalized_filter(own);
  }
  if (engine == "recent_buffer") {
    only({"last", "memory", "bits"});
    published::recent_config own{
        .window = window_of(c, engine), .memory = memory_of(c, engine), .seed = c.seed};
    own.bits = c.bits.value_or(own.bits);
    return published::recent_buffer(own);
  }
  refuse("there is no recency engine called '" + std::string(engine) + "'; the engines are " +
         listed(names));
}

// -- calls -------------------------------------------------------------------------------------

// call(time) if the engine has a clock and a time is given, otherwise call().
template <class Engine, class Call>
auto at(const Engine&, std::optional<instant> when, Call&& call) {
  if constexpr (timed_recency_engine<Engine>) {
    if (when) return call(*when);
  }
  return call();
}

[[noreturn]] void refuse_act(std::string_view engine, const std::string& why) {
  throw error(errc::unsupported, "a " + std::string(engine) + " " + why);
}

template <std::size_t I = 0>
std::optional<any_recency> loaded(const detail::container_view& view,
                                  std::span<const std::byte> container) {
  if constexpr (I == std::variant_size_v<engines_type>) {
    return std::nullopt;
  } else {
    using engine = std::variant_alternative_t<I, engines_type>;
    if (engine::kind.accepts(view.info())) return any_recency(engine::load(container));
    return loaded<I + 1>(view, container);
  }
}

}  // namespace

any_recency any_recency::make(const any_recency_config& config, std::string_view engine) {
  return any_recency(make_engine(config, engine));
}

std::span<const std::string_view> any_recency::engines() noexcept { return names; }
std::string_view any_recency::engine() const noexcept { return names[engine_.index()]; }

outcome any_recency::add(digest x, std::optional<instant> when) {
  return std::visit([&](auto& e) { return at(e, when, [&](auto... t) { return e.add(x, t...); }); },
                    engine_);
}

novelty any_recency::add_if_new(digest x, std::optional<instant> when) {
  return std::visit(
      [&](auto& e) { return at(e, when, [&](auto... t) { return e.add_if_new(x, t...); }); },
      engine_);
}

bool any_recency::seen(digest x, std::optional<instant> when) const {
  return std::visit(
      [&](const auto& e) { return at(e, when, [&](auto... t) { return e.seen(x, t...); }); },
      engine_);
}

std::optional<age_bracket> any_recency::age(digest x, std::optional<instant> when) const {
  return std::visit(
      [&](const auto& e) { return at(e, when, [&](auto... t) { return e.age(x, t...); }); },
      engine_);
}

double any_recency::posterior(digest x, std::optional<instant> when, const age_prior& prior) const {
  return std::visit(
      [&](const auto& e) {
        return at(e, when, [&](auto... t) { return e.posterior(x, t..., prior); });
      },
      engine_);
}

bool any_recency::decide(digest x, std::optional<instant> when, const age_prior& prior,
                         const math::penalties& costs) const {
  return std::visit(
      [&](const auto& e) {
        return at(e, when, [&](auto... t) { return e.decide(x, t..., prior, costs); });
      },
      engine_);
}

double any_recency::posterior(digest x, std::optional<instant> when,
                              const event_rate& prior) const {
  return std::visit(
      [&]<class Engine>(const Engine& e) {
        if constexpr (timed_recency_engine<Engine>) {
          return at(e, when, [&](auto... t) { return e.posterior(x, t..., prior); });
        } else {
          return std::numeric_limits<double>::quiet_NaN();
        }
      },
      engine_);
}

bool any_recency::decide(digest x, std::optional<instant> when, const event_rate& prior,
                         const math::penalties& costs) const {
  return std::visit(
      [&]<class Engine>(const Engine& e) {
        if constexpr (timed_recency_engine<Engine>) {
          return at(e, when, [&](auto... t) { return e.decide(x, t..., prior, costs); });
        } else {
          math::check(costs);
          return e.seen(x);
        }
      },
      engine_);
}

// -- many --------------------------------------------------------------------------------------

void any_recency::add_bulk(std::span<const digest> items, std::span<const instant> when,
                           std::span<outcome> outcomes) {
  std::visit(
      [&]<class Engine>(Engine& e) {
        if constexpr (timed_recency_engine<Engine>) {
          e.add_bulk(items, when, outcomes);
        } else {
          if (!when.empty()) detail::expect_as_many(items.size(), when.size(), "times");
          e.add_bulk(items, outcomes);
        }
      },
      engine_);
}

void any_recency::add_if_new_bulk(std::span<const digest> items, std::span<const instant> when,
                                  std::span<novelty> answers) {
  std::visit(
      [&]<class Engine>(Engine& e) {
        if constexpr (timed_recency_engine<Engine>) {
          e.add_if_new_bulk(items, when, answers);
        } else {
          if (!when.empty()) detail::expect_as_many(items.size(), when.size(), "times");
          detail::expect_as_many(items.size(), answers.size());
          for (std::size_t i = 0; i < items.size(); ++i) answers[i] = e.add_if_new(items[i]);
        }
      },
      engine_);
}

void any_recency::seen_bulk(std::span<const digest> items, std::optional<instant> when,
                            std::span<bool> answers) const {
  detail::expect_as_many(items.size(), answers.size());
  std::visit(
      [&](const auto& e) {
        at(e, when, [&](auto... t) {
          for (std::size_t i = 0; i < items.size(); ++i) answers[i] = e.seen(items[i], t...);
        });
      },
      engine_);
}

// -- the whole ---------------------------------------------------------------------------------

void any_recency::merge(const any_recency& other) {
  if (engine_.index() != other.engine_.index()) {
    throw error(errc::incompatible, "recency filters merge if their engines are equal; here are " +
                                        std::string(engine()) + " and " +
                                        std::string(other.engine()));
  }
  std::visit(
      [&]<class Engine>(Engine& e) {
        if constexpr (timed_recency_engine<Engine>) {
          e.merge(std::get<Engine>(other.engine_));
        } else {
          refuse_act(engine(),
                     "cannot be merged: it does not tell which of two insertions was "
                     "first");
        }
      },
      engine_);
}

void any_recency::clear() {
  std::visit([](auto& e) { e.clear(); }, engine_);
}

void any_recency::advance(instant now) {
  std::visit(
      [&]<class Engine>(Engine& e) {
        if constexpr (timed_recency_engine<Engine>) e.advance(now);
      },
      engine_);
}

void any_recency::relocate() {
  engines_type moved(std::as_const(engine_));
  engine_ = std::move(moved);
}

bool any_recency::timed() const noexcept {
  return std::visit(
      []<class Engine>(const Engine& e) {
        if constexpr (timed_recency_engine<Engine>) return e.timed();
        return false;
      },
      engine_);
}

std::optional<instant> any_recency::newest() const noexcept {
  return std::visit(
      []<class Engine>(const Engine& e) -> std::optional<instant> {
        if constexpr (timed_recency_engine<Engine>) return e.newest();
        return std::nullopt;
      },
      engine_);
}

std::uint64_t any_recency::window() const noexcept {
  return std::visit([](const auto& e) { return e.window(); }, engine_);
}
std::uint64_t any_recency::insertions() const noexcept {
  return std::visit([](const auto& e) { return e.insertions(); }, engine_);
}
std::uint64_t any_recency::seed() const noexcept {
  return std::visit([](const auto& e) { return e.seed(); }, engine_);
}
std::uint64_t any_recency::memory() const noexcept {
  return std::visit([](const auto& e) { return e.memory(); }, engine_);
}
const losses& any_recency::losses() const noexcept {
  return std::visit([](const auto& e) -> const bloomtime::losses& { return e.losses(); }, engine_);
}

double any_recency::cardinality() const {
  return std::visit(
      [&]<class Engine>(const Engine& e) -> double {
        if constexpr (requires { e.alive_items(); }) {
          return e.alive_items();
        } else {
          refuse_act(engine(), "cannot count different items: half of its bits are always set");
        }
      },
      engine_);
}

// Windows of insertions never have more items than they were sized for.
std::uint64_t any_recency::room_for(std::uint64_t items) const {
  return std::visit(
      [&]<class Engine>(const Engine& e) {
        if constexpr (timed_recency_engine<Engine>) {
          if (!e.timed() && e.items() >= e.window()) return items;
          const double left = static_cast<double>(e.items()) - e.alive_items();
          const double most = std::min(static_cast<double>(items), std::max(0., left));
          return std::min(items, static_cast<std::uint64_t>(most));
        } else {
          return items;
        }
      },
      engine_);
}

std::vector<fact> any_recency::describe() const {
  return std::visit([](const auto& e) { return detail::recency_facts(e); }, engine_);
}
std::vector<fact> any_recency::examine() const {
  return std::visit([](const auto& e) { return detail::scanned_recency_facts(e); }, engine_);
}

std::uint64_t any_recency::identity() const {
  const auto bytes = serialize();
  return detail::container_view::parse(bytes).identity();
}

// -- storage -----------------------------------------------------------------------------------

std::vector<std::byte> any_recency::serialize() const {
  return std::visit([](const auto& e) { return e.serialize(); }, engine_);
}
void any_recency::write_to(const byte_sink& sink) const {
  std::visit([&](const auto& e) { e.write_to(sink); }, engine_);
}
void any_recency::save(const std::filesystem::path& path) const {
  std::visit([&](const auto& e) { e.save(path); }, engine_);
}

any_recency any_recency::load(std::span<const std::byte> container) {
  const auto view = detail::container_view::parse(container);
  if (auto filter = loaded(view, container)) return *std::move(filter);
  throw error(errc::unknown_kind, "this container does not hold a recency filter");
}

any_recency any_recency::load(const std::filesystem::path& path) {
  return load(detail::mapped_file::open(path)->bytes());
}

BLOOMTIME_VALUE_OF(any_recency);

}  // namespace bloomtime
