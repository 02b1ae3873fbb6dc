#include <fmt/format.h>

#include <bloomtime/published/inferential/timing_filter.hpp>
#include <bloomtime/recency/recency_filter.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "bench/harness/keys.hpp"
#include "bench/harness/machine.hpp"
#include "bench/harness/measure.hpp"
#include "bench/harness/parts.hpp"

// What a posterior costs on top of the standard answer (Table 5 of Dautrich & Ravishankar 2019),
// and what a sighting and a question cost next to touching as many random lines.
namespace bench {
namespace {

using namespace std::chrono_literals;
using bloomtime::age_prior;
using bloomtime::instant;
using bloomtime::novelty;
using bloomtime::recency_filter;
using bloomtime::published::timing_filter;

// -- timing filters ----------------------------------------------------------------------------

constexpr std::uint64_t window = 1 << 16;
constexpr std::uint64_t population = 1 << 16;

// A window of 2^16 insertions, 10 bits for each, k = 4: every item is asked for, then inserted.
class timing_subject {
 public:
  timing_subject() : filter_({.window = window, .memory = window * 10 / 8, .k = 4, .bits = 4}) {
    for (std::uint64_t i = 0; i < 2 * window; ++i) filter_.add(random_.below(population));
  }

  void fill(std::span<short_key> keys) noexcept {
    for (short_key& key : keys) key = random_.below(population);
  }
  void standard(std::span<const short_key> keys) {
    for (const short_key key : keys) {
      keep(filter_.seen(key));
      filter_.add(key);
    }
  }
  // Every item comes with a share of its own.
  void inferential(std::span<const short_key> keys) {
    for (const short_key key : keys) {
      const double share = 1 / static_cast<double>(population + key % 2);
      keep(filter_.decide(key, age_prior::share(share), costs));
      filter_.add(key);
    }
  }
  void shared(std::span<const short_key> keys) {
    for (const short_key key : keys) {
      keep(filter_.decide(key, *prior_, costs));
      filter_.add(key);
    }
  }

 private:
  static constexpr bloomtime::math::penalties costs{1, 2};

  timing_filter filter_;
  std::unique_ptr<bloomtime::published::shared_geometric> prior_ =
      std::make_unique<bloomtime::published::shared_geometric>(
          bloomtime::math::geometric(1. / population));
  random_numbers random_{5};
};

template <class Subject>
std::size_t add_case(schedule& cases, Subject& subject, std::uint64_t operations,
                     void (Subject::*use)(std::span<const short_key>)) {
  return cases.add([&subject, operations, use] {
    return time_in_blocks<short_key>(
        operations, [&](std::span<short_key> block) { subject.fill(block); },
        [&](std::span<const short_key> block) { (subject.*use)(block); });
  });
}

void measure_timing(session& run) {
  schedule cases;
  timing_subject subject;
  const std::uint64_t operations = run.operations();
  const std::size_t standard = add_case(cases, subject, operations, &timing_subject::standard);
  const std::size_t inferential =
      add_case(cases, subject, operations, &timing_subject::inferential);
  const std::size_t shared = add_case(cases, subject, operations, &timing_subject::shared);
  cases.run(run.rounds());
  fmt::print(
      "\nA block timing filter: window of 2^16 insertions, 10 bits for each, k = 4, items from "
      "2^16 "
      "alike.\nA question and an insertion, in ns, and as multiples of the standard answer.\n\n");
  table shown({"answer", "ns", "multiple", "spread"}, 1);
  const auto row = [&](const char* name, std::size_t which) {
    shown.row({name, fmt::format("{:.1f}", cases.time(which).median),
               fmt::format("{:.2f}x", cases.ratio(which, standard).median),
               fmt::format("{:.0f} %", 100 * cases.time(which).spread())});
  };
  row("standard", standard);
  row("inferential, a prior per item", inferential);
  row("inferential, a shared prior", shared);
  shown.print(stdout);
  fmt::print("\nTargets: median (and quartiles) of the ratio\n");
  print_target("inferential / standard", 2.5, cases.ratio(inferential, standard));
  print_target("inferential with a shared prior / standard", 1.6, cases.ratio(shared, standard));
  run.csv.line("recency", "2^16", "timing_filter/inferential", "multiple of standard",
               cases.ratio(inferential, standard));
  run.csv.line("recency", "2^16", "timing_filter/shared", "multiple of standard",
               cases.ratio(shared, standard));
}

// -- recency filters ---------------------------------------------------------------------------

// New items all the time, as many in a window as the filter was sized for.
class recency_subject {
 public:
  recency_subject(std::uint64_t bytes, bloomtime::layout layout, std::uint64_t bits_per_item)
      : items_(bytes * 8 / bits_per_item),
        filter_({.window = 10min, .items = items_, .memory = bytes, .layout = layout}),
        novelties_(block_size),
        answers_(new bool[block_size]) {
    std::vector<short_key> keys(block_size);
    for (std::uint64_t done = 0; done < items_; done += keys.size()) {
      fill(keys);
      insert_bulk(keys);
    }
  }

  const recency_filter& filter() const noexcept { return filter_; }
  unsigned lines() const noexcept {
    return filter_.layout() == bloomtime::layout::line ? 1 : filter_.size().k;
  }

