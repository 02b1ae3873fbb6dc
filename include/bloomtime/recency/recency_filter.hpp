#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
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
#include <bloomtime/recency/detail/recency_face.hpp>
#include <bloomtime/recency/detail/recent_window.hpp>
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
class recency_filter : public detail::stored<recency_filter>,
                       public detail::recency_face<recency_filter> {
 public:
  static constexpr std::string_view name = "recency_filter";
  static constexpr detail::stored_kind kind{family::recency, {5}, "a recency filter"};

  explicit recency_filter(const recency_config& config);
  BLOOMTIME_VALUE(recency_filter);

  // The positions of an item are computed once, not for prefetching and again for the call.
  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA void add_bulk(const Items& items, std::span<const instant> when,
                                  std::span<outcome> outcomes) {
    check_bulk(std::size(items), when.size(), outcomes.size());
    in_blocks(*this, items, [&](digest d, const auto& at, std::size_t i) {
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
    check_bulk(std::size(items), when.size(), answers.size());
    in_blocks(*this, items, [&](digest d, const auto& at, std::size_t i) {
      answers[i] = test_and_set_at(d, at, time_of(when, i), nullptr);
    });
  }
  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA void add_if_new_bulk(const Items& items, std::span<novelty> answers) {
    add_if_new_bulk(items, {}, answers);
  }
  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA void seen_bulk(const Items& items, instant when,
                                   std::span<bool> answers) const {
    expect_usable();
    detail::expect_as_many(std::size(items), answers.size());
    const moment asked = window_.moment_of(when);
    in_blocks(*this, items,
              [&](digest, const auto& at, std::size_t i) { answers[i] = seen_at(at, asked); });
  }

  // What the stamps of x say about its age, counted in insertions since, or in microseconds if
  // `in_time`, with the census likelihood; and the window on the same axis. With a window in
  // insertions there is only that axis.
  // Ages reach back to the first insertion, or the beginning of its tick: so the window is no
  // longer than that, and an item that is older was never inserted. The likelihood is the census of
  // the stamps, or the paper's analytic one with the number of different items of a tick, as the
  // stamps of all ticks show it.
  using view = detail::recent_window::view;
  enum class likelihood : std::uint8_t { census, analytic };
  template <item T>
  BLOOMTIME_PER_ISA view evidence(const T& x, instant when, bool in_time = false,
                                  likelihood by = likelihood::census) const noexcept {
    const sight seen = look(detail::as_digest(x, seed_));
    const moment asked = window_.moment_of(when);
    const bool analytic = by == likelihood::analytic && alive(seen, asked);
    return view_of(seen, asked, in_time, analytic ? analytic_g(seen) : g_of(seen, asked));
  }

  // Lets time pass without an event; never back.
  void advance(instant now) noexcept;

  // The filter of both streams: what either of them has seen within the window was seen. Both need
  // the same timers, window, clock and seed. Windows in insertions keep to the insertions of each.
  void merge(const recency_filter& other);

  // As it was made: nothing was added, and the audit has learned nothing.
  void clear();

  bloomtime::layout layout() const noexcept { return size_.layout; }
  const math::stamp_size& size() const noexcept { return size_; }
  std::uint64_t items() const noexcept { return items_; }  // of a window, as it was sized
  bool refresh() const noexcept { return refresh_; }
  const hash_seed& seed() const noexcept { return seed_; }
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
  friend detail::recency_face<recency_filter>;
  using places = detail::stamp_cells::places;
  using arrival = detail::recent_window::arrival;

  struct sight {
    std::optional<std::uint32_t> age;  // in ticks; none if no timer tells
    unsigned count = 0;                // timers of this age
  };

  recency_filter() noexcept = default;
  void write(detail::container_writer& out) const;
  static recency_filter read(const detail::container_view& file);

  BLOOMTIME_INLINE outcome add_digest(digest d, instant when) noexcept {
    places at;
    cells_.find(d, at);
    return add_at(d, at, when);
  }
  BLOOMTIME_INLINE novelty test_and_set(digest d, instant when,
                                        const math::penalties* costs) noexcept {
    places at;
    cells_.find(d, at);
    return test_and_set_at(d, at, when, costs);
  }
  BLOOMTIME_INLINE bool seen_digest(digest d, const moment& asked) const noexcept {
    places at;
    cells_.find(d, at);
    return seen_at(at, asked);
  }
  sight look(digest d) const noexcept;
  sight look_at(const places& at) const noexcept;
  double census_g(const sight& seen) const noexcept;
  double analytic_g(const sight& seen) const noexcept;
  bool usable() const noexcept { return !cells_.empty(); }
  void expect_usable() const;

  BLOOMTIME_INLINE arrival arrive(instant when) noexcept {
    if (!usable()) [[unlikely]]
      return {outcome::refused, 0, 0, 0};
    const arrival event = window_.arrive(when);
    if (event.passed != 0) [[unlikely]]
      cells_.advance(event.passed);
    return event;
  }
  BLOOMTIME_INLINE bool seen_at(const places& at, const moment& asked) const noexcept {
    return asked.behind <= asked.oldest && usable() &&
           cells_.younger(at, asked.oldest - static_cast<std::uint32_t>(asked.behind));
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
    if (const std::uint64_t passed = window_.count(event.back)) [[unlikely]]
      cells_.advance(passed);
    cells_.sweep_some(sweep_);
    if (audit_) [[unlikely]]
      audit_->insertion(d, event.at);
  }
  novelty test_and_set_at(digest d, const places& at, instant when,
                          const math::penalties* costs) noexcept;
  double different_in(std::uint32_t age) const noexcept;
  std::uint64_t alive_timers() const noexcept;

  // use(digest, places, index) in order, with the lines of the next block on their way.
  template <class Self, class Items, class Use>
  BLOOMTIME_PER_ISA static void in_blocks(Self& self, const Items& items, Use&& use);

  math::stamp_load load_of(std::uint64_t items, bool evenly) const noexcept;
  math::stamp_size size_for(const recency_config& config) const;
  void expect_mergeable(const recency_filter& other) const;
  detail::stamp_shape shape() const noexcept;
  void read_cells(detail::byte_reader& in, const detail::container_view& file);

  detail::stamp_cells cells_;
  detail::recent_window window_;
  std::optional<bloomtime::audit> audit_;
  math::stamp_size size_;
  bool refresh_ = true;
  std::uint64_t items_ = 0;
  hash_seed seed_;
  std::uint64_t sweep_ = 0;  // timers per insertion
  bloomtime::losses losses_;
};

template <class Self, class Items, class Use>
void recency_filter::in_blocks(Self& self, const Items& items, Use&& use) {
  const std::span<const std::ranges::range_value_t<Items>> all(items);
  std::array<std::array<places, detail::bulk_block>, 2> blocks;
  bool odd = false;
  detail::in_blocks<1>(all, self.seed_, [&](const auto& now, const auto& next, std::size_t first) {
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
