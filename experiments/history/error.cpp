// Error over bits, over the length of queries and over the span: figures 8 to 11. The probability
// that a negative query is answered "maybe", and the number of probes.
// usage: history_error bits|length|span

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include <bloomtime/published/persistent/levels.hpp>

#include "checks.hpp"
#include "scene.hpp"

namespace {

using namespace experiments;
using namespace bloomtime;

constexpr std::uint64_t all_bits[] = {20'000'000, 30'000'000, 40'000'000, 50'000'000, 60'000'000};
constexpr std::uint32_t all_spans[] = {14'400, 28'800, 57'600, 86'400};

// Long queries of a single filter take long, and one set is sufficient.
std::size_t sets_for(std::string_view method, std::uint64_t length) {
  return method.starts_with("single") && length > 1024 ? 1 : seeds;
}

// How far counts may differ from their mean (docs/math.md, Tolerances of statistical tests).
double tolerance(double error, std::size_t sets = seeds) {
  const auto asked = static_cast<double>(sets * usual_questions);
  const double expected = error * asked;
  return (5 * std::sqrt(expected) + 5) / asked + 0.02 * error;
}

// All rows, and the mean errors among them.
class table {
 public:
  table() {
    std::puts(
        "set,bits,length,ticks,method,error,least,most,error_tuned_to,error_unseen,probes,"
        "bits_used");
  }

  void measure(const scene& s, const workload& w, std::uint64_t bits, double x, const method& m,
               const subject& filled) {
    const auto error = [](const answers& a) {
      return static_cast<double>(a.maybe) / usual_questions;
    };
    std::vector<double> errors;
    double probes = 0;
    const std::size_t sets = sets_for(m.name, w.length);
    for (std::size_t i = 0; i < sets; ++i) {
      const answers a = filled.ask(w.seen[i]);
      errors.push_back(error(a));
      probes += static_cast<double>(a.probes) / static_cast<double>(sets * usual_questions);
    }
    const double mean =
        std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(sets);
    errors_[{s.day.name, m.name, x}] = mean;
    const auto [least, most] = std::minmax_element(errors.begin(), errors.end());
    std::printf("%s,%ju,%ju,%u,%s,%.5g,%.5g,%.5g,%.5g,%.5g,%.3f,%ju\n", s.day.name.c_str(),
                static_cast<std::uintmax_t>(bits), static_cast<std::uintmax_t>(w.length),
                s.day.ticks, m.name.data(), mean, *least, *most, error(filled.ask(w.tuned_to)),
                error(filled.ask(w.unseen)), probes, static_cast<std::uintmax_t>(filled.bits()));
  }

  // None if the method was skipped there.
  std::optional<double> find(const std::string& set, std::string_view m, double x) const {
    const auto found = errors_.find({set, m, x});
    return found == errors_.end() ? std::nullopt : std::optional(found->second);
  }
  double error(const std::string& set, std::string_view m, double x) const {
    return errors_.at({set, m, x});
  }

  // Over x in ascending order.
  template <class Range>
  void check_order(const std::string& set, std::string_view m, const Range& xs, bool rises) const {
    bool holds = true;
    std::optional<double> before;
    for (const auto x : xs) {
      const auto now = find(set, m, static_cast<double>(x));
      if (!now) return;
      if (before) {
        const double more = rises ? *before - *now : *now - *before;
        holds = holds && more <= tolerance(std::max(*before, *now));
      }
      before = now;
    }
    check(holds, "{}: the error of {} never {}", set, m, rises ? "falls" : "rises");
  }

