#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdint>

#include <bloomtime/math/bloom.hpp>

#include "support/magnitude.hpp"

namespace bloomtime::math {
namespace bloom_size_test {

using support::magnitude;

layout any_layout() { return *rc::gen::element(layout::flat, layout::rows, layout::line); }

// 2^x for a uniform x: sizes and errors matter by order of magnitude.
std::uint64_t any_items() { return static_cast<std::uint64_t>(magnitude(0, 33)); }
double any_error() { return magnitude(-30, -0.002); }

std::uint64_t unit(layout kind, unsigned k) {
  return kind == layout::flat ? 64 : kind == layout::line ? 512 : k;
}

RC_GTEST_PROP(bloom_size, no_smaller_size_keeps_the_error, ()) {
  const layout kind = any_layout();
  const std::uint64_t items = any_items();
  const double wanted = any_error();
  const bloom_size size = size_for_error(kind, items, wanted);
  RC_ASSERT(size.error <= wanted);
  for (unsigned k = 1; k <= max_k(kind); ++k) {
    const std::uint64_t fewer = (size.bits - 1) / unit(kind, k) * unit(kind, k);
    if (fewer != 0) RC_ASSERT(bloom_error(kind, items, fewer, k) > wanted);
  }
}

RC_GTEST_PROP(bloom_size, no_other_k_is_better, ()) {
  const layout kind = any_layout();
  const std::uint64_t items = any_items();
  const auto bits = static_cast<std::uint64_t>(magnitude(10, 40));
  const bloom_size size = size_for_bits(kind, items, bits);
  RC_ASSERT(size.bits <= bits);
  RC_ASSERT(size.bits + unit(kind, size.k) > bits);
  RC_ASSERT(size.error == bloom_error(kind, items, size.bits, size.k));
  for (unsigned k = 1; k <= max_k(kind); ++k) {
    RC_ASSERT(bloom_error(kind, items, bits / unit(kind, k) * unit(kind, k), k) >= size.error);
  }
}

// Errors of 0 and 1 cannot be asked for, and where the error hardly depends on the size, rounding
// decides; so stay within what filters are used for.
RC_GTEST_PROP(bloom_size, bits_to_error_to_bits_is_within_a_unit, ()) {
  const layout kind = any_layout();
  const std::uint64_t items = any_items();
  const double bits_per_item = magnitude(0, 5.5);
  const auto bits = static_cast<std::uint64_t>(static_cast<double>(items) * bits_per_item) + 512;
  const bloom_size forth = size_for_bits(kind, items, bits);
  RC_PRE(forth.error > 1e-15 && forth.error < 0.999);
  const bloom_size back = size_for_error(kind, items, forth.error);
  RC_ASSERT(back.bits <= forth.bits);
  RC_ASSERT(back.bits + unit(kind, back.k) >= forth.bits);
}

RC_GTEST_PROP(bloom_size, more_items_or_less_error_never_take_fewer_bits, ()) {
  const layout kind = any_layout();
  const std::uint64_t items = any_items();
  const double wanted = any_error();
  const std::uint64_t bits = size_for_error(kind, items, wanted).bits;
  RC_ASSERT(size_for_error(kind, items + any_items(), wanted).bits >= bits);
  RC_ASSERT(size_for_error(kind, items, wanted * magnitude(-3, 0)).bits >= bits);
}

RC_GTEST_PROP(bloom_size, more_bits_never_err_more, ()) {
  const layout kind = any_layout();
  const std::uint64_t items = any_items();
  const auto bits = static_cast<std::uint64_t>(magnitude(0, 40));
  const auto more = bits + static_cast<std::uint64_t>(magnitude(0, 40));
  // A line's sum has a relative rounding error of 1e-13.
  RC_ASSERT(size_for_bits(kind, items, more).error <=
            size_for_bits(kind, items, bits).error * (1 + 1e-12));
}

RC_GTEST_PROP(bloom_plan, costs_at_most_fifteen_percent_and_keeps_the_error, ()) {
  const std::uint64_t items = any_items();
  const double wanted = any_error();
  const bloom_size plan = plan_bloom(items, wanted);
  const auto flat = static_cast<double>(size_for_error(layout::flat, items, wanted).bits);
  RC_ASSERT(plan.error <= wanted);
  RC_ASSERT(static_cast<double>(plan.bits) <= 1.15 * flat);
  if (plan.layout == layout::flat) {
    const auto line = static_cast<double>(size_for_error(layout::line, items, wanted).bits);
    RC_ASSERT(line > 1.15 * flat);
  }
}

}  // namespace bloom_size_test
}  // namespace bloomtime::math
