#include <bloomtime/published/persistent/level_history.hpp>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include <bloomtime/detail/storing.hpp>
#include <bloomtime/error.hpp>
#include <bloomtime/layout.hpp>
#include <bloomtime/published/persistent/detail/stored_filters.hpp>

#include "detail/refuse.hpp"

namespace bloomtime::published {
namespace {

using detail::flat_filter;
using detail::hyperloglog;

constexpr std::uint32_t sketches_section = 3;
constexpr auto flat_layout = static_cast<std::uint8_t>(layout::flat);

bool any_there(const detail::flat_filters& levels) {
  return !std::all_of(levels.begin(), levels.end(), [](const auto& l) { return l.absent(); });
}

}  // namespace

// -- several histories -------------------------------------------------------------------------

void level_history::merge(const level_history& other) {
  expect_same_keys(other);
  if (!grows() || !other.grows()) expect_same_span(other);
  bool alike = most_levels_ == other.most_levels_ && sketches_.empty() == other.sketches_.empty();
  for (unsigned h = 0; h < std::min(heights(), other.heights()); ++h) {
    alike = alike && level(h) == other.level(h);
  }
  if (!alike) {
    detail::refuse_merge(
        "level histories merge if all levels have equal sizes, and both grow and learn or "
        "both do not; at least one of these differs");
  }
  const level_history* later = &other;
  level_history grown;
  if (other.ticks_ > ticks_) {
    grow_to(other.ticks_ - 1);
  } else if (other.ticks_ < ticks_) {
    grown = other;
    grown.grow_to(ticks_ - 1);
    later = &grown;
  }
  for (unsigned h = 0; h < heights(); ++h) {
    if (!levels_[h].absent()) levels_[h].unite(later->levels_[h]);
    if (!sketches_.empty()) sketches_[h].merge(later->sketches_[h]);
  }
  count_all(other);
}

void level_history::clear() noexcept {
  for (detail::flat_filter& level : levels_) level.clear();
  for (detail::hyperloglog& sketch : sketches_) sketch.clear();
  forget_events();
}

// Keys below the root contain buckets that are counted from the origin; keys of a root are the
// items alone. So the old roots are joined to the new one, and their own height, of two buckets,
// gets no filter.
level_history level_history::joined(const level_history& left, const level_history& right) {
  left.expect_next(right);
  if (left.grows() || right.grows()) {
    detail::refuse_merge("level histories that grow with time are not joined; give them a span");
  }
  if (left.ticks_ != right.ticks_ || !detail::on_dyadic_grid(left.first_, 2 * left.ticks_) ||
      !std::has_single_bit(left.ticks())) {
    detail::refuse_merge(
        "level histories are joined if both span the same power of two of ticks and the "
        "left one begins at a multiple of twice that; here they span " +
        std::to_string(left.ticks_) + " from " + std::to_string(left.first_) + " and " +
        std::to_string(right.ticks_));
  }
  level_history both;
  static_cast<history_base&>(both) = left;
  both.doubts_ = left.doubts_;
  both.ticks_ = 2 * left.ticks_;
  both.count_all(right);
  const unsigned root = left.top();
  for (unsigned h = 0; h <= root; ++h) {
    if (h == root) both.levels_.emplace_back();
    both.levels_.push_back(flat_filter::joined(left.levels_[h], right.levels_[h]));
  }
  if (!any_there(both.levels_)) {
    detail::refuse_merge(
        "level histories are joined if at least one level exists in both; here none does");
  }
  if (left.sketches_.empty() || right.sketches_.empty()) return both;
  for (unsigned h = 0; h <= root; ++h) {
    hyperloglog sketch = left.sketches_[h];
    sketch.merge(right.sketches_[h]);
    // The keys of the two halves were not counted; they are at most those of the level below.
    if (h == root) both.sketches_.push_back(root == 0 ? sketch : both.sketches_.back());
    both.sketches_.push_back(std::move(sketch));
  }
  return both;
}

void level_history::coarsen(unsigned height) {
  expect_ticks();
  const bool some =
      height < heights() && std::any_of(levels_.begin() + height, levels_.end(),
                                        [](const flat_filter& level) { return !level.absent(); });
  if (!some) {
    throw error(errc::invalid_argument,
                "a level history must keep at least one level; none of its " +
                    std::to_string(heights()) + " has bits from height " + std::to_string(height) +
                    " on");
  }
  for (unsigned h = 0; h < height; ++h) levels_[h] = flat_filter();
}

// -- storage -----------------------------------------------------------------------------------

void level_history::write(detail::container_writer& out) const {
  write_span(out, flat_layout);
  out.parameters().u64(most_levels_);
  out.parameters().u64(doubts_);
  out.parameters().u64(!sketches_.empty());
  detail::filter_writer filters;
  for (const flat_filter& level : levels_) filters.add(level);
  filters.put_into(out);
  if (sketches_.empty()) return;
  detail::byte_writer registers;
  for (const hyperloglog& sketch : sketches_) registers.bytes(sketch.registers());
  out.section(sketches_section, std::move(registers).written());
}

// All levels of a growing history have the size of the root, except the finest ones if coarsened.
bool level_history::grown_alike() const noexcept {
  const filter_size size = levels_[top()].size();
  bool alike = size.bits != 0;
  for (unsigned h = finest(); h < top(); ++h) alike = alike && level(h) == size;
  return alike;
}

level_history level_history::read(const detail::container_view& view) {
  level_history f;
  detail::byte_reader in = f.read_span(view, flat_layout, kind.called);
  const std::uint64_t most_levels = in.u64();
  const std::uint64_t doubts = in.u64();
  const std::uint64_t learns = in.u64();
  in.expect_end();
  const auto heights = static_cast<unsigned>(std::bit_width(f.ticks_ - 1)) + 1;
  const bool grown = f.first_ == 0 && std::has_single_bit(f.ticks()) && heights <= most_levels &&
                     most_levels <= detail::most_height + 1;
  if (!detail::on_dyadic_grid(f.first_, f.ticks_) || (most_levels != 0 && !grown) || doubts > 1 ||
      learns > 1) {
    contradict();
  }
  view.expect_sections(learns != 0 ? 3 : 2);
  f.most_levels_ = static_cast<unsigned>(most_levels);
  f.doubts_ = doubts != 0;
  detail::filter_reader filters(view, heights);
  f.levels_.reserve(heights);
  for (unsigned h = 0; h < heights; ++h) f.levels_.push_back(filters.next());
  filters.expect_end();
  if (!any_there(f.levels_) || (f.grows() && !f.grown_alike())) {
    contradict();
  }
  if (learns == 0) return f;
  constexpr unsigned precision = hyperloglog::default_precision;
  constexpr std::uint64_t bytes = hyperloglog::bytes_for(precision);
  const auto sketches = view.section(sketches_section, heights * bytes);
  f.sketches_.reserve(heights);
  for (unsigned h = 0; h < heights; ++h) {
    f.sketches_.push_back(hyperloglog::borrow(precision, sketches.subspan(h * bytes, bytes)));
  }
  return f;
}

void level_history::expect_sound() const {
  for (const flat_filter& level : levels_) detail::expect_consistent(level, records_);
}

}  // namespace bloomtime::published

template class bloomtime::detail::stored<bloomtime::published::level_history>;
