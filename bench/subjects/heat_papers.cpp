#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "bench/harness/parts.hpp"
#include "experiments/heat/add_times.hpp"
#include "experiments/heat/measures.hpp"

// heat_filter beside the published filter it replaces: error at equal memory, and what the end of
// an epoch costs.
namespace bench {
namespace {

using namespace bloomtime;
using namespace bloomtime::published;
using namespace experiments;

constexpr double goal = 0.5;

double mean_excess(const stream& s, const exact_heat& exact, increase how, double lambda) {
  decaying_config c = basic_of(6ul * s.items, lambda);
  c.increase = how;
  decaying_filter f(c);
  feed(f, s);
  return mean(excesses(f, s, exact));
}

void error_table(session& run) {
  fmt::print(
      "\nMean over-estimate of all items in hits, in the same memory with the table of large "
      "cells\n"
      "charged: Zipf(1.0), 20 000 items, 50 000 hits in each of 60 epochs, k 4, 6 counters of\n"
      "16 bits per item, rounding up. The goal at lambda 0.9 is half of the basic filter's.\n\n");
  table out({"lambda", "basic", "basic, minimum increase", "heat_filter", "ratio", "goal"}, 0);
  const stream s = usual_zipf(1);
  for (const double lambda : {0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99}) {
    const exact_heat exact = exact_of(s, lambda);
    const double plain = mean_excess(s, exact, increase::plain, lambda);
    const double minimum = mean_excess(s, exact, increase::minimum, lambda);
    const heat_filter lazy = heat_filter_in(12ul * s.items, lambda, s);
    const double ours = mean(excesses(lazy, s, exact));
    out.row({fmt::format("{:.2f}", lambda), fmt::format("{:.3f}", plain),
             fmt::format("{:.3f}", minimum), fmt::format("{:.3f}", ours),
             fmt::format("{:.3f}", ours / plain), ours <= goal * plain ? "reached" : "missed"});
    const std::string size = fmt::format("lambda {:.2f}", lambda);
    run.csv.line("heat error", size, "basic", "hits", {plain, plain, plain});
    run.csv.line("heat error", size, "heat_filter", "hits", {ours, ours, ours});
  }
  out.print(stdout);
}

template <class Filter>
void boundary_row(table& out, session& run, const char* name, const Filter& f) {
  const auto times = add_times(f);
  const summary first = summarize(times.front());
  const summary later = summarize(times[adds / 2]);
  out.row({name, fmt::format("{:.0f}", first.median),
           fmt::format("({:.0f}-{:.0f})", first.lower, first.upper),
           fmt::format("{:.0f}", later.median),
           fmt::format("{:.0f}x", first.median / later.median)});
  run.csv.line("heat epoch", "1 MiB", name, "first add, ns", first);
}

void boundary_table(session& run) {
  fmt::print(
      "\nThe first add of an epoch and one in its middle, ns each, with 1 MiB of counters.\n\n");
  table out({"filter", "first", "quartiles", "later", "ratio"}, 1);
  constexpr std::uint64_t bytes = 1 << 20;
  boundary_row(out, run, "basic, sweep", decaying_filter(basic_of(bytes / 2, 0.9)));
  boundary_row(out, run, "heat_filter", heat_filter({.memory = bytes, .lambda = 0.9}));
  out.print(stdout);
}

}  // namespace

void heat_papers_tables(session& run) {
  if (!run.wants("heat error")) return;
  error_table(run);
  boundary_table(run);
}

}  // namespace bench
