#include <bloomtime/history/query_profile.hpp>

#include <bit>
#include <string>

#include <bloomtime/detail/dyadic.hpp>
#include <bloomtime/detail/tick_span.hpp>
#include <bloomtime/error.hpp>
#include <bloomtime/math/history.hpp>

namespace bloomtime {

query_profile::query_profile(std::uint64_t ticks) : ticks_(ticks) {
  constexpr std::uint64_t most = std::uint64_t{1} << detail::most_height;
  if (ticks == 0 || ticks > most) {
    throw error(errc::invalid_argument,
                "a query profile is of 1 to 2^62 ticks, asked for " + std::to_string(ticks));
  }
  counts_.resize(static_cast<std::size_t>(std::bit_width(ticks - 1)) + 1);
}

void query_profile::observe(interval asked) noexcept {
  const auto range = detail::clipped(asked, ticks_);
  if (!range) return;
  const detail::dyadic_cover cover(range->first, range->last, heights() - 1);
  for (const detail::dyadic_node& node : cover.nodes()) counts_[node.height] += 1;
  questions_ += 1;
}

void query_profile::fade() noexcept {
  for (double& count : counts_) count /= 2;
  questions_ /= 2;
}

std::vector<double> query_profile::frequencies(double smoothing) const {
  if (!(smoothing >= 0 && smoothing <= 1)) {
    throw error(errc::invalid_argument,
                "smoothing is a share of 0 to 1, got " + std::to_string(smoothing));
  }
  const double known = questions_ == 0 ? 0 : 1 - smoothing;
  const double assumed = questions_ == 0 ? 1 : smoothing;
  std::vector<double> each(counts_.size());
  for (std::size_t h = 0; h < each.size() && known > 0; ++h) {
    each[h] = known * counts_[h] / questions_;
  }
  for (unsigned j = 0; j < heights() && assumed > 0; ++j) {
    const std::vector<double> one = math::cover_profile(std::uint64_t{1} << j, heights());
    for (std::size_t h = 0; h < each.size(); ++h) each[h] += assumed * one[h] / heights();
  }
  return each;
}

}  // namespace bloomtime
