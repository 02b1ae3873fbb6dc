#include "cli/plan/bloom_measure.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <span>

#include "cli/output/progress.hpp"

namespace bloomtime::cli {
namespace {

constexpr double confidence_tail = 0.0005;  // on either side, 99.9 % between them
constexpr std::uint64_t batch = 4096;       // keys and answers stay in the first cache

// Only the bulk calls are timed, not the making of the items.
template <class Deed>
double nanoseconds_per_item(std::uint64_t first, std::uint64_t count, progress& bar, Deed deed) {
  using clock = std::chrono::steady_clock;
  std::array<std::uint64_t, batch> items{};
  clock::duration spent{};
  for (std::uint64_t done = 0; done < count;) {
    const auto size = static_cast<std::size_t>(std::min(batch, count - done));
    const std::span some(items.data(), size);
    std::iota(some.begin(), some.end(), first + done);
    const auto start = clock::now();
    deed(some);
    spent += clock::now() - start;
    done += size;
    bar.advance(size);
  }
  return std::chrono::duration<double, std::nano>(spent).count() / static_cast<double>(count);
}

double ratio(std::uint64_t part, std::uint64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

double bloom_measurement::error() const { return ratio(false_positives, queries); }
double bloom_measurement::lowest_expected() const { return ratio(expected.low, queries); }
double bloom_measurement::highest_expected() const { return ratio(expected.high, queries); }

bloom_measurement measure(bloom_filter& filter) {
  const std::uint64_t items = filter.capacity();
  bloom_measurement found;
  found.queries = std::min(items, most_queries);
  progress bar("measure", items + found.queries);
  found.add_ns = nanoseconds_per_item(
      0, items, bar, [&](std::span<const std::uint64_t> some) { filter.add_bulk(some); });
  std::array<bool, batch> answers{};
  found.lookup_ns =
      nanoseconds_per_item(items, found.queries, bar, [&](std::span<const std::uint64_t> some) {
        const std::span<bool> verdicts(answers.data(), some.size());
        filter.may_contain_bulk(some, verdicts);
        found.false_positives +=
            static_cast<std::uint64_t>(std::count(verdicts.begin(), verdicts.end(), true));
      });
  found.expected =
      math::binomial_range(found.queries, filter.predicted_error(items), confidence_tail);
  return found;
}

}  // namespace bloomtime::cli
