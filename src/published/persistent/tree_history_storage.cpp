#include <bloomtime/published/persistent/tree_history.hpp>

#include <algorithm>
#include <bit>
#include <numeric>
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

constexpr auto flat_layout = static_cast<std::uint8_t>(layout::flat);

}  // namespace

// -- several histories -------------------------------------------------------------------------

bool tree_history::sized_as(const tree_history& other) const noexcept {
  const auto same = [](const flat_filter& a, const flat_filter& b) { return a.size() == b.size(); };
  bool alike = same(pairs_, other.pairs_) && leaf_height_ == other.leaf_height_ &&
               grows_by_ == other.grows_by_;
  for (unsigned h = 0; alike && !grows() && h < heights(); ++h) {
    alike = std::equal(levels_[h].begin(), levels_[h].end(), other.levels_[h].begin(), same);
  }
  return alike;
}

void tree_history::merge(const tree_history& other) {
  expect_same_keys(other);
  if (!grows() || !other.grows()) expect_same_span(other);
  if (!sized_as(other)) {
    detail::refuse_merge(
        "tree histories merge if granularity and the sizes of all nodes and of the pairs "
        "are equal; at least one of these differs");
  }
  if (grows()) {
    tree_history both(*this);
    both.merge_grown(other);
    *this = std::move(both);
    return;
  }
  for (unsigned h = 0; h < heights(); ++h) {
    for (std::size_t i = 0; i < levels_[h].size(); ++i) levels_[h][i].unite(other.levels_[h][i]);
  }
  pairs_.unite(other.pairs_);
  count_all(other);
}

// Adds roots to the smaller one until both have the same height.
void tree_history::merge_grown(tree_history other) {
  while (heights() < other.heights()) add_root();
  while (other.heights() < heights()) other.add_root();
  for (unsigned h = 0; h < heights(); ++h) {
    auto& mine = levels_[h];
    auto& theirs = other.levels_[h];
    mine.reserve(theirs.size());  // no spare places: they count toward the limit
    mine.resize(std::max(mine.size(), theirs.size()));
    for (std::size_t i = 0; i < theirs.size(); ++i) {
      if (theirs[i].absent()) continue;
      if (mine[i].absent()) {
        mine[i] = std::move(theirs[i]);
      } else {
        mine[i].unite(theirs[i]);
      }
    }
  }
  pairs_.unite(other.pairs_);
  count_all(other);
  count_filter_bytes();
  if (memory() > most_memory_) {
    throw error(errc::too_large, "this tree history may grow to " + std::to_string(most_memory_) +
                                     " bytes, and with the other one it would have " +
                                     std::to_string(memory()));
  }
}

void tree_history::clear() noexcept {
  for (auto& level : levels_) {
    for (detail::flat_filter& node : level) node.clear();
  }
  pairs_.clear();
  forget_events();
}

tree_history tree_history::joined(const tree_history& left, const tree_history& right) {
  left.expect_next(right);
  if (left.grows() || right.grows()) {
    detail::refuse_merge("tree histories that grow with time are not joined; give them a span");
  }
  if (left.ticks_ != right.ticks_ || left.leaf_height_ != right.leaf_height_ ||
      !std::has_single_bit(left.ticks()) || left.ticks_ < left.granularity()) {
    const auto shape = [](const tree_history& t) {
      return std::to_string(t.ticks_) + " ticks in leaves of " + std::to_string(t.granularity());
    };
    detail::refuse_merge(
        "tree histories are joined if both have the same leaves, and a power of two of them; "
        "here they have " +
        shape(left) + " and " + shape(right));
  }
  tree_history both;
  static_cast<history_base&>(both) = left;
  both.leaf_height_ = left.leaf_height_;
  both.ticks_ = 2 * left.ticks_;
  both.count_all(right);
  both.levels_ = left.levels_;
  for (unsigned h = 0; h < left.heights(); ++h) {
    both.levels_[h].insert(both.levels_[h].end(), right.levels_[h].begin(), right.levels_[h].end());
  }
  const auto& halves = both.levels_.back();
  detail::flat_filters root{flat_filter::joined(halves[0], halves[1])};
  both.levels_.push_back(std::move(root));
  both.pairs_ = flat_filter::joined(left.pairs_, right.pairs_);
  both.count_filter_bytes();
  return both;
}

