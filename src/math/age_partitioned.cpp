#include <bloomtime/math/age_partitioned.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <vector>

#include <bloomtime/detail/buffer.hpp>

#include "math/expect.hpp"

namespace bloomtime::math {
namespace {

// The numbers of full generations that the planner tries.
constexpr std::array<std::uint64_t, 14> counts{8,  12,  16,  24,  32,  48,  64,
                                               96, 128, 192, 256, 384, 512, 768};
constexpr double tolerated = 1.15;

// The largest number of full generations. With few ticks, more would hardly save bits.
std::uint64_t most_full(const age_partitioned_target& kept) {
  return kept.ticks == 0 ? counts.back() : std::max<std::uint64_t>(256, 2 * kept.ticks);
}

struct node {
  double deviations;
  double weight;
};
// Gauss-Hermite quadrature: five points for the Poisson number of items of a line, taken as normal;
// exact for polynomials up to degree 9.
constexpr std::array<node, 5> nodes{{{-2.8569700138728056, 0.011257411327720689},
                                     {-1.3556261799742659, 0.22207592200561266},
                                     {0, 0.53333333333333333},
                                     {1.3556261799742659, 0.22207592200561266},
                                     {2.8569700138728056, 0.011257411327720689}}};

// The fill of a word in a line whose number of items is `deviations` standard deviations above the
// mean; the variance is `spread` times the mean.
double fill_of(double load, double deviations, double spread = 1) {
  const double items = std::max(0.0, load + deviations * std::sqrt(spread * load));
  return -std::expm1(items * std::log1p(-1.0 / slice_word_bits));
}

// Probabilities by the length of the run of set bits that ends at the last slice, and that of a run
// of k bits so far.
class runs {
 public:
  explicit runs(unsigned k) : k_(k) { open_[0] = 1; }

  double found() const { return found_; }

  void band(std::span<const double> loads) {
    lengths sum{};
    double hits = 0;
    for (const node& n : nodes) {
      lengths one = open_;
      for (const double load : loads) hits += n.weight * step(one, fill_of(load, n.deviations));
      for (unsigned a = 0; a < k_; ++a) sum[a] += n.weight * one[a];
    }
    open_ = sum;
    found_ += hits;
  }

 private:
  using lengths = std::array<double, most_age_k>;

  double step(lengths& at, double fill) const {
    double all = 0;
    for (unsigned a = 0; a < k_; ++a) all += at[a];
    const double hit = fill * at[k_ - 1];
    for (unsigned a = k_ - 1; a != 0; --a) at[a] = fill * at[a - 1];
    at[0] = (1 - fill) * all;
    return hit;
  }

  unsigned k_;
  lengths open_{};
  double found_ = 0;
};

// The fill of the words of each slice, for each node of the quadrature.
class slice_fills {
 public:
  slice_fills(std::span<const double> loads, unsigned first, std::uint64_t lines) : first_(first) {
    // A line has each item of its band with probability 1 / lines.
    const double spread = 1 - 1 / static_cast<double>(lines);
    fills_.reserve(loads.size());
    for (const double load : loads) {
      auto& at = fills_.emplace_back();
      for (std::size_t n = 0; n < nodes.size(); ++n) {
        at[n] = fill_of(load, nodes[n].deviations, spread);
      }
    }
  }

  // The probability that an item that was not inserted has its bit set in each of k slices from
  // `lowest` on. Lines of different bands are independent.
  double all_set(std::size_t lowest, unsigned k) const {
    double all = 1;
    for (std::size_t at = lowest; at < lowest + k;) {
      std::array<double, nodes.size()> in_band;
      in_band.fill(1);
      do {
        for (std::size_t n = 0; n < nodes.size(); ++n) in_band[n] *= fills_[at][n];
        ++at;
      } while (at < lowest + k && (at + first_) % slices_per_band != 0);
      double mean = 0;
      for (std::size_t n = 0; n < nodes.size(); ++n) mean += nodes[n].weight * in_band[n];
      all *= mean;
    }
    return all;
  }

