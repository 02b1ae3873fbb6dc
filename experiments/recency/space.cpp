// Bits per item of a window for the same error: what each filter plans for, and what it then
// measures. All items are different, and the windows are of insertions.

#include <cmath>
#include <cstdio>

#include <bloomtime/published/inferential/timing_filter.hpp>
#include <bloomtime/recency/age_partitioned_filter.hpp>
#include <bloomtime/recency/recency_filter.hpp>

#include "experiments/history/checks.hpp"

namespace {

using namespace experiments;
using namespace bloomtime;
using namespace bloomtime::published;

constexpr std::uint64_t window = std::uint64_t{1} << 16;
constexpr std::uint64_t asked = 4'000'000;
constexpr double all_errors[] = {0.1, 0.01, 0.001, 0.0001, 0.000'001};

// About items that never were, after four windows and during as many again: an insertion follows
// every few questions, so that all phases of blocks, generations and sweeps are met.
template <class Filter>
double measured(Filter& filter) {
  constexpr std::uint64_t per_insertion = asked / (4 * window);
  std::uint64_t next = 0;
  while (next < 4 * window) filter.add(next++);
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < asked; ++i) {
    wrong += filter.seen((std::uint64_t{1} << 40) + i);
    if (i % per_insertion == 0) filter.add(next++);
  }
  return static_cast<double>(wrong) / static_cast<double>(asked);
}

template <class Filter>
void compare(const char* name, double error, unsigned k, Filter filter) {
  const double bits = 8 * static_cast<double>(filter.memory()) / static_cast<double>(window);
  const double found = measured(filter);
  std::printf("%s,%g,%.2f,%u,%.7f\n", name, error, bits, k, found);
  std::fflush(stdout);
  const double sigmas = 6 * std::sqrt(error * (1 - error) / static_cast<double>(asked));
  check(found <= error + sigmas, "{}: error {:.2g} where {:.2g} was planned, {:.1f} bits per item",
        name, found, error, bits);
}

}  // namespace

int main() {
  std::puts("filter,error,bits_per_item,k,measured");
  for (const double error : all_errors) {
    const timing_filter timing({.window = window, .error = error});
    compare("timing_filter", error, timing.size().k, timing);
    const age_partitioned_filter parts({.last = window, .error = error});
    compare("age_partitioned_filter", error, parts.k(), parts);
    const recency_filter recent({.last = window, .items = window, .error = error});
    compare("recency_filter", error, recent.size().k, recent);
  }
}
