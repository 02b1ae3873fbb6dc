#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <ranges>
#include <span>
#include <vector>

#include <bloomtime/detail/buffer.hpp>
#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/hooked.hpp>
#include <bloomtime/detail/probes.hpp>
#include <bloomtime/detail/stored.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/math/age_partitioned.hpp>
#include <bloomtime/math/posterior.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/recency/age_prior.hpp>
#include <bloomtime/recency/answers.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime {

// A window of the `last` insertions, or a `window` of time with at most `items` different items. An
// item that is added again takes the room of another one, unless the same generation has it. An
// item is forgotten at most one `tick` late; a tick is window / 600 unless given. Size the filter
// by `error`, the probability that an item outside the window is "seen", or by `memory`.
struct age_partitioned_config {
  std::optional<std::uint64_t> last = {};
  std::optional<std::chrono::microseconds> window = {};
  std::optional<std::chrono::microseconds> tick = {};
  std::uint64_t items = 0;
  std::optional<double> error = {};
  std::optional<std::uint64_t> memory = {};  // bytes of bits
  bool refresh = true;  // whether a duplicate renews the time of its item, see add_if_new
  hash_seed seed = 0;
};

// Was this item seen within the last insertions, or the last minutes? A "no" is certain; a "yes" is
// wrong with the probability the filter was sized for. An age-partitioned Bloom filter
// (math/age_partitioned.hpp). In a window of time a generation ends with its tick, or earlier if it
// is full, so the error does not depend on when the items of a window arrive: evenly, all at once,
// or after a pause. For another way to handle variable rates see the Time-limited Bloom Filter
// (arXiv 2306.06742).
//
// If more insertions arrive than the filter was sized for, it keeps them all: the error grows,
// items are remembered for longer than the window, add() returns `saturated`, and overloaded() is
// true. Nothing within the window is missed.
//
// Windows of insertions have no time argument and ignore one. In a window of time, calls without a
// time use the newest one; queries are about `when` or the newest event, whichever is later. Const
// members may run concurrently. Opening a slice clears the memory of eight at once: one in bands()
// of all bytes.
class age_partitioned_filter : public detail::stored<age_partitioned_filter> {
 public:
  // Engine 4 is that of older files. Their items have the same bits in all generations, so items
  // that just left the window are "seen" for up to k generations more, less often in each. They
  // are written back as engine 4.
  static constexpr std::string_view name = "age_partitioned_filter";
  static constexpr detail::stored_kind kind{family::recency, {6, 4}, "an age-partitioned filter"};

  explicit age_partitioned_filter(const age_partitioned_config& config);
  BLOOMTIME_VALUE(age_partitioned_filter);

  // late: put where it belongs, or in a later generation if there is none or it is full;
  // dropped_late: older than the window; saturated: added, but no generation had room; refused: a
  // window of time was given no time for its first event.
  template <item T>
  BLOOMTIME_PER_ISA outcome add(const T& x, instant when) noexcept {
    return losses_.count(add_digest(detail::as_digest(x, seed_), when));
  }
  template <item T>
  BLOOMTIME_PER_ISA outcome add(const T& x) noexcept {
    return has_time() ? add(x, latest()) : losses_.count(outcome::refused);
  }

  // seen() and add() in one, for dropping duplicates. With refresh a duplicate is added as well, so
  // that its window begins anew.
  template <item T>
  [[nodiscard]] BLOOMTIME_PER_ISA novelty add_if_new(const T& x, instant when) noexcept {
    return test_and_set(detail::as_digest(x, seed_), when);
  }
  template <item T>
  [[nodiscard]] BLOOMTIME_PER_ISA novelty add_if_new(const T& x) noexcept {
    return has_time() ? add_if_new(x, latest()) : novelty{true, losses_.count(outcome::refused)};
  }

  // Many at once: the same as one by one, and faster where the filter exceeds the cache.
  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA void add_bulk(const Items& items, std::span<const instant> when,
                                  std::span<outcome> outcomes) {
    in_blocks(items, when, outcomes,
              [this](digest d, instant at) { return losses_.count(add_digest(d, at)); });
  }
  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA void add_bulk(const Items& items, std::span<outcome> outcomes) {
    add_bulk(items, {}, outcomes);
  }
  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA void add_if_new_bulk(const Items& items, std::span<const instant> when,
                                         std::span<novelty> answers) {
    in_blocks(items, when, answers, [this](digest d, instant at) { return test_and_set(d, at); });
  }
  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA void add_if_new_bulk(const Items& items, std::span<novelty> answers) {
    add_if_new_bulk(items, {}, answers);
  }

