#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/keys.hpp"
#include "bench/harness/machine.hpp"
#include "bench/harness/measure.hpp"
#include "bench/harness/parts.hpp"
#include "bench/subjects/bloom_subjects.hpp"

namespace bench {
namespace {

using bloomtime::layout;

constexpr std::array hit_percents{0u, 50u, 100u};
constexpr std::string_view reference = "line 10";

struct row {
  std::string subject;
  std::string key;
  calls how = calls::single;
  std::size_t insert = 0;  // its case among the inserts
  std::array<std::size_t, hit_percents.size()> lookups{};
  unsigned k = 0;
  double bits_per_item = 0;
  std::uint64_t asked = 0;  // about absent items
  std::uint64_t wrong = 0;

  std::string name() const {
    return fmt::format("{}/{}/{}", subject, key, how == calls::bulk ? "bulk" : "single");
  }
  double error() const { return static_cast<double>(wrong) / static_cast<double>(asked); }
};

// All cases of one size: in the rounds of `inserts` everything is filled, in those of `lookups`
// everything is asked, next to the random lines they are compared with.
struct size_run {
  std::uint64_t bytes;
  unsigned rounds;
  std::uint64_t queries;
  schedule inserts = {};
  schedule lookups = {};
  std::deque<row> rows = {};  // cases refer to them
  line_cases updates = {};
  line_cases reads = {};
  line_cases far_reads = {};
  std::size_t dependent = 0;

