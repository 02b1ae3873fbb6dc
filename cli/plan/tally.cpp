#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <bloomtime/math/bloom.hpp>
#include <bloomtime/math/tally.hpp>
#include <bloomtime/published/dynamic_count/sizes.hpp>
#include <bloomtime/tally/tally_filter.hpp>
#include <bloomtime/tally/tally_table.hpp>

#include "cli/plan/planner.hpp"
#include "cli/text.hpp"
#include "profile/profiler.hpp"
#include "store/roles.hpp"

namespace bloomtime::cli {
namespace {

constexpr std::uint64_t least_memory = 64;  // one cache line

struct tally_target : plan_target {
  std::uint64_t total = 0;  // of all counts; math::usual_tally_mean of each item if not given
  bool total_given = false;

  math::tally_load load() const {
    return {.items = items, .total = total_given ? total : 0, .error = error, .memory = memory};
  }
};

std::uint64_t usual_total(std::uint64_t items) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  return items > most / math::usual_tally_mean ? most : items * math::usual_tally_mean;
}

tally_target target_for(const plan_options& given) {
  tally_target target{target_of("tally", given, store::default_tally_memory)};
  if (target.memory && *target.memory < least_memory) {
    refuse("--memory of a tally must be at least {} bytes, got {}", least_memory, given.memory);
  }
  target.total_given = !given.total.empty();
  target.total =
      target.total_given ? parse_count("--total", given.total) : usual_total(target.items);
  if (target.total >= target.items) return target;
  refuse("--total must be at least --items ({}), one of each; got {}", target.items, target.total);
}

// -- candidates ----------------------------------------------------------------------------------

constexpr bool removes = true;

std::vector<cell> cells_of(double cell_bits, unsigned k, bool can_remove,
                           std::uint64_t large_bytes = 0, std::uint64_t most_memory = 0) {
  return {{cell_bits, fmt::format("{:.3g}", cell_bits)},
          count_cell(k),
          yes_no_cell(can_remove),
          {large_bytes, ""},
          most_memory == 0 ? nothing() : bytes_cell(most_memory)};
}

// The slots of a table have 4 bits for counts, and an item has two blocks. With a memory, the
// smallest error at which all items fit; none if they do not.
std::optional<candidate> table_candidate(const tally_target& t) {
  const auto size_at = [&](double error) {
    return tally_table::size_for({.items = t.items, .error = error, .total = t.total});
  };
  tally_table_size size;
  if (t.error) {
    size = size_at(*t.error);
  } else {
    double wanted = 0.5;
    for (size = size_at(wanted); wanted > 1e-12; wanted /= 2) {
      const tally_table_size longer = size_at(wanted / 2);
      if (longer.bytes > *t.memory) break;
      size = longer;
    }
    if (size.bytes > *t.memory) return std::nullopt;
  }
  return candidate{.engine = "tally_table",
                   .bits = 8 * static_cast<double>(size.bytes),
                   .error = size.error,
                   .guarantee = "never too low",
                   .more = cells_of(detail::print_counts::bits, 2, removes),
                   .recommended = true};
}

candidate tally_candidate(const math::tally_size& size) {
  return {.engine = "tally_filter",
          .bits = 8 * static_cast<double>(size.memory()),
          .error = size.error,
          .guarantee = "never too low",
          .more = cells_of(size.cell_bits, size.k, removes, size.large_bytes, size.most_memory())};
}

candidate rising_candidate(const math::tally_size& size) {
  return {.engine = "rising_tally",
          .bits = 8 * static_cast<double>(size.cell_bytes + size.rising_large_bytes),
          .error = size.error,
          .guarantee = "never too low",
          .more = cells_of(size.cell_bits, size.k, !removes, size.rising_large_bytes,
                           size.most_memory()),
          .estimated = size.rising_large_bytes > 0};
}

// Bits per cell, as a function of the number of cells in k rows.
using cell_width = double (*)(const tally_target&, std::uint64_t cells, unsigned k);

double fixed_width(const tally_target&, std::uint64_t, unsigned) { return 4; }

double dynamic_width(const tally_target& t, std::uint64_t cells, unsigned k) {
  const unsigned x = published::base_bits_for(t.total, t.items);
  return x + published::overflow_level(published::largest_cell(t.items, t.total, cells, k) >> x);
}

// The mean length of a counter, half a spare bit, and the index.
double spectral_width(const tally_target& t, std::uint64_t cells, unsigned k) {
  const auto m = static_cast<double>(cells);
  const double used = -std::expm1(-static_cast<double>(k) * static_cast<double>(t.items) / m);
  const double mean = static_cast<double>(t.total) * k / (m * used);
  const double bits = 1 + used * std::log2(std::max(1., mean));
  const auto index = static_cast<double>(
      published::published_index_bits(cells, static_cast<std::uint64_t>(bits * m)));
  return bits + 0.5 + index / m;
}

// The cells of k rows that fit into the memory; their width depends on their number.
math::bloom_size rows_in_memory(const tally_target& t, cell_width width) {
  constexpr unsigned some_k = 4;
  const double room = 8 * static_cast<double>(*t.memory);
  std::uint64_t cells = std::max<std::uint64_t>(1, *t.memory);  // widths hardly depend on it
  for (int round = 0; round < 3; ++round) {
    cells = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(room / width(t, cells, some_k)));
  }
  const auto most = static_cast<unsigned>(std::min<std::uint64_t>(cells, published::max_tally_k));
  math::bloom_size size = math::size_for_bits(layout::rows, t.items, cells, most);
  for (int round = 0; round < 8; ++round) {  // the width depends on k
    const double taken = width(t, size.bits, size.k) * static_cast<double>(size.bits);
    if (taken <= room) break;
    const auto fewer = static_cast<std::uint64_t>(static_cast<double>(size.bits) * room / taken);
    size.bits = std::max<std::uint64_t>(size.k, fewer / size.k * size.k);
  }
  return size;
}

