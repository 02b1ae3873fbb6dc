#include "cli/commands/heat_choices.hpp"

#include <algorithm>

#include <bloomtime/error.hpp>
#include <bloomtime/math/bloom.hpp>

namespace bloomtime::cli {
namespace {

constexpr std::uint64_t line_bytes = 64;
constexpr unsigned most_k = 4;  // cache lines per operation

// A line has one cell less than fits, for its count of halvings.
std::uint64_t cells_per_line(unsigned cell_bits) { return 8 * line_bytes / cell_bits - 1; }

heat_choice choice_of(const plan_target& target, unsigned cell_bits) {
  const std::uint64_t per_line = cells_per_line(cell_bits);
  heat_choice c{.cell_bits = cell_bits};
  if (target.error) {
    const auto size = math::size_for_error(layout::rows, target.items, *target.error, most_k);
    c.k = size.k;
    c.row = (size.bits / size.k + per_line - 1) / per_line * per_line;
  } else {
    const std::uint64_t lines = *target.memory / line_bytes;
    if (lines == 0) {
      throw error(errc::invalid_argument, "a heat filter's memory is at least 64 bytes, got " +
                                              std::to_string(*target.memory));
    }
    // With minimum increase more rows are better than formulas for plain counters say.
    c.k = static_cast<unsigned>(std::min<std::uint64_t>(lines, most_k));
    c.row = lines / c.k * per_line;
  }
  c.error = math::rows_error(target.items, c.k * c.row, c.k);
  return c;
}

}  // namespace

std::uint64_t heat_choice::memory() const {
  return k * (row / cells_per_line(cell_bits)) * line_bytes;
}

std::vector<heat_choice> heat_choices(const plan_target& target) {
  std::vector<heat_choice> choices{choice_of(target, 16), choice_of(target, 32)};
  choices.front().recommended = true;
  return choices;
}

}  // namespace bloomtime::cli
