#include <fmt/format.h>

#include <bloomtime/detail/buffer.hpp>
#include <bloomtime/detail/probes.hpp>
#include <bloomtime/math/random.hpp>
#include <bloomtime/math/zipf.hpp>
#include <bloomtime/tally/rising_tally.hpp>
#include <bloomtime/tally/tally_filter.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "keys.hpp"
#include "machine.hpp"
#include "measure.hpp"
#include "parts.hpp"

// Counting skewed arrivals: tally filters beside a count-min sketch in as many bytes, a hash map,
// and random lines of memory.
namespace bench {
namespace {

using bloomtime::counted;
using bloomtime::digest;
using bloomtime::outcome;
using bloomtime::rising_tally;
using bloomtime::tally_config;
using bloomtime::tally_filter;
namespace detail = bloomtime::detail;

constexpr double error = 0.01;

struct crowd {
  std::uint64_t items;
  std::vector<short_key> arrivals;
  std::unordered_map<short_key, std::uint64_t> truth;

  tally_config size() const { return {.items = items, .error = error, .total = arrivals.size()}; }
};

crowd crowd_of(std::uint64_t items, std::uint64_t total) {
  const bloomtime::math::zipf law(items, 1.0);
  bloomtime::math::random_source random(1);
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

  void add(short_key x) { add_digest(bloomtime::digest_of(x)); }
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
    const digest d = bloomtime::digest_of(x);
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

template <class Subject>
void add_each(Subject& s, std::span<const short_key> keys) {
  for (const short_key key : keys) (void)s.add(key);
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
      const auto start = std::chrono::steady_clock::now();
      use(empty, std::span<const short_key>(crowd_.arrivals));
      const std::chrono::duration<double, std::nano> taken =
          std::chrono::steady_clock::now() - start;
      return taken.count() / static_cast<double>(crowd_.arrivals.size());
    });
    figures_.push_back(
        {std::move(subject), std::move(what), bits, answers_of(full, crowd_), which});
    return figures_.back();
  }

  void print(session& run, std::size_t line, std::size_t map) const {
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
      run.csv.line("tally", "zipf 1.0", f.subject + "/" + f.what, "ns", time);
    }
    shown.print(stdout);
  }

  schedule cases;

 private:
  const crowd& crowd_;
  std::vector<figure> figures_;
};

void measure(session& run) {
  const std::uint64_t items = run.quick ? 100'000 : 1'000'000;
  const crowd c = crowd_of(items, 10 * items);
  tally_filter sized(c.size());
  add_each(sized, c.arrivals);
  const std::uint64_t bytes = sized.memory();

  comparison all(c);
  memory near(bytes);
  const line_cases lines = add_updates(all.cases, near, run.operations());
  const auto tally = [&] { return tally_filter(c.size()); };
  const auto rising = [&] { return rising_tally(c.size()); };
  const auto sketch = [&] { return count_min(bytes); };
  const auto each = [](auto& s, auto keys) { add_each(s, keys); };
  const auto in_bulk = [](auto& s, auto keys) { add_in_bulk(s, keys); };
  const figure ours = all.add("tally_filter", "add", tally, each);
  const figure ours_in_bulk = all.add("tally_filter", "add_bulk", tally, in_bulk);
  all.add("rising_tally", "add", rising, each);
  all.add("rising_tally", "add_bulk", rising, in_bulk);
  const figure theirs = all.add("count-min", "add", sketch, each);
  const figure theirs_in_bulk = all.add("count-min", "add_bulk", sketch, in_bulk);
  const figure exact = all.add(
      "unordered_map", "add", [] { return exact_map(); }, each);
  all.cases.run(run.rounds());

  const std::size_t line = lines.best(all.cases);
  fmt::print(
      "\nTally: {} arrivals of {} items by Zipf(1.0), {} of them different, one by one into empty\n"
      "filters; an error of {} asked for. tally_filter takes {}, table of large counts included, "
      "and\nthe count-min sketch of 4 rows as much. A random line of that much costs {:.2f} ns to "
      "change.\n\n",
      c.arrivals.size(), items, c.truth.size(), error, text_of_bytes(bytes),
      all.cases.time(line).median);
  all.print(run, line, exact.which);
  fmt::print("\nTargets: median (and quartiles) of the ratio\n");
  print_target("time of tally_filter / of the count-min sketch, one by one", 1,
               all.cases.ratio(ours.which, theirs.which));
  print_target("time of tally_filter / of the count-min sketch, in bulk", 1,
               all.cases.ratio(ours_in_bulk.which, theirs_in_bulk.which));
  const double excess = ours.right.excess / theirs.right.excess;
  print_target("mean error of tally_filter / of the count-min sketch", 0.1,
               {excess, excess, excess});
}

}  // namespace

void tally_tables(session& run) {
  if (run.wants("tally")) measure(run);
}

}  // namespace bench
