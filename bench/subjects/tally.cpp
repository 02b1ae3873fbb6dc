#include <fmt/format.h>

#include <bloomtime/detail/buffer.hpp>
#include <bloomtime/detail/probes.hpp>
#include <bloomtime/math/random.hpp>
#include <bloomtime/math/zipf.hpp>
#include <bloomtime/published/dynamic_count/dynamic_count_filter.hpp>
#include <bloomtime/published/dynamic_count/sizes.hpp>
#include <bloomtime/published/dynamic_count/spectral_filter.hpp>
#include <bloomtime/tally/rising_tally.hpp>
#include <bloomtime/tally/tally_filter.hpp>
#include <bloomtime/tally/tally_table.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "bench/harness/keys.hpp"
#include "bench/harness/machine.hpp"
#include "bench/harness/measure.hpp"
#include "bench/harness/parts.hpp"

// Tally filters beside a count-min sketch in as many bytes, a hash map and random lines of memory,
// and the published dynamic count filter beside the published spectral filter.
namespace bench {
namespace {

using namespace bloomtime;
using namespace bloomtime::published;

// -- skewed arrivals ---------------------------------------------------------------------------

struct crowd {
  std::uint64_t items;
  std::vector<short_key> arrivals;
  std::unordered_map<short_key, std::uint64_t> truth;
};

crowd crowd_of(std::uint64_t items, std::uint64_t total) {
  const math::zipf law(items, 1.0);
  math::random_source random(1);
  crowd c{items, {}, {}};
  c.arrivals.reserve(total);
  c.truth.reserve(items);
  while (c.arrivals.size() < total) {
    c.arrivals.push_back(key_of<short_key>(law(random)));
    ++c.truth[c.arrivals.back()];
  }
  return c;
}

// Four rows of 32-bit counters (Cormode & Muthukrishnan 2005), hashed as the filters are, in memory
// of the same kind.
class count_min {
 public:
  explicit count_min(std::uint64_t bytes)
      : probes_{bytes / (rows * width), rows}, counters_(rows * width * probes_.row) {}

  void add(short_key x) { add_digest(digest_of(x)); }
  void add_bulk(std::span<const short_key> keys) {
    constexpr std::size_t depth = 1;
    detail::in_blocks<depth>(keys, 0, [&](const auto& now, const auto& next, std::size_t) {
      for (std::size_t i = 0; i < next.count; ++i) {
        for (unsigned r = 0; r < rows; ++r) detail::prefetch_write(at(next[i], r));
      }
      for (std::size_t i = 0; i < now.count; ++i) add_digest(now[i]);
    });
  }
  counted count(short_key x) const {
    const digest d = digest_of(x);
    std::uint64_t least = ~std::uint64_t{0};
    for (unsigned r = 0; r < rows; ++r) {
      std::uint32_t counter;
      std::memcpy(&counter, counters_.data() + width * probes_.position(d, r), width);
      least = std::min<std::uint64_t>(least, counter);
    }
    return {least, 0, least, false};
  }
  std::uint64_t memory() const { return counters_.size(); }

 private:
  static constexpr unsigned rows = 4;
  static constexpr std::size_t width = sizeof(std::uint32_t);

  std::byte* at(digest d, unsigned r) { return counters_.data() + width * probes_.position(d, r); }
  void add_digest(digest d) {
    for (unsigned r = 0; r < rows; ++r) {
      std::uint32_t counter;
      std::byte* const p = at(d, r);
      std::memcpy(&counter, p, width);
      ++counter;
      std::memcpy(p, &counter, width);
    }
  }

  detail::row_probes probes_;
  detail::buffer counters_;
};

class exact_map {
 public:
  void add(short_key x) { ++counts_[x]; }
  counted count(short_key x) const {
    const auto found = counts_.find(x);
    const std::uint64_t n = found == counts_.end() ? 0 : found->second;
    return {n, n, n, false};
  }
  // A node has a link, a key and its count, and 8 bytes of the allocator's.
  std::uint64_t memory() const { return 32 * counts_.size() + 8 * counts_.bucket_count(); }

