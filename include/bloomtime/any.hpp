#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <bloomtime/bloom/bloom_filter.hpp>
#include <bloomtime/fact.hpp>
#include <bloomtime/heat/any_heat.hpp>
#include <bloomtime/history/history.hpp>
#include <bloomtime/history/timeline_history.hpp>
#include <bloomtime/published/dynamic_count/counting_filter.hpp>
#include <bloomtime/published/dynamic_count/dynamic_count_filter.hpp>
#include <bloomtime/published/dynamic_count/spectral_filter.hpp>
#include <bloomtime/published/inferential/generalized_filter.hpp>
#include <bloomtime/published/inferential/recent_buffer.hpp>
#include <bloomtime/published/inferential/timing_filter.hpp>
#include <bloomtime/published/persistent/level_history.hpp>
#include <bloomtime/published/persistent/single_history.hpp>
#include <bloomtime/published/persistent/tree_history.hpp>
#include <bloomtime/recency/age_partitioned_filter.hpp>
#include <bloomtime/recency/recency_filter.hpp>
#include <bloomtime/tally/rising_tally.hpp>
#include <bloomtime/tally/tally_filter.hpp>

// Filters whose kind is known only at run time, such as the contents of a file or a Redis value.
namespace bloomtime {

using any_filter =
    std::variant<bloom_filter, published::decaying_filter, published::pooled_decaying_filter,
                 heat_filter, hot_list, decay_ring, published::single_history,
                 published::tree_history, published::level_history, timeline_history, history,
                 published::timing_filter, published::generalized_filter, published::recent_buffer,
                 age_partitioned_filter, recency_filter, published::counting_filter,
                 published::spectral_filter, published::rising_spectral_filter,
                 published::recurring_spectral_filter, published::dynamic_count_filter,
                 tally_filter, rising_tally>;

// The filter that a container holds. Throws error(unknown_kind) if this build does not know it.
any_filter load_any(std::span<const std::byte> container);
any_filter load_any(const std::filesystem::path& path);

// The parameters and sizes of a filter, the most important first.
std::vector<fact> describe(const any_filter& filter);

}  // namespace bloomtime
