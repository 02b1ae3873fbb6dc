#include <bloomtime/published/inferential/shares.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>

#include <bloomtime/error.hpp>

#include "math/expect.hpp"

namespace bloomtime::published {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t most_window = std::uint64_t{1} << 40;
constexpr std::uint64_t half_life = 8;           // windows
constexpr std::uint64_t epochs_per_window = 16;  // in an epoch nothing fades

std::uint64_t key_of(digest d) noexcept { return d.lo >> 1; }

std::uint64_t checked(std::uint64_t window) {
  math::expect(window > 0 && window <= most_window, "the window of a share is 1 to 2^40 insertions",
               window);
  return window;
}

std::uint64_t epoch_of(std::uint64_t window) {
  return std::max<std::uint64_t>(1, checked(window) / epochs_per_window);
}

std::chrono::microseconds as_time(std::uint64_t insertions) {
  return std::chrono::microseconds(static_cast<std::int64_t>(insertions));
}

}  // namespace

// -- a table -----------------------------------------------------------------------------------

void share_table::put(digest d, double p) {
  math::expect(std::isnan(p) || (p >= 0 && p <= 1), "the share of an item must lie in [0, 1]", p);
  if (std::isnan(p)) {
    shares_.erase(key_of(d));
  } else {
    shares_.set(key_of(d), std::bit_cast<std::uint64_t>(p));
  }
}

double share_table::operator()(digest d) const noexcept {
  const std::uint64_t* const p = shares_.find(key_of(d));
  return p != nullptr ? std::bit_cast<double>(*p) : unknown;
}

// -- all alike ---------------------------------------------------------------------------------

equal_share::equal_share(std::uint64_t window, unsigned precision)
    : current_(precision), window_(checked(window)) {}

void equal_share::add(digest d) noexcept {
  current_.add(d);
  ++added_;
  const bool whole = added_ == window_;
  // During the first window, the share is updated at every power of two.
  if (whole || (first_ && std::has_single_bit(added_))) {
    share_ = 1 / std::max(1., current_.estimate());
  }
  if (whole) {
    current_.clear();
    added_ = 0;
    first_ = false;
  }
}

// -- counted -----------------------------------------------------------------------------------

frequency_sketch::frequency_sketch(const sketch_config& config)
    : counts_({.memory = config.memory,
               .half_life = as_time(half_life * checked(config.window)),
               .tick = as_time(epoch_of(config.window))}),
      epoch_(epoch_of(config.window)) {}

void frequency_sketch::add(digest d) {
  if (insertions_ % epoch_ == 0) measure_noise();
  if (counts_.add(d, now()) != outcome::added) return;  // full after 2^63 insertions
  ++insertions_;
}

// Counters are shared, which raises the answers. The count of items that were never inserted
// measures by how much.
void frequency_sketch::measure_noise() noexcept {
  constexpr std::uint64_t probes = 64;
  double sum = 0;
  for (std::uint64_t i = 0; i < probes; ++i) {
    sum += counts_.at(derive({insertions_, i}, i), now()).value;
  }
  noise_ = sum / probes;
}

double frequency_sketch::operator()(digest d) const noexcept {
  const double all = counts_.mass(now());
  if (!(all > 0)) return unknown;
  const double counted = counts_.at(d, now()).value - noise_;
  return std::min(1., std::max(1., counted) / (all + 1));
}

BLOOMTIME_VALUE_OF(share_table);
BLOOMTIME_VALUE_OF(equal_share);
BLOOMTIME_VALUE_OF(frequency_sketch);

}  // namespace bloomtime::published
