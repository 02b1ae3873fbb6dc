#include <bloomtime/published/persistent/tree_history.hpp>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include <bloomtime/error.hpp>

#include "detail/refuse.hpp"

namespace bloomtime::published {
namespace {

using detail::tick_range;

constexpr std::uint64_t place_bytes = sizeof(detail::flat_filter);
constexpr std::uint64_t level_bytes =
    sizeof(detail::flat_filters) + detail::hooked_extra<detail::flat_filter>;

// The places of a level that has room for this bucket. They double, so that few events move them.
std::uint64_t places_for(std::uint64_t places, std::uint64_t bucket) {
  return bucket < places ? places : std::max(bucket + 1, 2 * places);
}

using std::to_string;

void expect_span(std::uint64_t ticks, std::uint64_t granularity) {
  if (ticks == 0 || ticks > detail::most_ticks) {
    detail::refuse("a tree history spans 1 to 2^62 ticks, got " + to_string(ticks));
  }
  if (!std::has_single_bit(granularity) || granularity > detail::most_ticks) {
    detail::refuse("the granularity of a tree history is a power of two, got " +
                   to_string(granularity));
  }
}

void expect_size(filter_size size) {
  if ((size.bits == 0) != (size.k == 0) || size.k > detail::max_flat_k) {
    detail::refuse("a node has bits and 1 to 64 hash functions, or neither; got " +
                   to_string(size.bits) + " and " + to_string(size.k));
  }
}

void expect_sizes(const tree_config& c) {
  const auto& nodes = c.sizes.nodes;
  if (c.ticks == 0) {
    if (nodes.size() != 1 || nodes[0].size() != 1 || nodes[0][0].bits == 0) {
      detail::refuse("a growing tree history needs the size of one node, which must have bits");
    }
  } else {
    const auto expected = tree_history::nodes_for(c.ticks, c.granularity);
    bool fits = nodes.size() == expected.size();
    for (std::size_t h = 0; fits && h < nodes.size(); ++h) fits = nodes[h].size() == expected[h];
    if (!fits) {
      detail::refuse("a tree history of " + to_string(c.ticks) + " ticks needs the sizes of " +
                     to_string(expected[0]) + " leaves and of the nodes above them, " +
                     to_string(expected.size()) + " heights in all");
    }
  }
  for (const auto& level : nodes) {
    for (const filter_size& size : level) expect_size(size);
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

tree_history::tree_history(const tree_config& config)
    : history_calls(tick_clock(config.tick, config.origin), config.first,
                    config.ticks == 0 ? config.granularity : config.ticks, config.seed) {
  expect_span(ticks_, config.granularity);
  if (config.first > (config.ticks == 0 ? 0 : detail::most_ticks)) {
    detail::refuse("a tree history begins within 2^62 ticks, and at 0 if it grows, got " +
                   to_string(config.first));
  }
  expect_sizes(config);
  levels_.reserve(config.sizes.nodes.size());
  for (const auto& sizes : config.sizes.nodes) {
    auto& level = levels_.emplace_back();
    level.reserve(sizes.size());
    for (const filter_size& size : sizes) level.emplace_back(size);
  }
  pairs_ = detail::flat_filter(config.sizes.pairs);
  leaf_height_ = static_cast<unsigned>(std::countr_zero(config.granularity));
  if (config.ticks == 0) {
    grows_by_ = config.sizes.nodes[0][0];
    most_memory_ = config.most_memory;
  }
  count_filter_bytes();
}

void tree_history::count_filter_bytes() noexcept {
  filter_bytes_ = 0;
  each_filter([&](const detail::flat_filter& f) { filter_bytes_ += f.storage().size(); });
}

std::uint64_t tree_history::memory() const noexcept {
  std::uint64_t bytes =
      filter_bytes_ + detail::hooked_bytes<detail::flat_filters>(levels_.capacity());
  for (const auto& level : levels_) {
    bytes += detail::hooked_bytes<detail::flat_filter>(level.capacity());
  }
  return bytes;
}

// -- events ------------------------------------------------------------------------------------

outcome tree_history::add_at(digest d, tick t) {
  const outcome became = detail::placed(t, grows() ? detail::most_ticks : ticks(), first_);
  if (became != outcome::added) return became;
  const std::uint64_t position = position_of(t);
  if (grows() && !grow_to(position)) return outcome::full;
  if (!pairs_.absent()) pairs_.insert(derive(d, first_ + position));
  for (unsigned height = 0; height < heights(); ++height) {
    detail::flat_filter& node = levels_[height][position >> (leaf_height_ + height)];
    if (!node.absent()) node.insert(d);
  }
  count(1);
  return became;
}

// The new root is a copy of the old one, whose ticks are its left half.
void tree_history::add_root() {
  detail::flat_filters root{levels_.back()[0]};
  levels_.push_back(std::move(root));
  filter_bytes_ += levels_.back()[0].storage().size();
  ticks_ += ticks_;
}

// Adds the nodes that this tick needs. Returns false and changes nothing if that would exceed the
// memory limit.
bool tree_history::grow_to(std::uint64_t position) {
  const std::uint64_t leaf = position >> leaf_height_;
  const auto needed = std::max<std::size_t>(std::bit_width(leaf) + 1, levels_.size());
  const std::uint64_t node_bytes = levels_[0][0].storage().size();
  const std::uint64_t roots = needed - levels_.size();
  std::uint64_t nodes = roots;
  std::uint64_t places = roots;  // for nodes, some of which stay empty
  for (std::size_t h = 0; h < needed; ++h) {
    const std::uint64_t bucket = leaf >> h;
    const bool there = h < levels_.size();
    const std::uint64_t had = there ? levels_[h].capacity() : 1;
    places += places_for(had, bucket) - had;
    nodes += there ? bucket >= levels_[h].size() || levels_[h][bucket].absent() : bucket > 0;
  }
  if (nodes == 0) return true;
  const std::uint64_t left = most_memory_ - std::min(most_memory_, memory() + roots * level_bytes);
  if (places > left / place_bytes || nodes > (left - places * place_bytes) / node_bytes) {
    return false;
  }
  levels_.reserve(needed);
  while (levels_.size() < needed) add_root();
  for (std::size_t h = 0; h < needed; ++h) {
    auto& level = levels_[h];
    const std::uint64_t bucket = leaf >> h;
    level.reserve(places_for(level.capacity(), bucket));
    if (level.size() <= bucket) level.resize(bucket + 1);
    if (!level[bucket].absent()) continue;
    level[bucket] = detail::flat_filter(grows_by_);
    filter_bytes_ += node_bytes;
  }
  return true;
}

// -- answers -----------------------------------------------------------------------------------

// Nodes cover whole leaves; pairs cover the rest of a leaf at either end.
sighting tree_history::ask(digest d, interval asked, std::uint64_t& probes) const noexcept {
  query q{d};
  bool found = false;
  if (const auto range = detail::clipped(asked, ticks_, first_)) {
    const detail::leaf_cut cut(*range, leaf_height_);
    found = cut.leaves() && holds_leaves(q, *cut.leaves());
    for (const tick_range& part : cut.parts()) found = found || holds_part(q, part);
  }
  probes = q.probes;
  return found ? sighting::maybe : sighting::no;
}

bool tree_history::holds_leaves(query& q, tick_range leaves) const noexcept {
  const detail::dyadic_cover cover(leaves.first, leaves.last, heights() - 1);
  const auto nodes = cover.nodes();
  for (std::size_t i = nodes.size(); i > 0; --i) {
    if (holds(q, nodes[i - 1])) return true;
  }
  return false;
}

bool tree_history::holds(query& q, detail::dyadic_node node) const noexcept {
  const auto& level = levels_[node.height];
  if (node.bucket >= level.size()) return false;  // beyond the span, or not added yet
  const detail::flat_filter& filter = level[node.bucket];
  if (!filter.absent()) {
    ++q.probes;
    return filter.contains(q.item);
  }
  if (grows()) return false;  // there was nothing to grow for
  if (node.height > 0) {
    return holds(q, {node.height - 1, 2 * node.bucket}) ||
           holds(q, {node.height - 1, 2 * node.bucket + 1});
  }
  const std::uint64_t start = node.bucket << leaf_height_;
  return holds_pairs(q, {start, start + granularity() - 1});
}

// Some ticks of one leaf. The leaf's own filter is queried first: without it an error of the pairs
// would be an error of the answer (the paper's Algorithm 1 omits it, its text does not).
bool tree_history::holds_part(query& q, tick_range part) const noexcept {
  return leaf_holds(q, part.first >> leaf_height_) && holds_pairs(q, part);
}

bool tree_history::leaf_holds(query& q, std::uint64_t leaf) const noexcept {
  if (leaf >= levels_[0].size()) return false;
  const detail::flat_filter& filter = levels_[0][leaf];
  if (filter.absent()) return !grows();
  ++q.probes;
  return filter.contains(q.item);
}

std::uint64_t tree_history::pair_ticks_of(digest d, interval asked) const noexcept {
  const auto range = detail::clipped(asked, ticks_, first_);
  if (!range) return 0;
  query q{d};
  std::uint64_t ticks = 0;
  const detail::leaf_cut cut(*range, leaf_height_);
  for (const tick_range& part : cut.parts()) {
    if (leaf_holds(q, part.first >> leaf_height_)) ticks += part.last - part.first + 1;
  }
  return ticks;
}

bool tree_history::holds_pairs(query& q, tick_range part) const noexcept {
  if (pairs_.absent()) return true;
  for (std::uint64_t t = part.first; t <= part.last; ++t) {
    ++q.probes;
    if (pairs_.contains(derive(q.item, first_ + t))) return true;
  }
  return false;
}

tree_history::tree_history(const tree_history&) = default;
tree_history::tree_history(tree_history&&) noexcept = default;
tree_history& tree_history::operator=(const tree_history& other) {
  return *this = tree_history(other);
}
tree_history& tree_history::operator=(tree_history&&) noexcept = default;
tree_history::~tree_history() = default;

}  // namespace bloomtime::published
