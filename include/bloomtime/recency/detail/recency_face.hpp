#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <ranges>
#include <span>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/math/posterior.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/recency/age_prior.hpp>
#include <bloomtime/recency/answers.hpp>
#include <bloomtime/recency/audit.hpp>
#include <bloomtime/recency/detail/recent_window.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime::detail {

// Throws error(invalid_argument): a window of time needs a time for its first event.
[[noreturn]] void refuse_without_time();

// The calls of a recency engine that keeps the tick in which an item was last seen. The engine has,
// for digests:
//
//   outcome add_digest(digest, instant)
//   novelty test_and_set(digest, instant, const math::penalties* costs)
//   bool seen_digest(digest, const moment&) const
//   sight look(digest) const           with `std::optional<std::uint32_t> age`, in ticks
//   double census_g(const sight&) const      the relative likelihood of a sight that others left,
//   double analytic_g(const sight&) const    counted in the engine or as the paper has it; optional
//   void prefetch(digest) const
//   bool in_cache() const              if it is, nothing is prefetched; optional
//
// and a recent_window window_, an optional audit_, a seed_, losses_, and bool usable() const, which
// is false after a move, with void expect_usable() const.
template <class Engine>
class recency_face {
 public:
  using moment = recent_window::moment;
  using view = recent_window::view;

  // A sighting: added; late, if its tick has passed; dropped_late, if it is older than the window;
  // future, if it is too far ahead; full, if there was no room; refused, if a window of time was
  // given no time for its first event. The latter four change nothing.
  template <item T>
  BLOOMTIME_INLINE outcome add(const T& x, instant when) noexcept {
    return self().add_digest(digest_of(x), when);
  }
  template <item T>
  BLOOMTIME_PER_ISA outcome add(const T& x) noexcept {
    return recent().has_time() ? add(x, recent().latest()) : self().losses_.count(outcome::refused);
  }

  // seen() and add() in one, for dropping duplicates. With refresh a duplicate renews the time of
  // its item, so that it is fresh again when it was quiet for a window; without, it changes
  // nothing, and the item is fresh again one window after it last was. Events that are dropped_late
  // or future are answered and leave no trace.
  template <item T>
  [[nodiscard]] BLOOMTIME_INLINE novelty add_if_new(const T& x, instant when) noexcept {
    return self().test_and_set(digest_of(x), when, nullptr);
  }
  template <item T>
  [[nodiscard]] BLOOMTIME_PER_ISA novelty add_if_new(const T& x) noexcept {
    return recent().has_time() ? add_if_new(x, recent().latest())
                               : novelty{true, self().losses_.count(outcome::refused)};
  }
  // The same by the answer that costs least: a false positive is a fresh item taken for a
  // duplicate. Needs an audit; without one it is the standard answer.
  template <item T>
  [[nodiscard]] BLOOMTIME_PER_ISA novelty add_if_new(const T& x, instant when,
                                                     const math::penalties& costs) {
    math::check(costs);
    return self().test_and_set(digest_of(x), when, &costs);
  }

  // Many at once, in their order: the same as one by one, and faster beyond the cache.
  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA void add_bulk(const Items& items, std::span<const instant> when,
                                  std::span<outcome> outcomes) {
    check_bulk(std::size(items), when.size(), outcomes.size());
    in_blocks(self(), items, [&](digest d, std::size_t i) {
      outcomes[i] = self().add_digest(d, time_of(when, i));
    });
  }
  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA void add_bulk(const Items& items, std::span<outcome> outcomes) {
    add_bulk(items, {}, outcomes);
  }
  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA void add_if_new_bulk(const Items& items, std::span<const instant> when,
                                         std::span<novelty> answers) {
    check_bulk(std::size(items), when.size(), answers.size());
    in_blocks(self(), items, [&](digest d, std::size_t i) {
      answers[i] = self().test_and_set(d, time_of(when, i), nullptr);
    });
  }
  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA void add_if_new_bulk(const Items& items, std::span<novelty> answers) {
    add_if_new_bulk(items, {}, answers);
  }

  template <item T>
  BLOOMTIME_INLINE bool seen(const T& x, instant when) const noexcept {
    return self().seen_digest(digest_of(x), recent().moment_of(when));
  }
  template <item T>
  BLOOMTIME_PER_ISA bool seen(const T& x) const noexcept {
    return seen(x, recent().latest());
  }
  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA void seen_bulk(const Items& items, instant when,
                                   std::span<bool> answers) const {
    self().expect_usable();
    expect_as_many(std::size(items), answers.size());
    const moment asked = recent().moment_of(when);
    in_blocks(self(), items,
              [&](digest d, std::size_t i) { answers[i] = self().seen_digest(d, asked); });
  }

