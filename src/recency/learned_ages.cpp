#include <bloomtime/recency/learned_ages.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <string>

#include <bloomtime/error.hpp>

namespace bloomtime {
namespace {

constexpr std::uint64_t most_horizon = std::uint64_t{1} << 62;

// Four bins per octave: the two bits below the leading one. Ages below 4 have a bin each.
std::size_t bin_of(std::uint64_t age) noexcept {
  if (age < 4) return age;
  const auto octave = static_cast<unsigned>(std::bit_width(age)) - 1;
  return 4 * (octave - 1) + ((age >> (octave - 2)) & 3);
}

std::uint64_t first_age(std::size_t bin) noexcept {
  if (bin < 4) return bin;
  return (4 + bin % 4) << (bin / 4 - 1);
}

}  // namespace

learned_ages::learned_ages(std::uint64_t horizon) : horizon_(horizon) {
  if (horizon == 0 || horizon > most_horizon) {
    throw error(errc::invalid_argument,
                "the horizon of learned ages is 1 to 2^62; got " + std::to_string(horizon));
  }
  const std::size_t bins = bin_of(horizon - 1) + 1;
  counts_.resize(bins + 1);
  used_.resize(bins + 1);
  cumulative_.resize(bins + 1);
}

void learned_ages::add(std::optional<std::uint64_t> age) noexcept {
  if (total_ >= most_samples) halve();
  ++(age && *age < horizon_ ? counts_[bin_of(*age)] : counts_.back());
  ++total_;
  if (++fresh_ == rebuild_each) {
    used_ = counts_;
    rebuild();
  }
}

void learned_ages::halve() noexcept {
  total_ = 0;
  for (std::uint32_t& count : counts_) total_ += count /= 2;
}

void learned_ages::merge(const learned_ages& other) {
  if (horizon_ != other.horizon_) {
    throw error(errc::incompatible,
                "learned ages merge if their horizons are equal; here they are " +
                    std::to_string(horizon_) + " and " + std::to_string(other.horizon_));
  }
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  total_ += other.total_;
  while (total_ > most_samples) halve();
  fresh_ += other.fresh_;
  if (ready() || other.ready() || fresh_ >= rebuild_each) {
    used_ = counts_;
    rebuild();
  }
}

void learned_ages::clear() noexcept {
  std::fill(counts_.begin(), counts_.end(), 0);
  std::fill(used_.begin(), used_.end(), 0);
  ready_ = false;
  total_ = 0;
  fresh_ = 0;
}

double learned_ages::edge(std::size_t bin) const noexcept {
  return static_cast<double>(std::min(first_age(bin), horizon_));
}

// One sample more is spread over all bins, "older" included: no age is impossible because it was
// not met so far.
void learned_ages::rebuild() noexcept {
  ready_ = true;
  fresh_ = 0;
  const double each = 1 / static_cast<double>(used_.size());
  const double all =
      1 + static_cast<double>(std::accumulate(used_.begin(), used_.end(), std::uint64_t{0}));
  for (std::size_t i = 0; i + 1 < cumulative_.size(); ++i) {
    cumulative_[i + 1] = cumulative_[i] + (used_[i] + each) / all;
  }
}

double learned_ages::operator()(double t) const noexcept {
  if (!ready() || !(t > 0)) return 0;
  if (t >= static_cast<double>(horizon_)) return cumulative_.back();
  const std::size_t bin = bin_of(static_cast<std::uint64_t>(t));
  const double part = (t - edge(bin)) / (edge(bin + 1) - edge(bin));
  return cumulative_[bin] + part * (cumulative_[bin + 1] - cumulative_[bin]);
}

std::uint64_t learned_ages::memory() const noexcept {
  return counts_.capacity() * sizeof(std::uint32_t) + used_.capacity() * sizeof(std::uint32_t) +
         cumulative_.capacity() * sizeof(double);
}

void learned_ages::write(detail::byte_writer& out) const {
  out.u64(horizon_);
  out.u32(fresh_);
  out.u32(ready() ? 1 : 0);
  for (const std::uint32_t count : counts_) out.u32(count);
  for (const std::uint32_t count : used_) out.u32(count);
}

learned_ages learned_ages::read(detail::byte_reader& in) {
  const auto refuse = [] { throw error(errc::corrupt, "learned ages contradict each other"); };
  const std::uint64_t horizon = in.u64();
  if (horizon == 0 || horizon > most_horizon) refuse();
  learned_ages ages(horizon);
  const std::uint32_t fresh = in.u32();
  const std::uint32_t ready = in.u32();
  std::uint64_t used = 0;
  for (std::uint32_t& count : ages.counts_) ages.total_ += count = in.u32();
  for (std::uint32_t& count : ages.used_) used += count = in.u32();
  if (ready > 1 || fresh >= rebuild_each || ages.total_ > most_samples || used > most_samples ||
      (ready == 0 && used != 0)) {
    refuse();
  }
  if (ready == 1) ages.rebuild();
  ages.fresh_ = fresh;
  return ages;
}

BLOOMTIME_VALUE_OF(learned_ages);

}  // namespace bloomtime