  template <item T>
  BLOOMTIME_PER_ISA bool seen(const T& x, instant when) const noexcept {
    return find(detail::as_digest(x, seed_), oldest_at(when)).has_value();
  }
  template <item T>
  BLOOMTIME_PER_ISA bool seen(const T& x) const noexcept {
    return seen(x, latest());
  }

  // How long ago x was last seen, in microseconds or insertions. None where seen() says no.
  template <item T>
  BLOOMTIME_PER_ISA std::optional<age_bracket> age(const T& x, instant when) const noexcept {
    return bracket(detail::as_digest(x, seed_), when);
  }
  template <item T>
  BLOOMTIME_PER_ISA std::optional<age_bracket> age(const T& x) const noexcept {
    return age(x, latest());
  }

  // The unnormalised posterior of "seen within the window". An item that was not added finds a bit
  // set with the share of set bits in its word. None if the prior is unknown: an age_prior in a
  // window of time, an event_rate in a window of insertions.
  template <item T, recency_prior Prior>
  BLOOMTIME_PER_ISA std::optional<math::masses> masses(const T& x, instant when,
                                                       const Prior& prior) const;

  // The probability that x was seen within the window. NaN if the prior is unknown.
  template <item T, recency_prior Prior>
  BLOOMTIME_PER_ISA double posterior(const T& x, instant when, const Prior& prior) const {
    const auto m = masses(x, when, prior);
    return m ? m->probability() : std::numeric_limits<double>::quiet_NaN();
  }
  template <item T, recency_prior Prior>
  BLOOMTIME_PER_ISA double posterior(const T& x, const Prior& prior) const {
    return posterior(x, latest(), prior);
  }

  // The answer that costs least on average: true for "seen". seen() if the prior is unknown.
  template <item T, recency_prior Prior>
  BLOOMTIME_PER_ISA bool decide(const T& x, instant when, const Prior& prior,
                                const math::penalties& costs) const {
    math::check(costs);
    const auto m = masses(x, when, prior);
    const bool standard = seen(x, when);
    return m ? math::positive(*m, costs, standard) : standard;
  }
  template <item T, recency_prior Prior>
  BLOOMTIME_PER_ISA bool decide(const T& x, const Prior& prior,
                                const math::penalties& costs) const {
    return decide(x, latest(), prior, costs);
  }

  // Lets time pass without an event; never back.
  void advance(instant now) noexcept;

  // The filter of both streams: what either of them would find within the window is found. Both
  // need a window of time and the same parameters. A generation keeps its place among the slices,
  // so the live generations of both must fit into one ring; throws error(incompatible) if they do
  // not. Items may be remembered for longer than the window, as after an overload, and one that
  // left it shortly before may be found again.
  void merge(const age_partitioned_filter& other);

  // As it was made: nothing was added.
  void clear() noexcept;

  bool timed() const noexcept { return timed_; }
  std::uint64_t window() const noexcept { return window_; }  // insertions or microseconds
  std::uint64_t items() const noexcept { return items_; }    // that a window was sized for
  bool refresh() const noexcept { return refresh_; }
  void set_refresh(bool on) noexcept { refresh_ = on; }
  const tick_clock& clock() const noexcept { return clock_; }
  unsigned k() const noexcept { return k_; }
  std::uint64_t generations() const noexcept { return generations_; }
  std::uint64_t quota() const noexcept { return quota_; }
  std::uint64_t bands() const noexcept { return bands_; }
  std::uint64_t lines() const noexcept { return lines_; }
  std::uint64_t bits() const noexcept { return bits_.size() * 8; }
  std::uint64_t memory() const noexcept;  // bits, counts and ends
  const hash_seed& seed() const noexcept { return seed_; }
  std::uint64_t insertions() const noexcept { return insertions_; }
  std::optional<instant> newest() const noexcept;  // the start of its tick; windows of time only
  const bloomtime::losses& losses() const noexcept { return losses_; }  // since made or loaded

  // Whether an insertion within the window found no room in any generation.
  bool overloaded() const noexcept {
    return overloaded_ != never && overloaded_ >= window_begin(newest_);
  }

