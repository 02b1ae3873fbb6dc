#include <fmt/format.h>

#include <bloomtime/heat/heat_filter.hpp>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "bench/harness/keys.hpp"
#include "bench/harness/machine.hpp"
#include "bench/harness/measure.hpp"
#include "bench/harness/parts.hpp"

// What an event and a question cost, next to touching as many random lines of the same array.
namespace bench {
namespace {

using namespace std::chrono_literals;
using bloomtime::estimate;
using bloomtime::heat_filter;
using bloomtime::instant;
using bloomtime::outcome;

constexpr std::uint64_t cells_per_item = 6;
constexpr double limit = 1.5;
constexpr std::int64_t start = 1'400'000'000;

// Items at random, as many as the filter is good for. Each comes about once per half-life, so that
// they are warm, and cells halve on the way.
class heat_subject {
 public:
  explicit heat_subject(std::uint64_t bytes)
      : filter_({.memory = bytes, .half_life = 1h}),
        items_(filter_.cells() / cells_per_item),
        outcomes_(block_size),
        answers_(block_size) {
    // Every item once, so that no page is new to the machine when times are taken.
    std::vector<short_key> keys(block_size);
    for (std::uint64_t done = 0; done < items_; done += keys.size()) {
      fill(keys);
      add_bulk(keys);
    }
  }

  unsigned k() const noexcept { return filter_.k(); }

  void fill(std::span<short_key> keys) noexcept {
    for (short_key& key : keys) key = key_of<short_key>(random_.below(items_));
    events_ += keys.size();
    times_.assign(keys.size(), now());
  }
  void add(std::span<const short_key> keys) {
    for (const short_key key : keys) keep(filter_.add(key, now()));
  }
  void add_bulk(std::span<const short_key> keys) {
    filter_.add_bulk(keys, times_, std::span(outcomes_).first(keys.size()));
  }
  void ask(std::span<const short_key> keys) {
    for (const short_key key : keys) keep(filter_.at(key, now()).upper);
  }
  void ask_bulk(std::span<const short_key> keys) {
    filter_.at_bulk(keys, now(), std::span(answers_).first(keys.size()));
    keep(answers_.data());
  }

 private:
  instant now() const noexcept {
    const double half_lives = static_cast<double>(events_) / static_cast<double>(items_);
    return instant::from_seconds(start + static_cast<std::int64_t>(3600 * half_lives));
  }

  heat_filter filter_;
  std::uint64_t items_;
  random_numbers random_{7};
  std::uint64_t events_ = 0;
  std::vector<instant> times_;
  std::vector<outcome> outcomes_;
  std::vector<estimate> answers_;
};

// The exact answer: a count per item that fades when it is touched.
class exact_subject {
 public:
  explicit exact_subject(std::uint64_t items) : items_(items) {
    counts_.reserve(items);
    for (std::uint64_t i = 0; i < items; ++i) counts_[key_of<short_key>(i)] = {1, second_};
  }

  void fill(std::span<short_key> keys) noexcept {
    for (short_key& key : keys) key = key_of<short_key>(random_.below(items_));
    ++second_;
  }
  void add(std::span<const short_key> keys) {
    for (const short_key key : keys) {
      count& c = counts_[key];
      c = {c.at(second_) + 1, second_};
    }
  }
  void ask(std::span<const short_key> keys) {
    for (const short_key key : keys) {
      const auto found = counts_.find(key);
      keep(found == counts_.end() ? 0.0 : found->second.at(second_));
    }
  }

 private:
  struct count {
    double value = 0;
    std::int64_t second = 0;

    double at(std::int64_t now) const {
      return value * std::exp2(static_cast<double>(second - now) / 3600);
    }
  };

  std::uint64_t items_;
  random_numbers random_{7};
  std::int64_t second_ = start;
  std::unordered_map<short_key, count> counts_;
};

struct figure {
  std::string subject;
  std::string what;
  unsigned lines;
  bool writes;
  bool target;
  std::size_t which;
};

struct size_run {
  schedule cases;
  std::vector<figure> figures;
  line_cases reads;
  line_cases updates;

