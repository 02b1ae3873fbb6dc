#include "cli/dedupe/settings.hpp"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "cli/text.hpp"
#include "store/seed.hpp"

namespace bloomtime::cli {
namespace {

using std::chrono::microseconds;

constexpr std::uint64_t default_expect = 1'000'000;

double parse_cost(const char* option, const std::string& text) {
  char* end = nullptr;
  const double cost = std::strtod(text.c_str(), &end);
  if (!text.empty() && *end == '\0' && std::isfinite(cost) && cost > 0) return cost;
  refuse("{} must be a number above zero, as in {} 10, got {}", option, option, shown(text));
}

std::optional<math::penalties> costs_of(const dedupe_options& given) {
  if (given.cost_duplicate.empty() && given.cost_loss.empty()) return std::nullopt;
  if (given.cost_duplicate.empty() || given.cost_loss.empty()) {
    refuse(
        "--cost-duplicate and --cost-loss need each other; give both, as in --cost-duplicate 1 "
        "--cost-loss 100");
  }
  return math::penalties{.false_positive = parse_cost("--cost-loss", given.cost_loss),
                         .false_negative = parse_cost("--cost-duplicate", given.cost_duplicate)};
}

late_policy late_of(const std::string& text) {
  if (text.empty() || text == "now") return late_policy::now;
  if (text == "pass") return late_policy::pass;
  if (text == "drop") return late_policy::drop;
  refuse("--late must be now, pass or drop, got {}", shown(text));
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return std::filesystem::weakly_canonical(a, ignored) ==
             std::filesystem::weakly_canonical(b, ignored) ||
         std::filesystem::equivalent(a, b, ignored);
}

void expect_together(const dedupe_options& given) {
  if (given.window.empty() && given.last.empty()) {
    refuse("dedupe needs a window: --window 10m for a time, or --last 100k for lines");
  }
  if (!given.window.empty() && !given.last.empty()) {
    refuse("--window and --last exclude each other; give one");
  }
  if (given.refresh && given.no_refresh) refuse("--refresh and --no-refresh exclude each other");
  if (given.wall && !given.input.time.empty()) refuse("--wall and --time exclude each other");
  const bool counted = !given.last.empty();
  if (counted && (given.wall || !given.input.time.empty() || !given.late.empty())) {
    refuse("--last counts lines and uses no times; remove --time, --wall and --late");
  }
  if (counted && !given.expect.empty())
    refuse("--last is the number of lines of a window; remove --expect");
  if (given.wall && !given.late.empty()) refuse("with --wall no line is late; remove --late");
  if (!given.state.empty() && !given.input.rejects.empty() &&
      same_file(given.state, given.input.rejects)) {
    refuse("--state and --rejects would overwrite each other; give two files");
  }
  if (given.follow && (given.files.size() != 1 || given.files.front() == "-")) {
    refuse("--follow needs the name of one file, as in bloomtime dedupe --follow access.log");
  }
}

// Beyond it no filter can be saved.
microseconds window_of(const std::string& text) {
  constexpr microseconds most{std::int64_t{1} << 61};
  const microseconds window = parse_span("--window", text);
  if (window <= most) return window;
  refuse("--window can be at most {} seconds (73,000 years), got {}", most.count() / 1'000'000,
         shown(text));
}

}  // namespace

dedupe_settings settings_of(const dedupe_options& given) {
  expect_together(given);
  dedupe_settings s;
  s.error = parse_chance("--error", given.error);
  s.refresh = !given.no_refresh;
  s.late = late_of(given.late);
  s.count = given.count;
  s.costs = costs_of(given);
  if (!given.seed.empty()) s.seed = store::parse_seed(given.seed);
  s.expect = !given.last.empty()    ? parse_count("--last", given.last)
             : given.expect.empty() ? default_expect
                                    : parse_count("--expect", given.expect);
  if (!given.last.empty()) {
    s.time = time_source::none;
  } else {
    s.window = window_of(given.window);
    s.time = given.wall ? time_source::wall : time_source::lines;
  }
  return s;
}

}  // namespace bloomtime::cli