 private:
  std::map<std::tuple<std::string, std::string_view, double>, double> errors_;
};

double expected_single(std::uint64_t pairs, std::uint64_t bits, std::uint64_t length, unsigned k) {
  const double one = published::filter_error(static_cast<double>(pairs), {bits / 8 * 8, k});
  return published::error_of_probes(one, static_cast<double>(length));
}

void check_single(const table& t, const std::string& set, std::uint64_t pairs, std::uint64_t bits,
                  std::uint64_t length, double x) {
  const unsigned best = published::k_for(static_cast<double>(pairs), bits);
  for (const auto& [name, k] : {std::pair{"single", best}, std::pair{"single k=3", 3u}}) {
    const double expected = expected_single(pairs, bits, length, k);
    const double measured = t.error(set, name, x);
    check(std::abs(measured - expected) <= tolerance(expected, sets_for(name, length)),
          "{}, {} bits, length {}: {} errs by {:.5f}, expected {:.5f}", set, bits, length, name,
          measured, expected);
  }
}

// -- figure 8 ----------------------------------------------------------------------------------

void check_bits(const table& t, const std::string& set, std::uint64_t pairs) {
  for (const method& m : methods()) t.check_order(set, m.name, all_bits, false);
  for (const std::uint64_t bits : all_bits) {
    const auto x = static_cast<double>(bits);
    check_single(t, set, pairs, bits, usual_length, x);
    const double optimal = t.error(set, "level optimal", x);
    const double learned = t.error(set, "level learned", x);
    const double planned = t.error(set, "level planned", x);
    const double single = t.error(set, "single", x);
    check(std::abs(learned - optimal) <= std::max(0.005, 0.25 * optimal),
          "{}, {} bits: learned levels err by {:.4f}, optimal ones by {:.4f}", set, bits, learned,
          optimal);
    check(planned <= optimal + tolerance(optimal),
          "{}, {} bits: planned levels err by {:.5f}, no more than all of them", set, bits,
          planned);
    check(planned <= 1.05 * single + tolerance(single),
          "{}, {} bits: planned levels err no more than a single filter", set, bits);
    claim(learned < single,
          "{}, {} bits: learned levels err less ({:.4f}) than a single filter "
          "({:.4f})",
          set, bits, learned, single);
  }
  const double x = usual_bits;
  claim(t.error(set, "level learned", x) < t.error(set, "single k=3", x),
        "{}, {} bits: learned levels err less than a single filter with k = 3 ({:.3f})", set,
        usual_bits, t.error(set, "single k=3", x));
  claim(t.error(set, "level optimal", x) <= 0.02, "{}: optimal levels err by about 1 % ({:.2f} %)",
        set, 100 * t.error(set, "level optimal", x));
}

// `bits` as they are, or scaled to a log.
using scaling = std::uint64_t(const trace&, std::uint64_t bits);
std::uint64_t as_published(const trace&, std::uint64_t bits) { return bits; }

void over_bits(table& t, const scene& s, scaling scaled) {
  const workload w = workload_of(s, usual_length);
  for (const std::uint64_t bits : all_bits) {
    const order o = order_of(s, w, scaled(s.day, bits));
    for (const method& m : methods()) {
      if (m.suits(o) && m.name != "level uniform") {  // its error is nearly 1
        t.measure(s, w, o.bits, static_cast<double>(bits), m, filled(m, o, s.day));
      }
    }
  }
}

// -- figures 9 and 10 --------------------------------------------------------------------------

void over_lengths(table& t, const scene& s, scaling scaled) {
  std::map<std::string_view, subject> untuned;
  for (const std::uint64_t length : all_lengths) {
    const workload w = workload_of(s, length);
    const order o = order_of(s, w, scaled(s.day, usual_bits));
    for (const method& m : methods()) {
      if (!m.suits(o)) continue;
      if (!m.is_tuned && !untuned.contains(m.name)) untuned[m.name] = filled(m, o, s.day);
      t.measure(s, w, o.bits, static_cast<double>(length), m,
                m.is_tuned ? filled(m, o, s.day) : untuned[m.name]);
    }
  }
}

void check_lengths(const table& t, const std::string& set, std::uint64_t pairs) {
  for (const std::uint64_t length : all_lengths) {
    const auto x = static_cast<double>(length);
    check_single(t, set, pairs, usual_bits, length, x);
    const double tuned = t.error(set, "level optimal", x);
    check(tuned <= t.error(set, "level uniform", x) + tolerance(tuned),
          "{}, length {}: optimal levels err no more than uniform ones", set, length);
  }
  const auto optimal = [&](double length) { return t.error(set, "level optimal", length); };
  claim(t.error(set, "single", 1024) > 0.8,
        "{}, length 1024: a single filter errs by 80 % ({:.3f}"
        ", with k = 3 {:.3f})",
        set, t.error(set, "single", 1024), t.error(set, "single k=3", 1024));
  claim(optimal(1024) < 0.05, "{}, length 1024: optimal levels err by less than 5 % ({:.3f})", set,
        optimal(1024));
  if (set.ends_with("dense")) {
    check(optimal(8192) <= 3 * optimal(128),
          "{}: optimal levels err at most 3 times more at 8192 "
          "({:.4f}) than at 128 ({:.4f})",
          set, optimal(8192), optimal(128));
    check(optimal(8192) < t.error(set, "single", 8192),
          "{}, length 8192: optimal levels err less than a single filter ({:.4f})", set,
          t.error(set, "single", 8192));
  }
}

// The number of probes without early exit.
void check_probes() {
  const trace nothing{"nothing", {}, {}, 1, edgar.ticks};
  for (std::uint64_t length = 16; length <= 8192; length *= 2) {
    const auto questions =
        negative_questions(nothing, exact_history(), length, usual_questions, of_items::unseen, 1);
    const std::vector<double> probes = level_probes(edgar.ticks, questions);
    const double levels = std::accumulate(probes.begin(), probes.end(), 0.0);
    const auto ticks = static_cast<double>(length);
    check(std::abs(levels / (std::log2(ticks) + 1 / ticks) - 1) < 0.01,
          "length {}: a question is about {:.3f} nodes on average", length, levels);
    if (length >= 64) {
      check(ticks / levels >= 10, "length {}: a single filter is asked {:.1f} times as often",
            length, ticks / levels);
    }
  }
}

// -- figure 11 ---------------------------------------------------------------------------------

void over_spans(table& t, const generated& g) {
  const trace today = trace_of(g, 1);
  const trace yesterday = trace_of(g, 2);
  for (const std::uint32_t ticks : all_spans) {
    const scene s(part_of(today, 0, ticks), part_of(yesterday, 0, ticks));
    const workload w = workload_of(s, usual_length);
    const order o = order_of(s, w, usual_bits);
    for (const method& m : methods()) {
      t.measure(s, w, o.bits, ticks, m, filled(m, o, s.day));
    }
  }
}

}  // namespace

int main(int count, char** words) {
  const std::string_view over = count == 2 ? words[1] : "";
  table t;
  if (over == "bits") {
    for (const generated& g : all_generated) {
      const scene s = scene_of(g);
      over_bits(t, s, as_published);
      check_bits(t, s.day.name, g.of.pairs);
    }
    for (const trace& log : real_traces()) over_bits(t, scene_of(log), bits_like_edgar);
  } else if (over == "length") {
    for (const generated& g : all_generated) {
      const scene s = scene_of(g);
      over_lengths(t, s, as_published);
      check_lengths(t, s.day.name, g.of.pairs);
    }
    for (const trace& log : real_traces()) over_lengths(t, scene_of(log), bits_like_edgar);
    check_probes();
  } else {
    for (const generated& g : all_generated) {
      if (std::string_view(g.of.name) != edgar.name) continue;
      over_spans(t, g);
      for (const std::string_view m : {"single", "tree optimal", "level optimal"}) {
        t.check_order(name_of(g), m, all_spans, true);
      }
    }
  }
}
