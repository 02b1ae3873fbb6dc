// What wrong answers cost over the memory, each filter with its best parameters (figures 8 to 11 of
// Dautrich & Ravishankar 2019), and whether posteriors mean what they say (equation 35).
// usage: recency_penalty uniform|power|bursty|logs [WINDOW [BITS]]
//   WINDOW: only this one. BITS: only sizes from so many bits per item on.

#include <algorithm>
#include <array>
#include <atomic>
#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include <bloomtime/error.hpp>

#include "experiments/history/checks.hpp"
#include "subjects.hpp"

namespace {

using namespace experiments;
using namespace bloomtime;

constexpr std::uint64_t telling_errors = 300;  // of the standard answer; with fewer k is luck
// A quarter of the published questions: with all of them 19 sizes of six streams take hours.
constexpr std::uint64_t most_questions = questions / 4;
constexpr unsigned most_k = 30;
constexpr double hopeless = 1.2;  // times the least penalty so far; after two of these we stop
constexpr std::uint64_t published_bits[] = {1,  2,  3,  4,  5,  7,  9,  10, 12, 14,
                                            15, 16, 18, 19, 20, 21, 22, 23, 25};
constexpr std::uint64_t bits_of_logs[] = {1, 2, 5, 10, 15, 20, 25};

struct scene {
  const stream& data;
  std::uint64_t window;
  std::vector<math::geometric> priors;
  std::vector<age_prior> age_priors;

  scene(const stream& of, std::uint64_t w) : data(of), window(w), priors(known_priors(of)) {
    for (const double share : of.shares) age_priors.push_back(age_prior::share(share));
  }
};

// A filter with parameter k (hash functions, or bits of a fingerprint), or none if it does not fit.
// Timers have max(k, 3) bits and k of them are swept per insertion, as published.
template <class Subject>
std::optional<Subject> made(const scene& s, std::uint64_t bits, unsigned k) {
  const std::uint64_t all = s.window * bits;
  try {
    if constexpr (std::same_as<Subject, timing_subject>) {
      return Subject(s.data, s.priors,
                     published::plan_timing(s.window, all, k, std::max(k, 3u), k));
    } else if constexpr (std::same_as<Subject, generalized_subject>) {
      return Subject(s.age_priors, s.window, all, k);
    } else {
      return Subject(s.data, s.priors, s.window, all, k);
    }
  } catch (const error&) {
    return std::nullopt;
  }
}

template <class Subject>
constexpr std::size_t ways = Subject::names.size();

constexpr std::uint64_t first_questions = std::uint64_t{1} << 16;

// The penalty of a generalized filter may rise and fall with k, so its search does not stop early.
template <class Subject>
constexpr bool tries_every_k = std::same_as<Subject, generalized_subject>;

// To choose k by, four windows of insertions are enough for a filter that learns nothing.
template <class Subject>
std::uint64_t warm_insertions(const scene& s) {
  const bool learns = requires(const Subject& f) { f.audited(); };
  return learns ? s.data.warm_up : 4 * s.window;
}

template <class Subject>
struct choice {
  std::array<unsigned, ways<Subject>> best{};  // k of every way to answer; 0 if nothing fits
  std::uint64_t errors = 0;                    // of the first way with its best k
};

// What a filter with this k costs, by every way to answer.
template <class Subject>
struct attempt {
  std::array<double, ways<Subject>> means;
  std::uint64_t errors;  // of the first way
};

template <class Subject>
std::optional<attempt<Subject>> tried(const scene& s, std::uint64_t bits, std::uint64_t asked,
                                      unsigned k) {
  auto subject = made<Subject>(s, bits, k);
  if (!subject) return std::nullopt;
  replay(s.data, s.window, asked, *subject, warm_insertions<Subject>(s));
  attempt<Subject> result{{}, subject->of(0).wrong_yes + subject->of(0).wrong_no};
  for (std::size_t way = 0; way < ways<Subject>; ++way) {
    result.means[way] = subject->of(way).mean();
  }
  return result;
}

// Every k from 1 on, on all cores. A large k takes longest, so it comes first.
template <class Subject>
std::vector<std::optional<attempt<Subject>>> all_tried(const scene& s, std::uint64_t bits,
                                                       std::uint64_t asked) {
  std::vector<std::optional<attempt<Subject>>> found(most_k);
  std::atomic<unsigned> left = most_k;
  const auto work = [&] {
    for (unsigned k = left--; k >= 1 && k <= most_k; k = left--) {
      found[k - 1] = tried<Subject>(s, bits, asked, k);
    }
  };
  std::vector<std::jthread> workers;
  for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i) workers.emplace_back(work);
  workers.clear();  // waits for all
  return found;
}

