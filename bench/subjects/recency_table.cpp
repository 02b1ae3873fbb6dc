#include <fmt/format.h>

#include <bloomtime/recency/age_partitioned_filter.hpp>
#include <bloomtime/recency/recency_filter.hpp>
#include <bloomtime/recency/recency_table.hpp>

#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bench/harness/exact_map.hpp"
#include "bench/harness/filter_ring.hpp"
#include "bench/harness/keys.hpp"
#include "bench/harness/measure.hpp"
#include "bench/harness/named.hpp"
#include "bench/harness/parts.hpp"

// A window of the last N insertions, all of them different: recency_table beside the other engines,
// a ring of plain Bloom filters, and exact maps. Every subject sees the same keys.
namespace bench {
namespace {

using bloomtime::age_partitioned_filter;
using bloomtime::digest;
using bloomtime::digest_of;
using bloomtime::novelty;
using bloomtime::recency_filter;
using bloomtime::recency_table;

// The number of the last insertion of every item, forgetting nothing: the last N keys come again.
template <class Map>
class exact_window {
 public:
  exact_window(std::uint64_t items, double) : items_(items) {}

  void add(digest x) { (void)add_if_new(x); }
  bool seen(digest x) const {
    const std::uint64_t* const at = find(x);
    return at != nullptr && now_ - *at < items_;
  }
  novelty add_if_new(digest x) {
    std::uint64_t& at = map_[x];
    const bool known = at != 0 && now_ - at < items_;
    at = ++now_;
    return {!known, bloomtime::outcome::added};
  }
  std::uint64_t memory() const noexcept;

 private:
  const std::uint64_t* find(digest x) const;

  std::uint64_t items_;
  std::uint64_t now_ = 0;
  Map map_;
};

struct digest_hash {
  std::size_t operator()(digest x) const noexcept { return x.lo; }
};
using node_map = std::unordered_map<digest, std::uint64_t, digest_hash>;

template <>
const std::uint64_t* exact_window<exact_map>::find(digest x) const {
  return map_.find(x);
}
template <>
const std::uint64_t* exact_window<node_map>::find(digest x) const {
  const auto found = map_.find(x);
  return found == map_.end() ? nullptr : &found->second;
}
template <>
std::uint64_t exact_window<exact_map>::memory() const noexcept {
  return map_.memory() / 2;  // of one window; the stream has the keys of two
}
// A node has a key, a value and a link, and malloc adds 8 bytes.
template <>
std::uint64_t exact_window<node_map>::memory() const noexcept {
  return (map_.size() * (sizeof(digest) + 3 * 8) + map_.bucket_count() * 8) / 2;
}

template <class Engine>
Engine made(std::uint64_t items, double error) {
  if constexpr (std::same_as<Engine, age_partitioned_filter>) {
    return age_partitioned_filter({.last = items, .error = error});
  } else if constexpr (std::same_as<Engine, recency_filter>) {
    return recency_filter({.last = items, .items = items, .error = error});
  } else {
    return Engine(items, error);
  }
}

// -- subjects ------------------------------------------------------------------------------------

// Calls that may be timed; a filter without a bulk call is called in a loop.
class subject : public named {
 public:
  using named::named;

  virtual void add_if_new(std::span<const digest> keys) = 0;
  virtual void add_if_new_bulk(std::span<const digest> keys) = 0;
  virtual void seen(std::span<const digest> keys) = 0;
  virtual std::uint64_t memory() const = 0;
};

template <class Engine>
class subject_of final : public subject {
 public:
  subject_of(std::string name, Engine engine)
      : subject(std::move(name)), engine_(std::move(engine)), answers_(block_size) {}

  void add_if_new(std::span<const digest> keys) override {
    for (const digest& key : keys) keep(engine_.add_if_new(key).fresh);
  }
  void add_if_new_bulk(std::span<const digest> keys) override {
    if constexpr (requires { engine_.add_if_new_bulk(keys, std::span(answers_)); }) {
      engine_.add_if_new_bulk(keys, std::span(answers_).first(keys.size()));
      keep(answers_.data());
    } else {
      add_if_new(keys);
    }
  }
  void seen(std::span<const digest> keys) override {
    for (const digest& key : keys) keep(engine_.seen(key));
  }
  std::uint64_t memory() const override { return engine_.memory(); }

