#include <bloomtime/math/bloom.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "math/expect.hpp"
#include "math/line_load.hpp"
#include "math/search.hpp"

namespace bloomtime::math {
namespace {

constexpr double line_surcharge = 1.15;

void expect_most_k(layout kind, unsigned most_k) {
  expect(most_k >= 1 && most_k <= max_k(kind),
         "k of this layout must be from 1 to " + std::to_string(max_k(kind)), most_k);
}

// Sizes of one layout for a fixed number of items.
class sizer {
 public:
  sizer(layout kind, std::uint64_t items, unsigned most_k)
      : kind_(kind), items_(items), most_k_(most_k) {}

  // The fewest bits, at most `budget`, with which some k has at most this error.
  std::optional<bloom_size> fewest(double wanted, std::uint64_t budget) {
    std::optional<std::uint64_t> found;
    const auto improve = [&](unsigned k) {
      const std::uint64_t limit = found ? *found - 1 : budget;
      const auto enough = [&](std::uint64_t units) {
        return error_if_below(wanted, units, k) <= wanted;
      };
      if (const auto units = least(limit / unit(k), enough)) found = *units * unit(k);
    };
    // The usual optimum first: its limit is so tight that most other k are rejected at once.
    const double usual = std::round(optimal_bits_per_item(wanted));
    improve(static_cast<unsigned>(std::clamp(usual, 1., double(most_k_))));
    for (unsigned k = 1; k <= most_k_; ++k) improve(k);
    if (!found) return std::nullopt;
    return best_within(*found);
  }

  bloom_size best_within(std::uint64_t bits) {
    bloom_size best{kind_, 0, 0, 2};
    for (unsigned k = 1; k <= most_k_; ++k) {
      const std::uint64_t units = std::max<std::uint64_t>(bits / unit(k), kind_ != layout::rows);
      if (units == 0) break;
      const double err = error_if_below(best.error, units, k);
      if (err < best.error) best = {kind_, units * unit(k), k, err};
    }
    return best;
  }

 private:
  std::uint64_t unit(unsigned k) const {
    switch (kind_) {
      case layout::flat: return 64;
      case layout::rows: return k;
      case layout::line: break;
    }
    return line_bits;
  }

  // The error, or any number above `bound` if the error is above it.
  double error_if_below(double bound, std::uint64_t units, unsigned k) {
    if (kind_ != layout::line) return bloom_error(kind_, items_, units * unit(k), k);
    const double least = least_line_error(units, k);
    if (least > bound) return least;
    std::optional<load_errors>& errors = errors_[k - 1];
    if (!errors) errors = load_errors::of_bits(k);
    return errors->mixed(items_, units);
  }

  // A lower bound that avoids the long sums of crowded lines. The error is the mean, over loads, of
  // a product of k fills. If the words were independent, it would be at least the k-th power of the
  // mean fill (Jensen's inequality). From 64 items per line on, their dependence lowers it by less
  // than 3 % of the bound, and of the bound's distance to 1; 0.4 %, for k = 6, is the largest
  // found.
  double least_line_error(std::uint64_t lines, unsigned k) const {
    constexpr std::uint64_t crowded = 64;
    if (items_ / lines < crowded) return 0;
    const double miss = std::log1p(-line_hit(k) / static_cast<double>(lines));
    const double least = std::pow(-std::expm1(static_cast<double>(items_) * miss), k);
    return least - 0.03 * std::min(least, 1 - least);
  }

  layout kind_;
  std::uint64_t items_;
  unsigned most_k_;
  std::array<std::optional<load_errors>, max_k(layout::line)> errors_;
};

}  // namespace

bloom_size size_for_error(layout kind, std::uint64_t items, double wanted, unsigned most_k) {
  expect_items(items);
  expect_error(wanted);
  expect_most_k(kind, most_k);
  const std::optional<bloom_size> size = sizer(kind, items, most_k).fewest(wanted, max_bits);
  if (!size) {
    throw error(errc::too_large, "a filter may have at most " + std::to_string(max_bits) +
                                     " bits, but " + std::to_string(items) +
                                     " items at an error of " + text_of(wanted) + " need more");
  }
  return *size;
}

bloom_size size_for_error(layout kind, std::uint64_t items, double wanted) {
  return size_for_error(kind, items, wanted, max_k(kind));
}

bloom_size size_for_bits(layout kind, std::uint64_t items, std::uint64_t bits, unsigned most_k) {
  expect_items(items);
  expect(bits >= 1, "a filter must have at least one bit", bits);
  expect_most_k(kind, most_k);
  if (bits > max_bits) {
    throw error(errc::too_large, "a filter may have at most " + std::to_string(max_bits) +
                                     " bits, got " + std::to_string(bits));
  }
  return sizer(kind, items, most_k).best_within(bits);
}

bloom_size size_for_bits(layout kind, std::uint64_t items, std::uint64_t bits) {
  return size_for_bits(kind, items, bits, max_k(kind));
}

bloom_size plan_bloom(std::uint64_t items, double wanted) {
  const bloom_size flat = size_for_error(layout::flat, items, wanted);
  const auto budget = static_cast<std::uint64_t>(static_cast<double>(flat.bits) * line_surcharge);
  for (const unsigned most_k : {8U, 16U}) {
    const auto line = sizer(layout::line, items, most_k).fewest(wanted, std::min(budget, max_bits));
    if (line) return *line;
  }
  return flat;
}

bloom_size plan_bloom_in_bits(std::uint64_t items, std::uint64_t bits) {
  expect(bits >= 1, "a filter must have at least one bit", bits);
  const double fewer = std::max(1., static_cast<double>(bits) / line_surcharge);
  const auto rival_bits = static_cast<std::uint64_t>(fewer);
  const bloom_size rival = size_for_bits(layout::flat, items, rival_bits);
  for (const unsigned most_k : {8U, 16U}) {
    const bloom_size line = size_for_bits(layout::line, items, bits, most_k);
    if (line.bits <= bits && line.error <= rival.error) return line;
  }
  return size_for_bits(layout::flat, items, bits);
}

}  // namespace bloomtime::math
