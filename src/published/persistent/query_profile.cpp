#include <bloomtime/published/persistent/query_profile.hpp>

#include <bit>
#include <numeric>
#include <string>

#include <bloomtime/error.hpp>
#include <bloomtime/history/detail/tick_span.hpp>
#include <bloomtime/published/persistent/levels.hpp>
#include <bloomtime/published/persistent/tree_history.hpp>

namespace bloomtime::published {
namespace {

constexpr std::uint64_t most_nodes = std::uint64_t{1} << 20;

}  // namespace

query_profile::query_profile(std::uint64_t ticks) : ticks_(ticks) {
  if (ticks == 0 || ticks > detail::most_ticks) {
    throw error(errc::invalid_argument,
                "a query profile spans 1 to 2^62 ticks, got " + std::to_string(ticks));
  }
  counts_.resize(static_cast<std::size_t>(std::bit_width(ticks - 1)) + 1);
}

query_profile::query_profile(std::uint64_t ticks, std::uint64_t granularity) : ticks_(ticks) {
  const auto nodes = tree_history::nodes_for(ticks, granularity);
  const std::uint64_t all = std::accumulate(nodes.begin(), nodes.end(), std::uint64_t{0});
  if (all > most_nodes) {
    throw error(errc::invalid_argument,
                "a query profile counts up to 2^20 nodes, and this tree has " +
                    std::to_string(all) + "; use coarser leaves");
  }
  leaf_height_ = static_cast<unsigned>(std::countr_zero(granularity));
  counts_.resize(nodes.size());
  for (const std::uint64_t n : nodes) nodes_.emplace_back(n);
}

void query_profile::observe(interval asked, std::uint64_t first,
                            std::uint64_t pair_ticks) noexcept {
  const auto range = detail::clipped(asked, ticks_, first);
  if (!range) return;
  const detail::leaf_cut cut(*range, leaf_height_);
  if (cut.leaves()) {
    const detail::dyadic_cover cover(cut.leaves()->first, cut.leaves()->last, heights() - 1);
    for (const detail::dyadic_node& node : cover.nodes()) add(node);
  }
  for (const detail::tick_range& part : cut.parts()) add({0, part.first >> leaf_height_});
  pair_ticks_ += static_cast<double>(pair_ticks);
  queries_ += 1;
}

void query_profile::add(detail::dyadic_node node) noexcept {
  counts_[node.height] += 1;
  if (counts_nodes()) nodes_[node.height][node.bucket] += 1;
}

void query_profile::fade() noexcept {
  for (double& count : counts_) count /= 2;
  for (auto& height : nodes_) {
    for (double& count : height) count /= 2;
  }
  pair_ticks_ /= 2;
  queries_ /= 2;
}

// Per query; the assumed value if there was no query so far.
double query_profile::blend(double counted, double assumed, double smoothing) const {
  if (!(smoothing >= 0 && smoothing <= 1)) {
    throw error(errc::invalid_argument,
                "smoothing is a share of 0 to 1, got " + std::to_string(smoothing));
  }
  if (queries_ == 0) return assumed;
  return (1 - smoothing) * counted / queries_ + smoothing * assumed;
}

// For queries of all lengths; in a tree, with ends anywhere in a leaf.
std::vector<double> query_profile::assumed() const {
  std::vector<double> each(counts_.size());
  for (unsigned j = 0; j < heights(); ++j) {
    const std::vector<double> one = cover_profile(std::uint64_t{1} << j, heights());
    for (std::size_t h = 0; h < each.size(); ++h) each[h] += one[h] / heights();
  }
  each[0] += 2 * (1 - 1 / static_cast<double>(granularity()));
  return each;
}

std::vector<double> query_profile::frequencies(double smoothing) const {
  std::vector<double> each = assumed();
  for (std::size_t h = 0; h < each.size(); ++h) each[h] = blend(counts_[h], each[h], smoothing);
  return each;
}

std::vector<std::vector<double>> query_profile::node_frequencies(double smoothing) const {
  const std::vector<double> prior = assumed();
  std::vector<std::vector<double>> each = nodes_;
  for (std::size_t h = 0; h < each.size(); ++h) {
    const auto nodes = static_cast<double>(each[h].size());
    const double mean = counts_[h] / nodes;
    for (double& f : each[h]) f = blend((f + mean) / 2, prior[h] / nodes, smoothing);
  }
  return each;
}

// Both ends of a query lie anywhere in a leaf.
double query_profile::pair_frequency(double leaf_positive, double smoothing) const {
  return blend(pair_ticks_, static_cast<double>(granularity() - 1) * leaf_positive, smoothing);
}

BLOOMTIME_VALUE_OF(query_profile);

}  // namespace bloomtime::published
