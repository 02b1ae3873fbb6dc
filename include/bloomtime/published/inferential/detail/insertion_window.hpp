#pragma once

#include <cstddef>
#include <ranges>
#include <span>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/recency/answers.hpp>

namespace bloomtime::detail {

// The verbs that follow from add() and seen() for filters of the last insertions: they have no
// clock, and a duplicate always renews its item.
template <class Filter>
class insertion_window {
 public:
  // seen() and add() in one.
  template <item T>
  [[nodiscard]] BLOOMTIME_PER_ISA novelty add_if_new(const T& x) noexcept {
    const bool fresh = !self().seen(x);
    return {fresh, self().add(x)};
  }

  // Many at once, one after the other.
  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA void add_bulk(const Items& items, std::span<outcome> outcomes) {
    expect_as_many(std::ranges::size(items), outcomes.size(), "outcomes");
    std::size_t i = 0;
    for (const auto& x : items) outcomes[i++] = self().add(x);
  }

  // What was not added, since the filter was made or loaded.
  const bloomtime::losses& losses() const noexcept { return losses_; }

 protected:
  bloomtime::losses losses_;

 private:
  Filter& self() noexcept { return static_cast<Filter&>(*this); }
};

}  // namespace bloomtime::detail
