#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include <bloomtime/digest.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/tally/counted.hpp>

namespace bloomtime {

// What every engine of the family can: count items that come. `one_sided` says whether its answers
// are never too low.
template <class T>
concept tally_engine = std::movable<T> &&
    requires(T& t, const T& c, const digest& x, std::uint64_t amount,
             std::span<const std::byte> bytes, const std::filesystem::path& path) {
  { T::engine_id } -> std::convertible_to<std::uint8_t>;
  { T::one_sided } -> std::convertible_to<bool>;
  { t.add(x, amount) } -> std::same_as<outcome>;
  { c.count(x) }
  noexcept->std::same_as<counted>;
  { c.statistics() } -> std::same_as<tally_statistics>;
  { c.cell(amount) } -> std::same_as<std::uint64_t>;
  { c.position(x, 0U) } -> std::same_as<std::uint64_t>;
  { c.cells() } -> std::same_as<std::uint64_t>;
  { c.k() } -> std::same_as<unsigned>;
  { c.total() } -> std::same_as<std::uint64_t>;
  { c.confidence() } -> std::same_as<double>;
  { c.memory() } -> std::same_as<std::uint64_t>;
  { c.seed() } -> std::same_as<std::uint64_t>;
  t.merge(c);
  { c.serialize() } -> std::same_as<std::vector<std::byte>>;
  c.save(path);
  { T::load(bytes) } -> std::same_as<T>;
  { T::load(path) } -> std::same_as<T>;
};

// And those from which items can be taken away again.
template <class T>
concept removing_tally_engine = tally_engine<T> &&
    requires(T& t, const digest& x, std::uint64_t amount) {
  { t.remove(x, amount) } -> std::same_as<outcome>;
};

}  // namespace bloomtime
