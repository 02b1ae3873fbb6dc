#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <ranges>
#include <span>
#include <type_traits>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/detail/stored.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/layout.hpp>
#include <bloomtime/math/posterior.hpp>
#include <bloomtime/math/timing.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/recency/age_prior.hpp>
#include <bloomtime/recency/answers.hpp>
#include <bloomtime/recency/audit.hpp>
#include <bloomtime/recency/detail/arrival_counts.hpp>
#include <bloomtime/recency/detail/stamp_cells.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime {

// A `window` of time or of the `last` insertions, with at most `items` different items at one time.
// Size the filter by `error`, the probability that an item not seen lately is taken for one that
// was; by `memory`, bytes of timers; or by `size`, the size() of another filter with as many ticks.
//
// The error holds however the items are spread over the window, also if all of them come at once:
// then the burst before the last one is still alive, with the rest of its tick, when the next one
// comes. Items that come evenly take little more than half the memory: `evenly` counts on that. The
// error of such a filter is larger while items come in bursts; see current_error().
struct recency_config {
  std::optional<std::chrono::microseconds> window = {};
  std::optional<std::uint64_t> last = {};
  std::uint64_t items = 0;
  std::optional<double> error = {};
  std::optional<std::uint64_t> memory = {};
  std::optional<math::stamp_size> size = {};
  bool evenly = false;
  // Of a window: an item is forgotten up to one tick after it. 1 to 2^24 in time, where each takes
  // 8 bytes.
  std::uint32_t ticks = 10;
  std::optional<bloomtime::layout> layout = {};  // flat or line; the planner's choice if unset
  bool refresh = true;  // whether a duplicate renews the time of its item, see add_if_new
  std::optional<std::chrono::microseconds> ahead = {};  // events further ahead are `future`
  std::optional<audit_config> audit = {};               // its window is the filter's
  hash_seed seed = 0;
};

// Was x seen within the window? A "no" is certain. A "yes" is wrong with the probability the filter
// was sized for, and for items that left the window less than a tick ago. The block timing filter
// of Dautrich & Ravishankar 2019, with ticks of a clock or of so many insertions in place of blocks
// (docs/math.md, Windows of time).
//
// Time never goes back: a query before the newest event is about the newest event, and late
// sightings are recorded where they belong. Windows of insertions have no time argument and ignore
// one; in a window of time, calls without a time use the newest one. Const members may run
// concurrently. A filter that was moved from is safe to query and empty; it refuses events and
// cannot be merged or stored.
class recency_filter : public detail::stored<recency_filter> {
 public:
  static constexpr std::string_view name = "recency_filter";
  static constexpr detail::stored_kind kind{family::recency, {5}, "a recency filter"};

  explicit recency_filter(const recency_config& config);
  BLOOMTIME_VALUE(recency_filter);

  // A sighting: added; late, if its tick has passed; dropped_late, if it is older than the window;
  // future, if it is too far ahead; full, after 2^62 of them; refused, if a window of time was
  // given no time for its first event. The latter four change nothing.
  template <item T>
  BLOOMTIME_INLINE outcome add(const T& x, instant when) noexcept {
    const digest d = detail::as_digest(x, seed_);
    detail::stamp_cells::places at;
    cells_.find(d, at);
    return add_at(d, at, when);
  }
  template <item T>
  BLOOMTIME_PER_ISA outcome add(const T& x) noexcept {
    return has_time() ? add(x, latest()) : losses_.count(outcome::refused);
  }

  // seen() and add() in one, for dropping duplicates. With refresh a duplicate renews the time of
  // its item, so that it is fresh again when it was quiet for a window; without, it changes
  // nothing, and the item is fresh again one window after it last was. Events that are dropped_late
  // or future are answered and leave no trace.
  template <item T>
  [[nodiscard]] BLOOMTIME_INLINE novelty add_if_new(const T& x, instant when) noexcept {
    const digest d = detail::as_digest(x, seed_);
    detail::stamp_cells::places at;
    cells_.find(d, at);
    return test_and_set(d, at, when, nullptr);
  }
  template <item T>
  [[nodiscard]] BLOOMTIME_PER_ISA novelty add_if_new(const T& x) noexcept {
    return has_time() ? add_if_new(x, latest()) : novelty{true, losses_.count(outcome::refused)};
  }

