#include <bloomtime/published/time_decaying/pool_size.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

#include <bloomtime/math/zipf.hpp>

#include "math/expect.hpp"

namespace bloomtime::published {

pool_bits pool_bits_per_cell(std::uint64_t cells, std::uint64_t used) {
  math::expect(cells >= 1, "a filter must have at least one cell", cells);
  constexpr double digit = 4;
  const double cell = digit + 1;
  const auto link = static_cast<double>(std::bit_width(cells - 1));  // ceil(log2(cells))
  const double nodes = static_cast<double>(used) / static_cast<double>(cells);
  const double linked = digit + 2 * link;
  return {cell + nodes * digit, cell + digit / 2, cell + nodes * linked, cell + linked / 2};
}

double largest_count(const zipf_load& load) {
  math::expect(load.items >= 1, "a stream must have at least one item", load.items);
  math::expect(load.hits >= 0 && std::isfinite(load.hits), "hits must be a number, 0 or more",
               load.hits);
  math::expect(load.lambda >= 0 && load.lambda < 1, "lambda must be at least 0 and less than 1",
               load.lambda);
  return load.hits / ((1 - load.lambda) * math::harmonic(load.items, load.z));
}

double zipf_pool_nodes(const zipf_load& load, math::heat_size size) {
  math::expect(size.k >= 1 && size.row >= 1, "each row must have at least one cell", size.row);
  const double largest = largest_count(load);
  const auto row = static_cast<double>(size.row);
  const auto items = static_cast<double>(load.items);
  double nodes = 0;
  for (double digits = 16; digits <= largest; digits *= 16) {
    // The ranks whose counts are at least `digits`.
    const double ranks =
        load.z == 0 ? items : std::min(items, std::floor(std::pow(largest / digits, 1 / load.z)));
    nodes -= size.k * row * std::expm1(ranks * std::log1p(-1 / row));
  }
  return nodes;
}

}  // namespace bloomtime::published
