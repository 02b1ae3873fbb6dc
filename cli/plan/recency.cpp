#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <bloomtime/error.hpp>
#include <bloomtime/math/age_partitioned.hpp>
#include <bloomtime/math/timing.hpp>
#include <bloomtime/math/touch_chain.hpp>

#include "cli/command.hpp"
#include "cli/output/report.hpp"
#include "text/number.hpp"
#include "text/quantity.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::cli {
namespace {

struct typed {
  std::string items;
  std::string error = "1e-6";
  std::string steps = "10";
};

struct target {
  std::uint64_t items;
  double error;
  std::uint64_t steps;
};

target target_of(const typed& given) {
  if (given.items.empty()) {
    throw usage_error(
        "plan recency needs --items, how many different items a window has. Try bloomtime plan "
        "recency --items 1M");
  }
  const target t{parse_count("--items", given.items), parse_chance("--error", given.error),
                 parse_count("--steps", given.steps)};
  constexpr std::uint64_t most_steps = 4096;
  if (t.steps <= most_steps) return t;
  throw usage_error(fmt::format("--steps can be at most {}, got {}", most_steps, given.steps));
}

// -- the choices ---------------------------------------------------------------------------------

struct choice {
  const char* engine;
  std::string variant;
  std::uint64_t bits;
  double probes;  // lines or cells that an insertion of a new item looks at
  double error;
  double misses = 0;  // the share of items within the window that are denied
  bool recommended = false;
};

choice partitioned(const target& t, std::uint64_t ticks) {
  const auto size = math::age_partitioned_for_error({.items = t.items, .ticks = ticks}, t.error);
  const double asked =
      std::ceil(static_cast<double>(size.bands) / static_cast<double>(math::band_stride(size.k)));
  const double written = 1 + (size.k - 1.) / math::slices_per_band;
  return {"age_partitioned_filter", ticks == 0 ? "insertions" : "time", size.bits(),
          asked + written, size.error};
}

choice stamps(const target& t) {
  const math::stamp_load load{t.items, t.items, static_cast<std::uint32_t>(t.steps)};
  const auto size = math::stamps_for_error(load, t.error);
  const bool line = size.layout == layout::line;
  return {"recency_filter", line ? "line" : "flat", size.cells * size.bits,
          line ? 1. : static_cast<double>(size.k),
          math::stamp_error(size, math::alive_at_worst(load))};
}

choice timers(const target& t) {
  const auto size = math::timing_for_error(t.items, t.error);
  return {"timing_filter", fmt::format("{} blocks", size.oldest), size.timers * size.bits,
          static_cast<double>(size.k), math::timing_error(size)};
}

// As many bits as another one, and as many probes as make strangers rare; what it misses is then
// what it is.
choice generalized(const target& t, std::uint64_t bits) {
  const auto k = static_cast<unsigned>(std::clamp(std::ceil(-std::log2(t.error) / 2), 1., 64.));
  const math::touch_chain chain(std::max<std::uint64_t>(bits, 2), k, k);
  const math::touch_pattern all{.r0 = k, .c0 = k, .r1 = k, .c1 = k};
  constexpr int points = 256;
  double kept = 0;
  for (int i = 0; i < points; ++i) {
    kept += chain.matches(all, (i + 0.5) / points * static_cast<double>(t.items)) / points;
  }
  return {"generalized_filter",
          "same bits",
          bits,
          2. * k,
          chain.matches(all, std::numeric_limits<double>::infinity()),
          1 - kept};
}

// Fingerprints as long as it takes, up to 32 bits.
choice buffer(const target& t) {
  const auto items = static_cast<double>(t.items);
  const double needed = std::ceil(-std::log2(-std::expm1(std::log1p(-t.error) / items)));
  const double bits = std::clamp(needed, 1., 32.);
  return {"recent_buffer", "without its index", static_cast<std::uint64_t>(bits) * t.items, 1,
          -std::expm1(items * std::log1p(-std::exp2(-bits)))};
}

std::vector<choice> choices_for(const target& t) {
  std::vector<choice> all{partitioned(t, 0), partitioned(t, t.steps), stamps(t), timers(t)};
  all.push_back(generalized(t, all[2].bits));
  all.push_back(buffer(t));
  all[1].recommended = true;
  return all;
}

std::vector<choice> possible_choices(const target& t) {
  try {
    return choices_for(t);
  } catch (const error& e) {
    throw usage_error(std::string(e.what()) + ". Try fewer --items or a larger --error");
  }
}

// -- the table -----------------------------------------------------------------------------------

table empty_table() {
  using enum audience;
  return {.key = "choices",
          .columns = {{"engine", "", side::left, programs},
                      {"variant", "", side::left, programs},
                      {"", "  engine", side::left, people},
                      {"recommended", "", side::left, programs},
                      {"memory_bytes", "memory"},
                      {"bits_per_item", "bits/item"},
                      {"probes", "probes"},
                      {"error", "wrong \"seen\""},
                      {"misses", "missed"}},
          .rows = {},
          .as_list = false};
}

row row_of(const choice& c, const target& t) {
  const double each = static_cast<double>(c.bits) / static_cast<double>(t.items);
  return {{text_cell(c.engine),
           text_cell(c.variant),
           {{}, fmt::format("{}{}, {}", c.recommended ? "▸ " : "  ", c.engine, c.variant)},
           yes_no_cell(c.recommended),
           bytes_cell(c.bits / 8 + (c.bits % 8 != 0 ? 1 : 0)),
           {each, short_text(each)},
           {c.probes, short_text(c.probes)},
           chance_cell(c.error),
           c.misses == 0 ? cell{0., "none"} : chance_cell(c.misses)},
          c.recommended ? look::strong : look::plain};
}

exit_status plan(const typed& given, const printer& out) {
  const target t = target_of(given);
  table rows = empty_table();
  for (const choice& c : possible_choices(t)) rows.rows.push_back(row_of(c, t));
  out.print({.command = "plan recency",
             .title = fmt::format("{} item{} within a window of {} steps, wrong \"seen\" {}",
                                  count_text(t.items), t.items == 1 ? "" : "s", count_text(t.steps),
                                  brief_chance_text(t.error)),
             .fields = {{"items", t.items}, {"steps", t.steps}, {"target_error", t.error}},
             .tables = {std::move(rows)},
             .notes = {"probes: 64-byte lines (age_partitioned_filter, line) or cells that the "
                       "insertion of a new item looks at",
                       "steps do not matter to windows of insertions of age_partitioned_filter, to "
                       "timing_filter, generalized_filter and recent_buffer"},
             .closing = {"Next: bloomtime dedupe --window 10m --expect N --error E keeps an "
                         "age_partitioned_filter in steps of 1/600."}});
  return yes;
}

constexpr const char* examples =
    "bloomtime plan recency --items 1M                       one mistake in a million\n"
    "bloomtime plan recency --items 10M --error 1e-4 --steps 600\n"
    "bloomtime plan recency --items 65536 --error 1% --json";

constexpr const char* details =
    "What it takes to know whether an item was seen within a window that has so many of them. One\n"
    "row per choice, for programs with these keys:\n"
    "engine         age_partitioned_filter (recommended), recency_filter; timing_filter,\n"
    "               generalized_filter and recent_buffer, the published ones\n"
    "variant        insertions or time: what the window counts; line or flat; blocks\n"
    "recommended    true for one\n"
    "memory_bytes, bits_per_item\n"
    "probes         lines or cells that the insertion of a new item looks at\n"
    "error          the chance that an item not seen within the window is said to be\n"
    "misses         the share of items seen within the window that are said not to be\n"
    "JSON: {\"schema\": 1, \"command\": \"plan recency\", \"items\", \"steps\", \"target_error\",\n"
    "       \"choices\": [one object per row]}";

}  // namespace

void add_plan_recency(command& family, output_options& asked) {
  command& self = family.add("recency", "size a filter (was this item seen lately?)");
  self.usage = "--items N [--error E] [--steps N]";
  self.examples = examples;
  self.details = details;
  const auto given = std::make_shared<typed>();
  self.text("--items", given->items, "N", "different items within a window: 25k, 1M, 1e6");
  self.text("--error", given->error, "E", "chance of a wrong \"seen\": 1e-6 unless given");
  self.text("--steps", given->steps, "N", "in which time passes, per window: 10 unless given");
  self.output(asked);
  self.act = [given](const printer& out) { return plan(*given, out); };
}

}  // namespace bloomtime::cli
