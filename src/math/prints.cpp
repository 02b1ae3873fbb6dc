#include <bloomtime/math/prints.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include <bloomtime/detail/print_block.hpp>

#include "math/expect.hpp"

namespace bloomtime::math {
namespace {

using detail::print_form;

print_form form_of(unsigned print_bits, const print_widths& w) noexcept {
  const unsigned rest = print_bits > detail::tag_bits ? print_bits - detail::tag_bits : 0;
  return print_form::of(rest, w.payload_bits, w.mark_bits);
}

unsigned most_print_bits(const print_widths& w) noexcept {
  return detail::tag_bits + detail::most_entry_bits - w.payload_bits;
}

void expect_load(std::uint64_t items, double error) {
  expect_error(error);
  expect(items >= 1 && items <= std::uint64_t{1} << 40, "a table has 1 to 2^40 items", items);
}

[[noreturn]] void refuse_error(double error) {
  throw bloomtime::error(errc::too_large, "prints cannot be long enough for an error of " +
                                              text_of(error) + "; use a larger one");
}

// Growth takes a bit of every print for each doubling, down to the tag. With four bits more, a
// table can grow to 16 times what it was made for.
constexpr unsigned least_bits = detail::tag_bits + 4;

// The shortest print for the error in blocks that are filled to `load`.
unsigned bits_for(double error, double load, const print_widths& w) {
  for (unsigned bits = least_bits; bits <= most_print_bits(w); ++bits) {
    const double others = 2 * load * form_of(bits, w).slots;
    if (print_collision(others, bits) <= error) return bits;
  }
  refuse_error(error);
}

std::uint64_t blocks_for(double items, unsigned slots, double load) noexcept {
  return static_cast<std::uint64_t>(std::ceil(items / (load * slots)));
}

}  // namespace

double growing_print_load(std::uint64_t blocks) noexcept {
  return blocks < detail::many_blocks ? grown_print_load : 0.78;
}

double print_collision(double others, unsigned bits) noexcept {
  return -std::expm1(others * std::log1p(-std::exp2(-static_cast<double>(bits))));
}

unsigned key_bits_for(std::uint64_t items, double error, unsigned most) {
  expect_load(items, error);
  for (unsigned bits = 0; bits <= most; ++bits) {
    if (print_collision(static_cast<double>(items), bits) <= error) return bits;
  }
  refuse_error(error);
}

double key_share(std::uint64_t keys, unsigned bits) noexcept {
  return std::ldexp(static_cast<double>(keys), -static_cast<int>(bits));
}

double items_of_keys(std::uint64_t keys, unsigned bits) noexcept {
  const double share = std::min(key_share(keys, bits), 1 - key_share(1, bits) / 2);
  return std::log1p(-share) / std::log1p(-key_share(1, bits));
}

// Few blocks are filled less evenly than many.
print_plan prints_reserved(std::uint64_t items, double error, const print_widths& w, double load) {
  expect_load(items, error);
  const unsigned bits = bits_for(error, load, w);
  const unsigned slots = form_of(bits, w).slots;
  const std::uint64_t even = blocks_for(static_cast<double>(items), slots, load);
  if (even >= 64) return {even, bits};
  return {blocks_for(static_cast<double>(items), slots, grown_print_load) + 1, bits};
}

print_plan prints_growing(std::uint64_t items, double error, const print_widths& w,
                          std::uint64_t blocks) {
  expect_load(items, error);
  const unsigned bits = bits_for(error, grown_print_load, w);
  const std::uint64_t needed =
      blocks_for(static_cast<double>(items), form_of(bits, w).slots, grown_print_load);
  unsigned levels = 0;
  while ((blocks << levels) < needed) ++levels;
  const unsigned most =
      std::min(most_print_bits(w),
               detail::most_key_bits - static_cast<unsigned>(std::bit_width(blocks - 1)));
  if (bits + levels > most) refuse_error(error);
  return {blocks, bits + levels};
}

namespace {

double slots_of(const print_plan& p, const print_widths& w, const print_growth& g) noexcept {
  const double homes = std::ldexp(static_cast<double>(p.homes), static_cast<int>(g.level));
  const auto split = static_cast<double>(g.split);
  return (homes - split) * form_of(p.print_bits - g.level, w).slots +
         2 * split * form_of(p.print_bits - g.level - 1, w).slots;
}

}  // namespace

double print_error(const print_plan& p, const print_widths& w, const print_growth& g,
                   double items) noexcept {
  const double load = std::min(1., items / slots_of(p, w, g));
  const double divided = static_cast<double>(g.split) /
                         std::ldexp(static_cast<double>(p.homes), static_cast<int>(g.level));
  const auto in_block = [&](unsigned level) {
    const unsigned bits = p.print_bits - level;
    return print_collision(load * form_of(bits, w).slots, bits);
  };
  const double one =
      (1 - divided) * in_block(g.level) + (divided > 0 ? divided * in_block(g.level + 1) : 0);
  return 1 - (1 - one) * (1 - one);
}

double print_share(const print_plan& p, double prints) noexcept {
  const double all = std::ldexp(static_cast<double>(p.homes), static_cast<int>(p.print_bits));
  return std::min(1., 2 * prints / all);
}

print_growth growth_for(const print_plan& p, const print_widths& w, double items) noexcept {
  print_growth g;
  if (items <= reserved_print_load * slots_of(p, w, g)) return g;
  const unsigned most = p.print_bits - detail::tag_bits;
  const auto load = [&](unsigned level) { return growing_print_load(p.homes << level); };
  while (g.level < most && items > load(g.level + 1) * slots_of(p, w, {g.level + 1, 0})) ++g.level;
  if (g.level == most) return g;
  // Slots grow in proportion to the number of splits.
  const double from = slots_of(p, w, g);
  const double to = slots_of(p, w, {g.level + 1, 0});
  const double share = std::clamp((items / load(g.level) - from) / (to - from), 0., 1.);
  const auto all = static_cast<double>(p.homes << g.level);
  g.split = std::min(static_cast<std::uint64_t>(share * all), (p.homes << g.level) - 1);
  return g;
}

}  // namespace bloomtime::math
