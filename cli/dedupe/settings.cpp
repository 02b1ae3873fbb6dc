#include "cli/dedupe/settings.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include <bloomtime/math/timing.hpp>

#include "cli/dedupe/suppressed.hpp"
#include "cli/text.hpp"
#include "store/seed.hpp"

namespace bloomtime::cli {
namespace {

using std::chrono::microseconds;

constexpr std::uint64_t most_expected = std::uint64_t{1} << 40;  // of math/prints.hpp
constexpr std::uint64_t least_memory = 128 << 10;

double parse_cost(const char* option, const std::string& text) {
  char* end = nullptr;
  const double cost = std::strtod(text.c_str(), &end);
  if (!text.empty() && *end == '\0' && std::isfinite(cost) && cost > 0) return cost;
  refuse("{} must be a number above zero, as in {} 10, got {}", option, option, shown(text));
}

std::optional<math::penalties> costs_of(const dedupe_options& given) {
  if (!given.cost_field.empty() && (given.cost_duplicate.empty() || given.cost_loss.empty())) {
    refuse(
        "--cost-field needs --cost-duplicate, and --cost-loss for lines without a number in it; "
        "give both, as in --cost-duplicate 1 --cost-loss 100");
  }
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

full_policy full_policy_of(const dedupe_options& given) {
  if (!given.when_full.empty() && given.memory.empty()) {
    refuse("--when-full needs --memory, as in --memory 64MiB --when-full drop");
  }
  if (given.when_full.empty() || given.when_full == "pass") return full_policy::pass;
  if (given.when_full == "drop") return full_policy::drop;
  refuse("--when-full must be pass or drop, got {}", shown(given.when_full));
}

std::optional<std::uint64_t> memory_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const std::uint64_t memory = parse_bytes("--memory", text);
  if (memory >= least_memory) return memory;
  refuse("--memory must be at least 128 KiB, got {}", shown(text));
}

std::uint64_t expected_lines(const char* option, const std::string& text) {
  const std::uint64_t lines = parse_count(option, text);
  if (lines <= most_expected) return lines;
  refuse("{} can be at most 2^40 lines, got {}", option, shown(text));
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

microseconds window_of(const std::string& text) {
  constexpr microseconds most{math::most_recent_window};
  const microseconds window = parse_span("--window", text);
  if (window <= most) return window;
  refuse("--window can be at most {} seconds (36,500 years), got {}", most.count() / 1'000'000,
         shown(text));
}

}  // namespace

recency_table_config dedupe_settings::filter() const {
  const bool timed = time != time_source::none;
  return {.window = timed ? std::optional(window) : std::nullopt,
          .last = timed ? std::nullopt : std::optional(expect),
          .items = expect,
          .error = error,
          .memory = block_memory(),
          .forget_oldest = when_full == full_policy::pass,
          .ticks = time == time_source::wall ? 100U : 600U,
          .refresh = refresh,
          .seed = seed.value_or(0)};
}

// The rest is for the stash, and for what the table counts per tick and per chunk of blocks.
std::optional<std::uint64_t> dedupe_settings::block_memory() const {
  if (!memory) return std::nullopt;
  constexpr std::uint64_t for_ticks = 48 << 10;
  const std::uint64_t table = *memory / (count ? 2 : 1);
  return table - std::min(table, table / 16 + for_ticks);
}

std::uint64_t dedupe_settings::most_counted_keys() const {
  constexpr std::uint64_t unless_limited = 1'000'000;
  return memory ? suppressed_lines::keys_in(*memory / 2) : unless_limited;
}

dedupe_settings settings_of(const dedupe_options& given) {
  expect_together(given);
  dedupe_settings s;
  s.error = parse_probability("--error", given.error);
  s.refresh = !given.no_refresh;
  s.late = late_of(given.late);
  s.count = given.count;
  s.costs = costs_of(given);
  s.memory = memory_of(given.memory);
  s.when_full = full_policy_of(given);
  if (!given.seed.empty()) s.seed = store::parse_seed(given.seed);
  if (!given.last.empty()) {
    s.expect = expected_lines("--last", given.last);
    s.time = time_source::none;
  } else {
    s.any_expect = given.expect.empty();
    if (!s.any_expect) s.expect = expected_lines("--expect", given.expect);
    s.window = window_of(given.window);
    s.time = given.wall ? time_source::wall : time_source::lines;
  }
  return s;
}

}  // namespace bloomtime::cli