 private:
  std::unordered_map<short_key, std::uint64_t> counts_;
};

// Open addressing with linear probing, for so many items: 64 bits of the digest, and a count.
class flat_map {
 public:
  explicit flat_map(std::uint64_t items) : slots_(std::bit_ceil(items * 4 / 3 + 1)) {}

  void add(short_key x) { add_digest(digest_of(x)); }
  void add_bulk(std::span<const short_key> keys) {
    detail::in_blocks<1>(keys, 0, [&](const auto& now, const auto& next, std::size_t) {
      for (std::size_t i = 0; i < next.count; ++i) {
        detail::prefetch_write(reinterpret_cast<std::byte*>(&slots_[home(next[i])]));
      }
      for (std::size_t i = 0; i < now.count; ++i) add_digest(now[i]);
    });
  }
  counted count(short_key x) const {
    const slot& s = slots_[locate(digest_of(x))];
    return {s.count, s.count, s.count, false};
  }
  std::uint64_t memory() const { return slots_.size() * sizeof(slot); }

 private:
  struct slot {
    std::uint64_t key;
    std::uint64_t count;
  };

  std::size_t home(digest d) const { return d.hi & (slots_.size() - 1); }
  std::size_t locate(digest d) const {
    std::size_t i = home(d);
    while (slots_[i].count != 0 && slots_[i].key != d.lo) i = (i + 1) & (slots_.size() - 1);
    return i;
  }
  void add_digest(digest d) {
    slot& s = slots_[locate(d)];
    s.key = d.lo;
    ++s.count;
  }

  std::vector<slot> slots_;
};

// The same from nothing: it doubles when three quarters are used, so the home of an item comes from
// its key.
class growing_map {
 public:
  void add(short_key x) { add_digest(digest_of(x)); }
  void add_bulk(std::span<const short_key> keys) {
    detail::in_blocks<1>(keys, 0, [&](const auto& now, const auto& next, std::size_t) {
      for (std::size_t i = 0; i < next.count; ++i) {
        detail::prefetch_write(reinterpret_cast<std::byte*>(&slots_[home(next[i].lo)]));
      }
      for (std::size_t i = 0; i < now.count; ++i) add_digest(now[i]);
    });
  }
  counted count(short_key x) const {
    const slot& s = slots_[locate(digest_of(x).lo)];
    return {s.count, s.count, s.count, false};
  }
  std::uint64_t memory() const { return slots_.size() * sizeof(slot); }

 private:
  struct slot {
    std::uint64_t key;
    std::uint64_t count;
  };

  std::size_t home(std::uint64_t key) const { return key & (slots_.size() - 1); }
  std::size_t locate(std::uint64_t key) const {
    std::size_t i = home(key);
    while (slots_[i].count != 0 && slots_[i].key != key) i = (i + 1) & (slots_.size() - 1);
    return i;
  }
  void add_digest(digest d) {
    slot& s = slots_[locate(d.lo)];
    if (s.count++ != 0) return;
    s.key = d.lo;
    if (4 * ++used_ > 3 * slots_.size()) grow();
  }
  void grow() {
    std::vector<slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const slot& s : old) {
      if (s.count != 0) slots_[locate(s.key)] = s;
    }
  }

  std::uint64_t used_ = 0;
  std::vector<slot> slots_ = std::vector<slot>(16);
};

template <class Subject>
void add_each(Subject& s, std::span<const short_key> keys) {
  for (const short_key key : keys) s.add(key);
}

template <class Subject>
void add_in_bulk(Subject& s, std::span<const short_key> keys) {
  if constexpr (requires { s.add_bulk(keys); }) {
    s.add_bulk(keys);
  } else {
    static std::vector<outcome> outcomes;
    outcomes.resize(keys.size());
    s.add_bulk(keys, outcomes);
  }
}

struct answers {
  double excess = 0;  // mean over all items that came
  double exact = 0;   // share
};

template <class Subject>
answers answers_of(const Subject& s, const crowd& c) {
  answers a;
  for (const auto& [key, n] : c.truth) {
    const std::uint64_t value = s.count(key).value;
    a.excess += static_cast<double>(value - n);
    a.exact += value == n;
  }
  const auto items = static_cast<double>(c.truth.size());
  return {a.excess / items, a.exact / items};
}

template <class Work>
double nanoseconds_each(std::uint64_t operations, Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
  return taken.count() / static_cast<double>(operations);
}

struct figure {
  std::string subject;
  std::string what;
  double bits;
  answers right;
  std::size_t which;
};

class comparison {
 public:
  explicit comparison(const crowd& c) : crowd_(c) {}