  // The same by the answer that costs least: a false positive is a fresh item taken for a
  // duplicate. Needs an audit; without one it is the standard answer.
  template <item T>
  [[nodiscard]] BLOOMTIME_PER_ISA novelty add_if_new(const T& x, instant when,
                                                     const math::penalties& costs) {
    math::check(costs);
    const digest d = detail::as_digest(x, seed_);
    detail::stamp_cells::places at;
    cells_.find(d, at);
    return test_and_set(d, at, when, &costs);
  }

  // Many at once, in their order: the same as one by one, and faster where the filter exceeds the
  // cache.
  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA void add_bulk(const Items& items, std::span<const instant> when,
                                  std::span<outcome> outcomes) {
    const auto all = as_span(items);
    check_bulk(all.size(), when.size(), outcomes.size(), has_time());
    in_blocks(*this, all, [&](digest d, const auto& at, std::size_t i) {
      outcomes[i] = add_at(d, at, time_of(when, i));
    });
  }
  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA void add_bulk(const Items& items, std::span<outcome> outcomes) {
    add_bulk(items, {}, outcomes);
  }
  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA void add_if_new_bulk(const Items& items, std::span<const instant> when,
                                         std::span<novelty> answers) {
    const auto all = as_span(items);
    check_bulk(all.size(), when.size(), answers.size(), has_time());
    in_blocks(*this, all, [&](digest d, const auto& at, std::size_t i) {
      answers[i] = test_and_set(d, at, time_of(when, i), nullptr);
    });
  }
  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA void add_if_new_bulk(const Items& items, std::span<novelty> answers) {
    add_if_new_bulk(items, {}, answers);
  }

  template <item T>
  BLOOMTIME_INLINE bool seen(const T& x, instant when) const noexcept {
    detail::stamp_cells::places at;
    cells_.find(detail::as_digest(x, seed_), at);
    return seen_at(at, moment_of(when));
  }
  template <item T>
  BLOOMTIME_PER_ISA bool seen(const T& x) const noexcept {
    return seen(x, latest());
  }
  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA void seen_bulk(const Items& items, instant when,
                                   std::span<bool> answers) const {
    const auto all = as_span(items);
    check_bulk(all.size(), 0, answers.size(), true);
    const moment asked = moment_of(when);
    in_blocks(*this, all,
              [&](digest, const auto& at, std::size_t i) { answers[i] = seen_at(at, asked); });
  }

  // How long ago x was last seen, in microseconds or insertions: certainly not more recently than
  // `youngest`, and at most `oldest`, unless the answer is wrong as seen() may be. None where
  // seen() says no.
  template <item T>
  BLOOMTIME_PER_ISA std::optional<age_bracket> age(const T& x, instant when) const noexcept {
    return bracket(look(x), moment_of(when));
  }
  template <item T>
  BLOOMTIME_PER_ISA std::optional<age_bracket> age(const T& x) const noexcept {
    return age(x, latest());
  }

  // What the stamps of x say about its age, counted in insertions since, or in microseconds if
  // `in_time`, with the census likelihood; and the window on the same axis. With a window in
  // insertions there is only that axis.
  // Ages reach back to the first insertion, or the beginning of its tick: so the window is no
  // longer than that, and an item that is older was never inserted. The likelihood is the census of
  // the stamps, or the paper's analytic one with the number of different items of a tick, as the
  // stamps of all ticks show it.
  struct view {
    math::evidence evidence;
    double window;
  };
  enum class likelihood : std::uint8_t { census, analytic };
  template <item T>
  BLOOMTIME_PER_ISA view evidence(const T& x, instant when, bool in_time = false,
                                  likelihood by = likelihood::census) const noexcept {
    return view_of(look(x), moment_of(when), in_time, by);
  }