  // How many times the cost of its lines.
  summary multiple(const figure& f) const {
    summary ratio = cases.ratio(f.which, (f.writes ? updates : reads).best(cases));
    for (double* value : {&ratio.median, &ratio.lower, &ratio.upper}) *value /= f.lines;
    return ratio;
  }
};

template <class Subject>
void add_case(size_run& run, Subject& subject, figure made, std::uint64_t operations,
              void (Subject::*use)(std::span<const short_key>)) {
  made.which = run.cases.add([&subject, operations, use] {
    return time_in_blocks<short_key>(
        operations, [&](std::span<short_key> block) { subject.fill(block); },
        [&](std::span<const short_key> block) { (subject.*use)(block); });
  });
  run.figures.push_back(std::move(made));
}

void print_table(const size_run& run, std::uint64_t bytes) {
  const auto line = [&](line_cases which) { return run.cases.time(which.best(run.cases)).median; };
  fmt::print(
      "\nHeat in {}: half-life 1 h, {} cells per item, random items. A random line costs {:.2f} ns "
      "to\nread, {:.2f} ns to change. Times in ns, and as multiples of so many lines.\n\n",
      text_of_bytes(bytes), cells_per_item, line(run.reads), line(run.updates));
  table shown({"subject", "calls", "lines", "ns", "multiple", "spread"}, 2);
  for (const figure& f : run.figures) {
    const summary time = run.cases.time(f.which);
    shown.row({f.subject, f.what, fmt::format("{}", f.lines), fmt::format("{:.1f}", time.median),
               fmt::format("{:.2f}x", run.multiple(f).median),
               fmt::format("{:.0f} %", 100 * time.spread())});
  }
  shown.print(stdout);
}

void measure(session& run, std::uint64_t bytes) {
  const std::uint64_t operations = run.operations();
  size_run done;
  memory near(bytes);
  done.reads = add_reads(done.cases, near, operations);
  done.updates = add_updates(done.cases, near, operations);
  heat_subject heat(bytes);
  const unsigned k = heat.k();
  const auto filter = [&](const char* what, bool writes, bool target) {
    return figure{"heat_filter", what, k, writes, target, 0};
  };
  add_case(done, heat, filter("add", true, false), operations, &heat_subject::add);
  add_case(done, heat, filter("add_bulk", true, true), operations, &heat_subject::add_bulk);
  add_case(done, heat, filter("at", false, false), operations, &heat_subject::ask);
  add_case(done, heat, filter("at_bulk", false, true), operations, &heat_subject::ask_bulk);
  std::optional<exact_subject> exact;
  if (bytes < (std::uint64_t{64} << 20)) {
    exact.emplace(bytes / 2 / cells_per_item);
    add_case(done, *exact, {"exact map", "add", 1, true, false, 0}, operations,
             &exact_subject::add);
    add_case(done, *exact, {"exact map", "ask", 1, false, false, 0}, operations,
             &exact_subject::ask);
  }
  done.cases.run(run.rounds());
  print_table(done, bytes);
  fmt::print("\nTargets: median (and quartiles) of the ratio\n");
  for (const figure& f : done.figures) {
    run.csv.line("heat", text_of_bytes(bytes), f.subject + "/" + f.what, "multiple of its lines",
                 done.multiple(f));
    if (f.target) {
      print_target(fmt::format("{} in {} / touching its {} lines", f.what, text_of_bytes(bytes), k),
                   limit, done.multiple(f));
    }
  }
}

}  // namespace

void heat_tables(session& run) {
  for (const std::uint64_t bytes : sizes()) {
    if (bytes == sizes().front())
      continue;  // in the second-level cache there are no lines to fetch
    if (run.wants(fmt::format("heat/{}", text_of_bytes(bytes)))) measure(run, bytes);
  }
}

}  // namespace bench
