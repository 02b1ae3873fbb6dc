#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include <bloomtime/digest.hpp>
#include <bloomtime/history/sighting.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime {

// What every engine of the family can: it takes sightings of one span of time, and says whether an
// item was seen between two moments, where `no` is certain.
template <class H>
concept history_engine = std::movable<H> &&
    requires(H& h, const H& c, const digest& x, instant t, interval asked, std::uint64_t& probes,
             std::span<const std::byte> bytes, const std::filesystem::path& path) {
  { H::engine_id } -> std::convertible_to<std::uint8_t>;
  { h.add(x, t) } -> std::same_as<outcome>;
  { c.seen(x, t, t) }
  noexcept->std::same_as<sighting>;
  { c.seen(x, asked, probes) }
  noexcept->std::same_as<sighting>;
  { c.first() }
  noexcept->std::same_as<std::uint64_t>;
  { c.ticks() }
  noexcept->std::same_as<std::uint64_t>;
  { c.records() }
  noexcept->std::same_as<std::uint64_t>;
  { c.memory() }
  noexcept->std::same_as<std::uint64_t>;
  { c.seed() }
  noexcept->std::same_as<std::uint64_t>;
  { c.clock() }
  noexcept->std::same_as<const tick_clock&>;
  { c.serialize() } -> std::same_as<std::vector<std::byte>>;
  { c.save(path) } -> std::same_as<void>;
  { H::load(bytes) } -> std::same_as<H>;
  { H::load(path) } -> std::same_as<H>;
  { H::verify(bytes) } -> std::same_as<void>;
  { *H::map(path) } -> std::same_as<const H&>;
  { H::view(bytes) } -> std::same_as<H>;
};

}  // namespace bloomtime
