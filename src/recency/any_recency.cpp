#include <bloomtime/recency/any_recency.hpp>

#include <algorithm>
#include <concepts>
#include <limits>
#include <string>

#include <bloomtime/error.hpp>
#include <bloomtime/recency/recency_engine.hpp>

#include "detail/handle.hpp"
#include "detail/refuse.hpp"

namespace bloomtime {

using published::generalized_filter;
using published::recent_buffer;
using published::timing_filter;

static_assert(timed_recency_engine<recency_table> && timed_recency_engine<recency_filter> &&
              timed_recency_engine<age_partitioned_filter>);
static_assert(recency_engine<timing_filter> && recency_engine<generalized_filter> &&
              recency_engine<recent_buffer>);

// -- parameters --------------------------------------------------------------------------------

namespace {

template <class Config>
Config config_for(const any_recency_config& given, std::string_view engine) {
  Config own;
  own.seed = given.seed;
  if constexpr (requires { own.items; }) own.items = given.last.value_or(0);
#define PASS(parameter) BLOOMTIME_PASS_PARAMETER(given, own, engine, parameter)
  PASS(window);
  PASS(last);
  PASS(items);
  PASS(error);
  PASS(memory);
  PASS(reserve);
  PASS(forget_oldest);
  PASS(tick);
  PASS(ticks);
  PASS(refresh);
  PASS(ahead);
  PASS(evenly);
  PASS(layout);
  PASS(audit);
  PASS(k);
  PASS(k0);
  PASS(k1);
  PASS(bits);
  PASS(sweep);
#undef PASS
  return own;
}

// Of an engine that divides its window into `ticks`: `tick` says how long they are.
template <class Config>
struct ticking_config : Config {
  std::optional<std::chrono::microseconds> tick = {};
};

template <class Engine, class Config>
Engine made_by_ticks(const any_recency_config& c) {
  auto own = config_for<ticking_config<Config>>(c, Engine::name);
  if (!c.tick) return Engine(own);
  if (c.ticks) detail::refuse(std::string(Engine::name) + " takes `tick` or `ticks`, and got both");
  if (!c.window)
    detail::refuse("`tick` divides a window of time; a window of insertions has `ticks`");
  const std::int64_t tick = c.tick->count();
  if (tick < 1)
    detail::refuse("a tick must be at least one microsecond, got " + std::to_string(tick));
  const std::int64_t ticks = (c.window->count() - 1) / tick + 1;
  own.ticks = static_cast<std::uint32_t>(std::clamp<std::int64_t>(ticks, 1, UINT32_MAX));
  return Engine(own);
}

recency_table made(const any_recency_config& c, std::type_identity<recency_table>) {
  return made_by_ticks<recency_table, recency_table_config>(c);
}

recency_filter made(const any_recency_config& c, std::type_identity<recency_filter>) {
  return made_by_ticks<recency_filter, recency_config>(c);
}

age_partitioned_filter made(const any_recency_config& c,
                            std::type_identity<age_partitioned_filter>) {
  return age_partitioned_filter(
      config_for<age_partitioned_config>(c, age_partitioned_filter::name));
}

// The published engines call the number of insertions `window`.
template <class Config>
struct insertions_config : Config {
  std::optional<std::uint64_t> last = {};
};

template <class Engine, class Config>
Engine made_by_insertions(const any_recency_config& c) {
  auto own = config_for<insertions_config<Config>>(c, Engine::name);
  if (!c.last) detail::require_parameter(Engine::name, "last, a window of insertions");
  if (std::same_as<decltype(own.memory), std::uint64_t> && !c.memory) {
    detail::require_parameter(Engine::name, "memory");
  }
  own.window = *c.last;
  return Engine(static_cast<const Config&>(own));
}

timing_filter made(const any_recency_config& c, std::type_identity<timing_filter>) {
  return made_by_insertions<timing_filter, published::timing_config>(c);
}

generalized_filter made(const any_recency_config& c, std::type_identity<generalized_filter>) {
  return made_by_insertions<generalized_filter, published::generalized_config>(c);
}

recent_buffer made(const any_recency_config& c, std::type_identity<recent_buffer>) {
  return made_by_insertions<recent_buffer, published::recent_config>(c);
}

}  // namespace

any_recency any_recency::make(const any_recency_config& config, std::string_view engine) {
  return make_named(engine, [&](auto type) { return made(config, type); });
}

// -- calls -------------------------------------------------------------------------------------

namespace {

// call(engine, time) if the engine has a clock and a time is given, otherwise call(engine).
template <class Engines, class Call>
auto at(Engines& engines, std::optional<instant> when, Call&& call) {
  return std::visit(
      [&]<class Engine>(Engine& e) {
        if constexpr (timed_recency_engine<std::remove_const_t<Engine>>) {
          if (when) return call(e, *when);
        }
        return call(e);
      },
      engines);
}

// Engines without a clock do not know event rates.
template <class Engine, class Prior>
constexpr bool knows = timed_recency_engine<Engine> || std::same_as<Prior, age_prior>;

template <class Prior>
double posterior_of(const recency_engines& engines, digest x, std::optional<instant> when,
                    const Prior& prior) {
  return at(engines, when, [&]<class Engine>(const Engine& e, auto... t) {
    if constexpr (knows<Engine, Prior>) return e.posterior(x, t..., prior);
    return std::numeric_limits<double>::quiet_NaN();
  });
}

template <class Prior>
bool decision_of(const recency_engines& engines, digest x, std::optional<instant> when,
                 const Prior& prior, const math::penalties& costs) {
  return at(engines, when, [&]<class Engine>(const Engine& e, auto... t) {
    if constexpr (knows<Engine, Prior>) {
      return e.decide(x, t..., prior, costs);
    } else {
      math::check(costs);
      return e.seen(x);
    }
  });
}

}  // namespace

outcome any_recency::add(digest x, std::optional<instant> when) {
  return at(engine_, when, [&](auto& e, auto... t) { return e.add(x, t...); });
}

novelty any_recency::add_if_new(digest x, std::optional<instant> when) {
  return at(engine_, when, [&](auto& e, auto... t) { return e.add_if_new(x, t...); });
}

bool any_recency::seen(digest x, std::optional<instant> when) const {
  return at(engine_, when, [&](const auto& e, auto... t) { return e.seen(x, t...); });
}

std::optional<age_bracket> any_recency::age(digest x, std::optional<instant> when) const {
  return at(engine_, when, [&](const auto& e, auto... t) { return e.age(x, t...); });
}

double any_recency::posterior(digest x, std::optional<instant> when, const age_prior& prior) const {
  return posterior_of(engine_, x, when, prior);
}

double any_recency::posterior(digest x, std::optional<instant> when,
                              const event_rate& prior) const {
  return posterior_of(engine_, x, when, prior);
}

bool any_recency::decide(digest x, std::optional<instant> when, const age_prior& prior,
                         const math::penalties& costs) const {
  return decision_of(engine_, x, when, prior, costs);
}

bool any_recency::decide(digest x, std::optional<instant> when, const event_rate& prior,
                         const math::penalties& costs) const {
  return decision_of(engine_, x, when, prior, costs);
}

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
  at(engine_, when, [&](const auto& e, auto... t) {
    if constexpr (requires { e.seen_bulk(items, t..., answers); }) {
      e.seen_bulk(items, t..., answers);
    } else {
      for (std::size_t i = 0; i < items.size(); ++i) answers[i] = e.seen(items[i], t...);
    }
  });
}