  // The probability that x was seen within the window. Without a prior it is what the audit has
  // learned. NaN if the prior is unknown.
  template <item T, recency_prior Prior>
  BLOOMTIME_PER_ISA double posterior(const T& x, instant when, const Prior& prior) const {
    const auto m = masses(look(x), moment_of(when), prior);
    return m ? m->probability() : std::numeric_limits<double>::quiet_NaN();
  }
  template <item T, recency_prior Prior>
  BLOOMTIME_PER_ISA double posterior(const T& x, const Prior& prior) const {
    return posterior(x, latest(), prior);
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
    const sight found = look(x);
    const moment asked = moment_of(when);
    const auto m = masses(found, asked, prior);
    return m ? math::positive(*m, costs, alive(found, asked)) : alive(found, asked);
  }
  template <item T, recency_prior Prior>
  BLOOMTIME_PER_ISA bool decide(const T& x, const Prior& prior,
                                const math::penalties& costs) const {
    return decide(x, latest(), prior, costs);
  }
  template <item T>
  BLOOMTIME_PER_ISA bool decide(const T& x, instant when, const math::penalties& costs) const {
    math::check(costs);
    return chosen(opinions_of(look(x), moment_of(when), {}), costs);
  }

  // The audit decides and learns from the question, with what the caller knows about the item. Only
  // this and add_if_new teach it.
  template <item T>
  BLOOMTIME_PER_ISA bool observe(const T& x, instant when, const age_prior& prior,
                                 const math::penalties& costs) {
    math::check(costs);
    const opinions said = opinions_of(look(x), moment_of(when), prior);
    const bool answer = chosen(said, costs);
    learn(detail::as_digest(x, seed_), when, said, costs);
    return answer;
  }

  // Lets time pass without an event; never back.
  void advance(instant now) noexcept;

  // The filter of both streams: what either of them has seen within the window was seen. Both need
  // the same timers, window, clock and seed. Windows in insertions keep to the insertions of each.
  void merge(const recency_filter& other);

  // As it was made: nothing was added, and the audit has learned nothing.
  void clear();

  bool timed() const noexcept { return timed_; }  // or the window is in insertions
  std::uint64_t window() const noexcept { return window_; }
  const tick_clock& clock() const noexcept { return clock_; }    // of ticks
  std::uint32_t ticks() const noexcept { return size_.oldest; }  // of a window
  bloomtime::layout layout() const noexcept { return size_.layout; }
  const math::stamp_size& size() const noexcept { return size_; }
  std::uint64_t items() const noexcept { return items_; }  // of a window, as it was sized
  bool refresh() const noexcept { return refresh_; }
  const hash_seed& seed() const noexcept { return seed_; }
  std::uint64_t insertions() const noexcept { return insertions_; }
  // The latest time it knows. None before the first event, and in windows of insertions.
  std::optional<instant> newest() const noexcept {
    return timed_ && started_ ? std::optional(instant(now_)) : std::nullopt;
  }
  const bloomtime::losses& losses() const noexcept { return losses_; }  // since made or loaded
  const std::optional<bloomtime::audit>& audit() const noexcept { return audit_; }
  const detail::stamp_cells& cells() const noexcept { return cells_; }  // for tests
  std::uint64_t memory() const noexcept;  // timers, counts of stamps and arrivals, audit

  double fill() const noexcept;  // the share of timers that are alive
  double alive_items() const;    // different ones, from that
  // With so many different items in any window, however they come.
  double predicted_error(std::uint64_t items) const;
  double current_error() const;  // of an item that was not seen lately, now

 private:
  friend detail::stored<recency_filter>;
  void write(detail::container_writer& out) const;
  static recency_filter read(const detail::container_view& file);

  bool has_time() const noexcept { return started_ || !timed_; }
  instant latest() const noexcept { return instant(now_); }  // or the number of insertions
  instant time_of(std::span<const instant> when, std::size_t i) const noexcept {
    return when.empty() ? latest() : when[i];
  }

  using places = detail::stamp_cells::places;
  using sight = detail::stamp_cells::sight;
  static constexpr std::uint64_t most_insertions = std::uint64_t{1} << 62;
  static constexpr std::int64_t before_time = std::numeric_limits<std::int64_t>::min();

