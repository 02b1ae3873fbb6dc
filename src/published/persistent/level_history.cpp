#include <bloomtime/published/persistent/level_history.hpp>

#include <algorithm>
#include <bit>
#include <string>

#include <bloomtime/error.hpp>

#include "detail/refuse.hpp"

namespace bloomtime::published {
namespace {

// The probes that a query may spend on checking a "maybe" and on the nodes below an omitted level.
// After that the answer is "maybe": levels that are nearly full would lead a query through the
// whole tree.
constexpr std::uint64_t most_probes = 4096;

using std::to_string;

unsigned heights_for(std::uint64_t ticks) {
  return static_cast<unsigned>(std::bit_width(ticks - 1)) + 1;
}

void expect_config(const level_config& c) {
  const auto refuse = [](const std::string& why) { throw error(errc::invalid_argument, why); };
  if (c.ticks > detail::most_ticks) {
    refuse("a level history spans at most 2^62 ticks, got " + to_string(c.ticks));
  }
  if (!detail::on_dyadic_grid(c.first, c.ticks)) {
    refuse(
        "a level history that does not begin at the origin spans a power of two of ticks and "
        "begins at a multiple of it, got " +
        to_string(c.ticks) + " from " + to_string(c.first));
  }
  const std::size_t expected = c.ticks == 0 ? 1 : heights_for(c.ticks);
  if (c.levels.size() != expected) {
    refuse("a level history of " + (c.ticks == 0 ? "growing span" : to_string(c.ticks) + " ticks") +
           " needs the size of " + to_string(expected) + " levels, got " +
           to_string(c.levels.size()));
  }
  for (const filter_size& size : c.levels) {
    if ((size.bits == 0) != (size.k == 0) || size.k > detail::max_flat_k) {
      refuse("a level has bits and 1 to 64 hash functions, or neither; got " +
             to_string(size.bits) + " and " + to_string(size.k));
    }
  }
  if (c.levels.front().bits == 0) {
    refuse("the finest level must have bits, or no answer would be finer than the next one");
  }
  if (c.most_levels == 0 || c.most_levels > detail::most_height + 1) {
    refuse("a level history grows to 1 to 63 levels, got " + to_string(c.most_levels));
  }
}

}  // namespace

level_history::level_history(const level_config& config)
    : history_calls(tick_clock(config.tick, config.origin), config.first,
                    config.ticks == 0 ? 1 : config.ticks, config.seed) {
  expect_config(config);
  levels_.reserve(config.levels.size());
  for (const filter_size& size : config.levels) levels_.emplace_back(size);
  if (config.learns) sketches_.resize(levels_.size());
  most_levels_ = config.ticks == 0 ? config.most_levels : 0;
  doubts_ = config.doubts;
}

// Buckets are counted from the origin, so that they are the same in every span. The root has only
// one bucket, and it counts as 0 in every span, so that the roots of neighbours can be joined
// (docs/math.md, Joining of levels).
digest level_history::key_of(digest d, detail::dyadic_node node) const noexcept {
  return derive(d, node.height == top() ? 0 : (first_ >> node.height) + node.bucket);
}

// -- events ------------------------------------------------------------------------------------

outcome level_history::add_at(digest d, tick t) {
  const std::uint64_t most = most_levels_ == 0 ? ticks() : std::uint64_t{1} << (most_levels_ - 1);
  const outcome became = detail::placed(t, most, first_);
  if (became != outcome::added) return became;
  const std::uint64_t position = position_of(t);
  if (position >= ticks_) grow_to(position);
  for (unsigned height = 0; height < heights(); ++height) {
    const digest key = key_of(d, {height, position >> height});
    if (!levels_[height].absent()) levels_[height].insert(key);
    if (!sketches_.empty()) sketches_[height].add(key);
  }
  count(1);
  return became;
}

// A new root is a copy of the old one, because all events so far lie in bucket 0 of both.
void level_history::grow_to(std::uint64_t position) {
  const auto needed = static_cast<std::size_t>(std::bit_width(position)) + 1;
  const std::size_t had = levels_.size();
  try {
    levels_.reserve(needed);
    while (levels_.size() < needed) levels_.push_back(levels_[had - 1]);
    if (!sketches_.empty()) sketches_.resize(needed, sketches_[had - 1]);
  } catch (...) {
    levels_.resize(had);
    throw;
  }
  ticks_ = std::uint64_t{1} << (needed - 1);
}

// -- answers -----------------------------------------------------------------------------------

sighting level_history::ask(digest d, interval asked, std::uint64_t& probes) const noexcept {
  query q{d};
  bool found = false;
  if (const auto range = detail::clipped(asked, ticks_, first_)) {
    // A bucket of the finest level that overlaps the query is queried as a whole.
    const std::uint64_t inside = (std::uint64_t{1} << finest()) - 1;
    const detail::dyadic_cover cover(range->first & ~inside, range->last | inside, top());
    // Coarse nodes first: they are the most likely to be positive.
    const auto nodes = cover.nodes();
    for (std::size_t i = nodes.size(); i > 0 && !found; --i) found = holds(q, nodes[i - 1]);
  }
  probes = q.probes;
  return found ? sighting::maybe : sighting::no;
}

bool level_history::probe(query& q, detail::dyadic_node node) const noexcept {
  ++q.probes;
  return levels_[node.height].contains(key_of(q.item, node));
}

unsigned level_history::finest() const noexcept {
  unsigned height = 0;
  while (levels_[height].absent()) ++height;  // at least one level exists
  return height;
}

std::optional<unsigned> level_history::active_below(unsigned height) const noexcept {
  while (height > 0) {
    if (!levels_[--height].absent()) return height;
  }
  return std::nullopt;
}

// Whether the item may have been seen in this node. With doubts_, a positive node counts only if a
// chain of positive nodes leads down to the finest level, because an item that was seen in a node
// was seen in one of its halves.
bool level_history::holds(query& q, detail::dyadic_node node) const noexcept {
  const bool absent = levels_[node.height].absent();
  if (!absent && !probe(q, node)) return false;
  if (!absent && (!doubts_ || q.probes > most_probes)) return true;
  const std::optional<unsigned> below = active_below(node.height);
  if (!below) return true;
  const unsigned steps = node.height - *below;
  const bool many = steps >= 63 || (std::uint64_t{1} << steps) > most_probes;
  // A negative level above saves the many probes below.
  if (absent && steps > 1 && says_no_above(q, node)) return false;
  return many || holds_below(q, node, *below);
}

bool level_history::holds_below(query& q, detail::dyadic_node node, unsigned below) const noexcept {
  const unsigned steps = node.height - below;
  const std::uint64_t first = node.bucket << steps;
  for (std::uint64_t i = 0; i < std::uint64_t{1} << steps; ++i) {
    if (holds(q, {below, first + i})) return true;
  }
  return false;
}

// Probes the nearest level above that exists.
bool level_history::says_no_above(query& q, detail::dyadic_node node) const noexcept {
  for (unsigned height = node.height + 1; height < heights(); ++height) {
    if (!levels_[height].absent()) {
      return !probe(q, {height, node.bucket >> (height - node.height)});
    }
  }
  return false;
}

std::optional<double> level_history::keys(unsigned height) const noexcept {
  if (learns()) return sketches_[height].estimate();
  if (levels_[height].absent()) return std::nullopt;
  return levels_[height].keys();
}

std::uint64_t level_history::memory() const noexcept {
  std::uint64_t bytes = detail::hooked_bytes<detail::flat_filter>(levels_.capacity()) +
                        detail::hooked_bytes<detail::hyperloglog>(sketches_.capacity());
  for (const detail::flat_filter& level : levels_) bytes += level.storage().size();
  for (const detail::hyperloglog& sketch : sketches_) bytes += sketch.registers().size();
  return bytes;
}

level_history::level_history(const level_history&) = default;
level_history::level_history(level_history&&) noexcept = default;
level_history& level_history::operator=(const level_history& other) {
  return *this = level_history(other);
}
level_history& level_history::operator=(level_history&&) noexcept = default;
level_history::~level_history() = default;

}  // namespace bloomtime::published