// With k from first_k on.
template <class Subject>
choice<Subject> tuned_by(const scene& s, std::uint64_t bits, std::uint64_t asked,
                         unsigned first_k) {
  std::vector<std::optional<attempt<Subject>>> known;
  if constexpr (tries_every_k<Subject>) known = all_tried<Subject>(s, bits, asked);
  choice<Subject> chosen;
  std::array<double, ways<Subject>> least;
  least.fill(std::numeric_limits<double>::infinity());
  unsigned without_hope = 0;
  for (unsigned k = first_k; k <= most_k && (without_hope < 2 || tries_every_k<Subject>); ++k) {
    const auto attempt = known.empty() ? tried<Subject>(s, bits, asked, k) : known[k - 1];
    if (!attempt) continue;
    bool hope = false;
    for (std::size_t way = 0; way < least.size(); ++way) {
      const double mean = attempt->means[way];
      hope = hope || mean < hopeless * least[way];
      if (mean < least[way]) {
        least[way] = mean;
        chosen.best[way] = k;
        if (way == 0) chosen.errors = attempt->errors;
      }
    }
    without_hope = hope ? 0 : without_hope + 1;
  }
  return chosen;
}

// By a part of the questions, and by more where errors are rare: by all that are asked at last.
template <class Subject>
choice<Subject> tuned(const scene& s, std::uint64_t bits, unsigned first_k = 1) {
  std::uint64_t asked = first_questions;
  choice<Subject> chosen = tuned_by<Subject>(s, bits, asked, first_k);
  while (chosen.errors < telling_errors &&
         asked < std::min<std::uint64_t>(most_questions, s.data.items.size())) {
    asked *= 4;
    chosen = tuned_by<Subject>(s, bits, asked, first_k);
  }
  return chosen;
}

// Where the search for the k of a timing filter begins: the best k grows with the memory, so it
// begins two below the least k that was best with less memory.
struct first_ks {
  unsigned timing = 1;
  unsigned charged = 1;
};

template <class Subject>
void begin_near(unsigned& first_k, const choice<Subject>& chosen) {
  const unsigned least = *std::min_element(chosen.best.begin(), chosen.best.end());
  first_k = least > 2 ? least - 2 : 1;
}

struct result {
  std::string_view answer;
  unsigned k = 0;
  score of;
  double standard_there = 0;      // mean penalty of the standard answer with the same k
  std::uint64_t audit_bytes = 0;  // that this answer needs besides the filter
};

// Only what an audit learns from or chooses needs its memory.
template <class Subject>
std::uint64_t audit_of(const Subject& subject, std::string_view answer) {
  if constexpr (requires { subject.audited(); }) {
    if (answer == "learned" || answer.ends_with("auto")) return subject.audited().memory();
  }
  return 0;
}

// All questions, every way with its best k.
template <class Subject>
std::vector<result> results_of(const scene& s, std::uint64_t bits, const choice<Subject>& chosen) {
  const auto& best = chosen.best;
  std::map<unsigned, Subject> done;
  std::vector<result> results;
  for (std::size_t way = 0; way < best.size(); ++way) {
    const unsigned k = best[way];
    if (k == 0) return {};
    auto found = done.find(k);
    if (found == done.end()) {
      found = done.emplace(k, *made<Subject>(s, bits, k)).first;
      replay(s.data, s.window, most_questions, found->second);
    }
    results.push_back({Subject::names[way], k, found->second.of(way), found->second.of(0).mean(),
                       audit_of(found->second, Subject::names[way])});
  }
  return results;
}

void print(const scene& s, std::uint64_t bits, const result& r, double standard) {
  std::printf(
      "%s,%ju,%ju,%s,%u,%.6f,%.4f,%.4f,%.4f,%.5f,%ju,%ju,%ju,%ju\n", s.data.name.c_str(),
      static_cast<std::uintmax_t>(s.window), static_cast<std::uintmax_t>(bits), r.answer.data(),
      r.k, r.of.mean(), r.of.mean() / standard, r.of.mean() / r.standard_there,
      r.of.calibrated.posterior_error(), r.of.calibrated.error(),
      static_cast<std::uintmax_t>(r.of.wrong_yes), static_cast<std::uintmax_t>(r.of.wrong_no),
      static_cast<std::uintmax_t>(r.audit_bytes), static_cast<std::uintmax_t>(r.of.questions));
  std::fflush(stdout);
}