  // Everything from scratch in each round.
  template <class Make, class Use>
  figure add(std::string subject, std::string what, Make make, Use use) {
    auto full = make();
    use(full, std::span<const short_key>(crowd_.arrivals));
    const double bits =
        8 * static_cast<double>(full.memory()) / static_cast<double>(crowd_.truth.size());
    const std::size_t which = cases.add([this, make, use] {
      auto empty = make();
      const std::span<const short_key> keys(crowd_.arrivals);
      return nanoseconds_each(keys.size(), [&] { use(empty, keys); });
    });
    figures_.push_back(
        {std::move(subject), std::move(what), bits, answers_of(full, crowd_), which});
    return figures_.back();
  }

  void print(session& run, const std::string& size, std::size_t line, std::size_t map) const {
    table shown({"subject", "calls", "ns", "of a line", "of the map", "spread", "bits/item",
                 "exact", "excess"},
                2);
    for (const figure& f : figures_) {
      const summary time = cases.time(f.which);
      shown.row({f.subject, f.what, fmt::format("{:.1f}", time.median),
                 fmt::format("{:.2f}x", cases.ratio(f.which, line).median),
                 fmt::format("{:.2f}x", cases.ratio(f.which, map).median),
                 fmt::format("{:.0f} %", 100 * time.spread()), fmt::format("{:.1f}", f.bits),
                 fmt::format("{:.2f} %", 100 * f.right.exact),
                 fmt::format("{:.4f}", f.right.excess)});
      run.csv.line("tally", size, f.subject + "/" + f.what, "ns", time);
    }
    shown.print(stdout);
  }

  schedule cases;

