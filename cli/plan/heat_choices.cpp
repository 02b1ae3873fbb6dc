#include "cli/plan/heat_choices.hpp"

#include <algorithm>
#include <cmath>

#include <bloomtime/math/bloom.hpp>
#include <bloomtime/published/time_decaying/pooled_decaying_filter.hpp>

namespace bloomtime::cli {
namespace {

constexpr std::uint64_t line_bytes = 64;
constexpr unsigned published_k = 16;  // upper limit of the published filters
// With minimum increase more rows are better than the formulas for plain counters say.
constexpr unsigned usual_k = 4;

// One cell of a line holds its number of halvings.
heat_choice heat_filter_choice(const plan_target& target, unsigned cell_bits) {
  const std::uint64_t per_line = 8 * line_bytes / cell_bits - 1;
  heat_choice c{.engine = "heat_filter", .cell_bits = cell_bits};
  std::uint64_t lines_per_row = 0;
  if (target.error) {
    const auto size = math::size_for_error(layout::rows, target.items, *target.error, usual_k);
    c.k = size.k;
    lines_per_row = (size.bits / size.k + per_line - 1) / per_line;
  } else {
    const std::uint64_t lines = *target.memory / line_bytes;
    c.k = static_cast<unsigned>(std::min<std::uint64_t>(lines, usual_k));
    lines_per_row = lines / c.k;
  }
  c.row = lines_per_row * per_line;
  c.memory = c.k * lines_per_row * line_bytes;
  return c;
}

template <class Cells>
heat_choice published_choice(const plan_target& target, const char* engine, unsigned cell_bits) {
  constexpr std::uint64_t some = std::uint64_t{1} << 20;
  const double bytes_per_cell =
      static_cast<double>(some) / static_cast<double>(Cells::cells_in(some, cell_bits));
  heat_choice c{.engine = engine, .cell_bits = cell_bits};
  if (target.error) {
    const auto size = math::size_for_error(layout::rows, target.items, *target.error, published_k);
    c.k = size.k;
    c.row = size.bits / size.k;
  } else {
    c.k = usual_k;
    c.row = Cells::cells_in(*target.memory, cell_bits) / c.k;
  }
  c.memory =
      static_cast<std::uint64_t>(std::ceil(static_cast<double>(c.k * c.row) * bytes_per_cell));
  return c;
}

}  // namespace

std::vector<heat_choice> heat_choices(const plan_target& target) {
  std::vector<heat_choice> choices{
      heat_filter_choice(target, 16), heat_filter_choice(target, 32),
      published_choice<detail::counter_cells>(target, "decaying_filter", 16),
      published_choice<detail::digit_cells>(target, "pooled_decaying_filter", 4)};
  for (heat_choice& c : choices) c.error = math::rows_error(target.items, c.k * c.row, c.k);
  choices.front().recommended = true;
  return choices;
}

}  // namespace bloomtime::cli