  // Different items in the window, from the set bits. An item counts once per generation that it
  // was added to.
  double alive_items() const;
  // The probability that an item outside the window is "seen": with so many items in any window, at
  // most, and now.
  double predicted_error(std::uint64_t items) const;
  double current_error() const;

 private:
  friend detail::stored<age_partitioned_filter>;
  void write(detail::container_writer& out) const;
  static age_partitioned_filter read(const detail::container_view& view);

  static constexpr unsigned per_band = math::slices_per_band;
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::min();
  static constexpr std::int64_t not_raised = std::numeric_limits<std::int64_t>::max();

  // Where the bits of an item lie in one band.
  struct spot {
    std::size_t offset;   // of the line
    std::uint64_t picks;  // six bits per word

    // Of the item in generation number `turn`; 0 if bits are shared.
    unsigned bit(unsigned word, std::uint64_t turn) const noexcept {
      return static_cast<unsigned>((picks >> (6 * word)) + turn) & 63;
    }
  };

  age_partitioned_filter() noexcept = default;

  // Slices are numbered as they open; generation number j sets bits in the slices j - k + 1 to j,
  // the first one is number k - 1. A band of slices lies in one of bands() places.
  std::uint64_t place_of(std::uint64_t band) const noexcept {
    const std::uint64_t back = current_ / per_band - band;
    return place_ >= back ? place_ - back : place_ + bands_ - back;
  }
  BLOOMTIME_INLINE spot spot_of(digest d, std::uint64_t band) const noexcept {
    const auto place = static_cast<unsigned>(place_of(band));
    const std::uint64_t line = detail::reduce(detail::probe(d, 2 * place), lines_);
    return {static_cast<std::size_t>((place * lines_ + line) * detail::line_bytes),
            detail::probe(d, 2 * place + 1)};
  }
  std::uint64_t word_at(const spot& s, unsigned word) const noexcept {
    return detail::load_le64(bits_.data() + s.offset + 8 * std::size_t{word});
  }
  // Bit i: whether the word has the item's bit of generation `from` + i.
  BLOOMTIME_INLINE std::uint64_t bits_from(const spot& s, unsigned word,
                                           std::uint64_t from) const noexcept {
    const std::uint64_t value = word_at(s, word);
    if (own_bits_) return std::rotr(value, static_cast<int>(s.bit(word, from)));
    return 0 - (value >> s.bit(word, 0) & 1);
  }
  // Bit i: whether generation first_telling(band) + i may have the item, by the bits of this band.
  BLOOMTIME_INLINE std::uint64_t possible_in(digest d, std::uint64_t band) const noexcept {
    const spot s = spot_of(d, band);
    const std::uint64_t first = first_telling(band);
    std::uint64_t possible = telling_;
    for (unsigned i = 0; i < per_band; ++i) possible &= bits_from(s, i, first) | unused_[i];
    return possible;
  }
  std::uint64_t first_telling(std::uint64_t band) const noexcept {
    return band * per_band + reach_ - 1;
  }
  std::uint64_t lowest_slice(std::uint64_t oldest) const noexcept { return oldest + 1 - k_; }
  std::size_t index_of(std::uint64_t slice) const noexcept {
    return static_cast<std::size_t>(place_of(slice / per_band) * per_band + slice % per_band);
  }
  std::int64_t end_of(std::uint64_t generation) const noexcept {
    return ends_[index_of(generation)];
  }

  std::uint64_t& count_of(std::uint64_t generation) noexcept {
    return counts_[index_of(generation)];
  }
  bool alive() const noexcept { return oldest_ <= current_; }
  bool crowded() const noexcept { return timed_ && alive() && end_of(oldest_) <= crowded_; }
  std::int64_t first_tick() const noexcept;
  std::int64_t first_tick_from(std::uint64_t first) const noexcept;
  void crowd(std::int64_t first) noexcept;