  // How long ago x was last seen, in microseconds or insertions: certainly not more recently than
  // `youngest`, and at most `oldest`, unless the answer is wrong as seen() may be. None where
  // seen() says no.
  template <item T>
  BLOOMTIME_PER_ISA std::optional<age_bracket> age(const T& x, instant when) const noexcept {
    const moment asked = recent().moment_of(when);
    const auto seen = self().look(digest_of(x));
    if (!alive(seen, asked)) return std::nullopt;
    return recent().bracket(*seen.age, asked);
  }
  template <item T>
  BLOOMTIME_PER_ISA std::optional<age_bracket> age(const T& x) const noexcept {
    return age(x, recent().latest());
  }

  // The probability that x was seen within the window. Without a prior it is what the audit has
  // learned. NaN if the prior is unknown.
  template <item T, recency_prior Prior>
  BLOOMTIME_PER_ISA double posterior(const T& x, instant when, const Prior& prior) const {
    const auto m = masses(self().look(digest_of(x)), recent().moment_of(when), prior);
    return m ? m->probability() : std::numeric_limits<double>::quiet_NaN();
  }
  template <item T, recency_prior Prior>
  BLOOMTIME_PER_ISA double posterior(const T& x, const Prior& prior) const {
    return posterior(x, recent().latest(), prior);
  }
  template <item T>
  BLOOMTIME_PER_ISA double posterior(const T& x, instant when) const noexcept {
    const learned_ages* const ages = learned();
    return ages ? posterior(x, when, *ages) : std::numeric_limits<double>::quiet_NaN();
  }

  // The answer that costs least on average: true for "seen". With a prior, as posterior() says;
  // without, the way that the audit found to be the cheapest. seen() if nothing is known.
  template <item T, recency_prior Prior>
  BLOOMTIME_PER_ISA bool decide(const T& x, instant when, const Prior& prior,
                                const math::penalties& costs) const {
    math::check(costs);
    const auto found = self().look(digest_of(x));
    const moment asked = recent().moment_of(when);
    const auto m = masses(found, asked, prior);
    return m ? math::positive(*m, costs, alive(found, asked)) : alive(found, asked);
  }
  template <item T, recency_prior Prior>
  BLOOMTIME_PER_ISA bool decide(const T& x, const Prior& prior,
                                const math::penalties& costs) const {
    return decide(x, recent().latest(), prior, costs);
  }
  template <item T>
  BLOOMTIME_PER_ISA bool decide(const T& x, instant when, const math::penalties& costs) const {
    math::check(costs);
    return chosen(opinions_of(self().look(digest_of(x)), recent().moment_of(when), {}), costs);
  }

  // The audit decides and learns from the question, with what the caller knows about the item. Only
  // this and add_if_new teach it.
  template <item T>
  BLOOMTIME_PER_ISA bool observe(const T& x, instant when, const age_prior& prior,
                                 const math::penalties& costs) {
    math::check(costs);
    const digest d = digest_of(x);
    const moment asked = recent().moment_of(when);
    const opinions said = opinions_of(self().look(d), asked, prior);
    const bool answer = chosen(said, costs);
    if (self().audit_ && self().usable()) self().audit_->question(d, asked.at, said, costs);
    return answer;
  }

  bool timed() const noexcept { return recent().timed(); }  // or the window is in insertions
  std::uint64_t window() const noexcept { return recent().window(); }
  const tick_clock& clock() const noexcept { return recent().clock(); }  // of ticks
  std::uint32_t ticks() const noexcept { return recent().ticks(); }      // of a window
  std::uint64_t insertions() const noexcept { return recent().insertions(); }
  // The latest time it knows. None before the first event, and in windows of insertions.
  std::optional<instant> newest() const noexcept { return recent().newest(); }

 protected:
  recency_face() noexcept = default;
  recency_face(const recency_face&) noexcept = default;
  recency_face& operator=(const recency_face&) noexcept = default;
  ~recency_face() = default;

  instant time_of(std::span<const instant> when, std::size_t i) const noexcept {
    return when.empty() ? recent().latest() : when[i];
  }
  void check_bulk(std::size_t items, std::size_t times, std::size_t answers) const {
    self().expect_usable();
    expect_as_many(items, answers);
    if (times != 0) return expect_as_many(items, times, "times");
    if (items != 0 && !recent().has_time()) refuse_without_time();
  }

