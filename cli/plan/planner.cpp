#include "cli/plan/planner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include <bloomtime/math/bloom.hpp>

#include "cli/text.hpp"
#include "profile/profiler.hpp"

namespace bloomtime::cli {
namespace {

// -- the command ---------------------------------------------------------------------------------

std::string first_example(const planner& words) {
  const std::string all = words.examples;
  const std::string line = all.substr(0, all.find('\n'));
  return line.substr(0, line.find("  "));
}

// --items, and --pairs for a family that stores pairs.
void expect_given(const planner& words, const plan_options& given) {
  const bool pairs = std::string_view(words.unit) == "pair";
  if (!given.items.empty() && (!pairs || !given.pairs.empty())) return;
  refuse("plan {} needs {}--items, the number of {}. Try {}", words.family,
         pairs ? "--pairs, the number of different (item, tick) pairs, and " : "", words.items,
         first_example(words));
}

entries keys_of(const planner& words) {
  entries keys{{"engine, variant", words.engines},
               {"recommended", "true for one row"},
               {"estimated", "true if the memory is an estimate"},
               {"memory_bytes", "memory"},
               {fmt::format("bits_per_{}", words.unit),
                fmt::format("memory in bits, divided by --{}s", words.unit)},
               {"error", fmt::format("probability that {}", words.error_means)}};
  keys.insert(keys.end(), words.keys.begin(), words.keys.end());
  keys.emplace_back("guarantee", "what holds without exception");
  return keys;
}

entries fields_of(const planner& words) {
  entries fields{{"items, target_error, target_memory_bytes", "the options; null if not given"}};
  fields.insert(fields.end(), words.fields.begin(), words.fields.end());
  fields.emplace_back("choices", "one object per row");
  return fields;
}

void add_options(command& self, const planner& words, plan_options& given) {
  const std::string& usual = words.defaults.error;
  self.text("--items", given.items, "N", fmt::format("{}: 1M, 2.5k, 10^6, 1e6", words.items));
  self.text("--error", given.error, "E",
            fmt::format("probability that {}: 1%, 0.01, 1e-6{}", words.error_means,
                        usual.empty() ? "" : fmt::format(" (default {})", usual)));
  for (const plan_option& o : words.options) {
    if (const auto* text = std::get_if<std::string plan_options::*>(&o.into)) {
      self.text(o.name, given.**text, o.type, o.description);
    } else {
      self.flag(o.name, given.*std::get<bool plan_options::*>(o.into), o.description);
    }
  }
}

// -- the table -----------------------------------------------------------------------------------

std::vector<column> columns_of(const planner& words, const plan& what) {
  using enum audience;
  constexpr unsigned first_to_go = 9;
  const std::string unit = words.unit;
  std::vector<column> all{
      {"engine", "", side::left, programs},
      {"variant", "", side::left, programs},
      {"", "  engine", side::left, people},
      {"recommended", "", side::left, programs},
      {"estimated", "", side::left, programs},
      {"memory_bytes", "memory"},
      {"bits_per_" + unit, "bits/" + unit, side::right, everybody, 3},
      {"error", "error"},
  };
  all.insert(all.end(), what.columns.begin(), what.columns.end());
  all.push_back({"guarantee", "guarantee", side::left, everybody, first_to_go});
  return all;
}

std::uint64_t whole_bytes(double bits) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  const double bytes = std::ceil(bits / 8);
  return bytes < static_cast<double>(most) ? static_cast<std::uint64_t>(bytes) : most;
}

cell marked(cell exact, bool estimated) {
  if (estimated) exact.text = "~" + exact.text;
  return exact;
}

row row_of(const candidate& c, const plan& what) {
  const std::uint64_t units = what.units == 0 ? what.target.items : what.units;
  const std::string name = c.variant.empty() ? c.engine : c.engine + ", " + c.variant;
  row r{{text_cell(c.engine),
         text_cell(c.variant),
         {{}, (c.recommended ? "▸ " : "  ") + name},
         yes_no_cell(c.recommended),
         yes_no_cell(c.estimated),
         marked(bytes_cell(whole_bytes(c.bits)), c.estimated),
         marked(number_cell(c.bits / static_cast<double>(units)), c.estimated),
         probability_cell(c.error)},
        c.recommended ? look::strong
        : c.reference ? look::faint
                      : look::plain};
  r.cells.insert(r.cells.end(), c.more.begin(), c.more.end());
  r.cells.resize(r.cells.size() + what.columns.size() - c.more.size(), nothing());
  r.cells.push_back(text_cell(c.guarantee));
  return r;
}

std::string title_of(const plan& what) {
  const auto& [items, error, memory] = what.target;
  return error ? fmt::format("{} at {} error", what.subject, brief_probability_text(*error))
               : fmt::format("{} in {}", what.subject, bytes_text(*memory));
}

std::vector<std::string> notes_of(const planner& words, const plan& what) {
  std::vector<std::string> notes{fmt::format("error: the probability that {}", words.error_means)};
  const auto estimated = [](const candidate& c) { return c.estimated; };
  if (std::any_of(what.candidates.begin(), what.candidates.end(), estimated)) {
    notes.emplace_back("~: memory is estimated");
  }
  notes.insert(notes.end(), what.notes.begin(), what.notes.end());
  return notes;
}

report plan_report(const planner& words, const plan& what) {
  table rows{.key = "choices", .columns = columns_of(words, what)};
  for (const candidate& c : what.candidates) rows.rows.push_back(row_of(c, what));
  report r{.command = std::string("plan ") + words.family,
           .title = title_of(what),
           .fields = {{"items", what.target.items},
                      {"target_error", or_nothing(what.target.error)},
                      {"target_memory_bytes", or_nothing(what.target.memory)}},
           .tables = {std::move(rows)},
           .notes = notes_of(words, what),
           .closing = what.closing};
  r.fields.insert(r.fields.end(), what.fields.begin(), what.fields.end());
  return r;
}

}  // namespace

