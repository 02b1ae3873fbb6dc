#include <bloomtime/published/persistent/detail/flat_filter.hpp>

#include <algorithm>
#include <numeric>
#include <string>

#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/error.hpp>
#include <bloomtime/math/bloom.hpp>

namespace bloomtime::detail {
namespace {

constexpr std::uint64_t fewest_bits = 64;

}  // namespace

flat_filter flat_filter::borrow(published::filter_size size, std::uint64_t ones,
                                std::span<const std::byte> bits) noexcept {
  flat_filter f;
  f.size_ = size;
  f.ones_ = ones;
  f.bits_ = buffer::borrow(bits, nullptr);
  return f;
}

flat_filter flat_filter::joined(const flat_filter& a, const flat_filter& b) {
  if (a.absent() || b.absent()) return {};
  const std::uint64_t common = std::gcd(a.size_.bits, b.size_.bits);
  const std::uint64_t smaller = std::min(a.size_.bits, b.size_.bits);
  if (common < std::min(fewest_bits, smaller) || common < smaller / 2) {
    throw bloomtime::error(
        errc::incompatible,
        "filters are joined by folding both to their greatest common size, and that of " +
            std::to_string(a.size_.bits) + " and " + std::to_string(b.size_.bits) +
            " bits is only " + std::to_string(common) +
            "; sizes that are powers of two always fold");
  }
  flat_filter f({common, std::min(a.size_.k, b.size_.k)});
  a.fold_into(f);
  b.fold_into(f);
  return f;
}

// Positions are floor(hash * bits / 2^64), so those in a filter c times smaller are p / c.
void flat_filter::fold_into(flat_filter& into) const noexcept {
  const std::uint64_t factor = size_.bits / into.size_.bits;
  if (factor == 1) {
    into.unite(*this);
    return;
  }
  for (std::uint64_t p = 0; p < size_.bits; ++p) {
    if ((bits_.data()[p / 8] & flat_bits::bit(p)) == std::byte{0}) continue;
    into.bits_.data()[p / factor / 8] |= flat_bits::bit(p / factor);
  }
  into.ones_ = count_ones(into.bits_.bytes());
}

void flat_filter::unite(const flat_filter& other) noexcept {
  std::byte* mine = bits_.data();
  const std::byte* theirs = other.bits_.data();
  for (std::size_t i = 0; i < bits_.size(); ++i) mine[i] |= theirs[i];
  ones_ = count_ones(bits_.bytes());
}

double flat_filter::keys() const noexcept {
  return absent() ? 0 : math::fill_items(ones_, size_.bits, size_.k);
}

bool flat_filter::consistent() const noexcept {
  const auto bits = bits_.bytes();
  const unsigned used = size_.bits % 8;
  const bool beyond = used != 0 && std::to_integer<unsigned>(bits.back()) >> used != 0;
  return !beyond && count_ones(bits) == ones_;
}

}  // namespace bloomtime::detail