  bool has_time() const noexcept { return !timed_ || insertions_ != 0; }
  instant latest() const noexcept { return newest().value_or(instant()); }
  outcome add_digest(digest d, instant when) noexcept;
  outcome lateness(std::int64_t tick) const noexcept;
  novelty test_and_set(digest d, instant when) noexcept;
  std::optional<std::uint64_t> generation_for_late(std::int64_t tick) noexcept;
  std::uint64_t generation_for_now() noexcept;
  void put(digest d, std::uint64_t generation) noexcept;
  void set(digest d, std::uint64_t generation) noexcept;
  void move_to(std::int64_t tick) noexcept;
  bool open_generation() noexcept;
  std::uint64_t oldest_at(instant when) const noexcept;
  std::int64_t window_begin(std::int64_t tick) const noexcept;
  std::uint64_t first_ending_at(std::uint64_t from, std::int64_t tick) const noexcept;
  std::optional<std::uint64_t> find(digest d, std::uint64_t oldest) const noexcept;
  bool has_bits(digest d, std::uint64_t generation, std::uint64_t band) const noexcept;
  bool holds(digest d, std::uint64_t generation, std::uint64_t known_band) const noexcept;
  void choose_stride() noexcept;
  std::optional<age_bracket> bracket(digest d, instant when) const noexcept;
  age_bracket ages_of(std::uint64_t generation, instant when) const noexcept;
  BLOOMTIME_INLINE void prefetch(digest d) const noexcept;

  template <class Cdf>
  BLOOMTIME_PER_ISA math::masses masses_of(digest d, instant when, const Cdf& cdf) const;
  template <std::ranges::contiguous_range Items, class Answer, class Use>
  BLOOMTIME_PER_ISA void in_blocks(const Items& items, std::span<const instant> when,
                                   std::span<Answer> answers, Use&& use);
  void check_bulk(std::size_t items, std::size_t times, std::size_t answers) const;

  // Merging. renumber() adds whole rounds of the ring to all generation numbers.
  std::uint64_t ring() const noexcept { return bands_ * per_band; }
  void expect_mergeable(const age_partitioned_filter& other) const;
  static void align(age_partitioned_filter& a, age_partitioned_filter& b);
  void renumber(std::uint64_t more) noexcept;
  void unite(const age_partitioned_filter& other) noexcept;
  template <class Use>
  void for_each_word(std::uint64_t slice, Use&& use) const;

  void count_ones() noexcept;
  void expect_state() const;
  void read_parameters(const detail::container_view& view);
  void read_counts(const detail::container_view& view);

  // First of all, so that an assignment that finds no memory has changed nothing yet.
  detail::buffer bits_;
  // Windows of time: the last tick of each generation and the insertions into it, by place.
  std::vector<std::int64_t, detail::hooked<std::int64_t>> ends_;
  std::vector<std::uint64_t, detail::hooked<std::uint64_t>> counts_;
  std::vector<std::uint64_t, detail::hooked<std::uint64_t>> ones_;  // of each slice, by place
  bool timed_ = false;
  bool own_bits_ = true;
  bool refresh_ = true;
  unsigned k_ = 0;
  std::uint64_t generations_ = 0;
  std::uint64_t quota_ = 0;
  std::uint64_t bands_ = 0;
  std::uint64_t lines_ = 0;
  std::uint64_t window_ = 0;
  std::uint64_t items_ = 0;
  std::int64_t ticks_ = 0;  // of the window
  hash_seed seed_;
  tick_clock clock_;
  // Of the bands that a question reads first, and of the slices that a generation must have in such
  // a band to be looked for there.
  std::uint64_t stride_ = 1;
  std::uint64_t reach_ = 1;
  std::uint64_t telling_ = 0;                     // bit i: generation first_telling() + i does
  std::array<std::uint64_t, per_band> unused_{};  // bit i: it has no bits in this word
  std::uint64_t insertions_ = 0;
  std::uint64_t current_ = 0;     // generation
  std::uint64_t place_ = 0;       // of its band
  std::uint64_t in_current_ = 0;  // insertions
  std::uint64_t oldest_ = 0;      // generation that is in the window
  std::int64_t newest_ = 0;       // tick; none before the first insertion
  // The last tick in which a generation took insertions of another tick or ends were raised:
  // generations that end by then may hold anything from first_tick() on. since_ is the first tick
  // that they held before their ends were raised.
  std::int64_t crowded_ = never;
  std::int64_t since_ = not_raised;
  std::int64_t overloaded_ = never;  // the last tick in which there was no room
  bloomtime::losses losses_;
};

// -- many items ----------------------------------------------------------------------------------

