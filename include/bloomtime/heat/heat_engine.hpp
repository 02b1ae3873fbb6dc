#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <bloomtime/digest.hpp>
#include <bloomtime/estimate.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime {

// An engine that answers how hot a single item is: heat_table, heat_filter, window_table,
// decay_ring and the published decaying filters. (A hot_list lists the hottest items instead.)
template <class E>
concept heat_engine = std::copyable<E> &&
    requires(E e, const E& c, digest d, instant t, std::uint64_t n, std::span<const digest> items,
             std::span<const instant> times, std::span<outcome> outcomes,
             std::span<estimate> answers, std::span<const std::byte> container) {
  { e.add(d, t, n) } -> std::same_as<outcome>;
  e.add_bulk(items, times, outcomes);
  { c.at(d, t) }
  noexcept->std::same_as<estimate>;
  c.at_bulk(items, t, answers);
  { c.rate(d, t) }
  noexcept->std::same_as<estimate>;
  { c.mass(t) } -> std::same_as<double>;
  { e.advance(t) }
  noexcept;
  e.clear();
  e.merge(c, 0.5);
  { c.newest() } -> std::same_as<std::optional<instant>>;
  { c.events() } -> std::same_as<std::uint64_t>;
  { c.losses() } -> std::same_as<const losses&>;
  { c.memory() } -> std::same_as<std::uint64_t>;
  { c.seed() } -> std::same_as<const hash_seed&>;
  { c.clock() } -> std::same_as<const tick_clock&>;
  { c.confidence() } -> std::same_as<double>;
  { c.predicted_error(n) } -> std::same_as<double>;
  { c.current_error() } -> std::same_as<double>;
  { c.distinct() } -> std::same_as<double>;
  { c.serialize() } -> std::same_as<std::vector<std::byte>>;
  { E::load(container) } -> std::same_as<E>;
};

// One that has k rows of cells.
template <class E>
concept heat_cells_engine = heat_engine<E> && requires(const E& c) {
  { c.cells() } -> std::same_as<std::uint64_t>;
  { c.k() } -> std::same_as<unsigned>;
};

}  // namespace bloomtime