candidate row_candidate(const tally_target& t, const char* engine, cell_width width, bool estimated,
                        const char* guarantee) {
  const math::bloom_size size =
      t.error ? math::size_for_error(layout::rows, t.items, *t.error, published::max_tally_k)
              : rows_in_memory(t, width);
  const double bits = width(t, size.bits, size.k);
  return {.engine = engine,
          .bits = bits * static_cast<double>(size.bits),
          .error = math::rows_error(t.items, size.bits, size.k),
          .guarantee = guarantee,
          .more = cells_of(bits, size.k, removes),
          .estimated = estimated};
}

std::vector<candidate> candidates_for(const tally_target& t) {
  const unsigned bits = math::tally_cell_bits(t.load());  // as the library chooses
  std::vector<candidate> all{
      tally_candidate(math::tally_size_for(t.load(), bits)),
      tally_candidate(math::tally_size_for(t.load(), 12 - bits)),
      rising_candidate(math::tally_size_for(t.load(), bits)),
      row_candidate(t, "counting_filter", fixed_width, false, "counts up to 15"),
      row_candidate(t, "dynamic_count_filter", dynamic_width, true, "never too low"),
      row_candidate(t, "spectral_filter", spectral_width, true, "never too low")};
  if (auto table = table_candidate(t)) {
    all.insert(all.begin(), *std::move(table));
  } else {
    all.front().recommended = true;
  }
  all.push_back(exact_map(
      t.items, {nothing(), nothing(), yes_no_cell(removes), {std::uint64_t{0}, ""}, nothing()}));
  return all;
}

std::vector<std::string> notes_of(const tally_target& t) {
  const math::tally_size best = math::tally_size_for(t.load(), math::tally_cell_bits(t.load()));
  std::vector<std::string> notes;
  if (!t.total_given) {
    notes.push_back(
        fmt::format("--total was not given: {} of each item are assumed", math::usual_tally_mean));
  }
  notes.push_back(fmt::format(
      "tally_table: with memory reserved for all items, if counts follow Zipf's law; a table that "
      "grows takes up to 1.4 times that. tally_filter: {} of it for counts too large for their "
      "cells, if counts are equal, random or follow Zipf's law; at most {} in all for any other "
      "counts",
      bytes_text(best.large_bytes), bytes_text(best.most_memory())));
  notes.emplace_back("rising_tally: counts are too high less often than stated");
  const auto table = table_candidate(t);
  const double taken = table ? table->bits / 8 : static_cast<double>(best.memory());
  if (taken > static_cast<double>(profile::exact_map_bytes(t.items))) {
    notes.push_back(
        fmt::format("exact_map takes less memory than the recommended engine; give a {}",
                    t.error ? "larger --error" : "smaller --memory"));
  }
  return notes;
}

plan make(const plan_options& given) {
  using enum audience;
  const tally_target t = target_for(given);
  return {.subject = "Counts of " + count_of(t.items, "item"),
          .target = t,
          .fields = {{"total", t.total}, {"total_given", t.total_given}},
          .columns = {cell_bits_column(),
                      k_column(),
                      {"removes", "removes", side::left, everybody, 2},
                      {"large_bytes", "", side::right, programs},
                      {"most_memory_bytes", "", side::right, programs}},
          .candidates = sized([&] { return candidates_for(t); }),
          .notes = notes_of(t),
          .closing = {next_step(t)}};
}

}  // namespace

planner tally_planner() {
  return {
      .family = "tally",
      .summary = "size a tally (how many of this item are there, as items come and go?)",
      .usage = "--items N [--total N] [--error E | --memory SIZE]",
      .examples =
          "bloomtime plan tally --items 1M                     tally's default size, its error\n"
          "bloomtime plan tally --items 1M --error 1%          memory for an error\n"
          "bloomtime plan tally --items 1M --total 100M --memory 16MB    with the sum of counts",
      .items = "different items at the same time",
      .error_means = "a count is too high",
      .keys = {{"cell_bits", "bits of a cell, or of a count in a table"},
               {"k", "cells per item, or blocks of a table"},
               {"removes", "whether items can be removed"},
               {"large_bytes",
                "part of memory_bytes: the table of counts too large for their cells, if counts "
                "are equal, random or follow Zipf's law (exceeded with probability below 1e-4)"},
               {"most_memory_bytes",
                "upper bound for any counts with this total, if nothing is removed"}},
      .fields = {{"total", "sum of all counts"}, {"total_given", "false if it was assumed"}},
      .engines =
          "tally_table, recommended if all items fit; tally_filter, with cells of 4 or 8 bits "
          "(first "
          "the width that it chooses itself); "
          "rising_tally, for items that are never removed; counting_filter, dynamic_count_filter "
          "and spectral_filter, as published; exact_map: an unordered_map of short items",
      .options = {memory_option(),
                  {"--total", &plan_options::total, "N",
                   "sum of all counts (default 10 of each item)"}},
      .make = make};
}

}  // namespace bloomtime::cli
