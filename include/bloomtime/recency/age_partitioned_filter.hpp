#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <ranges>
#include <span>
#include <vector>

#include <bloomtime/detail/buffer.hpp>
#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/container.hpp>
#include <bloomtime/detail/probes.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/math/age_partitioned.hpp>
#include <bloomtime/math/posterior.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/recency/answers.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime {

// A window of insertions: `last` of them. A window of time: `window`, and `items`, how many
// insertions there will be within one at most; its end is blurred by `resolution`, which is
// window / 600 unless given, and each time by that much again with the chance that a slice is full:
// half at most, unless more come. Sized by `error`, the chance that an item which was not inserted
// is "seen", or by `memory`.
struct age_partitioned_config {
  std::optional<std::uint64_t> last = {};
  std::optional<std::chrono::microseconds> window = {};
  std::optional<std::chrono::microseconds> resolution = {};
  std::uint64_t items = 0;
  std::optional<double> error = {};
  std::optional<std::uint64_t> memory = {};  // bytes of bits
  std::uint64_t seed = 0;
};

// Was this item seen within the last insertions, or the last minutes? A "no" is certain. An
// age-partitioned Bloom filter (recency.md 10), with a window of insertions or of time. In a window
// of time a generation ends with its tick, or earlier if it is full, so that the error does not
// depend on when the items of a window come; for another way to meet variable rates see the
// Time-limited Bloom Filter (arXiv 2306.06742). If more come than the filter was made for, errors
// become more frequent, and then the end of the window less sharp; nothing within it is missed.
//
// `when` is ignored by windows of insertions. Questions are about `when` or the newest insertion,
// whichever is later. Const members may run concurrently. Opening a slice clears the memory of
// eight at once: one in bands() of all bytes.
class age_partitioned_filter {
 public:
  static constexpr std::uint8_t engine_id = 4;

  explicit age_partitioned_filter(const age_partitioned_config& config);

  // late: put where it belongs, or in a later generation if there is none; dropped_late: the window
  // has left it behind.
  template <item T>
  outcome insert(const T& x, instant when = {}) noexcept {
    return insert_digest(detail::as_digest(x, seed_), when);
  }

  template <item T>
  bool seen(const T& x, instant when = {}) const noexcept {
    return find(detail::as_digest(x, seed_), oldest_at(when)).has_value();
  }

  // More than one generation wide if bits of others extend its own. None where seen() says no.
  template <item T>
  std::optional<age_bracket> age(const T& x, instant when = {}) const noexcept {
    return bracket(detail::as_digest(x, seed_), when);
  }

  // seen() and insert() in one, for dropping duplicates; with `refresh` a duplicate is inserted as
  // well, so that its window begins anew.
  template <item T>
  novelty insert_if_new(const T& x, instant when = {}, bool refresh = false) noexcept {
    return test_and_set(detail::as_digest(x, seed_), when, refresh);
  }

  // Many at once, one after the other: as insert_if_new(items[i], times[i], refresh) says.
  // `times` may be empty for windows of insertions.
  template <std::ranges::contiguous_range Items>
  void insert_if_new_bulk(const Items& items, std::span<const instant> times, bool refresh,
                          std::span<novelty> answers);

  // Unnormalised posterior of "seen within the window", for a prior given as cdf(t) = P(age < t),
  // in insertions or microseconds. The likelihood is that of the words as they are: a stranger
  // finds a bit set with the share of set bits in its word.
  template <item T, class Cdf>
  math::masses masses(const T& x, const Cdf& cdf, instant when = {}) const;

  template <item T, class Cdf>
  double posterior(const T& x, const Cdf& cdf, instant when = {}) const {
    return masses(x, cdf, when).probability();
  }

  // The answer that costs least on average: true for "seen".
  template <item T, class Cdf>
  bool decide(const T& x, const Cdf& cdf, const math::penalties& costs, instant when = {}) const {
    math::check(costs);
    return math::positive(masses(x, cdf, when), costs, seen(x, when));
  }

  // Lets time pass without an insertion; never back.
  void advance(instant now) noexcept;

  bool timed() const noexcept { return timed_; }
  std::uint64_t window() const noexcept { return window_; }  // insertions or microseconds
  std::uint64_t items() const noexcept { return items_; }    // that a window was sized for
  const tick_clock& clock() const noexcept { return clock_; }
  unsigned k() const noexcept { return k_; }
  std::uint64_t generations() const noexcept { return generations_; }
  std::uint64_t quota() const noexcept { return quota_; }
  std::uint64_t bands() const noexcept { return bands_; }
  std::uint64_t lines() const noexcept { return lines_; }
  std::uint64_t bits() const noexcept { return bits_.size() * 8; }
  std::uint64_t memory() const noexcept { return bits_.size(); }
  std::uint64_t seed() const noexcept { return seed_; }
  std::uint64_t insertions() const noexcept { return insertions_; }
  std::optional<instant> newest() const noexcept;  // the start of its tick, in windows of time

  double planned_error() const;  // when it holds what it was sized for
  double current_error() const;  // what a new item would meet now

  std::vector<std::byte> serialize() const;
  void save(const std::filesystem::path& path) const;
  static age_partitioned_filter load(std::span<const std::byte> container);
  static age_partitioned_filter load(const std::filesystem::path& path);

 private:
  static constexpr unsigned per_band = math::slices_per_band;

  // The bits of an item in one band.
  struct spot {
    std::size_t offset;   // of the line
    std::uint64_t picks;  // six bits per word

