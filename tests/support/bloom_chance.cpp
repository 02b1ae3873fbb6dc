#include "support/bloom_chance.hpp"

#include <array>
#include <bit>
#include <cmath>

#include <bloomtime/detail/bytes.hpp>

namespace bloomtime::support {
namespace {

double word_share(std::span<const std::byte> bits, std::size_t at) {
  return std::popcount(detail::load_le64(bits.subspan(at, 8).data())) / 64.0;
}

double chance_in_line(std::span<const std::byte> line, unsigned k) {
  double sum = 0;
  for (std::size_t start = 0; start < 8; ++start) {
    double product = 1;
    for (std::size_t i = 0; i < k; ++i) product *= word_share(line, (start + i) % 8 * 8);
    sum += product;
  }
  return sum / 8;
}

}  // namespace

double chance_of_maybe(layout kind, std::span<const std::byte> bits, unsigned k) {
  const std::size_t step = kind == layout::line ? 64 : 8;
  double sum = 0;
  for (std::size_t at = 0; at < bits.size(); at += step) {
    sum += kind == layout::line ? chance_in_line(bits.subspan(at, step), k) : word_share(bits, at);
  }
  const double mean = sum / static_cast<double>(bits.size() / step);
  return kind == layout::line ? mean : std::pow(mean, k);
}

}  // namespace bloomtime::support
