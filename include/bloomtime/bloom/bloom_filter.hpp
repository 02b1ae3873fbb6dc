#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>

#include <bloomtime/bloom/detail/kept_when_asked.hpp>
#include <bloomtime/bloom/detail/line_bulk.hpp>
#include <bloomtime/detail/buffer.hpp>
#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/detail/flat_bits.hpp>
#include <bloomtime/detail/moved.hpp>
#include <bloomtime/detail/stored.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/layout.hpp>
#include <bloomtime/math/bloom.hpp>
#include <bloomtime/math/posterior.hpp>
#include <bloomtime/prior.hpp>

namespace bloomtime {

// By accuracy: items and error. By memory: items and memory. `items` is the number of different
// items; `error` is the false-positive rate when all of them have been added.
struct bloom_config {
  std::uint64_t items = 0;
  std::optional<double> error = {};
  std::optional<std::uint64_t> memory = {};      // bytes
  std::optional<bloomtime::layout> layout = {};  // flat or line; the planner's choice if unset
  hash_seed seed = 0;
};

// Tells whether an item was added. A "no" is certain. A "maybe" is wrong with the false-positive
// rate that the filter was sized for. In the `line` layout every call touches one cache line;
// `flat` needs fewer bits at small error rates and as many lines as probes. Const members may run
// concurrently.
//
// A filter that was moved from has no bits and answers "maybe" to everything, also to what is
// inserted into it; merging, folding, storing it and its predictions throw error(invalid_argument).
class bloom_filter : public detail::stored<bloom_filter> {
 public:
  static constexpr std::string_view name = "bloom_filter";
  static constexpr detail::stored_kind kind{family::bloom, {1}, "a Bloom filter", true};

  explicit bloom_filter(const bloom_config& config);
  BLOOMTIME_VALUE(bloom_filter);

  // Returns whether the item was certainly new.
  template <item T>
  BLOOMTIME_INLINE bool add(const T& x) noexcept {
    const digest d = detail::as_digest(x, seed_);
    insertions_ += insertions_ != UINT64_MAX;
    if (ones_.is_kept()) return count_new_bits(d);
    if (one_round_ != nullptr) [[likely]] {
      return detail::single::line_set(line_of(d), *one_round_, d);
    }
    return layout_ == layout::line ? detail::single::line_set(line_of(d), lines(), d)
                                   : flat().insert(bits_.data(), d) != 0;
  }

  template <item T>
  BLOOMTIME_INLINE bool may_contain(const T& x) const noexcept {
    const digest d = detail::as_digest(x, seed_);
    if (one_round_ != nullptr) [[likely]] {
      return detail::single::line_contains(line_of(d), *one_round_, d);
    }
    return layout_ == layout::line ? detail::single::line_contains(line_of(d), lines(), d)
                                   : flat().contains(bits_.data(), d);
  }

  // Many items at once, several times faster than one by one when the filter exceeds the cache.
  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA void add_bulk(const Items& items) noexcept {
    add_span(std::span<const std::ranges::range_value_t<Items>>(items));
  }

  // answers[i] says whether items[i] may be in. Both must have the same length.
  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA void may_contain_bulk(const Items& items, std::span<bool> answers) const {
    const std::span<const std::ranges::range_value_t<Items>> all(items);
    detail::expect_as_many(all.size(), answers.size());
    contains_span(all, answers);
  }

  // The probability that the item was inserted, given what the filter says and what is known
  // beforehand (Dautrich & Ravishankar 2019, Theorem 1, with the likelihood taken from the bits as
  // they are now). 0 where the filter says no.
  template <item T>
  BLOOMTIME_PER_ISA double posterior(const T& x, const prior& before) const noexcept {
    return masses(detail::as_digest(x, seed_), before).probability();
  }

  // The answer that costs least on average: true for "treat it as inserted".
  template <item T>
  BLOOMTIME_PER_ISA bool decide(const T& x, const prior& before,
                                const math::penalties& costs) const {
    math::check(costs);
    const digest d = detail::as_digest(x, seed_);
    return math::positive(masses(d, before), costs, may_contain(d));
  }

  // The filter of the union of both streams. Both need the same layout, bits, k and seed.
  // insertions() is the sum of both, capacity() the larger one.
  void merge(const bloom_filter& other);

  // Shrinks the filter by a whole factor, as if it had been built with that many times fewer bits.
  void fold(std::uint64_t factor);