  // A large array is filled once, a part per round; a small one anew in every round.
  bool fills_once() const { return bytes > (std::uint64_t{16} << 20); }
};

template <class Key, class Subject>
double insert_round(Subject& subject, calls how, std::uint64_t first, std::uint64_t count) {
  return time_in_blocks<Key>(
      count,
      [&](std::span<Key> block) {
        for (Key& key : block) key = key_of<Key>(first++);
      },
      [&](std::span<const Key> block) { subject.insert(block, how); });
}

template <class Key, class Subject>
double lookup_round(Subject& subject, calls how, query_set& queries, std::uint64_t count,
                    std::uint64_t& found) {
  return time_in_blocks<Key>(
      count, [&](std::span<Key> block) { queries.fill(block); },
      [&](std::span<const Key> block) { found += subject.count_found(block, how); });
}

template <class Key, class Subject>
void add_lookups(size_run& run, Subject& subject, row& made, std::uint64_t present) {
  for (std::size_t i = 0; i < hit_percents.size(); ++i) {
    query_set queries(present, hit_percents[i], run.rows.size());
    made.lookups[i] = run.lookups.add([&run, &subject, &made, queries, i]() mutable {
      std::uint64_t found = 0;
      (void)lookup_round<Key>(subject, made.how, queries, warm_up(run.bytes), found);
      found = 0;
      const double time = lookup_round<Key>(subject, made.how, queries, run.queries, found);
      if (hit_percents[i] == 0) {
        made.asked += run.queries;
        made.wrong += found;
      }
      made.k = subject.k();
      made.bits_per_item = subject.bits_per_item();
      return time;
    });
  }
}

// What one case inserts in a round, and where the next round goes on.
struct share {
  calls how;
  std::uint64_t first;
  std::uint64_t count;
  std::uint64_t step;  // 0 if every round starts anew
};

// A round's keys, in single and in bulk calls; there are never more single ones than queries, since
// they are slow where the array is large.
std::vector<share> shares(const size_run& run, std::uint64_t items, bool bulk, bool once) {
  const std::uint64_t all = once ? items / run.rounds : items;
  const std::uint64_t step = once ? all : 0;
  if (!bulk) return {{calls::single, 0, all, step}};
  const std::uint64_t single = std::min(all / 2, run.queries);
  return {{calls::single, 0, single, step}, {calls::bulk, single, all - single, step}};
}

// One row per way to call. With `starts` the first of them empties the subject every round.
template <class Key, class Subject>
void add_rows(size_run& run, Subject& subject, const std::string& name, bool starts) {
  const bool once = run.fills_once() || !Subject::has_bulk;
  const std::uint64_t items = subject.items_per_key_type();
  for (share part : shares(run, items, Subject::has_bulk, once)) {
    row& made = run.rows.emplace_back();
    made.subject = name;
    made.key = sizeof(Key) == sizeof(short_key) ? "8 B" : "40 B";
    made.how = part.how;
    const bool clears = starts && !once && part.first == 0;
    made.insert = run.inserts.add([&subject, clears, part]() mutable {
      if (clears) subject.clear();
      const double time = insert_round<Key>(subject, part.how, part.first, part.count);
      part.first += part.step;
      return time;
    });
    add_lookups<Key>(run, subject, made, once ? items / run.rounds * run.rounds : items);
  }
}

// -- printing ------------------------------------------------------------------------------------

std::string time_text(const summary& time, const summary& multiple) {
  return fmt::format("{:.{}f} {:>6.2f}x", time.median, time.median < 100 ? 2 : 1, multiple.median);
}

std::vector<std::string> cells(const size_run& run, const row& r) {
  const auto read = run.reads.best(run.lookups);
  const auto update = run.updates.best(run.inserts);
  double spread = run.inserts.time(r.insert).spread();
  std::vector<std::string> line{
      r.subject, fmt::format("{}", r.k), r.key, r.how == calls::bulk ? "bulk" : "single",
      time_text(run.inserts.time(r.insert), run.inserts.ratio(r.insert, update))};
  for (const auto lookup : r.lookups) {
    line.push_back(time_text(run.lookups.time(lookup), run.lookups.ratio(lookup, read)));
    spread = std::max(spread, run.lookups.time(lookup).spread());
  }
  line.push_back(fmt::format("{:.0f} %", 100 * spread));
  line.push_back(fmt::format("{:.2f}", r.bits_per_item));
  if (r.wrong == 0) {
    line.insert(line.end(), {"0", "", ""});
    return line;
  }
  const double optimal = bloomtime::math::optimal_bits_per_item(r.error());
  line.push_back(fmt::format("{:.3f} %", 100 * r.error()));
  line.push_back(fmt::format("{:.2f}", optimal));
  line.push_back(fmt::format("{:.0f} %", 100 * (r.bits_per_item / optimal - 1)));
  return line;
}

void print_table(const size_run& run) {
  const auto line = [](const schedule& cases, line_cases which) {
    return fmt::format("{:.2f} ns (plain loop {:.2f}, blocks {:.2f})",
                       cases.time(which.best(cases)).median, cases.time(which.plain).median,
                       cases.time(which.block).median);
  };
  fmt::print("\nBloom filters of {}. In these rounds a random line cost: dependent {:.2f} ns,\n",
             text_of_bytes(run.bytes), run.lookups.time(run.dependent).median);
  fmt::print("independent read {},\nread-modify-write {}.\n", line(run.lookups, run.reads),
             line(run.inserts, run.updates));
  fmt::print(
      "Times in ns per item, and as multiples of a read-modify-write (insert) or a read.\n\n");
  table text({"filter", "k", "key", "calls", "insert", "0 % hits", "50 % hits", "100 % hits",
              "spread", "bits/item", "error", "optimal", "wasted"},
             4);
  for (const row& r : run.rows) text.row(cells(run, r));
  text.print(stdout);
  std::fflush(stdout);
}

void write_csv(csv_file& csv, const size_run& run) {
  const std::string size = text_of_bytes(run.bytes);
  const auto exact = [](double value) { return summary{value, value, value}; };
  for (const row& r : run.rows) {
    const auto line = [&](const std::string& measure, const summary& value) {
      csv.line("bloom", size, r.name(), measure, value);
    };
    line("insert ns", run.inserts.time(r.insert));
    line("insert multiple", run.inserts.ratio(r.insert, run.updates.best(run.inserts)));
    for (std::size_t i = 0; i < hit_percents.size(); ++i) {
      const std::string what = fmt::format("lookup {} % hits ", hit_percents[i]);
      line(what + "ns", run.lookups.time(r.lookups[i]));
      line(what + "multiple", run.lookups.ratio(r.lookups[i], run.reads.best(run.lookups)));
    }
    line("error", exact(r.error()));
    line("bits per item", exact(r.bits_per_item));
  }
}

// -- targets -------------------------------------------------------------------------------------

const row* find_row(const size_run& run, calls how) {
  const auto found = std::find_if(run.rows.begin(), run.rows.end(), [&](const row& r) {
    return r.subject == reference && r.key == "8 B" && r.how == how;
  });
  return found == run.rows.end() ? nullptr : &*found;
}

summary slowest_lookup(const size_run& run, const row& r, std::size_t base) {
  summary slowest;
  for (const auto lookup : r.lookups) {
    const summary ratio = run.lookups.ratio(lookup, base);
    if (ratio.median > slowest.median) slowest = ratio;
  }
  return slowest;
}

void print_targets(const size_run& smallest, const size_run& largest) {
  const row* single = find_row(smallest, calls::single);
  const row* bulk = find_row(largest, calls::bulk);
  if (single == nullptr || bulk == nullptr) return;
  const std::string far = text_of_bytes(largest.bytes);
  fmt::print("\nTargets, for {} and keys of 8 bytes: median (and quartiles) of the ratio\n",
             reference);
  print_target("bulk lookup in " + far + " / independent random line read there, worst hit rate",
               1.3, slowest_lookup(largest, *bulk, largest.reads.best(largest.lookups)));
  print_target("bulk insert in " + far + " / independent random line read-modify-write there", 1.3,
               largest.inserts.ratio(bulk->insert, largest.updates.best(largest.inserts)));
  print_target("single lookup in " + text_of_bytes(smallest.bytes) +
                   " with its digest / independent random line read in " + far + ", worst hit rate",
               0.5, slowest_lookup(smallest, *single, smallest.far_reads.best(smallest.lookups)));
}

// -- running -------------------------------------------------------------------------------------

struct engine {
  std::string_view name;
  layout kind;
  std::uint64_t bits_per_item;
};

constexpr std::array engines{engine{reference, layout::line, 10},
                             engine{"line 16", layout::line, 16},
                             engine{"flat 10", layout::flat, 10}};
constexpr std::string_view set_name = "hash set";

// A quick run has no time to fill large arrays with more than the reference.
bool wanted(const session& run, std::uint64_t bytes, std::string_view subject) {
  if (run.quick && subject != reference && bytes > sizes().front()) return false;
  return run.wants(fmt::format("bloom/{}/{}", text_of_bytes(bytes), subject));
}

// The subjects live as long as the measuring; the figures longer.
size_run measure(session& run, std::uint64_t bytes, memory& far) {
  size_run cases{.bytes = bytes, .rounds = run.rounds(), .queries = run.operations()};
  memory near(bytes);
  cases.updates = add_updates(cases.inserts, near, cases.queries);
  cases.dependent = add_dependent_reads(cases.lookups, near, cases.queries / 8);
  cases.reads = add_reads(cases.lookups, near, cases.queries);
  cases.far_reads = add_reads(cases.lookups, far, cases.queries);

  std::deque<bloom_subject> filters;
  for (const engine& e : engines) {
    if (!wanted(run, bytes, e.name)) continue;
    bloom_subject& filter = filters.emplace_back(e.kind, e.bits_per_item, bytes);
    add_rows<short_key>(cases, filter, std::string(e.name), true);
    add_rows<long_key>(cases, filter, std::string(e.name), false);
  }
  // As many items as the reference; left out where they need gigabytes.
  std::optional<set_subject> set;
  if (!cases.fills_once() && wanted(run, bytes, set_name)) {
    set.emplace(bytes * 8 / 10);
    add_rows<short_key>(cases, *set, std::string(set_name), true);
  }
  cases.inserts.run(cases.rounds);
  cases.lookups.run(cases.rounds);
  return cases;
}

}  // namespace

void bloom_tables(session& run) {
  memory far(sizes().back());
  std::deque<size_run> done;
  for (const std::uint64_t bytes : sizes()) {
    done.push_back(measure(run, bytes, far));
    if (done.back().rows.empty()) continue;
    print_table(done.back());
    write_csv(run.csv, done.back());
  }
  print_targets(done.front(), done.back());
}

}  // namespace bench