  // An event that came: how many ticks before the present one, if it is to be recorded.
  struct arrival {
    outcome became;
    std::uint32_t back;
    std::int64_t at;

    bool recorded() const noexcept { return became == outcome::added || became == outcome::late; }
  };

  // The time of a query: how far into its tick, how many ticks after the newest event, and the
  // oldest age, from then, that a stamp in the window can have (Lambda of
  // docs/math.md, Windows of time).
  struct moment {
    std::int64_t at;
    std::int64_t offset;
    std::uint64_t behind;
    std::uint32_t oldest;
  };

  recency_filter() noexcept = default;

  BLOOMTIME_INLINE arrival arrive(instant when) noexcept {
    if (insertions_ >= most_insertions || cells_.empty()) [[unlikely]]
      return {cells_.empty() ? outcome::refused : outcome::full, 0, now_};
    if (!timed_) return {outcome::added, 0, now_ + 1};
    if (begins_ <= when && when <= ends_) [[likely]] {
      now_ = std::max(now_, when.micros);
      return {outcome::added, 0, when.micros};
    }
    return arrive_elsewhen(when);
  }
  BLOOMTIME_INLINE moment moment_of(instant when) const noexcept {
    const std::int64_t at = timed_ ? std::max(when.micros, now_) : now_;
    if (at > ends_.micros) [[unlikely]]
      return later(at);
    const std::int64_t offset = std::max<std::int64_t>(0, at - begins_.micros);  // -1 before time
    return {at, offset, 0, oldest_at(offset)};
  }
  // ceil((window - offset) / tick)
  std::uint32_t oldest_at(std::int64_t offset) const noexcept {
    return size_.oldest - (offset >= cut_ ? 1 : 0);
  }
  BLOOMTIME_INLINE bool seen_at(const places& at, const moment& asked) const noexcept {
    return asked.behind <= asked.oldest && !cells_.empty() &&
           cells_.younger(at, asked.oldest - static_cast<std::uint32_t>(asked.behind));
  }
  bool alive(const sight& seen, const moment& asked) const noexcept {
    return asked.behind <= asked.oldest && seen.age <= asked.oldest - asked.behind;
  }
  BLOOMTIME_INLINE outcome add_at(digest d, const places& at, instant when) noexcept {
    const arrival event = arrive(when);
    if (!event.recorded()) return losses_.count(event.became);
    record(d, at, event);
    return event.became;
  }
  BLOOMTIME_INLINE void record(digest d, const places& at, const arrival& event) noexcept {
    if (event.back == 0) [[likely]] {
      cells_.stamp(at);
    } else {
      cells_.stamp_back(at, event.back);
    }
    ++insertions_;
    if (timed_) {
      arrivals_.add(event.back);
    } else if (++now_ > ends_.micros) {
      go_to(tick_ + 1);
    }
    cells_.sweep_some(sweep_);
    if (audit_) [[unlikely]]
      audit_->insertion(d, event.at);
  }

  arrival arrive_elsewhen(instant when) noexcept;
  moment later(std::int64_t at) const noexcept;
  void go_to(std::int64_t tick) noexcept;
  void set_tick(std::int64_t tick) noexcept;
  novelty test_and_set(digest d, const places& at, instant when,
                       const math::penalties* costs) noexcept;
  std::optional<age_bracket> bracket(const sight& seen, const moment& asked) const noexcept;

  template <item T>
  BLOOMTIME_PER_ISA sight look(const T& x) const noexcept {
    if (cells_.empty()) [[unlikely]]
      return {detail::stamp_cells::expired, 0};
    places at;
    cells_.find(detail::as_digest(x, seed_), at);
    return cells_.look(at);
  }
  view view_of(const sight& seen, const moment& asked, bool in_time, likelihood by) const noexcept;
  view unseen(const moment& asked, bool in_time) const noexcept;
  math::evidence ages_of(std::uint32_t age, const moment& asked, bool in_time,
                         double g) const noexcept;
  double watched(const moment& asked) const noexcept;
  double g_of(const sight& seen, likelihood by) const noexcept;
  double insertions_since(std::uint32_t age) const noexcept;
  double different_in(std::uint32_t age) const noexcept;
  std::uint64_t alive_timers() const noexcept;

