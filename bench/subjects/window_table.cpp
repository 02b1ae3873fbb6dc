#include <fmt/format.h>

#include <bloomtime/heat/decay_ring.hpp>
#include <bloomtime/heat/window_table.hpp>
#include <bloomtime/math/random.hpp>
#include <bloomtime/math/zipf.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "bench/harness/keys.hpp"
#include "bench/harness/measure.hpp"
#include "bench/harness/named.hpp"
#include "bench/harness/parts.hpp"

// Hits in the last hour, in 60 slots: window_table beside decay_ring and an exact map of rings,
// with the same hits. Every subject has seen a window and a half when it is measured.
namespace bench {
namespace {

using namespace std::chrono_literals;
using bloomtime::decay_ring;
using bloomtime::digest;
using bloomtime::digest_of;
using bloomtime::estimate;
using bloomtime::instant;
using bloomtime::outcome;
using bloomtime::window_table;
using bloomtime::math::random_source;

constexpr unsigned slots = 60;
constexpr double error = 0.01;
constexpr double hour = 3600e6;
constexpr std::int64_t start = 1'400'000'000'000'000;

// -- streams -------------------------------------------------------------------------------------

// Which items have hits: as many hits per window, and items among which they are drawn.
struct traffic {
  std::string name;
  std::uint64_t hits;
  std::function<std::uint64_t(random_source&)> draw;
};

class stream {
 public:
  explicit stream(const traffic& what) : what_(what) {}

  void fill(std::span<digest> items) {
    for (digest& item : items) item = digest_of(key_of<short_key>(what_.draw(random_)));
    drawn_ += items.size();
  }
  instant now() const noexcept {
    const double windows = static_cast<double>(drawn_) / static_cast<double>(what_.hits);
    return instant(start + static_cast<std::int64_t>(windows * hour));
  }

 private:
  const traffic& what_;
  random_source random_{11};
  std::uint64_t drawn_ = 0;
};

// -- subjects ------------------------------------------------------------------------------------

// A ring of 61 counts per item, exact and never too low, as one would write it in an afternoon.
class exact_rings {
 public:
  outcome add(digest d, instant when) {
    ring& r = rings_[d.lo];
    const std::int64_t tick = when.micros / 60'000'000;
    const std::int64_t first = std::max(r.tick + 1, tick - slots);
    for (std::int64_t t = first; t <= tick; ++t) r.counts[static_cast<std::size_t>(t % 61)] = 0;
    r.tick = tick;
    ++r.counts[static_cast<std::size_t>(tick % 61)];
    return outcome::added;
  }
  estimate at(digest d, instant when) const {
    const auto found = rings_.find(d.lo);
    if (found == rings_.end()) return {};
    const std::int64_t tick = when.micros / 60'000'000;
    double sum = 0;
    for (std::int64_t t = tick - slots; t <= found->second.tick; ++t) {
      sum += found->second.counts[static_cast<std::size_t>(t % 61)];
    }
    return {sum, sum, sum};
  }
  // Items of past windows are forgotten by a sweep, which is not timed here.
  std::uint64_t memory() const {
    const std::uint64_t node = sizeof(std::pair<const std::uint64_t, ring>) + 2 * sizeof(void*);
    return rings_.size() * node + rings_.bucket_count() * sizeof(void*);
  }
  void sweep(instant now) {
    const std::int64_t tick = now.micros / 60'000'000;
    std::erase_if(rings_, [&](const auto& e) { return e.second.tick < tick - slots; });
  }

 private:
  struct ring {
    std::int64_t tick = 0;
    std::array<std::uint16_t, slots + 1> counts{};
  };
  std::unordered_map<std::uint64_t, ring> rings_;
};

class subject : public named {
 public:
  using named::named;

  virtual void add(std::span<const digest> items, instant now) = 0;
  virtual void add_bulk(std::span<const digest> items, instant now) = 0;
  virtual void at(std::span<const digest> items, instant now) = 0;
  virtual std::uint64_t memory(instant now) = 0;
};

template <class Engine>
class subject_of : public subject {
 public:
  subject_of(std::string name, Engine engine)
      : subject(std::move(name)), engine_(std::move(engine)), outcomes_(block_size) {}

  void add(std::span<const digest> items, instant now) override {
    for (const digest& item : items) keep(engine_.add(item, now));
  }
  void add_bulk(std::span<const digest> items, instant now) override {
    if constexpr (requires { engine_.advance(now); }) {
      times_.assign(items.size(), now);
      engine_.add_bulk(items, times_, std::span(outcomes_).first(items.size()));
    } else {
      add(items, now);
    }
  }
  void at(std::span<const digest> items, instant now) override {
    for (const digest& item : items) keep(engine_.at(item, now).upper);
  }
  std::uint64_t memory(instant now) override {
    if constexpr (requires { engine_.sweep(now); }) engine_.sweep(now);
    return engine_.memory();
  }

