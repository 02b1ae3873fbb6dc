#include "cli/plan/table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "profile/exact_size.hpp"
#include "text/number.hpp"

namespace bloomtime::cli {

using namespace text;

namespace {

constexpr unsigned first_to_go = 9;

std::vector<column> columns_of(const plan& what) {
  using enum audience;
  std::vector<column> all{
      {"engine", "", side::left, programs},
      {"variant", "", side::left, programs},
      {"", "  engine", side::left, people},
      {"recommended", "", side::left, programs},
      {"estimated", "", side::left, programs},
      {"memory_bytes", "memory"},
      {"bits_per_" + what.unit, "bits/" + what.unit, side::right, everybody, 3},
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
         chance_cell(c.error)},
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
  return error ? fmt::format("{} at {} error", what.subject, brief_chance_text(*error))
               : fmt::format("{} in {}", what.subject, bytes_text(*memory));
}

std::vector<std::string> notes_of(const plan& what) {
  std::vector<std::string> notes{fmt::format("error: the probability that {}", what.error_means)};
  const auto estimated = [](const candidate& c) { return c.estimated; };
  if (std::any_of(what.candidates.begin(), what.candidates.end(), estimated)) {
    notes.emplace_back("~: memory is estimated");
  }
  notes.insert(notes.end(), what.notes.begin(), what.notes.end());
  return notes;
}

}  // namespace

report report_of(const plan& what) {
  table rows{.key = "choices", .columns = columns_of(what)};
  for (const candidate& c : what.candidates) rows.rows.push_back(row_of(c, what));
  report r{.command = "plan " + what.family,
           .title = title_of(what),
           .fields = {{"items", what.target.items},
                      {"target_error", or_nothing(what.target.error)},
                      {"target_memory_bytes", or_nothing(what.target.memory)}},
           .tables = {std::move(rows)},
           .notes = notes_of(what),
           .closing = what.closing};
  r.fields.insert(r.fields.end(), what.fields.begin(), what.fields.end());
  return r;
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

std::string items_text(std::uint64_t items) {
  return fmt::format("{} item{}", count_text(items), items == 1 ? "" : "s");
}

}  // namespace bloomtime::cli