 private:
  unsigned first_;
  std::vector<std::array<double, nodes.size()>> fills_;
};

// At most just below 1, so that log1p(-probability) is finite.
double below_one(double probability) { return std::min(probability, 1 - 0x1p-53); }

void expect_k(unsigned k) {
  expect(k >= 1 && k <= most_age_k, "an item sets bits in 1 to 64 slices", k);
}

void expect_target(const age_partitioned_target& kept) {
  expect(kept.items >= 1 && kept.items <= std::uint64_t{1} << 48,
         "an age-partitioned filter keeps 1 to 2^48 insertions", kept.items);
  expect(kept.ticks <= most_generations / 2, "a window has at most 8192 ticks", kept.ticks);
}

double load_of(const age_partitioned_size& s) {
  return static_cast<double>(s.k) * static_cast<double>(s.quota) /
         (slice_word_bits * static_cast<double>(s.lines));
}

// `full` generations hold all items; one more per tick may end before it is full.
age_partitioned_size frame(const age_partitioned_target& kept, unsigned k, std::uint64_t full) {
  age_partitioned_size s;
  s.k = k;
  s.generations = full + kept.ticks;
  s.quota = (kept.items - 1) / full + 1;
  s.bands = bands_for(k, s.generations);
  return s;
}

std::optional<age_partitioned_size> half_full(const age_partitioned_target& kept, unsigned k,
                                              std::uint64_t full, double error) {
  age_partitioned_size s = frame(kept, k, full);
  const double bits = k * static_cast<double>(s.quota) / std::numbers::ln2;
  s.lines = static_cast<std::uint64_t>(std::ceil(bits / slice_word_bits));
  s.error = age_partitioned_error(k, s.generations, load_of(s), s.lines);
  if (s.error > error) return std::nullopt;
  return s;
}

std::optional<age_partitioned_size> least_k(const age_partitioned_target& kept, std::uint64_t full,
                                            double error) {
  // The lower bound: one generation of half full slices has an error of 2^-k.
  const double fewest = std::floor(-std::log2(error));
  for (auto k = static_cast<unsigned>(std::clamp(fewest, 1., 64.)); k <= most_age_k; ++k) {
    if (const auto s = half_full(kept, k, full, error)) return s;
  }
  return std::nullopt;
}

[[noreturn]] void refuse_size(const std::string& why) { throw error(errc::too_large, why); }

}  // namespace

double run_error(std::span<const double> loads, unsigned first, unsigned k) {
  expect_k(k);
  runs state(k);
  for (std::size_t at = 0, size = slices_per_band - first; at < loads.size();
       at += size, size = slices_per_band) {
    size = std::min(size, loads.size() - at);
    state.band(loads.subspan(at, size));
  }
  return state.found();
}

// n items leave a bit clear with probability (1 - 1 / bits)^n.
double word_load(std::uint64_t ones, std::uint64_t lines) {
  const double bits = slice_word_bits * static_cast<double>(lines);
  const double clear = std::max(1., bits - static_cast<double>(ones)) / bits;
  return std::log(clear) / std::log1p(-1 / bits) / static_cast<double>(lines);
}

double any_generation_error(std::span<const double> loads, unsigned first, unsigned k,
                            std::uint64_t lines) {
  expect_k(k);
  const slice_fills fills(loads, first, lines);
  double none = 0;  // logarithm
  for (std::size_t lowest = 0; lowest + k <= loads.size(); ++lowest) {
    none += std::log1p(-below_one(fills.all_set(lowest, k)));
  }
  return -std::expm1(none);
}

// From the youngest slice on. After the first k, generations differ only by the borders of bands
// between their slices.
double age_partitioned_error(unsigned k, std::uint64_t generations, double load,
                             std::uint64_t lines) {
  expect_k(k);
  std::vector<double> loads;
  for (unsigned i = 0; i < 2 * k + slices_per_band; ++i) {
    loads.push_back(load * slice_word_bits * std::min(1., (i + 1.) / k));
  }
  const slice_fills fills(loads, 0, lines);
  const std::uint64_t all = generations + 1;
  const std::uint64_t young = std::min<std::uint64_t>(all, k);
  double none = 0;  // logarithm
  for (std::uint64_t back = 0; back < young; ++back) {
    none += std::log1p(-below_one(fills.all_set(back, k)));
  }
  for (unsigned phase = 0; phase < slices_per_band; ++phase) {
    const double share = static_cast<double>(all - young) / slices_per_band;
    none += share * std::log1p(-below_one(fills.all_set(k + phase, k)));
  }
  return -std::expm1(none);
}

// From the youngest slice on. Once all slices have the same load, every band finds the same share
// of what was not found before.
double shared_bits_error(unsigned k, std::uint64_t generations, double load) {
  expect_k(k);
  const double settled = load * slice_word_bits;
  const std::uint64_t slices = k + generations;
  std::array<double, slices_per_band> loads{};
  runs state(k);
  double share = 0;
  for (std::uint64_t at = 0; at < slices; at += slices_per_band) {
    const std::uint64_t size = std::min<std::uint64_t>(slices_per_band, slices - at);
    for (std::uint64_t i = 0; i < size; ++i) {
      loads[i] = settled * std::min(1., static_cast<double>(at + i + 1) / k);
    }
    const double before = state.found();
    state.band(std::span(loads).first(size));
    const double last = share;
    share = (state.found() - before) / (1 - before);
    if (at > 3 * std::uint64_t{k} && std::abs(share - last) <= 1e-9 * share) {
      const auto bands = static_cast<double>(slices - at - size) / slices_per_band;
      return -std::expm1(std::log1p(-state.found()) + bands * std::log1p(-share));
    }
  }
  return std::min(1., state.found());
}

age_partitioned_size age_partitioned_for_error(const age_partitioned_target& kept, double error) {
  expect_target(kept);
  expect(error > 0 && error < 1, "the error must lie between 0 and 1", error);
  std::vector<age_partitioned_size> sizes;
  std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
  for (const std::uint64_t full : counts) {
    if (full > most_full(kept)) break;
    const auto s = least_k(kept, std::min(full, kept.items), error);
    if (!s) continue;
    sizes.push_back(*s);
    fewest = std::min(fewest, s->bits());
  }
  if (sizes.empty()) {
    refuse_size("an age-partitioned filter cannot keep an error of " + text_of(error) +
                " with 64 bits per item and slice; the least is about 1e-16");
  }
  const auto chosen = *std::find_if(sizes.begin(), sizes.end(), [&](const auto& s) {
    return static_cast<double>(s.bits()) <= tolerated * static_cast<double>(fewest);
  });
  if (chosen.bits() / 8 > detail::max_buffer_bytes) {
    refuse_size("an age-partitioned filter has at most 2^40 bytes, and this one would need " +
                text_of(chosen.bits() / 8));
  }
  return chosen;
}

age_partitioned_size age_partitioned_for_memory(const age_partitioned_target& kept,
                                                std::uint64_t bytes) {
  expect_target(kept);
  expect(bytes <= detail::max_buffer_bytes, "an age-partitioned filter has at most 2^40 bytes",
         bytes);
  std::optional<age_partitioned_size> best;
  for (const std::uint64_t full : counts) {
    double least = 1;
    for (unsigned k = 1; k <= most_age_k; ++k) {
      age_partitioned_size s = frame(kept, k, std::min(full, kept.items));
      s.lines = bytes / 64 / s.bands;
      if (s.lines == 0) break;
      s.error = age_partitioned_error(k, s.generations, load_of(s), s.lines);
      if (!best || s.error < best->error) best = s;
      least = std::min(least, s.error);
      if (s.error > 2 * least) break;  // more probes only increase the fill from here on
    }
  }
  if (!best) {
    const std::uint64_t least = 64 * frame(kept, 1, std::min(counts[0], kept.items)).bands;
    expect(false, "this window needs at least " + text_of(least) + " bytes", bytes);
  }
  return *best;
}

}  // namespace bloomtime::math
