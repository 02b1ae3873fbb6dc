#pragma once

#include <vector>

#include <bloomtime/fact.hpp>
#include <bloomtime/published/inferential/generalized_filter.hpp>
#include <bloomtime/published/inferential/recent_buffer.hpp>
#include <bloomtime/published/inferential/timing_filter.hpp>
#include <bloomtime/recency/age_partitioned_filter.hpp>
#include <bloomtime/recency/recency_filter.hpp>

// What the engines say about themselves: recency_facts() in O(1), scanned_recency_facts() from the
// counts of all cells.
namespace bloomtime::detail {

std::vector<fact> recency_facts(const recency_filter& f);
std::vector<fact> recency_facts(const age_partitioned_filter& f);
std::vector<fact> recency_facts(const published::timing_filter& f);
std::vector<fact> recency_facts(const published::generalized_filter& f);
std::vector<fact> recency_facts(const published::recent_buffer& f);

std::vector<fact> scanned_recency_facts(const recency_filter& f);
std::vector<fact> scanned_recency_facts(const age_partitioned_filter& f);
std::vector<fact> scanned_recency_facts(const published::timing_filter& f);
std::vector<fact> scanned_recency_facts(const published::generalized_filter& f);
std::vector<fact> scanned_recency_facts(const published::recent_buffer& f);

}  // namespace bloomtime::detail
