#include "subjects.hpp"

namespace experiments {

using namespace bloomtime;

std::vector<math::geometric> known_priors(const stream& s) {
  std::vector<math::geometric> priors;
  priors.reserve(s.shares.size());
  for (const double share : s.shares) priors.emplace_back(share);
  return priors;
}

timing_subject::timing_subject(const stream& s, std::span<const math::geometric> priors,
                               const math::timing_size& size)
    : priors_(priors),
      filter_(size),
      likelihood_(filter_.analytic_with(s.distinct)),
      audit_({.window = size.window}) {}

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

void timing_subject::insert(std::uint32_t item) {
  filter_.insert(item);
  ++inserted_;
  const digest d = digest_of(item);
  if (audit_.samples(d)) audit_.insertion(d, inserted_);
}

}  // namespace experiments
