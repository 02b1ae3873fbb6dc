#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include <bloomtime/digest.hpp>
#include <bloomtime/heat/decay.hpp>
#include <bloomtime/published/time_decaying/decaying_config.hpp>

namespace bloomtime::detail {

// Multiplies counters by lambda^epochs and rounds once, for any number of epochs. `draw` seeds the
// random rounding of one sweep. It is a function of the filter's state, so a filter that was saved
// and loaded rounds as the original does.
class fade {
 public:
  fade(const decay& by, std::uint64_t epochs, published::rounding how, std::uint64_t draw) noexcept
      : how_(how), draw_(mix(draw)) {
    if (epochs == 0 || !by.fades()) return;
    if (by.forgets_at_once()) {
      factor_ = 0;
      return;
    }
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    const decay::power p = by.at(-static_cast<std::int64_t>(std::min(epochs, most)));
    factor_ = p.upper;  // so that rounding down removes only the fraction, even of large counts
    shift_ =
        static_cast<unsigned>(std::min<decay::wide>(decay::factor_bits - p.halvings, most_shift));
  }

  bool changes_nothing() const noexcept { return factor_ == one && shift_ == decay::factor_bits; }

  // The faded value of a cell; never larger than `value`.
  std::uint64_t operator()(std::uint64_t value, std::uint64_t cell) const noexcept {
    const wide product = static_cast<wide>(value) * factor_;  // below 2^127
    const wide whole = shift_ < 127 ? product >> shift_ : 0;
    const wide rest = product - (whole << (shift_ % 128));
    return static_cast<std::uint64_t>(whole) + (rest != 0 && rounds_up(rest, cell) ? 1 : 0);
  }

 private:
  __extension__ using wide = unsigned __int128;
  static constexpr std::uint64_t one = std::uint64_t{1} << decay::factor_bits;
  static constexpr unsigned most_shift = 191;  // probabilities below 2^-64 count as 2^-64

  bool rounds_up(wide rest, std::uint64_t cell) const noexcept {
    if (how_ != published::rounding::random) return how_ == published::rounding::up;
    const auto probability =
        static_cast<std::uint64_t>(shift_ < 64 ? rest << (64 - shift_) : rest >> (shift_ - 64));
    return mix(draw_ ^ cell) <= probability;
  }

  published::rounding how_;
  std::uint64_t draw_;
  std::uint64_t factor_ = one;
  unsigned shift_ = decay::factor_bits;
};

}  // namespace bloomtime::detail