// What a query of a new item reads first, and what its insertion writes.
inline void age_partitioned_filter::prefetch(digest d) const noexcept {
  const std::uint64_t top = current_ / per_band;
  for (std::uint64_t band = (current_ + 1 - k_) / per_band; band <= top; ++band) {
    detail::prefetch_write(bits_.data() + spot_of(d, band).offset);
  }
  const std::uint64_t bottom = lowest_slice(oldest_) / per_band;
  for (std::uint64_t band = top; band >= bottom + stride_;) {
    band -= stride_;
    detail::prefetch_read(bits_.data() + spot_of(d, band).offset);
  }
}

template <std::ranges::contiguous_range Items, class Answer, class Use>
void age_partitioned_filter::in_blocks(const Items& items, std::span<const instant> when,
                                       std::span<Answer> answers, Use&& use) {
  const std::span<const std::ranges::range_value_t<Items>> all(items);
  check_bulk(all.size(), when.size(), answers.size());
  detail::in_blocks<1>(all, seed_, [&](const auto& now, const auto& next, std::size_t first) {
    for (std::size_t i = 0; i < next.count; ++i) prefetch(next[i]);
    for (std::size_t i = 0; i < now.count; ++i) {
      answers[first + i] = use(now[i], when.empty() ? latest() : when[first + i]);
    }
  });
}

// -- posterior -----------------------------------------------------------------------------------

template <item T, recency_prior Prior>
std::optional<math::masses> age_partitioned_filter::masses(const T& x, instant when,
                                                           const Prior& prior) const {
  const digest d = detail::as_digest(x, seed_);
  if constexpr (std::same_as<Prior, age_prior>) {
    if (timed_ || !prior.known()) return std::nullopt;
    return masses_of(d, when, prior);
  } else if constexpr (std::same_as<Prior, event_rate>) {
    if (!timed_ || std::isnan(prior.per_second) || std::isfinite(prior.within)) {
      return std::nullopt;
    }
    const auto ages = math::geometric::of_rate(prior.per_second * 1e-6);
    return masses_of(d, when, [&](double t) { return ages.before(t); });
  } else {
    return masses_of(d, when, prior);
  }
}

// Each generation whose k bits are set may hold the item, with the likelihood ratio of the product
// of 64 / (set bits of the word); "older or never" has 1. Bits that earlier insertions of the same
// item have left are ignored.
template <class Cdf>
math::masses age_partitioned_filter::masses_of(digest d, instant when, const Cdf& cdf) const {
  const std::uint64_t oldest = oldest_at(when);
  if (insertions_ == 0 || oldest > current_) return {0, 1};
  std::array<double, math::most_age_k> surprises{};  // of the last k slices, in a ring
  std::uint64_t alive = 0;  // bit g % 64: the slices so far have the bits of generation g
  double surprise = 0;
  const double window = static_cast<double>(window_) + (timed_ ? 1 : 0);
  double in = 0;
  double out = 0;
  double scale = 0;  // of both: e^scale, so that no product is too large for a double
  for (std::uint64_t slice = lowest_slice(oldest); slice <= current_; ++slice) {
    const spot s = spot_of(d, slice / per_band);
    const auto word = static_cast<unsigned>(slice % per_band);
    alive = (alive | std::uint64_t{1} << ((slice + k_ - 1) % 64)) & bits_from(s, word, 0);
    // A word without bits ends every run.
    const int ones = std::max(1, std::popcount(word_at(s, word)));
    double& last = surprises[slice % k_];
    surprise += std::log(64. / ones) - last;
    last = std::log(64. / ones);
    if ((alive >> (slice % 64) & 1) == 0) continue;
    const age_bracket age = ages_of(slice, when);
    const auto youngest = static_cast<double>(age.youngest);
    const double end = static_cast<double>(age.oldest) + 1;
    const double inner = std::clamp(window, youngest, end);
    if (surprise > scale) {
      in *= std::exp(scale - surprise);
      out *= std::exp(scale - surprise);
      scale = surprise;
    }
    in += (cdf(inner) - cdf(youngest)) * std::exp(surprise - scale);
    out += (cdf(end) - cdf(inner)) * std::exp(surprise - scale);
  }
  if (in == 0) return {0, 1};
  const double older = cdf(static_cast<double>(ages_of(oldest, when).oldest) + 1);
  return {in, out + (1 - older) * std::exp(-scale)};
}

}  // namespace bloomtime