  // None if the prior is unknown.
  template <class Cdf>
  BLOOMTIME_PER_ISA std::optional<math::masses> masses(const sight& seen, const moment& asked,
                                                       const Cdf& cdf) const {
    const view v = view_of(seen, asked, true, likelihood::census);
    return math::window_masses(v.evidence, v.window, cdf);
  }
  std::optional<math::masses> masses(const sight& seen, const moment& asked,
                                     const age_prior& prior) const noexcept;
  std::optional<math::masses> masses(const sight& seen, const moment& asked,
                                     const event_rate& prior) const;

  const learned_ages* learned() const noexcept {
    return audit_ && !cells_.empty() ? audit_->ages() : nullptr;
  }
  opinions opinions_of(const sight& seen, const moment& asked,
                       const age_prior& prior) const noexcept;
  bool chosen(const opinions& said, const math::penalties& costs) const noexcept {
    return audit_ && !cells_.empty() ? audit_->decide(said, costs) : said.standard;
  }
  void learn(digest d, instant when, const opinions& said, const math::penalties& costs) noexcept;

  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA static auto as_span(const Items& items) {
    return std::span<const std::ranges::range_value_t<Items>>(items);
  }
  void check_bulk(std::size_t items, std::size_t times, std::size_t answers, bool has_time) const;
  // use(digest, places, index) in order, with the lines of the next block on their way.
  template <class Self, item T, class Use>
  BLOOMTIME_PER_ISA static void in_blocks(Self& self, std::span<const T> items, Use&& use);

  math::stamp_load load_of(std::uint64_t items, bool evenly) const noexcept;
  math::stamp_size size_for(const recency_config& config) const;
  void expect_mergeable(const recency_filter& other) const;
  void set_window(std::uint64_t window, std::uint64_t tick);
  detail::stamp_shape shape() const noexcept;
  void read_cells(detail::byte_reader& in, const detail::container_view& file);
  void read_arrivals(const detail::container_view& file);

  detail::stamp_cells cells_;
  detail::arrival_counts arrivals_;  // if timed
  std::optional<bloomtime::audit> audit_;
  math::stamp_size size_;
  tick_clock clock_;
  bool timed_ = true;
  bool started_ = false;  // timed: the first event sets the clock
  bool refresh_ = true;
  std::uint64_t window_ = 0;  // microseconds or insertions
  std::optional<std::uint64_t> ahead_;
  std::uint64_t items_ = 0;
  hash_seed seed_;
  std::int64_t cut_ = 0;     // of a tick: from here on the window begins one tick later
  std::uint64_t sweep_ = 0;  // timers per insertion
  std::uint64_t insertions_ = 0;
  std::int64_t now_ = before_time;
  std::int64_t tick_ = 0;
  instant begins_{before_time + 1};  // of the present tick; none so far
  instant ends_{before_time};
  bloomtime::losses losses_;
};

template <class Self, item T, class Use>
void recency_filter::in_blocks(Self& self, std::span<const T> items, Use&& use) {
  std::array<std::array<places, detail::bulk_block>, 2> blocks;
  bool odd = false;
  detail::in_blocks<1>(items, self.seed_,
                       [&](const auto& now, const auto& next, std::size_t first) {
                         for (std::size_t i = 0; i < next.count; ++i) {
                           self.cells_.find(next[i], blocks[odd][i]);
                           if constexpr (std::is_const_v<Self>) {
                             self.cells_.prefetch_read(blocks[odd][i]);
                           } else {
                             self.cells_.prefetch_write(blocks[odd][i]);
                           }
                         }
                         odd = !odd;
                         for (std::size_t i = 0; i < now.count; ++i) {
                           use(now[i], blocks[odd][i], first + i);
                         }
                       });
}

}  // namespace bloomtime