 private:
  Engine engine_;
  std::vector<novelty> answers_;
};

using subjects = std::vector<std::unique_ptr<subject>>;

recency_table table_of(std::uint64_t items, double error, std::uint32_t ticks, bool reserve) {
  return recency_table(
      {.last = items, .items = items, .error = error, .reserve = reserve, .ticks = ticks});
}

template <class Engine>
void add_subject(subjects& all, std::string name, Engine engine) {
  all.push_back(std::make_unique<subject_of<Engine>>(std::move(name), std::move(engine)));
}

subjects subjects_for(std::uint64_t items, double error) {
  subjects all;
  add_subject(all, "ring of 11 filters", made<filter_ring>(items, error));
  add_subject(all, "recency_table, 12 ticks", table_of(items, error, 12, true));
  add_subject(all, "recency_table, 64 ticks", table_of(items, error, 64, true));
  add_subject(all, "recency_table, 600 ticks", table_of(items, error, 600, true));
  add_subject(all, "recency_table, grown", table_of(items, error, 12, false));
  add_subject(all, "recency_filter", made<recency_filter>(items, error));
  add_subject(all, "age_partitioned_filter", made<age_partitioned_filter>(items, error));
  add_subject(all, "exact map", made<exact_window<exact_map>>(items, error));
  add_subject(all, "std::unordered_map", made<exact_window<node_map>>(items, error));
  return all;
}

// -- one table -----------------------------------------------------------------------------------

// Keys that come again after two windows, so that exact maps do not grow for ever.
class stream {
 public:
  explicit stream(std::uint64_t items) : period_(2 * items) {}

  void fill(std::span<digest> keys, bool absent) {
    for (digest& key : keys) {
      key = digest_of(absent ? key_of<short_key>(first_absent + absent_++)
                             : key_of<short_key>(next_++ % period_));
    }
  }

 private:
  std::uint64_t period_;
  std::uint64_t next_ = 0;
  std::uint64_t absent_ = 0;
};

struct timed_subject {
  subject& what;
  stream keys;
  std::size_t set = 0;
  std::size_t bulk = 0;
  std::size_t absent = 0;
};

void measure(session& run, std::uint64_t items, double error) {
  const std::uint64_t operations = std::min(run.operations(), items);
  const subjects all = subjects_for(items, error);
  schedule cases;
  std::list<timed_subject> timed;
  for (const auto& each : all) {
    timed_subject& t = timed.emplace_back(timed_subject{*each, stream(items)});
    std::vector<digest> keys(block_size);
    for (std::uint64_t done = 0; done < 2 * items; done += keys.size()) {
      t.keys.fill(keys, false);
      t.what.add_if_new_bulk(keys);
    }
    const auto add = [&](bool absent, void (subject::*use)(std::span<const digest>)) {
      return cases.add([&t, operations, absent, use] {
        return time_in_blocks<digest>(
            operations, [&](std::span<digest> block) { t.keys.fill(block, absent); },
            [&](std::span<const digest> block) { (t.what.*use)(block); });
      });
    };
    t.set = add(false, &subject::add_if_new);
    t.bulk = add(false, &subject::add_if_new_bulk);
    t.absent = add(true, &subject::seen);
  }
  cases.run(run.rounds());
  const timed_subject& ring = timed.front();
  fmt::print(
      "\nA window of {} insertions, error {:.0e}. Bits per item; times in ns and as multiples of "
      "the ring's.\n\n",
      items, error);
  table shown({"subject", "bits", "add_if_new", "ring", "in bulk", "ring", "seen", "ring"}, 1);
  for (const timed_subject& t : timed) {
    const auto time = [&](std::size_t which) {
      return fmt::format("{:.1f}", cases.time(which).median);
    };
    const auto ratio = [&](std::size_t which, std::size_t base) {
      return fmt::format("{:.2f}x", cases.ratio(which, base).median);
    };
    const double bits = 8 * static_cast<double>(t.what.memory()) / static_cast<double>(items);
    shown.row({t.what.name(), fmt::format("{:.1f}", bits), time(t.set), ratio(t.set, ring.set),
               time(t.bulk), ratio(t.bulk, ring.bulk), time(t.absent),
               ratio(t.absent, ring.absent)});
    const std::string size = fmt::format("{} items, {:.0e}", items, error);
    run.csv.line("window", size, t.what.name() + "/add_if_new", "multiple of the ring",
                 cases.ratio(t.set, ring.set));
    run.csv.line("window", size, t.what.name() + "/seen", "multiple of the ring",
                 cases.ratio(t.absent, ring.absent));
  }
  shown.print(stdout);
  const timed_subject& ours = *std::next(timed.begin());
  fmt::print("\nTargets: median (and quartiles) of the ratio\n");
  print_target("recency_table / ring, add_if_new", 0.75, cases.ratio(ours.set, ring.set));
  print_target("recency_table / ring, in bulk", 0.75, cases.ratio(ours.bulk, ring.bulk));
  print_target("recency_table / ring, seen", 0.5, cases.ratio(ours.absent, ring.absent));
}

}  // namespace

void window_tables(session& run) {
  for (const std::uint64_t items : {100'000ULL, 1'000'000ULL, 10'000'000ULL}) {
    if (run.quick && items > 1'000'000) continue;
    for (const double error : {1e-2, 1e-3, 1e-4, 1e-6}) {
      if (run.wants(fmt::format("window/{}/{:.0e}", items, error))) measure(run, items, error);
    }
  }
}

}  // namespace bench
