#include <bloomtime/published/inferential/recent_buffer.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <bloomtime/detail/moved.hpp>
#include <bloomtime/detail/storing.hpp>
#include <bloomtime/error.hpp>
#include <bloomtime/math/bloom.hpp>

namespace bloomtime::published {
namespace {

constexpr std::uint32_t prints_section = 1;

detail::packed_cells<> prints_of(const recent_config& c) {
  if (c.window == 0) {
    throw error(errc::invalid_argument, "a recent buffer has a window of at least 1, got 0");
  }
  if (c.bits < 1 || c.bits > detail::max_cell_bits) {
    throw error(
        errc::invalid_argument,
        "the fingerprints of a recent buffer have 1 to 32 bits, got " + std::to_string(c.bits));
  }
  if (c.memory > detail::max_buffer_bytes || c.memory * 8 < c.bits) {
    throw error(c.memory > detail::max_buffer_bytes ? errc::too_large : errc::invalid_argument,
                "a recent buffer has room for at least one fingerprint of " +
                    std::to_string(c.bits) + " bits and at most " +
                    std::to_string(detail::max_buffer_bytes) + " bytes, got " +
                    std::to_string(c.memory));
  }
  return detail::packed_cells<>(std::min(c.window, c.memory * 8 / c.bits), c.bits);
}

}  // namespace

recent_buffer::recent_buffer(std::uint64_t window, detail::packed_cells<> prints,
                             const hash_seed& seed)
    : prints_(std::move(prints)), window_(window), seed_(seed) {
  index_.reserve(std::min(slots(), std::uint64_t{1} << bits()));
}

recent_buffer::recent_buffer(const recent_config& config)
    : recent_buffer(config.window, prints_of(config), config.seed) {}

void recent_buffer::push(std::uint32_t print) noexcept {
  const std::uint64_t at = insertions_ % slots();
  if (insertions_ >= slots()) {
    const std::uint32_t oldest = prints_.get(at);
    std::uint64_t* const times = index_.find(oldest);
    if (--*times == 0) index_.erase(oldest);
  }
  prints_.set(at, print);
  count(print);
  ++insertions_;
}

void recent_buffer::count(std::uint32_t print) noexcept {
  if (std::uint64_t* const times = index_.find(print)) {
    ++*times;
  } else {
    index_.set(print, 1);  // memory is reserved for all
  }
}

// Ages are limited to the number of insertions: an older item was never inserted.
double recent_buffer::asked(std::optional<double> window) const noexcept {
  if (prints_.bytes().empty()) return 0;
  return std::min(window.value_or(static_cast<double>(window_)), static_cast<double>(insertions_));
}

double recent_buffer::current_error() const noexcept {
  return std::ldexp(static_cast<double>(different()), -static_cast<int>(bits()));
}

// The probability that at least one of this many items has a given fingerprint.
double recent_buffer::found_among(double items) const noexcept {
  return -std::expm1(items * std::log1p(-std::ldexp(1, -static_cast<int>(bits()))));
}

double recent_buffer::predicted_error(std::uint64_t items) const noexcept {
  return found_among(static_cast<double>(std::min(items, slots())));
}

double recent_buffer::alive_items() const noexcept {
  if (prints_.bytes().empty()) return 0;
  return math::fill_items(different(), std::uint64_t{1} << bits(), 1, layout::flat);
}

void recent_buffer::clear() noexcept {
  for (std::uint64_t i = 0; i < kept(); ++i) prints_.set(i, 0);
  index_.erase_if([](std::uint64_t, std::uint64_t) { return true; });
  insertions_ = 0;
}

// An item whose fingerprint is absent is certainly older than all that are kept.
math::evidence recent_buffer::evidence_with(digest d, double g) const noexcept {
  const auto e = static_cast<double>(kept());
  return present(d) ? math::evidence{0, e, g} : math::evidence{e, e, 1};
}

// -- storage -----------------------------------------------------------------------------------

void recent_buffer::write(detail::container_writer& out) const {
  detail::expect_not_moved_from(!prints_.bytes().empty(), "recent buffer");
  out.info().seed = seed_;
  auto& p = out.parameters();
  p.u64(window_);
  p.u64(slots());
  p.u64(bits());
  p.u64(insertions_);
  out.section(prints_section, prints_.bytes());
}

recent_buffer recent_buffer::read(const detail::container_view& view) {
  view.expect_sections(1);
  detail::byte_reader in = view.parameters();
  const std::uint64_t window = in.u64();
  const std::uint64_t slots = in.u64();
  const std::uint64_t bits = in.u64();
  const std::uint64_t insertions = in.u64();
  in.expect_end();
  const auto require = [](bool holds) {
    if (!holds) throw error(errc::corrupt, "the parts of this recent buffer contradict each other");
  };
  require(bits >= 1 && bits <= detail::max_cell_bits && slots >= 1 && slots <= window &&
          slots <= detail::max_buffer_bytes * 8 / bits && insertions <= most_insertions &&
          !view.info().clock && view.info().layout == 0);
  const auto width = static_cast<unsigned>(bits);
  const auto body = view.section(prints_section, detail::packed_cells<>::bytes_for(slots, width));
  detail::packed_cells<> prints(detail::buffer::copy_of(body), slots, width);
  require(prints.padding_is_zero());
  for (std::uint64_t i = insertions; i < slots; ++i) require(prints.get(i) == 0);

  recent_buffer b(window, std::move(prints), view.info().seed);
  b.insertions_ = insertions;
  for (std::uint64_t i = 0; i < b.kept(); ++i) b.count(b.prints_.get(i));
  return b;
}

BLOOMTIME_VALUE_OF(recent_buffer);

}  // namespace bloomtime::published

template class bloomtime::detail::stored<bloomtime::published::recent_buffer>;
