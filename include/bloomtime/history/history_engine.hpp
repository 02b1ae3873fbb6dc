#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include <bloomtime/detail/stored.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/history/sighting.hpp>
#include <bloomtime/mapped.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime {

// What every engine of the family can do: record sightings, and answer whether an item was seen
// between two instants, where `no` is certain.
template <class H>
concept history_engine = std::copyable<H> &&
    requires(H& h, const H& c, const digest& x, instant t, interval asked, std::uint64_t& probes,
             std::span<const digest> items, std::span<const instant> times,
             std::span<outcome> outcomes, std::span<const std::byte> bytes,
             const std::filesystem::path& path) {
  { H::kind } -> std::convertible_to<detail::stored_kind>;
  { h.add(x, t) } -> std::same_as<outcome>;
  h.add_bulk(items, times, outcomes);
  { h.merge(c) } -> std::same_as<void>;
  { h.clear() }
  noexcept->std::same_as<void>;
  { c.seen(x, t, t) }
  noexcept->std::same_as<sighting>;
  { c.seen(x, asked, probes) }
  noexcept->std::same_as<sighting>;
  { c.newest() }
  noexcept->std::same_as<std::optional<instant>>;
  { c.records() }
  noexcept->std::same_as<std::uint64_t>;
  { c.losses() }
  noexcept->std::same_as<const losses&>;
  { c.memory() }
  noexcept->std::same_as<std::uint64_t>;
  { c.seed() }
  noexcept->std::same_as<const hash_seed&>;
  { c.clock() }
  noexcept->std::same_as<const tick_clock&>;
  { c.serialize() } -> std::same_as<std::vector<std::byte>>;
  { c.save(path) } -> std::same_as<void>;
  { H::load(bytes) } -> std::same_as<H>;
  { H::verify(bytes) } -> std::same_as<void>;
  { H::map(path) } -> std::same_as<mapped<H>>;
};

}  // namespace bloomtime
