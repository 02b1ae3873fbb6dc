#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include <bloomtime/detail/stored.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/tally/counted.hpp>

namespace bloomtime {

// What every engine of the family can do: count items that are added. `one_sided` says whether its
// answers are never too low.
template <class T>
concept tally_engine = std::movable<T> &&
    requires(T& t, const T& c, const digest& x, std::uint64_t amount, std::span<const digest> items,
             std::span<outcome> outcomes, std::span<counted> answers,
             std::span<const std::byte> bytes, const std::filesystem::path& path) {
  { T::name } -> std::convertible_to<std::string_view>;
  { T::kind } -> std::same_as<const detail::stored_kind&>;
  { T::one_sided } -> std::convertible_to<bool>;
  { T::removes } -> std::convertible_to<bool>;
  { t.add(x, amount) } -> std::same_as<outcome>;
  { c.count(x) }
  noexcept->std::same_as<counted>;
  t.add_bulk(items, outcomes);
  c.count_bulk(items, answers);
  { c.statistics() } -> std::same_as<tally_statistics>;
  { c.total() } -> std::same_as<std::uint64_t>;
  { c.confidence() } -> std::same_as<double>;
  { c.predicted_error(amount) } -> std::same_as<double>;
  { c.current_error() } -> std::same_as<double>;
  { c.losses() } -> std::same_as<const losses&>;
  { c.memory() } -> std::same_as<std::uint64_t>;
  { c.seed() } -> std::same_as<const hash_seed&>;
  t.merge(c);
  t.clear();
  { c.serialize() } -> std::same_as<std::vector<std::byte>>;
  c.save(path);
  { T::load(bytes) } -> std::same_as<T>;
  { T::load(path) } -> std::same_as<T>;
  { T::map(path) } -> std::same_as<mapped<T>>;
  T::verify(bytes);
};

// The engines that count in k cells of an array.
template <class T>
concept cell_tally_engine = tally_engine<T> &&
    requires(const T& c, const digest& x, std::uint64_t i) {
  { c.cell(i) } -> std::same_as<std::uint64_t>;
  { c.position(x, 0U) } -> std::same_as<std::uint64_t>;
  { c.cells() } -> std::same_as<std::uint64_t>;
  { c.k() } -> std::same_as<unsigned>;
};

// The engines from which items can be removed.
template <class T>
concept removing_tally_engine = tally_engine<T> &&
    requires(T& t, const digest& x, std::uint64_t amount) {
  { t.remove(x, amount) } -> std::same_as<outcome>;
};

}  // namespace bloomtime
