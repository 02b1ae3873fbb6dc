#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "bench/harness/core.hpp"

// Timing: every case runs once per round, never two at once. A temporary disturbance of the machine
// then affects all cases equally, and medians exclude it.
namespace bench {

// Forces the compiler to compute the value and to assume that memory changed.
template <class T>
inline void keep(const T& value) noexcept {
  asm volatile("" : : "r"(value) : "memory");
}

struct summary {
  double median = 0;
  double lower = 0;  // quartiles
  double upper = 0;

  double spread() const noexcept { return median > 0 ? (upper - lower) / 2 / median : 0; }
};

summary summarize(std::vector<double> values);

class schedule {
 public:
  // A case runs one round of its work and returns nanoseconds per operation.
  using round = std::function<double()>;

  // The rounds of a case are identified by the number that add() returned.
  std::size_t add(round once);
  // Called once, after all cases were added; what they refer to may be destroyed afterwards.
  void run(unsigned rounds);

  summary time(std::size_t which) const { return summarize(cases_[which].times); }
  // Computed within each round, so that both sides saw the same machine.
  summary ratio(std::size_t which, std::size_t base) const;
  std::size_t faster(std::size_t a, std::size_t b) const;

 private:
  struct entry {
    round once;
    std::vector<double> times;
  };
  std::vector<entry> cases_;
};

// Long enough for the clock, short enough to stay in the nearest caches.
inline constexpr std::size_t block_size = 2048;

template <class Operand>
std::span<Operand> operand_block() {
  static std::vector<Operand> block(block_size);
  return block;
}

// fill(block) prepares the operands of use(block), which is timed, block by block, so that the
// operands stay in the cache and do not evict what is measured. Returns the median of the blocks,
// which excludes those during which the system ran something else. Blocks during which the core was
// shared are left out, unless nearly all were.
template <class Operand, class Fill, class Use>
double time_in_blocks(std::uint64_t operations, Fill&& fill, Use&& use) {
  std::vector<double> times;
  std::vector<double> alone;
  for (std::uint64_t left = operations; left != 0;) {
    const auto operands = operand_block<Operand>().first(std::min<std::uint64_t>(left, block_size));
    fill(operands);
    core::instance().wait_until_alone();
    const auto start = std::chrono::steady_clock::now();
    use(std::span<const Operand>(operands));
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    times.push_back(taken.count() / static_cast<double>(operands.size()));
    if (core::instance().was_alone()) alone.push_back(times.back());
    left -= operands.size();
  }
  return summarize(4 * alone.size() >= times.size() ? std::move(alone) : std::move(times)).median;
}

}  // namespace bench