  void fill(std::span<short_key> keys) noexcept {
    times_.clear();
    for (short_key& key : keys) {
      key =
          key_of<short_key>(random_.below(10) == 0 && made_ != 0 ? random_.below(made_) : made_++);
      events_ += 1;
      const double windows = static_cast<double>(events_) / static_cast<double>(items_);
      times_.emplace_back(static_cast<std::int64_t>(600e6 * windows));
    }
  }
  void insert(std::span<const short_key> keys) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      keep(filter_.add_if_new(keys[i], times_[i]).fresh);
    }
  }
  void insert_bulk(std::span<const short_key> keys) {
    filter_.add_if_new_bulk(keys, times_, std::span(novelties_).first(keys.size()));
  }
  void ask(std::span<const short_key> keys) {
    for (const short_key key : keys) keep(filter_.seen(key));
  }
  void ask_bulk(std::span<const short_key> keys) {
    filter_.seen_bulk(keys, filter_.newest().value_or(instant()),
                      std::span(answers_.get(), keys.size()));
    keep(answers_.get());
  }

 private:
  std::uint64_t items_;
  recency_filter filter_;
  random_numbers random_{7};
  std::uint64_t made_ = 0;
  std::uint64_t events_ = 0;
  std::vector<instant> times_;
  std::vector<novelty> novelties_;
  std::unique_ptr<bool[]> answers_;
};

// The exact answer: when each item was last seen, forgetting nothing.
class last_seen_subject {
 public:
  explicit last_seen_subject(std::uint64_t items) : items_(items) {
    last_.reserve(items);
    for (std::uint64_t i = 0; i < items; ++i) last_[key_of<short_key>(i)] = 0;
  }

  void fill(std::span<short_key> keys) noexcept {
    for (short_key& key : keys) key = key_of<short_key>(random_.below(items_));
    ++now_;
  }
  void insert(std::span<const short_key> keys) {
    for (const short_key key : keys) {
      std::int64_t& last = last_[key];
      keep(now_ - last > 600);
      last = now_;
    }
  }

 private:
  std::uint64_t items_;
  random_numbers random_{7};
  std::int64_t now_ = 1;
  std::unordered_map<short_key, std::int64_t> last_;
};

struct figure {
  std::string subject;
  std::string what;
  unsigned lines;
  bool writes;
  std::size_t which;
};

void measure_recency(session& run, std::uint64_t bytes) {
  const std::uint64_t operations = run.operations();
  schedule cases;
  memory near(bytes);
  const line_cases reads = add_reads(cases, near, operations);
  const line_cases updates = add_updates(cases, near, operations);
  // 1 % in lines, about 1e-6 flat.
  recency_subject line(bytes, bloomtime::layout::line, 60);
  recency_subject flat(bytes, bloomtime::layout::flat, 135);
  last_seen_subject exact(bytes / 64);
  std::vector<figure> figures;
  const auto add = [&](const std::string& name, recency_subject& s) {
    const auto one = [&](const char* what, bool writes,
                         void (recency_subject::*use)(std::span<const short_key>)) {
      figures.push_back({name, what, s.lines(), writes, add_case(cases, s, operations, use)});
    };
    one("add_if_new", true, &recency_subject::insert);
    one("add_if_new_bulk", true, &recency_subject::insert_bulk);
    one("seen", false, &recency_subject::ask);
    one("seen_bulk", false, &recency_subject::ask_bulk);
  };
  add("line", line);
  add("flat", flat);
  figures.push_back({"unordered_map", "insert", 1, true,
                     add_case(cases, exact, operations, &last_seen_subject::insert)});
  cases.run(run.rounds());
  const auto line_ns = [&](line_cases which) { return cases.time(which.best(cases)).median; };
  fmt::print(
      "\nRecency in {}: a window of 10 minutes in 10 ticks, nine of ten items new. Line: k = {}, "
      "error {:.1e};\nflat: k = {}, error {:.1e}. The map holds one item for 64 bytes. A random "
      "line "
      "costs {:.2f} ns to read,\n{:.2f} ns to change. Times in ns, and as multiples of so many "
      "lines.\n\n",
      text_of_bytes(bytes), line.filter().size().k,
      line.filter().predicted_error(line.filter().items()), flat.filter().size().k,
      flat.filter().predicted_error(flat.filter().items()), line_ns(reads), line_ns(updates));
  table shown({"subject", "calls", "lines", "ns", "multiple", "spread"}, 2);
  for (const figure& f : figures) {
    summary ratio = cases.ratio(f.which, (f.writes ? updates : reads).best(cases));
    for (double* value : {&ratio.median, &ratio.lower, &ratio.upper}) *value /= f.lines;
    const summary time = cases.time(f.which);
    shown.row({f.subject, f.what, fmt::format("{}", f.lines), fmt::format("{:.1f}", time.median),
               fmt::format("{:.2f}x", ratio.median), fmt::format("{:.0f} %", 100 * time.spread())});
    run.csv.line("recency", text_of_bytes(bytes), f.subject + "/" + f.what, "multiple of its lines",
                 ratio);
  }
  shown.print(stdout);
}

}  // namespace

void recency_tables(session& run) {
  if (run.wants("recency/timing")) measure_timing(run);
  for (const std::uint64_t bytes : sizes()) {
    if (bytes == sizes().front()) continue;  // there are no lines to fetch
    if (run.wants(fmt::format("recency/{}", text_of_bytes(bytes)))) measure_recency(run, bytes);
  }
}

}  // namespace bench
