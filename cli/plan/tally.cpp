#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <bloomtime/error.hpp>
#include <bloomtime/math/bloom.hpp>
#include <bloomtime/math/tally.hpp>
#include <bloomtime/tally/tally_filter.hpp>

#include "cli/command.hpp"
#include "cli/plan/target.hpp"
#include "profile/exact_size.hpp"
#include "store/tally_part.hpp"
#include "text/number.hpp"
#include "text/quantity.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::cli {
namespace {

struct typed {
  std::string items;
  std::string total;
  std::string error;
  std::string memory;
};

struct tally_target : plan_target {
  std::uint64_t total = 0;  // of all counts; math::usual_tally_mean of each item if not given
  bool total_given = false;

  math::tally_load load() const {
    return {.items = items, .total = total_given ? total : 0, .error = error, .memory = memory};
  }
};

struct choice {
  std::string engine;
  bool removes;
  bool estimated;
  double cell_bits;
  unsigned k;
  std::uint64_t memory;  // with large_bytes
  double error;
  std::uint64_t large_bytes = 0;  // of a table beside the cells
  std::uint64_t most_memory = 0;  // whatever the counts are; 0: unknown
  bool recommended = false;
};

std::uint64_t usual_total(std::uint64_t items) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  return items > most / math::usual_tally_mean ? most : items * math::usual_tally_mean;
}

tally_target target_of(const typed& given) {
  if (given.items.empty()) {
    throw usage_error(
        "plan tally needs --items, the number of different items at the same time. Try bloomtime "
        "plan tally --items 1M");
  }
  if (!given.error.empty() && !given.memory.empty()) {
    throw usage_error("plan tally takes --error or --memory; give one of them");
  }
  tally_target target;
  target.items = parse_count("--items", given.items);
  target.total_given = !given.total.empty();
  target.total =
      target.total_given ? parse_count("--total", given.total) : usual_total(target.items);
  if (target.total < target.items) {
    throw usage_error(fmt::format("--total must be at least --items ({}), one of each; got {}",
                                  target.items, target.total));
  }
  if (!given.error.empty()) {
    target.error = parse_chance("--error", given.error);
  } else {
    target.memory = given.memory.empty() ? default_tally_memory : parse_memory(given.memory);
  }
  return target;
}

// -- sizes ---------------------------------------------------------------------------------------

choice tally_choice(const tally_target& t, unsigned bits) {
  const math::tally_size size = math::tally_size_for(t.load(), bits);
  return {.engine = "tally_filter",
          .removes = true,
          .estimated = false,
          .cell_bits = static_cast<double>(bits),
          .k = size.k,
          .memory = size.memory(),
          .error = size.error,
          .large_bytes = size.large_bytes,
          .most_memory = size.most_memory()};
}

choice rising_choice(const tally_target& t, unsigned bits) {
  const math::tally_size size = math::tally_size_for(t.load(), bits);
  choice c = tally_choice(t, bits);
  c.engine = "rising_tally";
  c.removes = false;
  c.estimated = size.rising_large_bytes > 0;
  c.memory = size.cell_bytes + size.rising_large_bytes;
  c.large_bytes = size.rising_large_bytes;
  return c;
}

// Bits that a cell takes, if there are so many in k rows.
using cell_width = double (*)(const tally_target&, std::uint64_t cells, unsigned k);

double fixed_width(const tally_target&, std::uint64_t, unsigned) { return 4; }

double dynamic_width(const tally_target& t, std::uint64_t cells, unsigned k) {
  const unsigned x = math::base_bits_for(t.total, t.items);
  return x + math::overflow_level(math::largest_cell(t.items, t.total, cells, k) >> x);
}

// Counters as long as the mean of those that are not zero, a spare bit for two of them, the index.
double spectral_width(const tally_target& t, std::uint64_t cells, unsigned k) {
  const auto m = static_cast<double>(cells);
  const double used = -std::expm1(-static_cast<double>(k) * static_cast<double>(t.items) / m);
  const double mean = static_cast<double>(t.total) * k / (m * used);
  const double bits = 1 + used * std::log2(std::max(1., mean));
  const auto index =
      static_cast<double>(math::published_index_bits(cells, static_cast<std::uint64_t>(bits * m)));
  return bits + 0.5 + index / m;
}

