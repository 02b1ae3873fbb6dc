#include <bloomtime/recency/age_partitioned_filter.hpp>

#include <cstring>
#include <limits>
#include <string>

#include <bloomtime/error.hpp>

#include "detail/refuse.hpp"

namespace bloomtime {
namespace {

using std::chrono::microseconds;

constexpr std::int64_t default_ticks = 600;  // of a window

microseconds tick_of_window(const age_partitioned_config& c) {
  const microseconds window = *c.window;
  if (window.count() < 1) {
    detail::refuse("a window must be at least one microsecond, got " +
                   std::to_string(window.count()));
  }
  const microseconds asked =
      c.tick.value_or(microseconds((window.count() - 1) / default_ticks + 1));
  if (asked.count() < 1 || asked > window) {
    detail::refuse("a tick must be at least one microsecond and at most the window of " +
                   std::to_string(window.count()) + " microseconds; got " +
                   std::to_string(asked.count()));
  }
  return asked;
}

math::age_partitioned_target target_of(const age_partitioned_config& c) {
  if (c.last.has_value() == c.window.has_value()) {
    detail::refuse(
        std::string("an age-partitioned filter has a window of insertions or of time, and got ") +
        (c.last ? "both" : "neither"));
  }
  if (c.error.has_value() == c.memory.has_value()) {
    detail::refuse(
        std::string("an age-partitioned filter is sized by error or by memory, and got ") +
        (c.error ? "both" : "neither"));
  }
  if (c.last) return {.items = *c.last, .ticks = 0};
  const std::int64_t tick = tick_of_window(c).count();
  return {.items = c.items,
          .ticks = static_cast<std::uint64_t>((c.window->count() - 1) / tick + 1)};
}

}  // namespace

age_partitioned_filter::age_partitioned_filter(const age_partitioned_config& config)
    : timed_(config.window.has_value()), refresh_(config.refresh), seed_(config.seed) {
  const math::age_partitioned_target kept = target_of(config);
  const math::age_partitioned_size size =
      config.error ? math::age_partitioned_for_error(kept, *config.error)
                   : math::age_partitioned_for_memory(kept, *config.memory);
  k_ = size.k;
  generations_ = size.generations;
  quota_ = size.quota;
  bands_ = size.bands;
  lines_ = size.lines;
  items_ = kept.items;
  window_ = timed_ ? static_cast<std::uint64_t>(config.window->count()) : *config.last;
  ticks_ = static_cast<std::int64_t>(kept.ticks);
  if (timed_) clock_ = tick_clock(tick_of_window(config));
  bits_ = detail::buffer(bands_ * lines_ * detail::line_bytes);
  ones_.resize(bands_ * per_band);
  if (timed_) ends_.resize(bands_ * per_band);
  if (timed_) counts_.resize(bands_ * per_band);
  current_ = oldest_ = k_ - 1;
  place_ = current_ / per_band;
  choose_stride();
}

// -- time ----------------------------------------------------------------------------------------

// The first generation from `from` on that ends at `tick` or later; one beyond the current if none
// does. Ends never decrease.
std::uint64_t age_partitioned_filter::first_ending_at(std::uint64_t from,
                                                      std::int64_t tick) const noexcept {
  std::uint64_t end = current_ + 1;
  while (from < end) {
    const std::uint64_t middle = from + (end - from) / 2;
    if (end_of(middle) < tick) {
      from = middle + 1;
    } else {
      end = middle;
    }
  }
  return from;
}

// Everything inserted within the window before an instant of this tick has a tick at most ticks_
// before it (docs/math.md, Windows of time).
std::int64_t age_partitioned_filter::window_begin(std::int64_t tick) const noexcept {
  constexpr std::int64_t first = std::numeric_limits<std::int64_t>::min();
  return tick < first + ticks_ ? first : tick - ticks_;
}

// No generation within the window holds anything older.
std::int64_t age_partitioned_filter::first_tick() const noexcept {
  const std::int64_t begin = window_begin(end_of(oldest_));
  return crowded() ? std::min(since_, begin) : begin;
}

// From now on generations may hold insertions from tick `first` on, or first_tick() if that is
// `not_raised`.
void age_partitioned_filter::crowd(std::int64_t first) noexcept {
  since_ = crowded() ? std::min(since_, first) : first;
  crowded_ = newest_;
}

std::uint64_t age_partitioned_filter::oldest_at(instant when) const noexcept {
  if (!timed_ || insertions_ == 0) return oldest_;
  const std::int64_t tick = clock_.tick_of(when).number;
  return tick <= newest_ ? oldest_ : first_ending_at(oldest_, window_begin(tick));
}

void age_partitioned_filter::move_to(std::int64_t tick) noexcept {
  oldest_ = first_ending_at(oldest_, window_begin(tick));
  newest_ = tick;
}

void age_partitioned_filter::advance(instant now) noexcept {
  if (!timed_ || insertions_ == 0) return;
  const std::int64_t tick = clock_.tick_of(now).number;
  if (tick > newest_) move_to(tick);
}

std::optional<instant> age_partitioned_filter::newest() const noexcept {
  if (!timed_ || insertions_ == 0) return std::nullopt;
  return clock_.start_of({newest_});
}

// Does nothing and returns false if that would overwrite a slice that is still needed: too much has
// come within the window.
bool age_partitioned_filter::open_generation() noexcept {
  const std::uint64_t next = current_ + 1;
  if (!timed_ && next - oldest_ > generations_) ++oldest_;
  if (next % per_band == 0) {
    const std::uint64_t band = next / per_band;
    const bool reused = band >= bands_;
    if (reused && (band - bands_ + 1) * per_band > lowest_slice(oldest_)) return false;
    place_ = place_ + 1 == bands_ ? 0 : place_ + 1;
    std::memset(bits_.data() + place_ * lines_ * detail::line_bytes, 0,
                lines_ * detail::line_bytes);
    std::fill_n(ones_.begin() + static_cast<std::ptrdiff_t>(place_ * per_band), per_band, 0);
  }
  current_ = next;
  in_current_ = 0;
  if (timed_) {
    ends_[index_of(current_)] = newest_;
    count_of(current_) = 0;
  }
  return true;
}

// -- insertions ----------------------------------------------------------------------------------

void age_partitioned_filter::put(digest d, std::uint64_t generation) noexcept {
  set(d, generation);
  if (timed_) ++count_of(generation);
  ++insertions_;
}

void age_partitioned_filter::set(digest d, std::uint64_t generation) noexcept {
  const std::uint64_t turn = own_bits_ ? generation : 0;
  const std::uint64_t lowest = generation + 1 - k_;
  for (std::uint64_t band = lowest / per_band; band <= generation / per_band; ++band) {
    const spot s = spot_of(d, band);
    std::uint64_t* const ones = ones_.data() + place_of(band) * per_band;
    const std::uint64_t base = band * per_band;
    const auto from = static_cast<unsigned>(std::max(lowest, base) - base);
    const auto to = static_cast<unsigned>(std::min<std::uint64_t>(generation - base, per_band - 1));
    for (unsigned i = from; i <= to; ++i) {
      const std::uint64_t word = word_at(s, i);
      const std::uint64_t with = word | std::uint64_t{1} << s.bit(i, turn);
      ones[i] += with != word;
      detail::store_le64(bits_.data() + s.offset + 8 * std::size_t{i}, with);
    }
  }
}

outcome age_partitioned_filter::add_digest(digest d, instant when) noexcept {
  outcome became = outcome::added;
  if (timed_) {
    const std::int64_t tick = clock_.tick_of(when).number;
    if (insertions_ == 0) {
      newest_ = tick;
    } else if (tick > newest_) {
      move_to(tick);
    } else if (tick < newest_) {
      became = lateness(tick);
      if (became == outcome::dropped_late) return became;
      if (const auto generation = generation_for_late(tick)) {
        put(d, *generation);
        in_current_ += *generation == current_;
        return became;
      }
    }
  }
  put(d, generation_for_now());
  ++in_current_;
  return timed_ && overloaded_ == newest_ ? outcome::saturated : became;
}

// The first one from that of its tick on that is not full; none if what is late has to go where new
// insertions go.
std::optional<std::uint64_t> age_partitioned_filter::generation_for_late(
    std::int64_t tick) noexcept {
  const std::uint64_t first = first_ending_at(oldest_, tick);
  std::uint64_t generation = first;
  while (generation <= current_ && count_of(generation) >= quota_) ++generation;
  if (generation != first) crowd(not_raised);
  if (generation > current_) return std::nullopt;
  return generation;
}

// If there is no place for another generation, those of the younger half of the window take in
// turn what comes, and are kept for longer: a crowd that fills all slices a little more, rather
// than a few of them whole.
std::uint64_t age_partitioned_filter::generation_for_now() noexcept {
  const bool tick_ended = timed_ && in_current_ != 0 && end_of(current_) != newest_;
  if ((tick_ended || in_current_ >= quota_) && !open_generation() && timed_) overloaded_ = newest_;
  if (!timed_) return current_;
  const std::uint64_t shared = (current_ - std::min(oldest_, current_)) / 2 + 1;
  const std::uint64_t generation = current_ - in_current_ / quota_ % shared;
  const bool raised = in_current_ != 0 && end_of(current_) != newest_;
  if (raised || generation != current_) crowd(window_begin(end_of(oldest_)));
  for (std::uint64_t g = generation; g <= current_ && end_of(g) != newest_; ++g) {
    ends_[index_of(g)] = newest_;
  }
  return generation;
}

// What becomes of an insertion in this tick.
outcome age_partitioned_filter::lateness(std::int64_t tick) const noexcept {
  if (!timed_ || tick >= newest_) return outcome::added;
  return tick < window_begin(newest_) ? outcome::dropped_late : outcome::late;
}

// A second sighting is not inserted where it would not be remembered for longer.
novelty age_partitioned_filter::test_and_set(digest d, instant when) noexcept {
  const auto found = find(d, oldest_at(when));
  const bool kept = timed_ && found && clock_.tick_of(when).number <= end_of(*found);
  if (found && (!refresh_ || kept)) {
    return {false, losses_.count(lateness(clock_.tick_of(when).number))};
  }
  return {!found, losses_.count(add_digest(d, when))};
}

// -- questions -----------------------------------------------------------------------------------

// The youngest generation whose k bits are set. The k slices of a generation reach so far into one
// of the bands that are read first that most others are never read.
std::optional<std::uint64_t> age_partitioned_filter::find(digest d,
                                                          std::uint64_t oldest) const noexcept {
  if (oldest > current_) return std::nullopt;
  const std::uint64_t lowest = lowest_slice(oldest) / per_band;
  for (std::uint64_t band = current_ / per_band;; band -= stride_) {
    for (std::uint64_t possible = possible_in(d, band); possible != 0;) {
      const auto top = static_cast<unsigned>(std::bit_width(possible) - 1);
      possible ^= std::uint64_t{1} << top;
      const std::uint64_t generation = first_telling(band) + top;
      if (generation < oldest) break;
      if (generation <= current_ && holds(d, generation, band)) return generation;
    }
    if (band < lowest + stride_) return std::nullopt;
  }
}

// Whether this band has all bits that a generation has in it.
bool age_partitioned_filter::has_bits(digest d, std::uint64_t generation,
                                      std::uint64_t band) const noexcept {
  const spot s = spot_of(d, band);
  const std::uint64_t base = band * per_band;
  const std::uint64_t lowest = lowest_slice(generation);
  const auto from = static_cast<unsigned>(std::max(lowest, base) - base);
  const auto to = static_cast<unsigned>(std::min<std::uint64_t>(generation - base, per_band - 1));
  std::uint64_t all = 1;
  for (unsigned i = from; i <= to; ++i) all &= bits_from(s, i, generation);
  return all != 0;
}

// Whether all bands have its bits; one of them is known to.
bool age_partitioned_filter::holds(digest d, std::uint64_t generation,
                                   std::uint64_t known_band) const noexcept {
  const std::uint64_t last = generation / per_band;
  for (std::uint64_t band = lowest_slice(generation) / per_band; band <= last; ++band) {
    if (band != known_band && !has_bits(d, generation, band)) return false;
  }
  return true;
}

// Two neighbours among the bands that are read first have stride_ - 1 bands between them. k
// consecutive slices that contain neither of them whole reach into one by at least half of what is
// left.
void age_partitioned_filter::choose_stride() noexcept {
  stride_ = math::band_stride(k_);
  reach_ = std::min<std::uint64_t>(per_band, (k_ - per_band * (stride_ - 1) + 1) / 2);
  // The youngest generation that reaches so far has its lowest slices there.
  const auto generations = static_cast<unsigned>(k_ + per_band + 1 - 2 * reach_);
  telling_ = ~std::uint64_t{0} >> (64 - generations);
  unused_ = {};
  for (unsigned g = 0; g < generations; ++g) {
    const std::uint64_t slice = reach_ - 1 + g;  // its youngest, from the first of the band on
    for (unsigned i = 0; i < per_band; ++i) {
      if (i > slice || i + k_ <= slice) unused_[i] |= std::uint64_t{1} << g;
    }
  }
}

std::optional<age_bracket> age_partitioned_filter::bracket(digest d, instant when) const noexcept {
  const std::uint64_t oldest = oldest_at(when);
  const auto youngest = find(d, oldest);
  if (!youngest) return std::nullopt;
  std::uint64_t last = *youngest;
  // If bits are shared, those of others may make it look younger.
  while (!own_bits_ && last > oldest && holds(d, last - 1, last / per_band)) --last;
  return age_bracket{ages_of(*youngest, when).youngest, ages_of(last, when).oldest};
}

age_bracket age_partitioned_filter::ages_of(std::uint64_t generation, instant when) const noexcept {
  const std::uint64_t back = current_ - generation;
  if (!timed_) {
    const std::uint64_t after = back == 0 ? 0 : (back - 1) * quota_ + in_current_;
    const std::uint64_t own = back == 0 ? in_current_ : quota_;
    return {after, after + (own == 0 ? 0 : own - 1)};
  }
  const instant now = std::max(when, clock_.start_of({newest_}));
  const auto since = [&](instant then) {
    return then >= now
               ? 0
               : static_cast<std::uint64_t>(now.micros) - static_cast<std::uint64_t>(then.micros);
  };
  // What is late may have come to the generation after it; what came before the first one that is
  // known has left the window.
  const bool mixed = end_of(generation) <= crowded_ || generation == oldest_;
  const std::int64_t begin = mixed ? first_tick() : end_of(generation - 1);
  return {since(clock_.end_of({end_of(generation)})), since(clock_.start_of({begin}))};
}

std::uint64_t age_partitioned_filter::memory() const noexcept {
  return bits_.size() + 8 * (ends_.capacity() + counts_.capacity() + ones_.capacity());
}

// -- errors --------------------------------------------------------------------------------------

double age_partitioned_filter::alive_items() const {
  double pairs = 0;  // of an item and one of its k slices
  for (std::uint64_t s = lowest_slice(oldest_); s <= current_; ++s) {
    pairs += math::word_load(ones_[index_of(s)], lines_) * static_cast<double>(lines_);
  }
  return pairs / k_;
}

double age_partitioned_filter::predicted_error(std::uint64_t items) const {
  const double share = static_cast<double>(items) / static_cast<double>(items_);
  const double load = share * static_cast<double>(k_) * static_cast<double>(quota_) /
                      (math::slice_word_bits * static_cast<double>(lines_));
  return own_bits_ ? math::age_partitioned_error(k_, generations_, load, lines_)
                   : math::shared_bits_error(k_, generations_, load);
}

double age_partitioned_filter::current_error() const {
  const std::uint64_t lowest = lowest_slice(oldest_);
  std::vector<double> loads;
  loads.reserve(current_ + 1 - std::min(lowest, current_ + 1));
  for (std::uint64_t s = lowest; s <= current_; ++s) {
    loads.push_back(math::word_load(ones_[index_of(s)], lines_));
  }
  const auto first = static_cast<unsigned>(lowest % per_band);
  return own_bits_ ? math::any_generation_error(loads, first, k_, lines_)
                   : math::run_error(loads, first, k_);
}

void age_partitioned_filter::check_bulk(std::size_t items, std::size_t times,
                                        std::size_t answers) const {
  detail::expect_as_many(items, answers);
  if (times != 0) return detail::expect_as_many(items, times, "times");
  if (items != 0 && !has_time())
    detail::refuse("the first event of a window of time needs a time; got none");
}

void age_partitioned_filter::clear() noexcept {
  if (bits_.size() == 0) return;
  std::memset(bits_.data(), 0, bits_.size());
  std::fill(ends_.begin(), ends_.end(), 0);
  std::fill(counts_.begin(), counts_.end(), 0);
  std::fill(ones_.begin(), ones_.end(), 0);
  insertions_ = in_current_ = 0;
  current_ = oldest_ = k_ - 1;
  place_ = current_ / per_band;
  newest_ = 0;
  crowded_ = overloaded_ = never;
  since_ = not_raised;
}

BLOOMTIME_VALUE_OF(age_partitioned_filter);

}  // namespace bloomtime
