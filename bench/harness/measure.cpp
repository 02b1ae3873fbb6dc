#include "bench/harness/measure.hpp"

#include <cmath>
#include <utility>

namespace bench {
namespace {

double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const auto above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], at - static_cast<double>(below));
}

}  // namespace

summary summarize(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  return {quantile(values, 0.5), quantile(values, 0.25), quantile(values, 0.75)};
}

std::size_t schedule::add(round once) {
  cases_.push_back({std::move(once), {}});
  return cases_.size() - 1;
}

void schedule::run(unsigned rounds) {
  for (unsigned i = 0; i < rounds; ++i) {
    for (entry& each : cases_) each.times.push_back(each.once());
  }
  for (entry& each : cases_) each.once = nullptr;
}

summary schedule::ratio(std::size_t which, std::size_t base) const {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < cases_[which].times.size(); ++i) {
    ratios.push_back(cases_[which].times[i] / cases_[base].times[i]);
  }
  return summarize(std::move(ratios));
}

std::size_t schedule::faster(std::size_t a, std::size_t b) const {
  return time(a).median <= time(b).median ? a : b;
}

}  // namespace bench
