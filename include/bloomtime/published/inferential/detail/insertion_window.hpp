#pragma once

#include <cstddef>
#include <ranges>
#include <span>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/math/posterior.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/recency/age_prior.hpp>
#include <bloomtime/recency/answers.hpp>

namespace bloomtime::detail {

// Filters take an age_prior, a math::geometric, or any function P(age < t) of t.
inline namespace BLOOMTIME_ISA {

template <class Prior>
bool is_known(const Prior&) noexcept {
  return true;
}
inline bool is_known(const age_prior& prior) noexcept { return prior.known(); }

template <class Prior>
math::masses prior_masses(const math::evidence& seen, double w, const Prior& prior) {
  return window_masses(seen, w, prior);  // found by its arguments, wherever it is declared
}
inline math::masses prior_masses(const math::evidence& seen, double w, const age_prior& prior) {
  return prior.window(seen, w);
}

}  // namespace BLOOMTIME_ISA

// The calls that follow from add() and seen() for filters of the last insertions. These filters
// have no clock, and a duplicate always renews its item.
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

  // Insertions that were not added, since the filter was made or loaded.
  const bloomtime::losses& losses() const noexcept { return losses_; }

 protected:
  bloomtime::losses losses_;

 private:
  Filter& self() noexcept { return static_cast<Filter&>(*this); }
};

}  // namespace bloomtime::detail