void add_planner(command& plan, planner words, output_options& asked) {
  command& self = plan.add(words.family, words.summary);
  self.usage = words.usage;
  self.examples = words.examples;
  self.details = "One row per choice.";
  self.keys = keys_of(words);
  self.fields = fields_of(words);
  const auto given = std::make_shared<plan_options>(words.defaults);
  add_options(self, words, *given);
  self.output(asked);
  self.act = [given, words = std::move(words)](const printer& out) {
    expect_given(words, *given);
    out.print(plan_report(words, words.make(*given)));
    return yes;
  };
}

plan_option memory_option() {
  return {"--memory", &plan_options::memory, "SIZE",
          "16MiB = 16M = 2^24 bytes, 16MB = 16,000,000 bytes"};
}

plan_target target_of(const char* family, const plan_options& given, std::uint64_t usual) {
  plan_target target{.items = parse_count("--items", given.items), .error = {}, .memory = {}};
  if (!given.error.empty() && !given.memory.empty()) {
    refuse("give either --error ({}) or --memory ({}), not both", given.error, given.memory);
  }
  if (!given.error.empty()) {
    target.error = parse_probability("--error", given.error);
  } else if (!given.memory.empty()) {
    target.memory = parse_memory(given.memory);
  } else if (usual != 0) {
    target.memory = usual;
  } else {
    refuse("plan {0} needs --error or --memory. Try bloomtime plan {0} --items {1} --error 1%",
           family, given.items);
  }
  return target;
}

std::uint64_t parse_memory(const std::string& text) {
  const std::uint64_t memory = parse_bytes("--memory", text);
  if (memory <= math::max_bits / 8) return memory;
  refuse("--memory can be at most 1TiB (2^40 bytes), got {}", text);
}

std::vector<candidate> sized(const std::function<std::vector<candidate>()>& make,
                             const char* advice) {
  try {
    return make();
  } catch (const error& e) {
    if (e.code() == errc::out_of_memory) throw;
    refuse("{}. {}", e.what(), advice);
  }
}

std::string next_step(const plan_target& target) {
  return target.error ? "Next: --memory 1MB sizes by memory." : "Next: --error 1% sizes by error.";
}

column cell_bits_column() { return {"cell_bits", "bits/cell"}; }
column k_column() { return {"k", "k", side::right, audience::everybody, 4}; }
column probes_column() { return {"probes", "probes", side::right, audience::everybody, 2}; }
cell number_cell(double x) { return {x, short_text(x)}; }

candidate exact_map(std::uint64_t items, std::vector<cell> more) {
  return {.engine = "exact_map",
          .bits = 8 * static_cast<double>(profile::exact_map_bytes(items)),
          .guarantee = "exact",
          .more = std::move(more),
          .estimated = true,
          .reference = true};
}

std::string count_of(std::uint64_t n, const char* unit) {
  return fmt::format("{} {}{}", count_text(n), unit, n == 1 ? "" : "s");
}

}  // namespace bloomtime::cli
