#include <bloomtime/published/inferential/timing_size.hpp>

#include <algorithm>
#include <limits>
#include <string>

#include <bloomtime/math/bloom.hpp>
#include <bloomtime/math/timing.hpp>

#include "math/expect.hpp"
#include "math/search.hpp"
#include "math/whole.hpp"

namespace bloomtime::published {
namespace {

constexpr unsigned least_bits = 2;
constexpr unsigned most_bits = 32;
constexpr unsigned most_timers_per_item = 64;
constexpr std::uint64_t most_window = std::uint64_t{1} << 40;

std::uint64_t oldest_age(unsigned bits) { return (std::uint64_t{1} << bits) - 2; }

// The number of ages that blocks of this size need: for the window and for a complete sweep.
std::uint64_t ages_needed(std::uint64_t window, std::uint64_t timers, std::uint64_t block,
                          std::uint64_t most_sweep) {
  const std::uint64_t slow =
      most_sweep > timers / block ? 1 : math::ratio_up(timers, most_sweep * block);
  return math::ratio_up(window, block) + std::max<std::uint64_t>(1, slow);
}

// The smallest block, or 0 if there is none.
std::uint64_t least_block(std::uint64_t window, std::uint64_t timers, unsigned bits,
                          std::uint64_t most_sweep) {
  const auto fits = [&](std::uint64_t block) {
    return ages_needed(window, timers, block, most_sweep) <= oldest_age(bits);
  };
  return math::least(window, fits).value_or(0);
}

void expect_window(std::uint64_t window) {
  math::expect(window >= 1 && window <= most_window, "a window has 1 to 2^40 insertions", window);
}

void expect_bits(unsigned bits) {
  math::expect(bits >= least_bits && bits <= most_bits, "a timer has 2 to 32 bits", bits);
}

void expect_k(unsigned k) {
  math::expect(k >= 1 && k <= most_timers_per_item, "an item has 1 to 64 timers", k);
}

std::optional<timing_size> try_timing(std::uint64_t window, std::uint64_t memory_bits, unsigned k,
                                      unsigned bits, std::uint64_t most_sweep) {
  const std::uint64_t timers = memory_bits / bits;
  const std::uint64_t block = timers == 0 ? 0 : least_block(window, timers, bits, most_sweep);
  if (block == 0) return std::nullopt;
  timing_size size{.window = window, .timers = timers, .bits = bits, .k = k, .block = block};
  size.oldest = static_cast<std::uint32_t>(math::ratio_up(window, block));
  size.padding = static_cast<std::uint32_t>(oldest_age(bits)) - size.oldest - 1;
  const std::uint64_t ticks = std::uint64_t{size.padding} + 1;
  size.sweep = block > timers / ticks ? 1 : math::ratio_up(timers, block * ticks);
  return size;
}

[[noreturn]] void refuse_bits(std::uint64_t window, std::uint64_t memory_bits, unsigned k,
                              unsigned bits, std::uint64_t most_sweep) {
  std::string least = "no number of bits works with this sweep";
  for (unsigned more = bits + 1; more <= most_bits; ++more) {
    if (!try_timing(window, memory_bits, k, more, most_sweep)) continue;
    least = "the least that works is " + std::to_string(more);
    break;
  }
  // One block as large as the window leaves the most ages for the sweep.
  const std::uint64_t sweep =
      math::ratio_up(math::ratio_up(memory_bits / bits, oldest_age(bits) - 1), window);
  throw error(errc::invalid_argument,
              "timers of " + std::to_string(bits) + " bits are too small for a window of " +
                  std::to_string(window) + " insertions and " + std::to_string(memory_bits / bits) +
                  " timers, of which " + std::to_string(most_sweep) + " are swept per insertion; " +
                  least + ", or a sweep of " + std::to_string(sweep));
}

std::uint64_t sweep_of(const timing_choice& choice, unsigned k) {
  const std::uint64_t sweep = choice.sweep.value_or(k);
  math::expect(sweep >= 1, "a sweep must examine at least one timer per insertion", sweep);
  return sweep;
}

// Calls use(k, bits) for all combinations that the choice leaves open.
template <class Use>
void each_choice(const timing_choice& choice, Use&& use) {
  constexpr unsigned most_k = 30;  // as the paper tries
  constexpr unsigned usual_bits = 16;
  if (choice.k) expect_k(*choice.k);
  if (choice.bits) expect_bits(*choice.bits);
  for (unsigned k = choice.k.value_or(1); k <= choice.k.value_or(most_k); ++k) {
    for (unsigned bits = choice.bits.value_or(least_bits); bits <= choice.bits.value_or(usual_bits);
         ++bits) {
      use(k, bits);
    }
  }
}

double error_of(const std::optional<timing_size>& size) {
  return size ? timing_error(*size) : std::numeric_limits<double>::infinity();
}

}  // namespace

timing_size plan_timing(std::uint64_t window, std::uint64_t memory_bits, unsigned k, unsigned bits,
                        std::uint64_t most_sweep) {
  expect_window(window);
  expect_bits(bits);
  expect_k(k);
  math::expect(
      memory_bits >= bits && memory_bits <= math::max_bits,
      "the memory of timers of " + std::to_string(bits) + " bits must be one timer to 2^43 bits",
      memory_bits);
  math::expect(most_sweep >= 1, "a sweep must examine at least one timer per insertion",
               most_sweep);
  const auto size = try_timing(window, memory_bits, k, bits, most_sweep);
  if (!size) refuse_bits(window, memory_bits, k, bits, most_sweep);
  return *size;
}

double timing_error(const timing_size& size) {
  return math::timers_error(size.window + size.block - 1, size.timers, size.k);
}

timing_size timing_for_memory(std::uint64_t window, std::uint64_t memory_bits,
                              const timing_choice& choice) {
  std::optional<timing_size> best;
  expect_window(window);
  each_choice(choice, [&](unsigned k, unsigned bits) {
    const auto size = try_timing(window, memory_bits, k, bits, sweep_of(choice, k));
    if (error_of(size) < error_of(best)) best = size;
  });
  if (best) return *best;
  // Throws the reason, for the given parameters or the smallest possible ones.
  const unsigned k = choice.k.value_or(1);
  return plan_timing(window, memory_bits, k, choice.bits.value_or(least_bits), sweep_of(choice, k));
}

timing_size timing_for_error(std::uint64_t window, double wanted, const timing_choice& choice) {
  expect_window(window);
  math::expect(wanted > 0 && wanted < 1, "an error must lie strictly between 0 and 1", wanted);
  std::optional<timing_size> best;
  std::uint64_t budget = math::max_bits;
  each_choice(choice, [&](unsigned k, unsigned bits) {
    const std::uint64_t sweep = sweep_of(choice, k);
    const auto at = [&](std::uint64_t memory) {
      return try_timing(window, memory, k, bits, sweep);
    };
    // More memory needs larger blocks, so the error is not monotone, but the result satisfies it.
    // Beyond some memory no sweep completes in time.
    const double swept = static_cast<double>(sweep) * static_cast<double>(window) *
                         static_cast<double>(oldest_age(bits) - 1) * bits;
    std::uint64_t enough = std::min(budget, static_cast<std::uint64_t>(std::min(swept, 0x1p62)));
    if (error_of(at(enough)) > wanted) return;
    std::uint64_t too_little = 0;
    while (enough - too_little > std::max<std::uint64_t>(bits, enough / 1024)) {
      const std::uint64_t middle = too_little + (enough - too_little) / 2;
      (error_of(at(middle)) > wanted ? too_little : enough) = middle;
    }
    best = at(enough);
    budget = enough;
  });
  if (!best) {
    throw error(errc::too_large,
                "no timing filter of at most 2^43 bits has an error of " + math::text_of(wanted) +
                    " for a window of " + std::to_string(window) +
                    " insertions; allow more bits per timer, more timers per item or a larger "
                    "sweep");
  }
  return *best;
}

math::evidence block_evidence(std::uint32_t age, std::uint64_t filled, std::uint64_t block,
                              double g) noexcept {
  const auto b = static_cast<double>(filled);
  if (age == 0) return {0, b, g};
  const auto size = static_cast<double>(block);
  return {(age - 1.) * size + b, age * size + b, g};
}

}  // namespace bloomtime::published
