#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <bloomtime/error.hpp>
#include <bloomtime/math/history_size.hpp>

#include "cli/command.hpp"
#include "cli/output/report.hpp"
#include "text/number.hpp"
#include "text/quantity.hpp"
#include "text/time_text.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::cli {
namespace {

using math::history_counts;
using math::history_size;
using math::level_rule;
using std::chrono::microseconds;

struct typed {
  std::string pairs;
  std::string items;
  std::string span = "1d";
  std::string resolution = "1s";
  std::string error = "1%";
  std::string length = "10m";
};

constexpr std::uint64_t published_granularity = 4;  // ticks of a leaf

struct target {
  history_counts counts;
  microseconds resolution;
  double error;
  std::uint64_t length;  // ticks
};

// A part of a tick counts as one.
std::uint64_t ticks_in(microseconds span, microseconds resolution) {
  return static_cast<std::uint64_t>((span.count() - 1) / resolution.count() + 1);
}

std::uint64_t need_count(const char* option, const std::string& text) {
  if (!text.empty()) return parse_count(option, text);
  throw usage_error(
      "plan history needs --pairs, how many different (item, tick) there will be, and --items, how "
      "many different items. Try bloomtime plan history --pairs 2M --items 25k");
}

target target_of(const typed& given) {
  target t;
  t.resolution = parse_span("--resolution", given.resolution);
  t.counts = {.pairs = need_count("--pairs", given.pairs),
              .items = need_count("--items", given.items),
              .ticks = ticks_in(parse_span("--span", given.span), t.resolution)};
  t.error = parse_chance("--error", given.error);
  t.length = ticks_in(parse_span("--length", given.length), t.resolution);
  const auto [pairs, items, ticks] = t.counts;
  if (pairs < items) {
    throw usage_error(fmt::format("{} items have at least as many pairs, got --pairs {}",
                                  count_text(items), count_text(pairs)));
  }
  if ((pairs - 1) / items >= ticks) {
    throw usage_error(
        fmt::format("{} item{} in {} tick{} have fewer pairs than {}: an item has "
                    "one per tick at most. Try a longer --span or fewer --pairs",
                    count_text(items), items == 1 ? "" : "s", count_text(ticks),
                    ticks == 1 ? "" : "s", count_text(pairs)));
  }
  return t;
}

// -- the choices ---------------------------------------------------------------------------------

struct choice {
  const char* engine;
  const char* variant;
  history_size size;
  bool recommended = false;
};

std::vector<choice> choices_for(const target& t) {
  const auto levels = [&](level_rule rule) {
    return math::level_size(rule, t.counts, t.error, t.length);
  };
  std::vector<choice> all{
      {"timeline_history", "with names", math::named_size(t.counts)},
      {"timeline_history", "without names", math::nameless_size(t.counts, t.error, t.length)},
      {"single_history", "", math::single_size(t.counts, t.error, t.length)},
      {"tree_history", "optimal",
       math::tree_size(t.counts, published_granularity, t.error, t.length)},
      {"level_history", "uniform", levels(level_rule::uniform)},
      {"level_history", "optimal", levels(level_rule::optimal)},
      {"level_history", "planned", levels(level_rule::planned)}};
  // Sealing takes the smaller one, item by item.
  all[all[0].size.bits <= all[1].size.bits ? 0 : 1].recommended = true;
  return all;
}

std::vector<choice> possible_choices(const target& t) {
  try {
    return choices_for(t);
  } catch (const error& e) {
    if (e.code() != errc::too_large) throw;
    throw usage_error(std::string(e.what()) + ". Try fewer --pairs or a larger --error");
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
                      {"bits_per_pair", "bits/pair"},
                      {"probes", "probes"},
                      {"error", "wrong maybe"}},
          .rows = {},
          .as_list = false};
}

row row_of(const choice& c, const target& t) {
  const double each = static_cast<double>(c.size.bits) / static_cast<double>(t.counts.pairs);
  const std::string name =
      *c.variant == '\0' ? c.engine : fmt::format("{}, {}", c.engine, c.variant);
  return {{text_cell(c.engine),
           text_cell(c.variant),
           {{}, (c.recommended ? "▸ " : "  ") + name},
           yes_no_cell(c.recommended),
           bytes_cell(c.size.bits / 8 + (c.size.bits % 8 != 0 ? 1 : 0)),
           {each, short_text(each)},
           {c.size.probes, short_text(c.size.probes)},
           chance_cell(c.size.error)},
          c.recommended ? look::strong : look::plain};
}