bool any_recency::timed() const noexcept {
  return std::visit(
      []<class Engine>(const Engine& e) {
        if constexpr (timed_recency_engine<Engine>) return e.timed();
        return false;
      },
      engine_);
}

std::uint64_t any_recency::window() const noexcept {
  return std::visit([](const auto& e) { return e.window(); }, engine_);
}

std::uint64_t any_recency::insertions() const noexcept {
  return std::visit([](const auto& e) { return e.insertions(); }, engine_);
}

double any_recency::cardinality() const {
  return std::visit(
      [&](const auto& e) -> double {
        if constexpr (requires { e.alive_items(); }) return e.alive_items();
        unsupported("count different items: half of its bits are always set");
      },
      engine_);
}

// Windows of insertions never have more items than they were sized for.
std::uint64_t any_recency::room_for(std::uint64_t n) const {
  return std::visit(
      [&]<class Engine>(const Engine& e) {
        if constexpr (requires { e.room_for(n); }) {
          return e.room_for(n);
        } else if constexpr (timed_recency_engine<Engine>) {
          if (!e.timed() && e.items() >= e.window()) return n;
          const double left = static_cast<double>(e.items()) - e.alive_items();
          const double most = std::min(static_cast<double>(n), std::max(0., left));
          return std::min(n, static_cast<std::uint64_t>(most));
        } else {
          return n;
        }
      },
      engine_);
}

template class detail::handle<any_recency, recency_engines>;
BLOOMTIME_VALUE_OF(any_recency);

}  // namespace bloomtime
