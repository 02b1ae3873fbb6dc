#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include <bloomtime/bloom/bloom_filter.hpp>
#include <bloomtime/fact.hpp>
#include <bloomtime/heat/any_heat.hpp>
#include <bloomtime/history/any_history.hpp>
#include <bloomtime/recency/any_recency.hpp>
#include <bloomtime/tally/any_tally.hpp>

// Filters whose kind is known only at run time, such as the contents of a file or a Redis value.
namespace bloomtime {

namespace detail {

template <class... A, class... B, class... C, class... D>
std::variant<bloom_filter, hot_list, A..., B..., C..., D...> all_filters(
    std::type_identity<std::variant<A...>>, std::type_identity<std::variant<B...>>,
    std::type_identity<std::variant<C...>>, std::type_identity<std::variant<D...>>);

}  // namespace detail

// The engines of all handles, and the filters that have no handle.
using any_filter = decltype(detail::all_filters(
    std::type_identity<heat_engines>(), std::type_identity<history_engines>(),
    std::type_identity<recency_engines>(), std::type_identity<tally_engines>()));

// The filter that a container holds. Throws error(unknown_kind) if this build does not know it.
any_filter load_any(std::span<const std::byte> container);
any_filter load_any(const std::filesystem::path& path);

// The parameters and sizes of a filter, the most important first.
std::vector<fact> describe(const any_filter& filter);
// Of the two that have no handle.
std::vector<fact> describe(const bloom_filter& filter);
std::vector<fact> describe(const hot_list& list);

}  // namespace bloomtime