// What no filter, and no exact list, can go below.
row bound_row(const char* name, const char* variant, double each, double error, const target& t) {
  const double bytes = std::min(each * static_cast<double>(t.counts.pairs) / 8, 0x1p63);
  return {{text_cell("bound"),
           text_cell(variant),
           {{}, fmt::format("  {}", name)},
           yes_no_cell(false),
           bytes_cell(static_cast<std::uint64_t>(bytes)),
           {each, short_text(each)},
           nothing(),
           chance_cell(error)},
          look::faint};
}

std::string title(const target& t) {
  return fmt::format("{} pairs of {} item{} and a tick, questions about {}, wrong \"maybe\" {}",
                     count_text(t.counts.pairs), count_text(t.counts.items),
                     t.counts.items == 1 ? "" : "s", span_text(t.resolution, t.length),
                     brief_chance_text(t.error));
}

exit_status plan(const typed& given, const printer& out) {
  const target t = target_of(given);
  table rows = empty_table();
  for (const choice& c : possible_choices(t)) rows.rows.push_back(row_of(c, t));
  rows.rows.push_back(bound_row("bound of all filters", "filters",
                                math::bound_bits_per_pair(t.error, t.length), t.error, t));
  rows.rows.push_back(
      bound_row("bound of exact lists", "exact", math::timeline_entropy(t.counts), 0, t));
  out.print(
      {.command = "plan history",
       .title = title(t),
       .fields = {{"pairs", t.counts.pairs},
                  {"items", t.counts.items},
                  {"ticks", t.counts.ticks},
                  {"resolution_seconds", static_cast<double>(t.resolution.count()) / 1e6},
                  {"length", t.length},
                  {"target_error", t.error}},
       .tables = {std::move(rows)},
       .notes =
           {"timelines: if all items are seen equally often, at any time; less if some are seen "
            "more, or in runs",
            "trees and levels: if keys grow fewer by the same factor from height to height, every "
            "yes believed",
            "bound of filters: log2(length / error) bits per pair where items do not repeat; of "
            "lists: log2 C(ticks, pairs of an item) per item"},
       .closing = {
           "A timeline history with names is exact and knows when; without names it says "
           "when something like it was seen. Sealing takes for each item what is smaller.",
           "Next: bloomtime profile access.log keeps one for each field; bloomtime seen and "
           "bloomtime timeline ask it."}});
  return yes;
}

constexpr const char* examples =
    "bloomtime plan history --pairs 2M --items 25k                 a day of seconds\n"
    "bloomtime plan history --pairs 2127749 --items 25497 --length 128 --error 1%\n"
    "bloomtime plan history --pairs 1M --items 1M --error 1e-6     items that come once\n"
    "bloomtime plan history --pairs 50M --items 100k --span 30d --resolution 1m --length 1h";

constexpr const char* details =
    "What remembering (item, tick) pairs takes, so that \"was it seen between these two times?\" "
    "is\n"
    "never answered no by mistake, and maybe by mistake with the chance --error. One row per\n"
    "choice, for programs with these keys (empty or null where there is nothing):\n"
    "engine            timeline_history (recommended); single_history, tree_history and\n"
    "                  level_history, the published persistent Bloom filters; bound\n"
    "variant           with names, without names; optimal, uniform or planned bits per level;\n"
    "                  of bounds: filters (log2(length / error) per pair, if items do not repeat)\n"
    "                  and exact (of all items seen equally often)\n"
    "recommended       true for the smaller of the timelines: sealing takes it by itself\n"
    "memory_bytes, bits_per_pair\n"
    "probes            parts of it that a question answered no asks, on average\n"
    "error             the chance that a question that should be answered no is not\n"
    "JSON: {\"schema\": 1, \"command\": \"plan history\", \"pairs\", \"items\", \"ticks\" (of the "
    "span),\n"
    "       \"resolution_seconds\", \"length\" (of a question, in ticks), \"target_error\",\n"
    "       \"choices\": [one object per row]}";

}  // namespace

void add_plan_history(command& family, output_options& asked) {
  command& self = family.add("history", "size a history (was this item seen between s and e?)");
  self.usage = "--pairs N --items N [--span TIME] [--length TIME] [--error E]";
  self.examples = examples;
  self.details = details;
  const auto given = std::make_shared<typed>();
  self.text("--pairs", given->pairs, "N", "different (item, tick): seconds in which items come");
  self.text("--items", given->items, "N", "different items: 25k, 1M, 1e6");
  self.text("--span", given->span, "TIME", "that is remembered: 1d unless given");
  self.text("--resolution", given->resolution, "TIME", "of a tick: 1s unless given");
  self.text("--length", given->length, "TIME", "that questions are about: 10m unless given");
  self.text("--error", given->error, "E", "chance of a wrong maybe: 1% unless given");
  self.output(asked);
  self.act = [given](const printer& out) { return plan(*given, out); };
}

}  // namespace bloomtime::cli