 private:
  Engine engine_;
  std::vector<instant> times_;
  std::vector<outcome> outcomes_;
};

using subjects = std::vector<std::unique_ptr<subject>>;

template <class Engine>
void add_subject(subjects& all, std::string name, Engine engine) {
  all.push_back(std::make_unique<subject_of<Engine>>(std::move(name), std::move(engine)));
}

subjects subjects_for(std::uint64_t items) {
  subjects all;
  add_subject(all, "decay_ring",
              decay_ring({.items = items, .error = error, .window = 1h, .slots = slots}));
  add_subject(all, "window_table",
              window_table({.window = 1h, .slots = slots, .items = items, .error = error}));
  add_subject(all, "window_table, no hint", window_table({.window = 1h, .slots = slots}));
  add_subject(all, "std::unordered_map", exact_rings());
  return all;
}

// -- one table -----------------------------------------------------------------------------------

struct timed_subject {
  subject& what;
  stream hits;
  std::uint64_t memory = 0;  // after a window and a half
  std::size_t add = 0;
  std::size_t bulk = 0;
  std::size_t at = 0;
};

// Different items in the second half of a window and a half of hits, and in all of the last window.
std::uint64_t items_in_window(const traffic& what) {
  stream hits(what);
  std::unordered_set<std::uint64_t> items;
  std::vector<digest> block(block_size);
  for (std::uint64_t done = 0; done < what.hits * 3 / 2; done += block.size()) {
    hits.fill(block);
    if (done < what.hits / 2) continue;
    for (const digest& d : block) items.insert(d.lo);
  }
  return items.size();
}

using call = void (subject::*)(std::span<const digest>, instant);

std::size_t add_case(schedule& cases, timed_subject& t, std::uint64_t operations, call use) {
  return cases.add([&t, operations, use] {
    return time_in_blocks<digest>(
        operations, [&](std::span<digest> block) { t.hits.fill(block); },
        [&](std::span<const digest> block) { (t.what.*use)(block, t.hits.now()); });
  });
}

void print_figures(session& run, const traffic& what, const schedule& cases,
                   const std::list<timed_subject>& timed, std::uint64_t items) {
  const timed_subject& ring = timed.front();
  table shown({"subject", "bytes", "ring", "add", "ring", "in bulk", "ring", "at", "ring"}, 1);
  const auto per_item = [&](const timed_subject& t) {
    return static_cast<double>(t.memory) / static_cast<double>(items);
  };
  for (const timed_subject& t : timed) {
    const auto time = [&](std::size_t which) {
      return fmt::format("{:.0f}", cases.time(which).median);
    };
    const auto ratio = [&](std::size_t which, std::size_t base) {
      return fmt::format("{:.2f}x", cases.ratio(which, base).median);
    };
    shown.row({t.what.name(), fmt::format("{:.1f}", per_item(t)),
               fmt::format("{:.4f}x", per_item(t) / per_item(ring)), time(t.add),
               ratio(t.add, ring.add), time(t.bulk), ratio(t.bulk, ring.bulk), time(t.at),
               ratio(t.at, ring.at)});
    run.csv.line("hits", what.name, t.what.name() + "/add", "multiple of decay_ring",
                 cases.ratio(t.add, ring.add));
    run.csv.line("hits", what.name, t.what.name() + "/at", "multiple of decay_ring",
                 cases.ratio(t.at, ring.at));
  }
  shown.print(stdout);
  const timed_subject& ours = *std::next(timed.begin());
  const double bytes = per_item(ours);
  fmt::print(
      "\nTargets: bytes per item, at most a sixth of decay_ring's; median ratios of times\n");
  print_target("window_table, bytes per item", per_item(ring) / 6, {bytes, bytes, bytes});
  print_target("window_table / decay_ring, add", 1, cases.ratio(ours.add, ring.add));
  print_target("window_table / decay_ring, at", 1, cases.ratio(ours.at, ring.at));
}

void measure(session& run, const traffic& what) {
  const std::uint64_t items = items_in_window(what);
  const subjects all = subjects_for(items);
  const std::uint64_t operations = std::min<std::uint64_t>(run.operations() / 16, what.hits);
  schedule cases;
  std::list<timed_subject> timed;
  for (const auto& each : all) {
    timed_subject& t = timed.emplace_back(timed_subject{*each, stream(what)});
    std::vector<digest> block(block_size);
    for (std::uint64_t done = 0; done < what.hits * 3 / 2; done += block.size()) {
      t.hits.fill(block);
      t.what.add_bulk(block, t.hits.now());
    }
    t.memory = t.what.memory(t.hits.now());
    t.add = add_case(cases, t, operations, &subject::add);
    t.bulk = add_case(cases, t, operations, &subject::add_bulk);
    t.at = add_case(cases, t, operations, &subject::at);
  }
  cases.run(run.rounds());
  fmt::print(
      "\nHits in the last hour, {}: {} hits of {} items per window, {} slots, error {}. Bytes per "
      "item; times in ns; all as multiples of decay_ring's.\n\n",
      what.name, what.hits, items, slots, error);
  print_figures(run, what, cases, timed, items);
}

}  // namespace

void hit_window_tables(session& run) {
  for (const std::uint64_t items : {10'000ULL, 100'000ULL, 1'000'000ULL}) {
    if (run.quick && items > 100'000) continue;
    const bloomtime::math::zipf law(items, 1.0);
    const std::array streams{traffic{fmt::format("zipf {}", items), 5 * items, law},
                             traffic{fmt::format("uniform {}", items), 2 * items,
                                     [&](random_source& r) { return r.below(items); }},
                             traffic{fmt::format("steady {}", items / 10), 12 * items,
                                     [&](random_source& r) { return r.below(items / 10); }}};
    for (const traffic& what : streams) {
      if (run.wants("hits/" + what.name)) measure(run, what);
    }
  }
}

}  // namespace bench
