#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>

#include <bloomtime/digest.hpp>
#include <bloomtime/math/posterior.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/recency/age_prior.hpp>
#include <bloomtime/recency/answers.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime {

// What every engine of the family does, the published ones included: it answers whether an item was
// seen within its window. Without a time argument, in windows of insertions.
template <class Engine>
concept recency_engine = std::copyable<Engine> &&
    requires(Engine e, const Engine& c, digest x, std::span<const digest> items,
             std::span<outcome> outcomes, const age_prior& prior, const math::penalties& costs,
             std::uint64_t n) {
  { e.add(x) } -> std::same_as<outcome>;
  { e.add_if_new(x) } -> std::same_as<novelty>;
  e.add_bulk(items, outcomes);
  { c.seen(x) } -> std::same_as<bool>;
  { c.age(x) } -> std::same_as<std::optional<age_bracket>>;
  { c.posterior(x, prior) } -> std::same_as<double>;
  { c.decide(x, prior, costs) } -> std::same_as<bool>;
  e.clear();
  { c.window() } -> std::same_as<std::uint64_t>;
  { c.insertions() } -> std::same_as<std::uint64_t>;
  { c.losses() } -> std::same_as<const losses&>;
  { c.memory() } -> std::same_as<std::uint64_t>;
  { c.seed() } -> std::same_as<const hash_seed&>;
  { c.predicted_error(n) } -> std::same_as<double>;
  { c.current_error() } -> std::same_as<double>;
};

// An engine that can also have a window of time. It never misses what is within its window.
template <class Engine>
concept timed_recency_engine = recency_engine<Engine> &&
    requires(Engine e, const Engine& c, digest x, instant when, std::span<const digest> items,
             std::span<const instant> times, std::span<outcome> outcomes,
             std::span<novelty> answers, const age_prior& prior, const math::penalties& costs) {
  { e.add(x, when) } -> std::same_as<outcome>;
  { e.add_if_new(x, when) } -> std::same_as<novelty>;
  e.add_bulk(items, times, outcomes);
  e.add_if_new_bulk(items, times, answers);
  { c.seen(x, when) } -> std::same_as<bool>;
  { c.age(x, when) } -> std::same_as<std::optional<age_bracket>>;
  { c.posterior(x, when, prior) } -> std::same_as<double>;
  { c.decide(x, when, prior, costs) } -> std::same_as<bool>;
  e.advance(when);
  e.merge(c);
  { c.timed() } -> std::same_as<bool>;
  { c.newest() } -> std::same_as<std::optional<instant>>;
  { c.refresh() } -> std::same_as<bool>;
  { c.items() } -> std::same_as<std::uint64_t>;
};

}  // namespace bloomtime
