#include "math/count_law.hpp"

#include <algorithm>
#include <cmath>

#include <bloomtime/math/zipf.hpp>

namespace bloomtime::math {
namespace {

// P(X >= v) of a Poisson variable, exact.
double poisson_at_least(double mean, unsigned v) {
  if (v == 0) return 1;
  if (mean <= 0) return 0;
  const auto pmf = [&](double j) {
    return std::exp(j * std::log(mean) - mean - std::lgamma(j + 1));
  };
  double sum = 0;
  if (mean < v) {  // terms fall from v on
    double term = pmf(v);
    for (double j = v; term > sum * 1e-17; term *= mean / ++j) sum += term;
    return std::min(1., sum);
  }
  double term = pmf(v - 1);
  for (double j = v - 1; term > sum * 1e-17; term *= j-- / mean) sum += term;
  return std::max(0., 1 - sum);
}

// The sum of floor(scale / r) over all ranks r up to `items`: of v = 1, 2, ... the number of ranks
// with at least v, without the fractions.
double whole_parts(double scale, std::uint64_t items) {
  const auto n = static_cast<double>(items);
  const auto all = static_cast<std::uint64_t>(scale / n);  // what every rank has
  const auto most = static_cast<std::uint64_t>(scale);     // what the first one has
  const double fractions = std::log(n) - harmonic(items, 1) + 1;
  const double shared = harmonic(most, 1) - harmonic(all, 1) - fractions;
  return n * static_cast<double>(all) + std::max(0., scale * shared);
}

// The scale at which the ranks have `total` in all. The first rank has at most that.
double zipf_scale(std::uint64_t items, double total) {
  double low = 0;
  double high = total + 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (whole_parts(middle, items) < total ? low : high) = middle;
  }
  return low;
}

}  // namespace

count_law::count_law(unsigned limit, const std::function<double(unsigned)>& at_least)
    : at_least_(limit + 1, 1.) {
  for (unsigned v = 1; v <= limit; ++v) at_least_[v] = std::clamp(at_least(v), 0., 1.);
}

// Panjer 1981: with load f(j) the mean number of items of count j, P(sum = s) is 1/s times the sum
// of j load f(j) P(sum = s - j).
double count_law::sum_reaches(double load) const {
  constexpr double always = 500;  // e^-load is a number up to 745, and limits are at most 192
  const double present = load * at_least_[1];
  if (present > always) return 1;
  const auto limit = static_cast<unsigned>(at_least_.size() - 1);
  std::vector<double> share(limit);  // of cells with this sum
  share[0] = std::exp(-present);
  double below = share[0];
  for (unsigned s = 1; s < limit; ++s) {
    double sum = 0;
    for (unsigned j = 1; j <= s; ++j) sum += j * (at_least_[j] - at_least_[j + 1]) * share[s - j];
    share[s] = sum * load / s;
    below += share[s];
  }
  return std::max(0., 1 - below);
}

std::array<count_law, 3> count_laws(std::uint64_t items, double mean, unsigned limit) {
  const auto least = static_cast<unsigned>(mean);
  const double one_more = mean - least;
  const auto n = static_cast<double>(items);
  const double scale = zipf_scale(items, std::min((mean - 1) * n, 0x1p62));
  return {
      count_law(limit, [&](unsigned v) { return least >= v       ? 1
                                                : least + 1 == v ? one_more
                                                                 : 0; }),
      count_law(limit, [&](unsigned v) { return poisson_at_least(mean, v); }),
      count_law(limit, [&](unsigned v) { return v == 1 ? 1 : scale / (n * (v - 1)); })};
}

}  // namespace bloomtime::math
