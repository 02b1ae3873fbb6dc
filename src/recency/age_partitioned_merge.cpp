#include <bloomtime/recency/age_partitioned_filter.hpp>

#include <string>
#include <utility>

#include <bloomtime/detail/moved.hpp>
#include <bloomtime/error.hpp>

#include "detail/refuse.hpp"

// A line and a bit of an item depend on the place of a band, so slices of two filters unite only
// where they lie: their numbers must be equal modulo ring(). Whole rounds are added to the numbers
// of one filter until its live generations meet those of the other.
namespace bloomtime {
namespace {

constexpr std::uint64_t most_insertions = std::uint64_t{1} << 62;

}  // namespace

void age_partitioned_filter::expect_mergeable(const age_partitioned_filter& other) const {
  detail::expect_not_moved_from(bits_.size() != 0 && other.bits_.size() != 0,
                                "age-partitioned filter");
  if (!timed_ || !other.timed_) {
    detail::refuse_merge(
        "age-partitioned filters merge if they have windows of time; a window of insertions has no "
        "clock by which the generations of two streams could be aligned");
  }
  const auto told = [](const age_partitioned_filter& f) {
    return "k " + std::to_string(f.k_) + ", " + std::to_string(f.generations_) +
           " generations of " + std::to_string(f.quota_) + ", " + std::to_string(f.lines_) +
           " lines, a window of " + std::to_string(f.window_) + " microseconds in ticks of " +
           std::to_string(f.clock_.resolution().count()) + ", seed " + to_string(f.seed_) +
           (f.own_bits_ ? "" : ", shared bits");
  };
  if (k_ != other.k_ || generations_ != other.generations_ || quota_ != other.quota_ ||
      lines_ != other.lines_ || window_ != other.window_ || clock_ != other.clock_ ||
      seed_ != other.seed_ || own_bits_ != other.own_bits_) {
    detail::refuse_merge("age-partitioned filters merge if all parameters are equal", told(*this),
                         told(other));
  }
  if (insertions_ + other.insertions_ >= most_insertions) {
    throw error(errc::too_large, "both filters together have 2^62 insertions or more");
  }
}

void age_partitioned_filter::merge(const age_partitioned_filter& other) {
  expect_mergeable(other);
  if (other.insertions_ == 0) return;
  age_partitioned_filter sum(*this);
  age_partitioned_filter more(other);
  if (insertions_ != 0) {
    const std::int64_t newest = std::max(newest_, other.newest_);
    sum.move_to(newest);
    more.move_to(newest);
  }
  if (insertions_ == 0 || !sum.alive()) {
    sum = std::move(more);
  } else if (more.alive()) {
    align(sum, more);
    sum.unite(more);
  }
  sum.insertions_ = insertions_ + other.insertions_;
  sum.refresh_ = refresh_;
  sum.losses_ = losses_;
  *this = std::move(sum);
}

// Of the three ways in which two ranges can meet on the ring, the one that spans the fewest slices.
void age_partitioned_filter::align(age_partitioned_filter& a, age_partitioned_filter& b) {
  const std::uint64_t ring = a.ring();
  const std::uint64_t rounds = std::max(a.current_ / ring, b.current_ / ring);
  const std::uint64_t a_up = (rounds - a.current_ / ring) * ring;
  const std::uint64_t b_up = (rounds - b.current_ / ring) * ring;
  std::uint64_t least = UINT64_MAX;
  std::pair<std::uint64_t, std::uint64_t> best;
  for (const auto& [more_a, more_b] :
       {std::pair(a_up, b_up), {a_up + ring, b_up}, {a_up, b_up + ring}}) {
    const std::uint64_t low =
        std::min(a.lowest_slice(a.oldest_) + more_a, b.lowest_slice(b.oldest_) + more_b);
    const std::uint64_t top = std::max(a.current_ + more_a, b.current_ + more_b);
    if (low / per_band + a.bands_ <= top / per_band || top - low >= least) continue;
    least = top - low;
    best = {more_a, more_b};
  }
  if (least == UINT64_MAX) {
    const auto range = [&](const age_partitioned_filter& f) {
      return std::to_string(f.lowest_slice(f.oldest_) % ring) + " to " +
             std::to_string(f.current_ % ring);
    };
    detail::refuse_merge(
        "the generations of these age-partitioned filters cannot be aligned: their live slices "
        "are " +
        range(a) + " and " + range(b) + " of a ring of " + std::to_string(ring) +
        ", and an item's bits cannot move to another slice; merge before a window has passed, or "
        "let more of one filter expire");
  }
  a.renumber(best.first);
  b.renumber(best.second);
}

// An item's bit depends on the number of its generation: every word turns with the numbers.
void age_partitioned_filter::renumber(std::uint64_t more) noexcept {
  current_ += more;
  oldest_ += more;
  if (!own_bits_ || more % 64 == 0) return;
  for (std::size_t at = 0; at < bits_.size(); at += 8) {
    std::byte* const word = bits_.data() + at;
    detail::store_le64(word, std::rotl(detail::load_le64(word), static_cast<int>(more % 64)));
  }
}

// use(offset) for the word of the slice in each line of its band.
template <class Use>
void age_partitioned_filter::for_each_word(std::uint64_t slice, Use&& use) const {
  const std::uint64_t first = place_of(slice / per_band) * lines_;
  for (std::uint64_t line = first; line < first + lines_; ++line) {
    use(static_cast<std::size_t>(line * detail::line_bytes + 8 * (slice % per_band)));
  }
}

// The same as first_tick() with the generations from `first` on. Those that have left the window
// still have bits in the slices of later ones.
std::int64_t age_partitioned_filter::first_tick_from(std::uint64_t first) const noexcept {
  std::int64_t begin = first_tick();
  for (std::uint64_t g = first; g < oldest_; ++g) {
    if (counts_[index_of(g)] == 0) continue;
    begin = std::min({begin, window_begin(end_of(g)), end_of(g) <= crowded_ ? since_ : begin});
  }
  return begin;
}

// Generations of equal numbers become one that ends with the later of both. Ends never decrease,
// so those of one filter may be kept for longer; since a generation may then hold anything that
// either filter held, all of them count as crowded.
void age_partitioned_filter::unite(const age_partitioned_filter& other) noexcept {
  const std::uint64_t first = std::min(oldest_, other.oldest_);
  const std::uint64_t mine = oldest_;
  const std::uint64_t last = current_;
  const std::uint64_t top = std::max(current_, other.current_);
  const std::uint64_t in_last = in_current_;
  const std::int64_t begin = std::min(first_tick_from(first), other.first_tick_from(first));
  while (current_ < top) (void)open_generation();
  for (std::uint64_t s = lowest_slice(first); s < lowest_slice(mine); ++s) {
    for_each_word(s, [&](std::size_t at) { detail::store_le64(bits_.data() + at, 0); });
  }
  for (std::uint64_t s = lowest_slice(other.oldest_); s <= other.current_; ++s) {
    for_each_word(s, [&](std::size_t at) {
      std::byte* const word = bits_.data() + at;
      detail::store_le64(word,
                         detail::load_le64(word) | detail::load_le64(other.bits_.data() + at));
    });
  }
  std::int64_t end = never;
  for (std::uint64_t g = first; g <= top; ++g) {
    const bool here = mine <= g && g <= last;
    const bool there = other.oldest_ <= g && g <= other.current_;
    if (here) end = std::max(end, end_of(g));
    if (there) end = std::max(end, other.end_of(g));
    ends_[index_of(g)] = end;
    std::uint64_t& count = counts_[index_of(g)];
    count = (here ? count : 0) + (there ? other.counts_[other.index_of(g)] : 0);
    if (count > quota_) overloaded_ = newest_;
  }
  oldest_ = first;
  in_current_ = (last == top ? in_last : 0) + (other.current_ == top ? other.in_current_ : 0);
  crowded_ = newest_;
  since_ = begin;
  overloaded_ = std::max(overloaded_, other.overloaded_);
  std::fill(ones_.begin(), ones_.end(), 0);
  count_ones();
}

}  // namespace bloomtime
