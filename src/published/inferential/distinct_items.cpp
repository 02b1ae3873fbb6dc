#include <bloomtime/published/inferential/distinct_items.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <bloomtime/math/zipf.hpp>

#include "math/expect.hpp"

namespace bloomtime::published {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// The probability that an item with this share is among this many insertions.
double presence(double share, double insertions) {
  return share < 1 ? -std::expm1(insertions * std::log1p(-share)) : 1;
}

// The sum of f over the whole numbers of [from, to): by the midpoint rule the same as the integral
// over [from - 1/2, to - 1/2), up to f'/24, and that by Simpson's rule in the logarithm.
template <class F>
double sum_of_smooth(const F& f, double from, double to) {
  constexpr double pieces_per_unit = 16;
  const double low = std::log(from - 0.5);
  const double high = std::log(to - 0.5);
  const auto in_log = [&](double t) { return f(std::exp(t)) * std::exp(t); };
  const double pieces = std::ceil((high - low) * pieces_per_unit);
  const double step = (high - low) / pieces;
  double sum = 0;
  for (double i = 0; i < pieces; ++i) {
    const double t = low + i * step;
    sum += step / 6 * (in_log(t) + 4 * in_log(t + step / 2) + in_log(t + step));
  }
  return sum;
}

double zipf_distinct(std::uint64_t items, double z, double total, double insertions) {
  constexpr std::uint64_t one_by_one = 1024;
  const auto of_rank = [&](double rank) {
    return presence(std::pow(rank, -z) / total, insertions);
  };
  double sum = 0;
  for (std::uint64_t i = 1; i <= std::min(items, one_by_one); ++i) {
    sum += of_rank(static_cast<double>(i));
  }
  if (items <= one_by_one) return sum;
  return sum + sum_of_smooth(of_rank, one_by_one + 1., static_cast<double>(items) + 1);
}

}  // namespace

// Expects the knots in order, the first at one insertion or later.
distinct_items::distinct_items(std::vector<knot> knots, double items)
    : knots_(std::move(knots)), items_(items) {
  if (!knots_.empty() && knots_.front().insertions > 1) knots_.insert(knots_.begin(), {1, 1});
}

distinct_items distinct_items::uniform(std::uint64_t items) {
  math::expect(items > 0, "there must be at least one item", items);
  return {{}, static_cast<double>(items)};
}

distinct_items distinct_items::zipf(std::uint64_t items, double z) {
  math::expect(items > 0 && items <= std::uint64_t{1} << 53, "there must be 1 to 2^53 items",
               items);
  math::expect(z >= 0 && z <= 64, "the exponent of Zipf's law must lie in [0, 64]", z);
  const double total = math::harmonic(items, z);
  const auto all = static_cast<double>(items);
  std::vector<knot> knots;
  // Until all items occur, or up to 2^60: with steep laws they never all do.
  for (int quarter = 0; quarter <= 4 * 60; ++quarter) {
    const double insertions = std::exp2(quarter / 4.);
    const double before = knots.empty() ? 1 : knots.back().distinct;
    const double distinct = zipf_distinct(items, z, total, insertions);
    knots.push_back({insertions, std::clamp(distinct, before, std::min(insertions, all))});
    if (distinct > all * (1 - 1e-9)) break;
  }
  return {std::move(knots), all};
}

distinct_items distinct_items::empirical(std::span<const knot> knots) {
  math::expect(!knots.empty(), "there must be at least one knot", std::uint64_t{knots.size()});
  const knot* before = nullptr;
  for (const knot& k : knots) {
    math::expect(k.insertions >= 1 && k.insertions < infinite &&
                     (before == nullptr || k.insertions > before->insertions),
                 "the knots of a distinct count must increase in insertions, from 1 on",
                 k.insertions);
    math::expect(
        k.distinct >= 1 && k.distinct <= k.insertions &&
            (before == nullptr || k.distinct >= before->distinct),
        "the knots of a distinct count must not decrease in distinct items, of which there are 1 "
        "to as many as insertions",
        k.distinct);
    before = &k;
  }
  return {{knots.begin(), knots.end()}, infinite};
}

double distinct_items::operator()(double insertions) const noexcept {
  if (!(insertions > 0)) return 0;
  if (insertions <= 1) return insertions;    // at most one item
  insertions = std::min(insertions, 1e300);  // avoids infinity times a slope of 0
  double distinct = insertions;
  if (knots_.empty()) {
    distinct = items_ * presence(1 / items_, insertions);
  } else if (knots_.size() > 1) {
    const auto above = std::upper_bound(knots_.begin() + 1, knots_.end() - 1, insertions,
                                        [](double j, const knot& k) { return j < k.insertions; });
    distinct = math::distinct_between(above[-1], above[0], insertions);
  }
  return std::min({distinct, insertions, items_});
}

}  // namespace bloomtime::published
