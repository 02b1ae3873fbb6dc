// What wrong answers cost over the memory, each filter with its best parameters (figures 8, 9 and
// 11 of Dautrich & Ravishankar 2019), and whether posteriors mean what they say (equation 35).
// usage: recency_penalty generated|logs

#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <bloomtime/error.hpp>

#include "experiments/history/checks.hpp"
#include "subjects.hpp"

namespace {

using namespace experiments;
using namespace bloomtime;

constexpr std::uint64_t tuning_questions = std::uint64_t{1} << 18;
constexpr unsigned most_k = 30;
constexpr double hopeless = 1.3;  // times the least penalty so far; after two of these we stop
constexpr std::uint64_t all_bits[] = {1, 2, 5, 10, 15, 20, 25};

constexpr std::size_t standard = 0;
constexpr std::size_t paper = 1;
constexpr std::size_t census = 2;
constexpr std::size_t learned = 3;
constexpr std::size_t automatic = 4;
constexpr std::size_t ways = timing_subject::names.size();

struct scene {
  const stream& data;
  std::vector<math::geometric> priors;
  std::uint64_t window;
};

// As published: timers of max(k, 3) bits, k of them swept per insertion. None if they do not fit.
std::optional<math::timing_size> size_for(const scene& s, std::uint64_t bits, unsigned k) {
  try {
    return math::plan_timing(s.window, s.window * bits, k, std::max(k, 3u), k);
  } catch (const error&) {
    return std::nullopt;
  }
}

timing_subject trial(const scene& s, const math::timing_size& size, std::uint64_t asked) {
  timing_subject subject(s.data, s.priors, size);
  replay(s.data, s.window, asked, subject);
  return subject;
}

// The best k of every way to answer, by a part of the questions.
std::array<unsigned, ways> tuned(const scene& s, std::uint64_t bits) {
  std::array<unsigned, ways> best{};
  std::array<double, ways> least;
  least.fill(std::numeric_limits<double>::infinity());
  unsigned without_hope = 0;
  for (unsigned k = 1; k <= most_k && without_hope < 2; ++k) {
    const auto size = size_for(s, bits, k);
    if (!size) continue;
    const timing_subject done = trial(s, *size, tuning_questions);
    bool hope = false;
    for (std::size_t way = 0; way < ways; ++way) {
      const double mean = done.of(way).mean();
      hope = hope || mean < hopeless * least[way];
      if (mean < least[way]) {
        least[way] = mean;
        best[way] = k;
      }
    }
    without_hope = hope ? 0 : without_hope + 1;
  }
  return best;
}

struct outcome_of_trial {
  score result;
  math::timing_size size;
  double standard_there;  // mean penalty of the standard answer with the same k
  std::uint64_t audit_bytes;
};

void print(const scene& s, std::uint64_t bits, std::string_view way, const score& result,
           double best_standard, double standard_there, const math::timing_size& size) {
  std::printf("%s,%ju,%ju,%s,%u,%u,%ju,%.6f,%.4f,%.4f,%.4f,%.5f,%ju,%ju\n", s.data.name.c_str(),
              static_cast<std::uintmax_t>(s.window), static_cast<std::uintmax_t>(bits), way.data(),
              size.k, size.bits, static_cast<std::uintmax_t>(size.block), result.mean(),
              result.mean() / best_standard, result.mean() / standard_there,
              result.calibrated.posterior_error(), result.calibrated.error(),
              static_cast<std::uintmax_t>(result.wrong_yes),
              static_cast<std::uintmax_t>(result.wrong_no));
  std::fflush(stdout);
}

void check_results(const scene& s, std::uint64_t bits,
                   const std::array<outcome_of_trial, ways>& of) {
  const auto mean = [&](std::size_t way) { return of[way].result.mean(); };
  const std::string where =
      fmt::format("{} w {} bits {}", s.data.name, s.window, bits);
  check(of[standard].result.wrong_no == 0, "{}: the standard answer never misses an item", where);
  check(mean(automatic) <= 1.02 * of[automatic].standard_there,
        "{}: auto costs {:.3f} of the standard answer at the same k, at most 1.02", where,
        mean(automatic) / of[automatic].standard_there);
  const double oracle = std::min(mean(paper), mean(census)) / mean(standard);
  const double ours = mean(automatic) / mean(standard);
  if (oracle <= 0.8) {
    guess(ours <= 0.85, "{}: the known prior saves {:.0f} %, auto without one {:.0f} %", where,
          100 * (1 - oracle), 100 * (1 - ours));
  }
  if (!s.data.stationary) return;
  guess(of[census].result.calibrated.error() <= 0.005,
        "{}: calibration error with census {:.4f}, at most 0.005", where,
        of[census].result.calibrated.error());
  const double allowed = s.data.name == "uniform" ? 0.055 : 0.035;
  guess(of[paper].result.calibrated.posterior_error() <= allowed,
        "{}: posterior error by the paper's likelihood {:.4f}, at most {}", where,
        of[paper].result.calibrated.posterior_error(), allowed);
}

void compare(const scene& s, std::uint64_t bits) {
  const auto best = tuned(s, bits);
  std::map<unsigned, timing_subject> done;
  std::array<outcome_of_trial, ways> results;
  for (std::size_t way = 0; way < ways; ++way) {
    if (best[way] == 0) return;  // nothing fits
    const auto found = done.try_emplace(
        best[way], trial(s, *size_for(s, bits, best[way]), questions)).first;
    const timing_subject& subject = found->second;
    results[way] = {subject.of(way), subject.size(), subject.of(standard).mean(),
                    subject.audited().memory()};
  }
  for (std::size_t way = 0; way < ways; ++way) {
    print(s, bits, timing_subject::names[way], results[way].result, results[standard].result.mean(),
          results[way].standard_there, results[way].size);
  }
  check_results(s, bits, results);
}

}  // namespace

int main(int count, char** words) {
  const std::string_view which = count == 2 ? words[1] : "";
  if (which != "generated" && which != "logs") {
    std::fputs("usage: recency_penalty generated|logs\n", stderr);
    return 2;
  }
  std::puts(
      "stream,window,bits_per_item,answer,k,timer_bits,block,penalty,ratio,ratio_same_k,"
      "posterior_error,calibration_error,wrong_yes,wrong_no");
  for (const stream& data : which == "logs" ? real_streams() : generated_streams()) {
    for (const std::uint64_t window : data.windows) {
      const scene s{data, known_priors(data), window};
      for (const std::uint64_t bits : all_bits) compare(s, bits);
    }
  }
}
