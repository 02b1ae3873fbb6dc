#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <bloomtime/error.hpp>
#include <bloomtime/heat/detail/ring_ages.hpp>

#include "math/expect.hpp"

namespace bloomtime {

// Throws unless weights by age begin with 1 and never rise.
inline void expect_weights(const std::vector<double>& weights, errc code) {
  if (weights.empty() || weights.size() > detail::ring_ages::most_slots) {
    throw error(code, "a decay ring has 1 to " + math::text_of(detail::ring_ages::most_slots) +
                          " weights, got " + std::to_string(weights.size()));
  }
  const std::string rule =
      "the weights of a decay ring begin with 1 and never rise (polyexponential decay, a^j "
      "lambda^a, begins with 0 and rises before it falls: it is no decay of single events), got ";
  double before = 1;
  for (std::size_t age = 0; age < weights.size(); ++age) {
    const double weight = weights[age];
    if (!(weight >= 0 && weight <= before) || (age == 0 && weight != 1)) {
      throw error(code, rule + math::text_of(weight) + " at age " + std::to_string(age));
    }
    before = weight;
  }
}

}  // namespace bloomtime