  template <class Sight>
  static bool alive(const Sight& seen, const moment& asked) noexcept {
    return seen.age && recent_window::inside(*seen.age, asked);
  }
  const learned_ages* learned() const noexcept {
    return self().audit_ && self().usable() ? self().audit_->ages() : nullptr;
  }
  bool chosen(const opinions& said, const math::penalties& costs) const noexcept {
    return self().audit_ && self().usable() ? self().audit_->decide(said, costs) : said.standard;
  }
  // `g` is of a sight that is alive.
  template <class Sight>
  BLOOMTIME_PER_ISA view view_of(const Sight& seen, const moment& asked, bool in_time,
                                 double g) const noexcept {
    if (!self().usable()) return {{0, 0, 1}, 0};
    return recent().view_of(alive(seen, asked) ? seen.age : std::nullopt, g, asked, in_time);
  }
  template <class Sight>
  BLOOMTIME_PER_ISA double g_of(const Sight& seen, const moment& asked) const noexcept {
    return alive(seen, asked) ? self().census_g(seen) : 1;
  }

  // None if the prior is unknown.
  template <class Sight, class Prior>
  BLOOMTIME_PER_ISA std::optional<math::masses> masses(const Sight& seen, const moment& asked,
                                                       const Prior& prior, double g) const {
    if constexpr (std::same_as<Prior, age_prior>) {
      if (!prior.known()) return std::nullopt;
      const view v = view_of(seen, asked, false, g);
      return prior.window(v.evidence, v.window);
    } else if constexpr (std::same_as<Prior, event_rate>) {
      if (!timed() || std::isnan(prior.per_second)) return std::nullopt;
      const view v = view_of(seen, asked, true, g);
      return math::window_masses(v.evidence, std::min(v.window, prior.within),
                                 math::geometric::of_rate(prior.per_second * 1e-6));
    } else {
      const view v = view_of(seen, asked, true, g);
      return math::window_masses(v.evidence, v.window, prior);
    }
  }
  template <class Sight, class Prior>
  BLOOMTIME_PER_ISA std::optional<math::masses> masses(const Sight& seen, const moment& asked,
                                                       const Prior& prior) const {
    return masses(seen, asked, prior, g_of(seen, asked));
  }

  template <class Sight>
  BLOOMTIME_PER_ISA opinions opinions_of(const Sight& seen, const moment& asked,
                                         const age_prior& prior) const noexcept {
    opinions said;
    said.standard = alive(seen, asked);
    const learned_ages* const ages = learned();
    const auto add = [&](arm empirical, arm geometric, double g) {
      if (ages != nullptr) said[empirical] = masses(seen, asked, *ages, g);
      said[geometric] = masses(seen, asked, prior, g);
    };
    add(arm::empirical_census, arm::geometric_census, g_of(seen, asked));
    if constexpr (requires { self().analytic_g(seen); }) {
      add(arm::empirical_analytic, arm::geometric_analytic,
          said.standard ? self().analytic_g(seen) : 1);
    }
    return said;
  }

 private:
  Engine& self() noexcept { return static_cast<Engine&>(*this); }
  const Engine& self() const noexcept { return static_cast<const Engine&>(*this); }
  const recent_window& recent() const noexcept { return self().window_; }

  template <item T>
  BLOOMTIME_INLINE digest digest_of(const T& x) const noexcept {
    return as_digest(x, self().seed_);
  }
  // use(digest, index) in order, while the blocks of later items are on their way.
  template <class Self, class Items, class Use>
  BLOOMTIME_PER_ISA static void in_blocks(Self& self, const Items& items, Use&& use) {
    const std::span<const std::ranges::range_value_t<Items>> all(items);
    if constexpr (requires { self.in_cache(); }) {
      if (self.in_cache()) {
        for (std::size_t i = 0; i < all.size(); ++i) use(as_digest(all[i], self.seed_), i);
        return;
      }
    }
    detail::in_blocks<1>(all, self.seed_,
                         [&](const auto& now, const auto& next, std::size_t first) {
                           for (std::size_t i = 0; i < next.count; ++i) self.prefetch(next[i]);
                           for (std::size_t i = 0; i < now.count; ++i) use(now[i], first + i);
                         });
  }
};

}  // namespace bloomtime::detail