choice row_choice(const tally_target& t, const char* engine, cell_width width, bool estimated) {
  unsigned k = 0;
  std::uint64_t cells = 0;
  if (t.error) {
    const auto size = math::size_for_error(layout::rows, t.items, *t.error, math::max_tally_k);
    k = size.k;
    cells = size.bits;
  } else {
    constexpr unsigned some_k = 4;
    cells = std::max<std::uint64_t>(1, *t.memory);  // widths hardly depend on it
    for (int round = 0; round < 3; ++round) {
      const double bits = width(t, cells, some_k);
      cells = std::max<std::uint64_t>(
          1, static_cast<std::uint64_t>(8 * static_cast<double>(*t.memory) / bits));
    }
    const auto most = static_cast<unsigned>(std::min<std::uint64_t>(cells, math::max_tally_k));
    const auto size = math::size_for_bits(layout::rows, t.items, cells, most);
    k = size.k;
    cells = size.bits;
    for (int round = 0; round < 8; ++round) {  // k of its own changes the width
      const double taken = width(t, cells, k) * static_cast<double>(cells);
      const double room = 8 * static_cast<double>(*t.memory);
      if (taken <= room) break;
      cells = std::max<std::uint64_t>(
          k, static_cast<std::uint64_t>(static_cast<double>(cells) * room / taken) / k * k);
    }
  }
  const double bits = width(t, cells, k);
  return {.engine = engine,
          .removes = true,
          .estimated = estimated,
          .cell_bits = bits,
          .k = k,
          .memory = static_cast<std::uint64_t>(std::ceil(bits * static_cast<double>(cells) / 8)),
          .error = math::rows_error(t.items, cells, k)};
}

std::vector<choice> choices_for(const tally_target& t) {
  try {
    const unsigned bits = math::tally_cell_bits(t.load());  // as the library does
    std::vector<choice> all{tally_choice(t, 8),
                            tally_choice(t, 4),
                            rising_choice(t, bits),
                            row_choice(t, "counting_filter", fixed_width, false),
                            row_choice(t, "dynamic_count_filter", dynamic_width, true),
                            row_choice(t, "spectral_filter", spectral_width, true)};
    all[bits == 4 ? 1 : 0].recommended = true;
    return all;
  } catch (const error& e) {
    if (e.code() != errc::too_large) throw;
    throw usage_error(std::string(e.what()) + ". Try fewer items or a larger --error");
  }
}

// -- the table -----------------------------------------------------------------------------------

row row_of(const choice& c, const tally_target& t) {
  return {{text_cell(c.engine),
           {{}, (c.recommended ? "▸ " : "  ") + c.engine},
           yes_no_cell(c.removes),
           yes_no_cell(c.estimated),
           yes_no_cell(c.recommended),
           {c.cell_bits, fmt::format("{:.3g}", c.cell_bits)},
           {c.memory, (c.estimated ? "~" : "") + bytes_text(c.memory)},
           {c.large_bytes, ""},
           c.most_memory == 0 ? nothing() : bytes_cell(c.most_memory),
           {per_item(c.memory, t), short_text(per_item(c.memory, t))},
           count_cell(c.k),
           chance_cell(c.error)},
          c.recommended ? look::strong : look::plain};
}

row exact_row(const tally_target& t) {
  const std::uint64_t bytes = exact_bytes_per_item(0);
  const std::uint64_t memory = exact_map_bytes(t.items);
  return {{text_cell("exact_map"),
           {{}, "  exact map"},
           yes_no_cell(true),
           yes_no_cell(true),
           yes_no_cell(false),
           nothing(),
           {memory, fmt::format("~{}", bytes_text(memory))},
           {std::uint64_t{0}, ""},
           nothing(),
           {static_cast<double>(bytes), fmt::format("~{}", bytes)},
           nothing(),
           chance_cell(0)},
          look::faint};
}

std::string title(const tally_target& t) {
  const std::string what =
      fmt::format("Counts of {} item{}", count_text(t.items), t.items == 1 ? "" : "s");
  return t.error ? fmt::format("{}, {} of them too high", what, brief_chance_text(*t.error))
                 : fmt::format("{} in {}", what, bytes_text(*t.memory));
}

