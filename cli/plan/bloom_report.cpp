#include "cli/plan/bloom_report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "text/number.hpp"

namespace bloomtime::cli {
namespace {

std::vector<column> columns(bool measured) {
  using enum audience;
  std::vector<column> all{
      {"choice", "", side::left, programs},
      {"", "  layout", side::left, people},
      {"estimated", "", side::left, programs},
      {"recommended", "", side::left, programs},
      {"bits_per_word", "", side::right, programs},
      {"memory_bytes", "memory"},
      {"bits_per_item", "bits/item", side::right, everybody, 1},
      {"k", "k", side::right, everybody, 4},
      {"cache_lines", "lines", side::right, everybody, 3},
      {"error", "error"},
  };
  const std::vector<column> more{
      {"measured_error", "measured"},
      {"", "99.9 % range", side::right, people, 5},
      {"false_positives", "", side::right, programs},
      {"queries", "", side::right, programs},
      {"expected_low", "", side::right, programs},
      {"expected_high", "", side::right, programs},
      {"insert_ns", "insert", side::right, everybody, 2},
      {"lookup_ns", "lookup"},
  };
  if (measured) all.insert(all.end(), more.begin(), more.end());
  return all;
}

cell name_cell(const std::string& name, bool marked) { return {{}, (marked ? "▸ " : "  ") + name}; }

cell per_item_cell(double bits) { return {bits, short_text(bits)}; }

cell about(cell exact) {
  exact.text = "~" + exact.text;
  return exact;
}

cell measured_cell(const bloom_measurement& m, double plan) {
  return {m.error(), chance_text(m.error(), plan) + (m.kept() ? " ✓" : " ✗"),
          m.kept() ? look::good : look::bad};
}

void add_measurement(row& r, const std::optional<bloom_measurement>& m, double plan) {
  if (!m) {
    r.cells.resize(r.cells.size() + 8, nothing());
    return;
  }
  r.cells.push_back(measured_cell(*m, plan));
  r.cells.push_back({{}, chance_text(m->lowest_expected(), m->highest_expected(), plan)});
  r.cells.push_back(count_cell(m->false_positives));
  r.cells.push_back(count_cell(m->queries));
  r.cells.push_back({m->lowest_expected(), ""});
  r.cells.push_back({m->highest_expected(), ""});
  r.cells.push_back(nanoseconds_cell(m->insert_ns));
  r.cells.push_back(nanoseconds_cell(m->lookup_ns));
}

double per_item(std::uint64_t bits, const bloom_plan& plan) {
  return static_cast<double>(bits) / static_cast<double>(plan.target.items);
}

row row_of(const planned_bloom& entry, const bloom_plan& plan) {
  const bloom_choice& c = entry.choice;
  const bool line = c.size.layout == layout::line;
  row r{{text_cell(c.key), name_cell(c.name, c.recommended), yes_no_cell(false),
         yes_no_cell(c.recommended), c.bits_per_word ? count_cell(*c.bits_per_word) : nothing(),
         bytes_cell(c.size.bits / 8), per_item_cell(per_item(c.size.bits, plan)),
         count_cell(c.size.k), count_cell(line ? 1 : c.size.k), chance_cell(c.size.error)},
        c.recommended ? look::strong : look::plain};
  if (plan.measured) add_measurement(r, entry.measurement, c.size.error);
  return r;
}

std::uint64_t saturating(double bytes) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  return bytes < static_cast<double>(most) ? static_cast<std::uint64_t>(bytes) : most;
}

row hash_set_row(const bloom_plan& plan) {
  const double bytes =
      static_cast<double>(plan.target.items) * static_cast<double>(hash_set_bytes_per_item);
  row r{{text_cell("hash_set"), name_cell("hash set", false), yes_no_cell(true), yes_no_cell(false),
         nothing(), about(bytes_cell(saturating(bytes))),
         about(per_item_cell(8. * hash_set_bytes_per_item)), nothing(), about(count_cell(2)),
         chance_cell(0)},
        look::faint};
  if (plan.measured) add_measurement(r, std::nullopt, 0);
  return r;
}

// The least memory for the error asked for, or the least error in the memory asked for.
row bound_row(const bloom_plan& plan) {
  const auto items = static_cast<double>(plan.target.items);
  const auto& [_, error, memory] = plan.target;
  const double bits =
      error ? math::optimal_bits_per_item(*error) : 8 * static_cast<double>(*memory) / items;
  row r{{text_cell("bound"), name_cell("lower bound", false), yes_no_cell(false),
         yes_no_cell(false), nothing(), bytes_cell(saturating(std::ceil(items * bits / 8))),
         per_item_cell(bits), nothing(), nothing(), chance_cell(error ? *error : std::exp2(-bits))},
        look::faint};
  if (plan.measured) add_measurement(r, std::nullopt, 0);
  return r;
}

const planned_bloom* find(const bloom_plan& plan, auto matches) {
  const auto it = std::find_if(plan.entries.begin(), plan.entries.end(), matches);
  return it == plan.entries.end() ? nullptr : &*it;
}

std::string percent_more(std::uint64_t more, std::uint64_t than) {
  const double share = static_cast<double>(more) / static_cast<double>(than) - 1;
  return fmt::format("{:.1f} % more", 100 * share);
}

const planned_bloom& recommended(const bloom_plan& plan) {
  return *find(plan, [](const auto& e) { return e.choice.recommended; });
}

// What a line costs against flat, and what that buys.
std::string praise_of_line(const bloom_plan& plan, const planned_bloom& line) {
  const planned_bloom& flat = plan.entries.front();
  const std::string price =
      plan.target.error
          ? fmt::format("for {} memory", percent_more(line.choice.size.bits, flat.choice.size.bits))
          : fmt::format("at {} error instead of {}", chance_text(line.choice.size.error),
                        chance_text(flat.choice.size.error));
  if (line.measurement && flat.measurement) {
    return fmt::format("{} {} answers in {} instead of flat's {}", price, line.choice.name,
                       nanoseconds_text(line.measurement->lookup_ns),
                       nanoseconds_text(flat.measurement->lookup_ns));
  }
  return fmt::format("{} {} touches one cache line per lookup instead of flat's {}", price,
                     line.choice.name, flat.choice.size.k);
}

// What the better of the lines would have cost.
std::string praise_of_flat(const bloom_plan& plan) {
  if (plan.entries.size() < 2) return "no other layout fits";
  const math::bloom_size& flat = plan.entries.front().choice.size;
  const math::bloom_size& line = plan.entries.back().choice.size;
  return plan.target.error
             ? fmt::format("lookups of one cache line would take {} memory",
                           percent_more(line.bits, flat.bits))
             : fmt::format("lookups of one cache line would mean {} error instead of {}",
                           chance_text(line.error), chance_text(flat.error));
}

std::string praise(const bloom_plan& plan) {
  const planned_bloom& best = recommended(plan);
  return best.choice.size.layout == layout::flat ? praise_of_flat(plan)
                                                 : praise_of_line(plan, best);
}

std::string verdict(const bloom_plan& plan) {
  if (!plan.measured) return "Take " + recommended(plan).choice.name;
  const planned_bloom* missed =
      find(plan, [](const auto& e) { return e.measurement && !e.measurement->kept(); });
  if (missed == nullptr) return "As planned";
  const double planned = missed->choice.size.error;
  return fmt::format("{} came out at {}, above the {} that chance allows", missed->choice.name,
                     chance_text(missed->measurement->error(), planned),
                     chance_text(missed->measurement->highest_expected(), planned));
}

std::string next_step(const bloom_plan& plan) {
  if (!plan.measured) return "Next: --measure builds these filters and asks them.";
  if (!plan.saved_to.empty()) {
    return fmt::format("Saved {}. Next: bloomtime info {}", recommended(plan).choice.name,
                       plan.saved_to);
  }
  return fmt::format(
      "Next: {}, --save FILE keeps the filter.",
      plan.target.error ? "--memory 1MB starts from a budget" : "--error 1% starts from a promise");
}

std::vector<std::string> closing(const bloom_plan& plan) {
  return {fmt::format("{}: {}.", verdict(plan), praise(plan)), next_step(plan)};
}

std::string title(const plan_target& target) {
  const std::string what = fmt::format("Bloom filter for {} item{}", count_text(target.items),
                                       target.items == 1 ? "" : "s");
  return target.error ? fmt::format("{} at {} error", what, brief_chance_text(*target.error))
                      : fmt::format("{} in {}", what, bytes_text(*target.memory));
}

}  // namespace

report report_of(const bloom_plan& plan) {
  table choices{.key = "choices", .columns = columns(plan.measured), .rows = {}, .as_list = false};
  for (const planned_bloom& entry : plan.entries) choices.rows.push_back(row_of(entry, plan));
  choices.rows.push_back(hash_set_row(plan));
  choices.rows.push_back(bound_row(plan));
  return {.command = "plan bloom",
          .title = title(plan.target),
          .fields = {{"items", plan.target.items},
                     {"target_error", or_nothing(plan.target.error)},
                     {"target_memory_bytes", or_nothing(plan.target.memory)},
                     {"saved_to", plan.saved_to.empty() ? value() : value(plan.saved_to)}},
          .tables = {std::move(choices)},
          .notes = {fmt::format("hash set: estimated for a std::unordered_set of 8-byte keys, {} "
                                "bytes per item",
                                hash_set_bytes_per_item)},
          .closing = closing(plan)};
}

}  // namespace bloomtime::cli