void check_timing(const scene& s, std::uint64_t bits, const std::vector<result>& all) {
  const result& standard = all[0];
  const result& paper = all[1];
  const result& census = all[2];
  const result& automatic = all[4];
  const std::string where = fmt::format("{} w {} bits {}", s.data.name, s.window, bits);
  check(standard.of.wrong_no == 0, "{}: the standard answer never misses an item", where);
  const bool nobody_erred = automatic.of.mean() == 0 && automatic.standard_there == 0;
  const double same_k = nobody_erred ? 1 : automatic.of.mean() / automatic.standard_there;
  check(same_k <= 1.02, "{}: auto costs {:.3f} of the standard answer at the same k, at most 1.02",
        where, same_k);
  const auto saves = [&](const result& r) { return 100 * (1 - r.of.mean() / standard.of.mean()); };
  const double known = std::max(saves(paper), saves(census));
  if (known >= 20) {
    guess(saves(automatic) >= 15, "{}: the known prior saves {:.0f} %, auto without one {:.0f} %",
          where, known, saves(automatic));
  }
  if (!s.data.stationary) return;
  guess(census.of.calibrated.error() <= 0.005,
        "{}: calibration error with census {:.4f}, at most 0.005", where,
        census.of.calibrated.error());
  const double allowed = s.data.name == "uniform" ? 0.055 : 0.035;
  guess(paper.of.calibrated.posterior_error() <= allowed,
        "{}: posterior error by the paper's likelihood {:.4f}, at most {}", where,
        paper.of.calibrated.posterior_error(), allowed);
}

void compare_age_partitioned(const scene& s, std::uint64_t bits, double standard) try {
  age_partitioned_subject parts(s.priors, s.window, s.window * bits);
  replay(s.data, s.window, most_questions, parts);
  for (std::size_t way = 0; way < ways<age_partitioned_subject>; ++way) {
    print(s, bits,
          {age_partitioned_subject::names[way], parts.k(), parts.of(way), parts.of(0).mean()},
          standard);
  }
} catch (const error&) {
  // It does not fit into so few bits.
}

void compare(const scene& s, std::uint64_t bits, first_ks& first) {
  auto generalized = std::async(
      std::launch::async, [&] { return results_of(s, bits, tuned<generalized_subject>(s, bits)); });
  const auto chosen = tuned<timing_subject>(s, bits, first.timing);
  const auto timing = results_of(s, bits, chosen);
  if (timing.empty()) return;
  begin_near(first.timing, chosen);
  const double standard = timing[0].of.mean();
  const auto print_all = [&](const auto& results) {
    for (const result& r : results) print(s, bits, r, standard);
  };
  print_all(timing);
  if (s.window >= (std::uint64_t{1} << 15)) {
    const auto charged = tuned<charged_subject>(s, bits, first.charged);
    print_all(results_of(s, bits, charged));
    begin_near(first.charged, charged);
  }
  const auto buffers = results_of(s, bits, tuned<buffer_subject>(s, bits));
  print_all(generalized.get());
  print_all(buffers);
  compare_age_partitioned(s, bits, standard);
  prior_subject prior(s.priors, s.window);
  replay(s.data, s.window, most_questions, prior);
  print(s, bits, {prior_subject::names[0], 0, prior.of(0), standard}, standard);
  check_timing(s, bits, timing);
}

}  // namespace

int main(int count, char** words) {
  const std::string_view which = count >= 2 && count <= 4 ? words[1] : "";
  const std::uint64_t only = count > 2 ? std::strtoull(words[2], nullptr, 10) : 0;
  const std::uint64_t least_bits = count > 3 ? std::strtoull(words[3], nullptr, 10) : 0;
  std::vector<stream> streams;
  if (which == "uniform") streams.push_back(uniform_stream());
  if (which == "power") streams.push_back(power_law_stream());
  if (which == "bursty") streams.push_back(bursty_stream());
  if (which == "logs") streams = real_streams();
  if (streams.empty() && which != "logs") {
    std::fputs("usage: recency_penalty uniform|power|bursty|logs [WINDOW [BITS]]\n", stderr);
    return 2;
  }
  std::span<const std::uint64_t> all_bits = published_bits;
  if (which == "logs") all_bits = bits_of_logs;
  std::puts(
      "stream,window,bits_per_item,answer,k,penalty,ratio,ratio_same_k,posterior_error,"
      "calibration_error,wrong_yes,wrong_no,audit_bytes,questions");
  for (const stream& data : streams) {
    for (const std::uint64_t window : data.windows) {
      if (only != 0 && window != only) continue;
      const scene s(data, window);
      first_ks first;
      for (const std::uint64_t bits : all_bits) {
        if (bits >= least_bits) compare(s, bits, first);
      }
    }
  }
}