std::vector<std::string> notes_of(const tally_target& t, const std::vector<choice>& all) {
  const auto best =
      std::find_if(all.begin(), all.end(), [](const choice& c) { return c.recommended; });
  std::vector<std::string> notes;
  if (!t.total_given) {
    notes.push_back(
        fmt::format("--total was not given: {} of each item are assumed", math::usual_tally_mean));
  }
  notes.push_back(
      fmt::format("memory is for items of the same mean count, with the table of counts that are "
                  "too large for their cells: {} of the recommended one; for any other counts "
                  "it takes at most {}",
                  bytes_text(best->large_bytes), bytes_text(best->most_memory)));
  notes.push_back(
      "counting filters stop at 15; rising tallies take no removals, and are too high "
      "less often than said");
  return notes;
}

exit_status plan(const typed& given, const printer& out) {
  using enum audience;
  const tally_target target = target_of(given);
  table t{.key = "choices",
          .columns = {{"engine", "", side::left, programs},
                      {"", "  engine", side::left, people},
                      {"removes", "removes", side::left, everybody, 2},
                      {"estimated", "", side::left, programs},
                      {"recommended", "", side::left, programs},
                      {"cell_bits", "bits/cell", side::right, everybody, 1},
                      {"memory_bytes", "memory"},
                      {"large_bytes", "", side::right, programs},
                      {"most_memory_bytes", "", side::right, programs},
                      {"bytes_per_item", "bytes/item", side::right, everybody, 3},
                      {"k", "k", side::right, everybody, 4},
                      {"error", "too high"}},
          .rows = {},
          .as_list = false};
  const std::vector<choice> choices = choices_for(target);
  for (const choice& c : choices) t.rows.push_back(row_of(c, target));
  t.rows.push_back(exact_row(target));
  out.print({.command = "plan tally",
             .title = title(target),
             .fields = {{"items", target.items},
                        {"total", target.total},
                        {"total_given", target.total_given},
                        {"target_error", or_nothing(target.error)},
                        {"target_memory_bytes", or_nothing(target.memory)}},
             .tables = {std::move(t)},
             .notes = notes_of(target, choices),
             .closing = {target.error ? "Next: --memory 1MB starts from a budget."
                                      : "Next: --error 1% starts from a promise."}});
  return yes;
}

constexpr const char* examples =
    "bloomtime plan tally --items 1M                     what tally takes, and how accurate it is\n"
    "bloomtime plan tally --items 1M --error 1%          memory for an accuracy\n"
    "bloomtime plan tally --items 1M --total 100M --memory 16MB    with how many there are in all";

constexpr const char* details =
    "One row per choice, for programs with these keys (empty or null where there is nothing):\n"
    "engine            tally_filter, with cells of 4 or 8 bits; rising_tally, which takes no\n"
    "                  removals; counting_filter, dynamic_count_filter and spectral_filter, the\n"
    "                  published ones; exact_map: an unordered_map of all items\n"
    "removes           whether items can be taken away\n"
    "estimated         true where memory is not computed but estimated\n"
    "recommended       true for one of them, the width that tally and the library choose: with\n"
    "                  --error what takes less memory, with --memory what is more accurate\n"
    "cell_bits, memory_bytes, bytes_per_item, k (cells per item)\n"
    "large_bytes       part of memory_bytes: the table of counts too large for their cells, if "
    "all\n"
    "                  items have the same mean count (exceeded with a probability below 1e-4)\n"
    "most_memory_bytes the upper bound for any counts with this total, if nothing is removed\n"
    "error             the chance that a count is more than exact; it is never less\n"
    "JSON: {\"schema\": 1, \"command\": \"plan tally\", \"items\", \"total\", \"total_given\",\n"
    "       \"target_error\", \"target_memory_bytes\", \"choices\": [one object per row]}";

}  // namespace

void add_plan_tally(command& family, output_options& asked) {
  command& self = family.add("tally", "size a tally (how many are there, as items come and go?)");
  self.usage = "--items N [--total N] [--error E | --memory SIZE]";
  self.examples = examples;
  self.details = details;
  const auto given = std::make_shared<typed>();
  self.text("--items", given->items, "N", "different items at the same time: 1M, 2.5k, 1e6");
  self.text("--total", given->total, "N", "of all items together; 10 of each unless given");
  self.text("--error", given->error, "E", "chance that a count is too high: 1%, 0.01");
  self.text("--memory", given->memory, "SIZE", "16MiB = 16M = 2^24 bytes, 16MB = 16,000,000");
  self.output(asked);
  self.act = [given](const printer& out) { return plan(*given, out); };
}

}  // namespace bloomtime::cli