    unsigned bit(unsigned word) const noexcept { return (picks >> (6 * word)) & 63; }
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
  BLOOMTIME_INLINE unsigned mask_of(digest d, std::uint64_t band) const noexcept {
    const spot s = spot_of(d, band);
    unsigned mask = 0;
    for (unsigned i = 0; i < per_band; ++i) {
      mask |= static_cast<unsigned>((word_at(s, i) >> s.bit(i)) & 1) << i;
    }
    return mask;
  }
  std::uint64_t lowest_slice(std::uint64_t oldest) const noexcept { return oldest + 1 - k_; }
  std::size_t index_of(std::uint64_t slice) const noexcept {
    return static_cast<std::size_t>(place_of(slice / per_band) * per_band + slice % per_band);
  }
  std::int64_t end_of(std::uint64_t generation) const noexcept {
    return ends_[index_of(generation)];
  }

  outcome insert_digest(digest d, instant when) noexcept;
  outcome lateness(std::int64_t tick) const noexcept;
  novelty test_and_set(digest d, instant when, bool refresh) noexcept;
  std::uint64_t generation_for_now() noexcept;
  void set(digest d, std::uint64_t generation) noexcept;
  void move_to(std::int64_t tick) noexcept;
  void open_generation() noexcept;
  std::uint64_t oldest_at(instant when) const noexcept;
  std::int64_t window_begin(std::int64_t tick) const noexcept;
  std::uint64_t first_ending_at(std::uint64_t from, std::int64_t tick) const noexcept;
  std::optional<std::uint64_t> find(digest d, std::uint64_t oldest) const noexcept;
  std::optional<std::uint64_t> youngest_run(digest d, std::uint64_t from,
                                            std::uint64_t to) const noexcept;
  void choose_stride() noexcept;
  std::optional<age_bracket> bracket(digest d, instant when) const noexcept;
  age_bracket ages_of(std::uint64_t generation, instant when) const noexcept;
  BLOOMTIME_INLINE void prefetch(digest d) const noexcept;

  void check_bulk(std::size_t items, std::size_t times, std::size_t answers) const;
  void count_ones() noexcept;
  void expect_state() const;
  template <class Use>
  void write(Use&& use) const;
  void read_parameters(const detail::container_view& view);

  // First of all, so that an assignment that finds no memory has changed nothing yet.
  detail::buffer bits_;
  std::vector<std::int64_t> ends_;  // the last tick of each generation, by place; none if not timed
  std::vector<std::uint64_t> ones_;  // of each slice, by place
  bool timed_ = false;
  unsigned k_ = 0;
  std::uint64_t generations_ = 0;
  std::uint64_t quota_ = 0;
  std::uint64_t bands_ = 0;
  std::uint64_t lines_ = 0;
  std::uint64_t window_ = 0;
  std::uint64_t items_ = 0;
  std::int64_t ticks_ = 0;  // of the window
  std::uint64_t seed_ = 0;
  tick_clock clock_;
  std::uint64_t stride_ = 1;         // of the bands that a question asks first
  std::array<bool, 256> telling_{};  // whether its bits in such a band may be part of a run
  std::uint64_t insertions_ = 0;
  std::uint64_t current_ = 0;     // generation
  std::uint64_t place_ = 0;       // of its band
  std::uint64_t in_current_ = 0;  // insertions
  std::uint64_t oldest_ = 0;      // generation that is in the window
  std::int64_t newest_ = 0;       // tick; none before the first insertion
  // The last tick in which older generations took more: until it has left the window those that end
  // by then may hold anything from their own time on.
  std::int64_t crowded_ = std::numeric_limits<std::int64_t>::min();
};

// -- many items ----------------------------------------------------------------------------------

// What a question about a new item looks at first, and what its insertion writes.
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

template <std::ranges::contiguous_range Items>
void age_partitioned_filter::insert_if_new_bulk(const Items& items, std::span<const instant> times,
                                                bool refresh, std::span<novelty> answers) {
  const std::span<const std::ranges::range_value_t<Items>> all(items);
  check_bulk(all.size(), times.size(), answers.size());
  detail::in_blocks<1>(all, seed_, [&](const auto& now, const auto& next, std::size_t first) {
    for (std::size_t i = 0; i < next.count; ++i) prefetch(next[i]);
    for (std::size_t i = 0; i < now.count; ++i) {
      const instant when = times.empty() ? instant{} : times[first + i];
      answers[first + i] = test_and_set(now[i], when, refresh);
    }
  });
}

// -- posterior -----------------------------------------------------------------------------------

// Each generation whose k bits are set may hold the item, with the likelihood ratio of the product
// of 64 / (set bits of the word); "older or never" has 1 (recency.md 10). Bits that earlier
// insertions of the same item may have left are ignored.
template <item T, class Cdf>
math::masses age_partitioned_filter::masses(const T& x, const Cdf& cdf, instant when) const {
  const digest d = detail::as_digest(x, seed_);
  const std::uint64_t oldest = oldest_at(when);
  if (insertions_ == 0 || oldest > current_) return {0, 1};
  std::array<double, math::most_age_k> surprises{};  // of the last k slices, in a ring
  unsigned run = 0;
  double surprise = 0;
  const double window = static_cast<double>(window_) + (timed_ ? 1 : 0);
  double in = 0;
  double out = 0;
  double scale = 0;  // of both: e^scale, so that no product is too large for a double
  for (std::uint64_t slice = lowest_slice(oldest); slice <= current_; ++slice) {
    const spot s = spot_of(d, slice / per_band);
    const std::uint64_t word = word_at(s, slice % per_band);
    if ((word >> s.bit(slice % per_band) & 1) == 0) {
      run = 0;
      surprise = 0;
      continue;
    }
    if (run >= k_) surprise -= surprises[run % k_];
    surprises[run % k_] = std::log(64. / static_cast<double>(std::popcount(word)));
    surprise += surprises[run % k_];
    if (++run < k_) continue;
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