  bloomtime::layout layout() const noexcept { return layout_; }
  std::uint64_t bits() const noexcept { return bit_count_; }
  unsigned k() const noexcept { return k_; }
  const hash_seed& seed() const noexcept { return seed_; }
  std::uint64_t capacity() const noexcept { return capacity_; }   // the items it was sized for
  std::uint64_t memory() const noexcept { return bits_.size(); }  // bytes of the bit array
  std::uint64_t insertions() const noexcept { return insertions_; }
  // The bits that are set. The first call counts all of them; additions keep the number from then
  // on.
  std::uint64_t ones() const noexcept;

  double fill() const noexcept;      // the share of bits that are set
  double distinct() const noexcept;  // different items inserted, from the fill
  // In the line layout these compute a table and may throw std::bad_alloc.
  double predicted_error(std::uint64_t items) const;
  double current_error() const;  // what a new item would meet now

 private:
  bloom_filter() noexcept = default;

  friend detail::stored<bloom_filter>;
  void write(detail::container_writer& out) const;
  static bloom_filter read(const detail::container_view& view);
  void expect_sound() const;  // throws unless ones() is the number of set bits

  void expect_bits() const {
    if (k_ == 0) detail::refuse_moved_from(kind.called);
  }

  detail::line_bits lines() const noexcept { return {bit_count_ / detail::line_bit_count, k_}; }
  detail::flat_bits flat() const noexcept { return {{bit_count_, k_}}; }
  BLOOMTIME_INLINE std::byte* line_of(digest d) noexcept {
    return bits_.data() + detail::line_bits::offset_in(bits_.size(), d);
  }
  BLOOMTIME_INLINE const std::byte* line_of(digest d) const noexcept {
    return bits_.data() + detail::line_bits::offset_in(bits_.size(), d);
  }
  bool count_new_bits(digest d) noexcept;  // add() if ones() must be kept

  template <item T>
  BLOOMTIME_PER_ISA void add_span(std::span<const T> items) noexcept;
  template <item T>
  BLOOMTIME_PER_ISA void contains_span(std::span<const T> items,
                                       std::span<bool> answers) const noexcept;

  math::masses masses(digest d, const prior& before) const noexcept;
  double likelihood_if_absent(digest d) const noexcept;
  double line_likelihood(digest d) const noexcept;
  std::uint64_t count_ones() const noexcept;

  // The first member, so that an assignment that fails for lack of memory changes nothing.
  detail::buffer bits_;
  // Set for the most common kind, a line filter with k <= 8; single calls then make one test, not
  // two.
  detail::zero_when_moved<const detail::line_round*> one_round_;
  detail::zero_when_moved<bloomtime::layout>
      layout_;  // neither if moved from; then used as flat with k = 0
  detail::zero_when_moved<unsigned> k_;
  detail::zero_when_moved<std::uint64_t> bit_count_;
  hash_seed seed_;
  std::uint64_t capacity_ = 0;
  detail::zero_when_moved<std::uint64_t> insertions_;
  detail::kept_when_asked ones_;
};

template <item T>
void bloom_filter::add_span(std::span<const T> items) noexcept {
  if (layout_ == layout::line) {
    ones_.raise(detail::insert_lines(bits_.data(), lines(), items, seed_));
  } else {
    std::uint64_t fresh = 0;
    detail::in_blocks<1>(items, seed_, [&](const auto& now, const auto& next, std::size_t) {
      for (std::size_t i = 0; i < next.count; ++i) flat().prefetch_write(bits_.data(), next[i]);
      for (std::size_t i = 0; i < now.count; ++i) fresh += flat().insert(bits_.data(), now[i]);
    });
    ones_.raise(fresh);
  }
  insertions_ += std::min<std::uint64_t>(items.size(), UINT64_MAX - insertions_);
}

template <item T>
void bloom_filter::contains_span(std::span<const T> items, std::span<bool> answers) const noexcept {
  if (layout_ == layout::line) {
    detail::contains_lines(bits_.data(), lines(), items, seed_, answers.data());
  } else {
    detail::in_blocks<1>(items, seed_, [&](const auto& now, const auto& next, std::size_t first) {
      for (std::size_t i = 0; i < next.count; ++i) flat().prefetch_read(bits_.data(), next[i]);
      for (std::size_t i = 0; i < now.count; ++i) {
        answers[first + i] = flat().contains(bits_.data(), now[i]);
      }
    });
  }
}

}  // namespace bloomtime
