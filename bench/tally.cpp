#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <bloomtime/detail/probes.hpp>
#include <bloomtime/math/random.hpp>
#include <bloomtime/math/tally.hpp>
#include <bloomtime/math/zipf.hpp>
#include <bloomtime/tally/dynamic_count_filter.hpp>
#include <bloomtime/tally/rising_tally.hpp>
#include <bloomtime/tally/spectral_filter.hpp>
#include <bloomtime/tally/tally_filter.hpp>

#include "parts.hpp"

// tally_filter beside a plain count-min sketch of the same memory, and the published dynamic count
// filter beside the published spectral filter.
namespace bench {
namespace {

using namespace bloomtime;
using clock_type = std::chrono::steady_clock;

template <class Work>
double nanoseconds_each(std::uint64_t operations, Work&& work) {
  const auto start = clock_type::now();
  work();
  const std::chrono::duration<double, std::nano> taken = clock_type::now() - start;
  return taken.count() / static_cast<double>(operations);
}

std::string text_of(double x) { return fmt::format("{:.3g}", x); }

// -- one line and a table against four rows of 32 bits -------------------------------------------

class count_min {
 public:
  explicit count_min(std::uint64_t bytes) : row_(bytes / 16), cells_(rows * row_) {}

  void add(digest d) noexcept {
    for (unsigned i = 0; i < rows; ++i) ++cells_[place(d, i)];
  }
  void prefetch(digest d) const noexcept {
    for (unsigned i = 0; i < rows; ++i) __builtin_prefetch(&cells_[place(d, i)], 1);
  }
  std::uint64_t count(digest d) const noexcept {
    std::uint32_t least = ~std::uint32_t{0};
    for (unsigned i = 0; i < rows; ++i) least = std::min(least, cells_[place(d, i)]);
    return least;
  }

 private:
  static constexpr unsigned rows = 4;
  std::uint64_t place(digest d, unsigned i) const noexcept {
    return bloomtime::detail::row_probes{row_, rows}.position(d, i);
  }

  std::uint64_t row_;
  std::vector<std::uint32_t> cells_;
};

struct zipf_stream {
  std::vector<std::uint32_t> items;
  std::vector<std::uint64_t> truth;
};

zipf_stream zipf_of(std::uint64_t items, std::uint64_t updates) {
  zipf_stream s{{}, std::vector<std::uint64_t>(items)};
  const math::zipf law(items, 1);
  math::random_source random(1);
  for (std::uint64_t i = 0; i < updates; ++i) {
    s.items.push_back(static_cast<std::uint32_t>(law(random) - 1));
    ++s.truth[s.items.back()];
  }
  return s;
}

template <class Count>
double mean_excess(const zipf_stream& s, Count&& count) {
  double sum = 0;
  for (std::uint32_t x = 0; x < s.truth.size(); ++x) {
    sum += static_cast<double>(count(digest_of(x)) - s.truth[x]);
  }
  return sum / static_cast<double>(s.truth.size());
}

template <class Tally>
double bulk_time(Tally& f, const zipf_stream& s) {
  std::vector<outcome> outcomes(s.items.size());
  return nanoseconds_each(s.items.size(), [&] { f.add_bulk(s.items, outcomes); });
}

double single_time(tally_filter& f, const zipf_stream& s) {
  return nanoseconds_each(s.items.size(), [&] {
    for (const std::uint32_t x : s.items) (void)f.add(x);
  });
}

double plain_time(count_min& f, const zipf_stream& s) {
  return nanoseconds_each(s.items.size(), [&] {
    for (const std::uint32_t x : s.items) f.add(digest_of(x));
  });
}

double prefetched_time(count_min& f, const zipf_stream& s) {
  constexpr std::size_t ahead = 16;
  return nanoseconds_each(s.items.size(), [&] {
    for (std::size_t i = 0; i < s.items.size(); ++i) {
      if (i + ahead < s.items.size()) f.prefetch(digest_of(s.items[i + ahead]));
      f.add(digest_of(s.items[i]));
    }
  });
}

void tally_table(session& run) {
  const std::uint64_t items = run.quick ? 100'000 : 1'000'000;
  const zipf_stream s = zipf_of(items, 10 * items);
  fmt::print(
      "\n{} updates over {} items, Zipf(1.0). count-min: four rows of 32 bits, in the memory\n"
      "that the tally has in the end, with its table of large counts.\n\n",
      s.items.size(), items);
  for (const double error : {0.01, 0.05}) {
    const tally_config c{.items = items, .error = error};
    tally_filter full(c);
    (void)bulk_time(full, s);
    rising_tally rising(c);
    (void)bulk_time(rising, s);
    count_min sketch(full.memory());
    (void)plain_time(sketch, s);
    schedule times;
    const auto timed = [&](auto make, auto measure) {
      return times.add([=, &s] {
        auto f = make();
        return measure(f, s);
      });
    };
    const std::uint64_t memory = full.memory();
    const auto make_tally = [c] { return tally_filter(c); };
    const auto make_sketch = [memory] { return count_min(memory); };
    const std::size_t bulk = timed(make_tally, bulk_time<tally_filter>);
    const std::size_t single = timed(make_tally, single_time);
    const std::size_t only_adds = timed([c] { return rising_tally(c); }, bulk_time<rising_tally>);
    const std::size_t plain = timed(make_sketch, plain_time);
    const std::size_t prefetched = timed(make_sketch, prefetched_time);
    times.run(run.rounds());
    const double ours = mean_excess(s, [&](digest d) { return full.count(d).value; });
    const double least = mean_excess(s, [&](digest d) { return rising.count(d).value; });
    const double theirs = mean_excess(s, [&](digest d) { return sketch.count(d); });
    fmt::print("error {}, {} bytes, {} large cells\n", error, memory, full.large());
    table out({"", "ns per update", "mean error"}, 1);
    const std::string size = fmt::format("{} bytes", memory);
    const auto row = [&](const char* name, std::size_t which, double excess) {
      out.row({name, text_of(times.time(which).median), text_of(excess)});
      run.csv.line("tally", size, name, "ns", times.time(which));
      run.csv.line("tally", size, name, "excess", {excess, excess, excess});
    };
    row("tally_filter, bulk", bulk, ours);
    row("tally_filter", single, ours);
    row("rising_tally, bulk", only_adds, least);
    row("count-min", plain, theirs);
    row("count-min, prefetched", prefetched, theirs);
    out.print(stdout);
    print_target("tally_filter, bulk / the faster count-min", 1,
                 times.ratio(bulk, times.faster(plain, prefetched)));
    const double share = ours / theirs;
    print_target("its mean error / that of count-min", 0.1, {share, share, share});
  }
}

// -- dynamic against spectral --------------------------------------------------------------------

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
    (void)both.dynamic.add(x);
    (void)both.spectral.add(x);
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
      const unsigned predicted = math::overflow_level(
          math::largest_cell(items, 100 * items, cells, 3) >> both.dynamic.base_bits());
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
  if (!run.wants("tally")) return;
  tally_table(run);
  papers_table(run);
}

}  // namespace bench
