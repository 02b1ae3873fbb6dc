#include <bloomtime/history/tree_history.hpp>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include <bloomtime/error.hpp>

namespace bloomtime {
namespace {

using detail::tick_range;

std::string text(std::uint64_t n) { return std::to_string(n); }

[[noreturn]] void refuse(const std::string& why) { throw error(errc::invalid_argument, why); }

void expect_span(std::uint64_t ticks, std::uint64_t granularity) {
  constexpr std::uint64_t most = std::uint64_t{1} << detail::most_height;
  if (ticks == 0 || ticks > most) {
    refuse("a tree history spans 1 to 2^62 ticks, asked for " + text(ticks));
  }
  if (!std::has_single_bit(granularity) || granularity > most) {
    refuse("the granularity of a tree history is a power of two, asked for " + text(granularity));
  }
}

void expect_size(math::filter_size size) {
  if ((size.bits == 0) != (size.k == 0) || size.k > detail::max_flat_k) {
    refuse("a node has bits and 1 to 64 hash functions, or neither; got " + text(size.bits) +
           " and " + text(size.k));
  }
}

void expect_sizes(const tree_config& c) {
  const auto& nodes = c.sizes.nodes;
  if (c.ticks == 0) {
    if (nodes.size() != 1 || nodes[0].size() != 1 || nodes[0][0].bits == 0) {
      refuse("a growing tree history needs the size of one node, and that node has bits");
    }
  } else {
    const auto expected = tree_history::nodes_for(c.ticks, c.granularity);
    bool fits = nodes.size() == expected.size();
    for (std::size_t h = 0; fits && h < nodes.size(); ++h) fits = nodes[h].size() == expected[h];
    if (!fits) {
      refuse("a tree history of " + text(c.ticks) + " ticks needs the sizes of " +
             text(expected[0]) + " leaves and of the nodes above them, " + text(expected.size()) +
             " heights in all");
    }
  }
  for (const auto& level : nodes) {
    for (const math::filter_size& size : level) expect_size(size);
  }
  expect_size(c.sizes.pairs);
}

}  // namespace

std::vector<std::uint64_t> tree_history::nodes_for(std::uint64_t ticks, std::uint64_t granularity) {
  expect_span(ticks, granularity);
  std::vector<std::uint64_t> nodes{(ticks + granularity - 1) / granularity};
  while (nodes.back() > 1) nodes.push_back((nodes.back() + 1) / 2);
  return nodes;
}

tree_history::tree_history(const tree_config& config) : clock_(config.resolution, config.origin) {
  expect_span(config.ticks == 0 ? 1 : config.ticks, config.granularity);
  expect_sizes(config);
  for (const auto& sizes : config.sizes.nodes) {
    auto& level = levels_.emplace_back();
    for (const math::filter_size& size : sizes) {
      level.emplace_back(size);
      memory_ += level.back().storage().size();
    }
  }
  pairs_ = detail::flat_filter(config.sizes.pairs);
  memory_ += pairs_.storage().size();
  leaf_height_ = static_cast<unsigned>(std::countr_zero(config.granularity));
  ticks_ = config.ticks;
  if (config.ticks == 0) {
    ticks_ = config.granularity;
    grows_by_ = config.sizes.nodes[0][0];
    most_memory_ = config.most_memory;
  }
  seed_ = config.seed;
}

// -- events ------------------------------------------------------------------------------------

outcome tree_history::add_at(digest d, tick t) {
  const std::uint64_t most = grows_by_ ? std::uint64_t{1} << detail::most_height : ticks_;
  const outcome became = detail::placed(t, most);
  if (became != outcome::added) return became;
  const auto position = static_cast<std::uint64_t>(t.number);
  if (grows_by_ && !grow_to(position)) return outcome::full;
  if (!pairs_.absent()) pairs_.insert(derive(d, position));
  for (unsigned height = 0; height < heights(); ++height) {
    detail::flat_filter& node = levels_[height][position >> (leaf_height_ + height)];
    if (!node.absent()) node.insert(d);
  }
  ++records_;
  return became;
}

// Makes sure that the nodes above this tick exist; false, and nothing has changed, if that takes
// more memory than allowed. A new root is a copy of the old one, whose ticks are its left half.
bool tree_history::grow_to(std::uint64_t position) {
  const std::uint64_t leaf = position >> leaf_height_;
  const auto needed = std::max<std::size_t>(std::bit_width(leaf) + 1, levels_.size());
  const std::uint64_t node_bytes = levels_[0][0].storage().size();
  std::uint64_t nodes = needed - levels_.size();  // roots
  std::uint64_t places = nodes;                   // for nodes, some of which stay empty
  for (std::size_t h = 0; h < needed; ++h) {
    const std::uint64_t bucket = leaf >> h;
    const std::uint64_t had = h < levels_.size() ? levels_[h].size() : 1;
    places += bucket < had ? 0 : bucket + 1 - had;
    nodes += bucket >= had || (h < levels_.size() && levels_[h][bucket].absent());
  }
  if (nodes == 0) return true;
  constexpr std::uint64_t place_bytes = sizeof(detail::flat_filter);
  const std::uint64_t left = most_memory_ - std::min(most_memory_, memory_);
  if (places > left / place_bytes || nodes > (left - places * place_bytes) / node_bytes) {
    return false;
  }
  while (levels_.size() < needed) {
    std::vector<detail::flat_filter> root{levels_.back()[0]};
    levels_.push_back(std::move(root));
    memory_ += node_bytes + place_bytes;
    ticks_ <<= 1;
  }
  for (std::size_t h = 0; h < needed; ++h) {
    const std::uint64_t bucket = leaf >> h;
    if (levels_[h].size() <= bucket) {
      memory_ += (bucket + 1 - levels_[h].size()) * place_bytes;
      levels_[h].resize(bucket + 1);
    }
    if (!levels_[h][bucket].absent()) continue;
    levels_[h][bucket] = detail::flat_filter(*grows_by_);
    memory_ += node_bytes;
  }
  return true;
}

// -- answers -----------------------------------------------------------------------------------

// Whole leaves are covered by nodes, what is left of a leaf at either end by its pairs.
sighting tree_history::ask(digest d, interval asked, std::uint64_t& probes) const noexcept {
  question q{d};
  const auto answer = [&](bool found) {
    probes = q.probes;
    return found ? sighting::maybe : sighting::no;
  };
  const auto range = detail::clipped(asked, ticks_);
  if (!range) return answer(false);
  const std::uint64_t in_leaf = granularity() - 1;
  const std::uint64_t first = range->first >> leaf_height_;
  const std::uint64_t last = range->last >> leaf_height_;
  const bool starts_inside = (range->first & in_leaf) != 0;
  const bool ends_inside = (range->last & in_leaf) != in_leaf;
  if (first == last && (starts_inside || ends_inside)) return answer(holds_part(q, *range));
  const tick_range whole{first + starts_inside, last + !ends_inside};  // one past the last
  if (whole.first < whole.last && holds_leaves(q, {whole.first, whole.last - 1})) {
    return answer(true);
  }
  const std::uint64_t end_of_first = range->first | in_leaf;
  const std::uint64_t start_of_last = range->last & ~in_leaf;
  return answer((starts_inside && holds_part(q, {range->first, end_of_first})) ||
                (ends_inside && holds_part(q, {start_of_last, range->last})));
}

bool tree_history::holds_leaves(question& q, tick_range leaves) const noexcept {
  const detail::dyadic_cover cover(leaves.first, leaves.last, heights() - 1);
  const auto nodes = cover.nodes();
  for (std::size_t i = nodes.size(); i > 0; --i) {
    if (holds(q, nodes[i - 1])) return true;
  }
  return false;
}

bool tree_history::holds(question& q, detail::dyadic_node node) const noexcept {
  const auto& level = levels_[node.height];
  if (node.bucket >= level.size()) return false;  // beyond the span, or not grown so far
  const detail::flat_filter& filter = level[node.bucket];
  if (!filter.absent()) {
    ++q.probes;
    return filter.contains(q.item);
  }
  if (grows_by_) return false;  // there was nothing to grow for
  if (node.height > 0) {
    return holds(q, {node.height - 1, 2 * node.bucket}) ||
           holds(q, {node.height - 1, 2 * node.bucket + 1});
  }
  const std::uint64_t start = node.bucket << leaf_height_;
  return holds_pairs(q, {start, start + granularity() - 1});
}

// Some ticks of one leaf. The leaf's own filter is asked first: without it the pairs would err
// alone (the paper's Algorithm 1 leaves it out, its text does not).
bool tree_history::holds_part(question& q, tick_range part) const noexcept {
  const auto& leaves = levels_[0];
  const std::uint64_t leaf = part.first >> leaf_height_;
  if (leaf >= leaves.size()) return false;
  if (!leaves[leaf].absent()) {
    ++q.probes;
    if (!leaves[leaf].contains(q.item)) return false;
  } else if (grows_by_) {
    return false;
  }
  return holds_pairs(q, part);
}

bool tree_history::holds_pairs(question& q, tick_range part) const noexcept {
  if (pairs_.absent()) return true;
  for (std::uint64_t t = part.first; t <= part.last; ++t) {
    ++q.probes;
    if (pairs_.contains(derive(q.item, t))) return true;
  }
  return false;
}

}  // namespace bloomtime