void tree_history::coarsen(unsigned height) {
  expect_ticks();
  const unsigned root = leaf_height_ + heights() - 1;
  if (height > root) {
    throw error(errc::invalid_argument,
                "a tree history can be coarsened up to the height of its root, " +
                    std::to_string(root) + "; got " + std::to_string(height));
  }
  if (height > 0) pairs_ = flat_filter();
  if (height > leaf_height_) {
    levels_.erase(levels_.begin(), levels_.begin() + (height - leaf_height_));
    leaf_height_ = height;
  }
  count_filter_bytes();
}

// -- storage -----------------------------------------------------------------------------------

void tree_history::write(detail::container_writer& out) const {
  write_span(out, flat_layout);
  detail::byte_writer& p = out.parameters();
  p.u64(granularity());
  p.u64(grows_by_.bits);
  p.u64(grows_by_.k);
  p.u64(most_memory_);
  for (const auto& level : levels_) p.u64(level.size());
  detail::filter_writer filters;
  each_filter([&](const flat_filter& f) { filters.add(f); });
  filters.put_into(out);
}

// All nodes of a growing tree have the same size or are absent; the first of every height exists.
bool tree_history::grown_alike() const noexcept {
  bool alike = true;
  for (const auto& level : levels_) {
    alike = alike && !level[0].absent();
    for (const flat_filter& node : level) {
      alike = alike && (node.absent() || node.size() == grows_by_);
    }
  }
  return alike;
}

tree_history tree_history::read(const detail::container_view& view) {
  tree_history f;
  detail::byte_reader in = f.read_span(view, flat_layout, kind.called);
  const std::uint64_t granularity = in.u64();
  f.grows_by_.bits = in.u64();
  const std::uint64_t k = in.u64();
  f.most_memory_ = in.u64();
  if (!std::has_single_bit(granularity) || granularity > detail::most_ticks ||
      k > detail::max_flat_k || (k == 0) != (f.grows_by_.bits == 0) ||
      (!f.grows() && f.most_memory_ != 0) ||
      (f.grows() && (f.first_ != 0 || !std::has_single_bit(f.ticks()) || f.ticks_ < granularity))) {
    contradict();
  }
  f.grows_by_.k = static_cast<unsigned>(k);
  f.leaf_height_ = static_cast<unsigned>(std::countr_zero(granularity));
  std::vector<std::uint64_t> nodes;
  for (const std::uint64_t all : nodes_for(f.ticks_, granularity)) {
    nodes.push_back(in.u64());
    if (nodes.back() == 0 || nodes.back() > all || (!f.grows() && nodes.back() != all)) {
      contradict();
    }
  }
  in.expect_end();
  view.expect_sections(2);
  detail::filter_reader filters(view,
                                std::accumulate(nodes.begin(), nodes.end(), std::uint64_t{1}));
  f.levels_.reserve(nodes.size());
  for (const std::uint64_t n : nodes) {
    auto& level = f.levels_.emplace_back();
    level.reserve(n);
    for (std::uint64_t i = 0; i < n; ++i) level.push_back(filters.next());
  }
  f.pairs_ = filters.next();
  filters.expect_end();
  if (f.grows() && !f.grown_alike()) contradict();
  f.count_filter_bytes();
  return f;
}

void tree_history::expect_sound() const {
  each_filter([&](const flat_filter& f) { detail::expect_consistent(f, records_); });
}

}  // namespace bloomtime::published

template class bloomtime::detail::stored<bloomtime::published::tree_history>;
