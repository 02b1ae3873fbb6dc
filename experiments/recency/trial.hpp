#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <bloomtime/math/posterior.hpp>
#include <bloomtime/math/random.hpp>
#include <bloomtime/recency/calibration.hpp>

#include "streams.hpp"

namespace experiments {

// What one way to answer has cost, and whether its posteriors meant what they said.
struct score {
  double penalty = 0;
  std::uint64_t questions = 0;
  std::uint64_t wrong_yes = 0;
  std::uint64_t wrong_no = 0;
  bloomtime::calibration calibrated{std::numeric_limits<double>::infinity()};

  double mean() const { return penalty / static_cast<double>(questions); }

  void count(bool answer, bool truth, const bloomtime::math::penalties& costs) {
    ++questions;
    if (answer == truth) return;
    penalty += answer ? costs.false_positive : costs.false_negative;
    ++(answer ? wrong_yes : wrong_no);
  }

  // The cheaper answer by this posterior.
  void count(const bloomtime::math::masses& posterior, bool standard, bool truth,
             const bloomtime::math::penalties& costs) {
    calibrated.add(posterior.probability(), truth);
    count(bloomtime::math::positive(posterior, costs, standard), truth, costs);
  }
};

// Every item is asked for, and then inserted; both kinds of error cost 1 to 10, at random, the same
// for everybody. subject.ask(item, truth, costs) and subject.insert(item). At most `warm` of the
// insertions before the first question are made, the last ones.
template <class Subject>
void replay(const stream& s, std::uint64_t window, std::uint64_t most_questions, Subject& subject,
            std::uint64_t warm = std::numeric_limits<std::uint64_t>::max()) {
  constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  std::vector<std::uint64_t> last(s.shares.size(), never);
  bloomtime::math::random_source random(99);
  const std::uint64_t end = std::min<std::uint64_t>(s.items.size(), s.warm_up + most_questions);
  for (std::uint64_t n = s.warm_up - std::min(s.warm_up, warm); n < end; ++n) {
    const std::uint32_t item = s.items[n];
    if (n >= s.warm_up) {
      const double false_positive = 1 + 9 * random.unit();
      const double false_negative = 1 + 9 * random.unit();
      const bool truth = last[item] != never && n - 1 - last[item] < window;
      subject.ask(item, truth, bloomtime::math::penalties{false_positive, false_negative});
    }
    subject.insert(item);
    last[item] = n;
  }
}

}  // namespace experiments
