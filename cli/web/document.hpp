#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "cli/dedupe/deduper.hpp"
#include "cli/output/profile_report.hpp"
#include "profile/profiler.hpp"
#include "store/totals.hpp"

// All that the page shows, as one JSON object: the file that `bloomtime report` writes contains it,
// and `bloomtime serve` sends it. docs/web.md lists the keys.
namespace bloomtime::cli {

// What a page is about.
struct page_subject {
  const profile_summary& what;
  const profile::profiler& profile;  // without events that wait
  const store::minute_totals& totals;
};

using page_visit = std::function<void(const page_subject&)>;

inline constexpr std::size_t usual_page_rows = 100;  // of each order and field
// Rows are left out until the document is no longer than this.
inline constexpr std::size_t most_page_bytes = 800'000;

// The object of `profile --json`, with rows as arrays, and what only the page shows.
std::string profile_document(const page_subject& about, std::size_t rows);
// Of the state that `bloomtime dedupe` keeps in this file.
std::string dedupe_document(const deduper& state, const std::string& name);

}  // namespace bloomtime::cli
