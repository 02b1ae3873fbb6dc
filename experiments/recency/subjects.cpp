#include "subjects.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <bloomtime/error.hpp>

namespace experiments {

using namespace bloomtime;

namespace {

// As many as fit into an eighth of the memory.
std::uint32_t charged_entries(std::uint64_t window, std::uint64_t bits) {
  for (std::uint32_t entries = audit_config{}.entries; entries >= 64; entries /= 2) {
    if (audit({.window = window, .entries = entries}).memory() * 64 <= bits) return entries;
  }
  throw error(errc::invalid_argument, "there is no room for an audit");
}

timing_subject charged(const stream& s, std::span<const math::geometric> priors,
                       std::uint64_t window, std::uint64_t bits, unsigned k) {
  const std::uint32_t entries = charged_entries(window, bits);
  const std::uint64_t taken = audit({.window = window, .entries = entries}).memory() * 8;
  return {s, priors, published::plan_timing(window, bits - taken, k, std::max(k, 3u), k), entries};
}

}  // namespace

double known_posteriors::of(const published::touch_pattern& seen, const age_prior& prior,
                            std::uint64_t insertions) {
  const double exponent = std::floor(64 * std::log2(static_cast<double>(insertions)));
  const std::uint64_t pattern = seen.r0 | seen.c0 << 8 | seen.r1 << 16 | seen.c1 << 24;
  const double rate = prior.classes().front().prior.rate();
  const auto [at, is_new] = known_.try_emplace(
      {pattern, static_cast<std::uint64_t>(exponent), std::bit_cast<std::uint64_t>(rate)});
  if (is_new) {
    at->second =
        chain_.window(seen, window_, prior.classes(), std::exp2(exponent / 64)).probability();
  }
  return at->second;
}

std::vector<math::geometric> known_priors(const stream& s) {
  std::vector<math::geometric> priors;
  priors.reserve(s.shares.size());
  for (const double share : s.shares) priors.emplace_back(share);
  return priors;
}

timing_subject::timing_subject(const stream& s, std::span<const math::geometric> priors,
                               const published::timing_size& size, std::uint32_t audit_entries)
    : priors_(priors),
      filter_(size),
      likelihood_(filter_.analytic_with(s.distinct)),
      audit_({.window = size.window, .entries = audit_entries}) {}

void timing_subject::ask(std::uint32_t item, bool truth, const math::penalties& costs) {
  const auto window = static_cast<double>(filter_.window());
  const bool standard = filter_.seen(item);
  scores_[0].count(standard, truth, costs);
  const math::evidence analytic = filter_.evidence(item, likelihood_);
  const math::evidence census = filter_.evidence(item);
  const math::geometric& prior = priors_[item];
  scores_[1].count(math::window_masses(analytic, window, prior), standard, truth, costs);
  scores_[2].count(math::window_masses(census, window, prior), standard, truth, costs);

  opinions said{.standard = standard};
  if (const learned_ages* ages = audit_.ages()) {
    const math::masses learned = math::window_masses(census, window, *ages);
    said[arm::empirical_census] = learned;
    scores_[3].count(learned, standard, truth, costs);
  } else {
    scores_[3].count(standard, truth, costs);
  }
  scores_[4].count(audit_.decide(said, costs), truth, costs);
  const digest d = digest_of(item);
  if (audit_.samples(d)) audit_.question(d, inserted_, said, costs);
}

charged_subject::charged_subject(const stream& s, std::span<const math::geometric> priors,
                                 std::uint64_t window, std::uint64_t bits, unsigned k)
    : timing_(charged(s, priors, window, bits, k)) {}

void timing_subject::insert(std::uint32_t item) {
  filter_.add(item);
  ++inserted_;
  const digest d = digest_of(item);
  if (audit_.samples(d)) audit_.insertion(d, inserted_);
}

}  // namespace experiments
