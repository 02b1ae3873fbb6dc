#include "profile/field_totals.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <tuple>
#include <utility>
#include <variant>

#include "text/usage_error.hpp"

namespace bloomtime::profile {
namespace {

// The error of a table is proportional to its items: one count in 2000 is too high with a million
// items, and one in 200 with ten million.
any_tally new_counts(std::optional<std::uint64_t> memory, const hash_seed& seed) {
  if (memory) {
    return any_tally(
        rising_tally({.memory = *memory, .large_memory = tally_config::no_limit, .seed = seed}));
  }
  return any_tally(tally_table({.items = 1'000'000, .error = 1e-3, .seed = seed}));
}

void expect_counted(outcome o) {
  if (o != outcome::full) return;
  text::throw_error(errc::too_large,
                    "the totals have no room for an item: too many items share its place, which "
                    "happens if somebody crafts them; use a new --store with --seed random");
}

// Bounds of a list without decay are whole numbers, but for rounding outwards.
std::uint64_t whole(double hits) { return static_cast<std::uint64_t>(std::llround(hits)); }

counted both(const counted& by_count, const estimate& by_list) {
  counted c = by_count;
  c.upper = std::min(by_count.upper, whole(by_list.upper));
  c.value = std::min(by_count.value, c.upper);
  c.lower = std::clamp(by_count.lower, std::min(whole(by_list.lower), c.value), c.value);
  return c;
}

}  // namespace

hot_list new_name_list(std::uint64_t entries, const hash_seed& seed) {
  return hot_list({.entries = entries,
                   .lambda = 1,
                   .ahead = std::chrono::microseconds::max(),
                   .bucket = std::chrono::hours(1),
                   .buckets = 1,
                   .seed = seed});
}

outcome note_count(hot_list& largest, digest d, std::string_view item, std::uint64_t count,
                   std::uint64_t amount) {
  if (static_cast<double>(count) <= largest.unlisted(any_time)) return outcome::added;
  return largest.add(d, item, any_time, amount);
}

std::vector<large_item> largest_items(const hot_list& largest, const total_bounds& bounds_of,
                                      std::size_t n) {
  struct candidate {
    hot_item listed;
    bounds total;
  };
  std::vector<candidate> all;
  for (hot_item& h : largest.top(largest.listed(), any_time)) {
    const bounds total = bounds_of(h);
    all.push_back({std::move(h), total});
  }
  std::sort(all.begin(), all.end(), [](const candidate& a, const candidate& b) {
    return std::tie(b.total.shown.upper, a.listed.id.hi, a.listed.id.lo) <
           std::tie(a.total.shown.upper, b.listed.id.hi, b.listed.id.lo);
  });
  std::uint64_t others = whole(largest.unlisted(any_time));
  for (std::size_t i = n; i < all.size(); ++i) others = std::max(others, all[i].total.shown.upper);
  all.resize(std::min(n, all.size()));
  std::vector<large_item> items;
  for (candidate& c : all) {
    items.push_back({.item = std::move(c.listed.item),
                     .cut = c.listed.cut,
                     .id = c.listed.id,
                     .total = c.total.shown,
                     .guaranteed = c.total.at_least >= others});
  }
  return items;
}

field_totals::field_totals(std::optional<std::uint64_t> memory, const hash_seed& seed)
    : counts_(new_counts(memory, seed)), largest_(new_name_list(names, seed)) {}

field_totals::field_totals(any_tally counts, hot_list largest)
    : counts_(std::move(counts)), largest_(std::move(largest)) {
  if (counts_.seed() == largest_.seed() && largest_.decay().rate() == 0) return;
  text::corrupt("the totals of the store and the list of their names do not belong together");
}

void field_totals::add(const item_batch& items) {
  outcomes_.resize(items.size());
  after_.resize(items.size());
  counts_.add_bulk(items.digests(), outcomes_, after_);
  double least = largest_.unlisted(any_time);
  for (std::size_t i = 0; i < items.size(); ++i) {
    expect_counted(outcomes_[i]);
    if (static_cast<double>(after_[i]) <= least) continue;
    expect_counted(largest_.add(items.digests()[i], items.text(i), any_time));
    least = largest_.unlisted(any_time);
  }
}

counted field_totals::at(digest d) const noexcept {
  return both(counts_.count(d), largest_.at(d, any_time));
}

std::vector<large_item> field_totals::top(std::size_t n) const {
  return largest_items(
      largest_,
      [this](const hot_item& h) -> bounds {
        return {both(counts_.count(h.id), h.heat), whole(h.heat.lower)};
      },
      n);
}

std::uint64_t field_totals::unlisted() const noexcept { return whole(largest_.unlisted(any_time)); }

std::optional<std::uint64_t> field_totals::different() const noexcept {
  const auto* table = std::get_if<tally_table>(&counts_.get());
  return table == nullptr ? std::nullopt : std::optional(table->prints());
}

}  // namespace bloomtime::profile