 private:
  const crowd& crowd_;
  std::vector<figure> figures_;
};

void filter_table(session& run, const crowd& c, double error) {
  const tally_config size{.items = c.items, .error = error, .total = c.arrivals.size()};
  tally_filter sized(size);
  add_each(sized, c.arrivals);
  const std::uint64_t bytes = sized.memory();

  comparison all(c);
  memory near(bytes);
  const line_cases lines = add_updates(all.cases, near, run.operations());
  const auto tally = [&] { return tally_filter(size); };
  const auto sketch = [&] { return count_min(bytes); };
  const auto each = [](auto& s, auto keys) { add_each(s, keys); };
  const auto in_bulk = [](auto& s, auto keys) { add_in_bulk(s, keys); };
  const figure ours = all.add("tally_filter", "add", tally, each);
  const figure ours_in_bulk = all.add("tally_filter", "add_bulk", tally, in_bulk);
  all.add(
      "rising_tally", "add_bulk", [&] { return rising_tally(size); }, in_bulk);
  const figure theirs = all.add("count-min", "add", sketch, each);
  const figure theirs_in_bulk = all.add("count-min", "add_bulk", sketch, in_bulk);
  const figure exact = all.add(
      "unordered_map", "add", [] { return exact_map(); }, each);
  all.cases.run(run.quick ? 3 : 5);

  const std::size_t line = lines.best(all.cases);
  fmt::print(
      "\nTally: {} arrivals of {} items by Zipf(1.0), {} of them different, into empty filters. "
      "An\n"
      "error of {} asked for: tally_filter takes {}, table of {} large counts included, and the\n"
      "count-min sketch of four rows of 32 bits as much. A random line of that much costs {:.2f} "
      "ns to\nchange.\n\n",
      c.arrivals.size(), c.items, c.truth.size(), error, text_of_bytes(bytes), sized.large(),
      all.cases.time(line).median);
  all.print(run, text_of_bytes(bytes), line, exact.which);
  fmt::print("\nTargets: median (and quartiles) of the ratio\n");
  print_target("time of tally_filter in bulk / of a plain count-min sketch", 1,
               all.cases.ratio(ours_in_bulk.which, theirs.which));
  print_target("time of tally_filter in bulk / of a prefetching count-min sketch", 1,
               all.cases.ratio(ours_in_bulk.which, theirs_in_bulk.which));
  print_target("time of tally_filter one by one / of a plain count-min sketch", 1,
               all.cases.ratio(ours.which, theirs.which));
  const double excess = ours.right.excess / theirs.right.excess;
  print_target("mean error of tally_filter / of the count-min sketch", 0.1,
               {excess, excess, excess});
}

// -- tables of counts ----------------------------------------------------------------------------

// tally_table with memory reserved and grown from nothing, beside an exact map of digests and
// counts.
void prints_table(session& run, const crowd& c) {
  const std::uint64_t distinct = c.truth.size();
  tally_table_config config{.items = distinct, .reserve = true, .total = c.arrivals.size()};
  const auto reserved = [config] { return tally_table(config); };
  config.reserve = false;
  const auto grown = [config] { return tally_table(config); };
  const auto exact = [distinct] { return flat_map(distinct); };
  const auto filter = [&] {
    return tally_filter({.items = distinct, .error = 1e-3, .total = c.arrivals.size()});
  };
  const auto each = [](auto& s, auto keys) { add_each(s, keys); };
  const auto in_bulk = [](auto& s, auto keys) { add_in_bulk(s, keys); };
  comparison all(c);
  memory near(reserved().memory());
  const line_cases lines = add_updates(all.cases, near, run.operations());
  const figure ours = all.add("tally_table, reserved", "add", reserved, each);
  const figure ours_in_bulk = all.add("tally_table, reserved", "add_bulk", reserved, in_bulk);
  const figure small = all.add("tally_table, grown", "add", grown, each);
  const figure small_in_bulk = all.add("tally_table, grown", "add_bulk", grown, in_bulk);
  const figure cells = all.add("tally_filter, 0.1 %", "add", filter, each);
  all.add("tally_filter, 0.1 %", "add_bulk", filter, in_bulk);
  const figure map = all.add("exact map", "add", exact, each);
  const figure map_in_bulk = all.add("exact map", "add_bulk", exact, in_bulk);
  const auto growing = [] { return growing_map(); };
  const figure grown_map = all.add("exact map, grown", "add", growing, each);
  const figure grown_map_in_bulk = all.add("exact map, grown", "add_bulk", growing, in_bulk);
  all.add(
      "unordered_map", "add", [] { return exact_map(); }, each);
  all.cases.run(run.quick ? 3 : 5);
  fmt::print(
      "\nTables of counts: {} arrivals by Zipf(1.0), {} different items. \"exact map\": open "
      "addressing,\n64 bits of the digest and a count of 64 bits, sized in advance or "
      "doubled.\n\n",
      c.arrivals.size(), distinct);
  all.print(run, fmt::format("{} items", distinct), lines.best(all.cases), map.which);
  const auto exactly = [](double x) { return summary{x, x, x}; };
  fmt::print("\nTargets: median (and quartiles) of the ratio\n");
  print_target("bits per item of tally_table, reserved", 22.5, exactly(ours.bits));
  print_target("bits per item of tally_table, grown / tally_filter", 0.25,
               exactly(small.bits / cells.bits));
  print_target("share of inexact counts of tally_table", 1e-3, exactly(1 - ours.right.exact));
  print_target("time of tally_table / of the exact map, one by one", 1.3,
               all.cases.ratio(ours.which, map.which));
  print_target("time of tally_table / of the exact map, in bulk", 1.3,
               all.cases.ratio(ours_in_bulk.which, map_in_bulk.which));
  print_target("both grown from nothing, one by one", 1.3,
               all.cases.ratio(small.which, grown_map.which));
  print_target("both grown from nothing, in bulk", 1.3,
               all.cases.ratio(small_in_bulk.which, grown_map_in_bulk.which));
}

// -- dynamic against spectral --------------------------------------------------------------------

std::string text_of(double x) { return fmt::format("{:.3g}", x); }

struct papers {
  dynamic_count_filter dynamic;
  spectral_filter spectral;
};

papers filled(std::uint64_t items, double theta) {
  papers both{dynamic_count_filter({.items = items, .error = 0.05, .k = 3, .total = 100 * items}),
              spectral_filter({.items = items, .error = 0.05, .k = 3})};
  const math::zipf law(items, theta);
  math::random_source random(2);
  for (std::uint64_t i = 0; i < 100 * items; ++i) {
    const std::uint64_t x = law(random);
    both.dynamic.add(x);
    both.spectral.add(x);
  }
  return both;
}

template <class Filter>
double access_time(const Filter& f, std::uint64_t items, std::uint64_t operations) {
  math::random_source random(3);
  std::vector<std::uint64_t> asked(operations);
  for (std::uint64_t& x : asked) x = 1 + random.below(items);
  return nanoseconds_each(operations, [&] {
    for (const std::uint64_t x : asked) keep(f.count(x).value);
  });
}

void papers_table(session& run) {
  fmt::print(
      "\nThe published filters: k 3, error 5 %, 100 of each item; the spectral filter with its\n"
      "explicit offset vectors, and what it would take with lengths instead of them.\n\n");
  table out({"items", "theta", "DCF ns", "SBF ns", "DCF bytes", "SBF bytes", "ratio", "compact",
             "growths", "predicted"},
            0);
  const std::uint64_t most_items = run.quick ? 20'000 : 100'000;
  for (const std::uint64_t items : {std::uint64_t{1000}, std::uint64_t{10'000}, most_items}) {
    for (const double theta : {0.0, 0.2, 1.0}) {
      const papers both = filled(items, theta);
      schedule times;
      const std::size_t dynamic =
          times.add([&] { return access_time(both.dynamic, items, run.operations()); });
      const std::size_t spectral =
          times.add([&] { return access_time(both.spectral, items, run.operations()); });
      times.run(run.rounds());
      const auto bytes = static_cast<double>(both.dynamic.memory());
      const double share = bytes / static_cast<double>(both.spectral.memory());
      const spectral_bits bits = both.spectral.bits();
      const double compact = bytes * 8 / static_cast<double>(bits.string + bits.compact_index);
      const std::uint64_t cells = both.dynamic.cells();
      const unsigned predicted = published::overflow_level(
          published::largest_cell(items, 100 * items, cells, 3) >> both.dynamic.base_bits());
      out.row({fmt::format("{}", items), text_of(theta), text_of(times.time(dynamic).median),
               text_of(times.time(spectral).median), fmt::format("{}", both.dynamic.memory()),
               fmt::format("{}", both.spectral.memory()), text_of(share), text_of(compact),
               fmt::format("{}", both.dynamic.growths()),
               theta == 0 ? fmt::format("{}", predicted) : ""});
      const std::string size = fmt::format("{} items, theta {}", items, theta);
      run.csv.line("counters", size, "dynamic", "ns", times.time(dynamic));
      run.csv.line("counters", size, "spectral", "ns", times.time(spectral));
      if (theta > 0.2) continue;
      print_target(size + ": access to DCF / SBF", 0.5, times.ratio(dynamic, spectral));
      print_target(size + ": memory of DCF / SBF", 0.6, {share, share, share});
    }
  }
  out.print(stdout);
}

}  // namespace

void tally_tables(session& run) {
  if (run.wants("tally/zipf")) {
    const std::uint64_t items = run.quick ? 100'000 : 1'000'000;
    const crowd c = crowd_of(items, 10 * items);
    for (const double error : {0.01, 0.05}) filter_table(run, c, error);
    prints_table(run, c);
  }
  if (run.wants("tally/papers")) papers_table(run);
}

}  // namespace bench
