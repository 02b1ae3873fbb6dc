#include "cli/dedupe/report.hpp"

#include <fmt/format.h>

#include "cli/text.hpp"

namespace bloomtime::cli {
namespace {

std::string window_text(const dedupe_settings& s) {
  if (s.time == time_source::none) return count_text(s.expect) + " lines";
  return span_text(s.window);
}

const char* time_text_of(time_source s) {
  return s == time_source::none ? "none" : s == time_source::lines ? "lines" : "wall";
}

table table_of(const std::vector<logs::lacking_field>& lacking) {
  table t{.key = "lacking",
          .columns = {{"field", "lines without the field", side::left}, {"lines", "lines"}},
          .rows = {}};
  for (const logs::lacking_field& f : lacking) {
    t.rows.push_back({{text_cell(f.name), count_cell(f.lines)}});
  }
  return t;
}

}  // namespace

std::string plan_of(const deduper& work) {
  const dedupe_settings& s = work.settings();
  const bool grows = std::holds_alternative<recency_table>(work.filter().get());
  const std::string most = s.memory  ? fmt::format(" up to {}", bytes_text(*s.memory))
                           : s.count ? fmt::format(", and up to {} for --count",
                                                   bytes_text(work.suppressed().most_memory()))
                                     : std::string();
  return fmt::format("dedupe: {}{}{} for a window of {}; error {} at {} keys, {}; key {}, times {}",
                     bytes_text(work.filter().memory()), grows ? ", growing" : "", most,
                     window_text(s), brief_probability_text(s.error), count_text(s.expect),
                     s.refresh ? "every sighting restarts the window"
                               : "the window starts with the line that passed",
                     s.key,
                     s.time == time_source::none    ? "not used"
                     : s.time == time_source::lines ? "from the lines"
                                                    : "from the wall clock");
}

std::string overload_of(const deduper& work) {
  const dedupe_settings& s = work.settings();
  return fmt::format(
      "dedupe: more keys came within {} than --expect {}; new lines are now dropped by mistake "
      "with "
      "probability {}, not {}; the exit status will be 3; use a larger --expect and a new state",
      window_text(s), count_text(s.expect), brief_probability_text(work.current_error()),
      brief_probability_text(s.error));
}

std::string fullness_of(const deduper& work) {
  const dedupe_settings& s = work.settings();
  const std::string limit =
      s.memory ? fmt::format("--memory {}", bytes_text(*s.memory)) : "the memory";
  return fmt::format("dedupe: {} is full; {}; the exit status will be 3; use a larger {}", limit,
                     s.when_full == full_policy::drop
                         ? "new lines are now dropped"
                         : "the oldest keys are now forgotten early, and their duplicates may pass",
                     s.memory ? "--memory" : "--expect and a new state");
}

report summary_of(const deduper& work, const std::vector<logs::lacking_field>& lacking,
                  std::uint64_t repeated_headers) {
  using enum audience;
  const dedupe_settings& s = work.settings();
  const dedupe_counts& c = work.counts();
  const double share =
      c.lines() == 0 ? 0 : static_cast<double>(c.dropped) / static_cast<double>(c.lines());
  report r{.command = "dedupe",
           .title = fmt::format("{} lines: {} passed, {} dropped", count_text(c.lines()),
                                count_text(c.passed + c.unjudged), count_text(c.dropped)),
           .fields = {{"key", s.key},
                      {"times", std::string(time_text_of(s.time))},
                      {"window_seconds", in_seconds(s.window)},
                      {"refresh", s.refresh},
                      {"target_error", s.error}},
           .tables = {},
           .notes = {},
           .closing = {}};
  r.tables.push_back(
      list_of("summary",
              {{"lines", "lines", count_cell(c.lines())},
               {"passed", "passed", count_cell(c.passed + c.unjudged)},
               {"dropped", "dropped", count_cell(c.dropped)},
               {"dropped_share", "of all", {share, fmt::format("{:.1f} %", 100 * share)}},
               {"unjudged", "without key or time, passed", count_cell(c.unjudged)},
               {"late", "late", count_cell(c.late)},
               {"expected_wrong", "dropped wrongly, expected", {c.wrong, short_text(c.wrong)}},
               {"error_now", "error now", probability_cell(work.current_error())},
               {"overloaded", "more keys than expected", yes_no_cell(work.overloaded())},
               {"memory_bytes", "memory", bytes_cell(work.memory())},
               {"forgotten_early", "forgotten early, memory full", count_cell(c.forgotten)},
               {"dropped_full", "dropped, memory full", count_cell(c.crowded_out)},
               {"expect", "expected in a window", count_cell(s.expect)},
               {"most_drops_per_minute", "most dropped in a minute",
                count_cell(work.most_drops_per_minute())},
               {"repeated_headers", "repeated headers, left out", count_cell(repeated_headers)}}));
  if (!lacking.empty()) r.tables.push_back(table_of(lacking));
  if (!work.suppressed().complete()) {
    r.notes.push_back(
        "--count: keys that did not come for long were forgotten; some counts may be too low");
  }
  return r;
}

}  // namespace bloomtime::cli
