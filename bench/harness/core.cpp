#include "bench/harness/core.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace bench {
namespace {

// Parallel chains of additions; within a chain each addition depends on the one before.
template <class... Sum>
double time_of(Sum... sums) {
  const auto step = [](std::uint64_t& sum) {
    ++sum;
    asm volatile("" : "+r"(sum));
  };
  const auto start = std::chrono::steady_clock::now();
  for (unsigned i = 0; i < 128; ++i) {
    for (unsigned unrolled = 0; unrolled < 8; ++unrolled) (step(sums), ...);
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// One chain takes the same time on a shared core. Four of them, as many additions as a core
// executes in parallel, take hardly longer only if the core is not shared. The clock frequency
// cancels.
double crowding() {
  constexpr std::uint64_t sum = 0;
  const double one = time_of(sum);
  return time_of(sum, sum, sum, sum) / one;
}

constexpr std::uint64_t calibration = 1 << 18;  // about a quarter of a second
constexpr unsigned patience = 1000;             // about 1 ms
constexpr double tolerance = 1.05;              // measured: shared cores show 1.1 to 2

}  // namespace

core& core::instance() {
  static core here;
  return here;
}

core::core() {
  while (probes_ < calibration) learn(crowding());
}

// The first percentile counts as not shared; smaller values may be due to an interrupted clock.
void core::learn(double crowding) {
  const double last = static_cast<double>(seen_.size() - 1);
  ++seen_[static_cast<std::size_t>(std::min(100 * crowding, last))];
  if (++probes_ % 4096 != 0) return;
  std::size_t least = 0;
  for (std::uint64_t below = seen_[0]; below < probes_ / 100; below += seen_[least]) ++least;
  limit_ = tolerance * static_cast<double>(least) / 100;
}

bool core::alone() {
  const double now = crowding();
  learn(now);
  return now <= limit_;
}

void core::wait_until_alone() {
  began_alone_ = false;
  for (unsigned i = 0; i < patience && !began_alone_; ++i) began_alone_ = alone();
}

bool core::was_alone() {
  const bool undisturbed = began_alone_ && alone();
  ++asked_;
  shared_ += !undisturbed;
  return undisturbed;
}

double core::share_of_shared() const {
  return asked_ == 0 ? 0 : static_cast<double>(shared_) / static_cast<double>(asked_);
}

}  // namespace bench
