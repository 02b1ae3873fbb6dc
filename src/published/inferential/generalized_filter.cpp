#include <bloomtime/published/inferential/generalized_filter.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <bloomtime/detail/moved.hpp>
#include <bloomtime/detail/storing.hpp>
#include <bloomtime/error.hpp>
#include <bloomtime/layout.hpp>
#include <bloomtime/math/random.hpp>

#include "detail/refuse.hpp"

namespace bloomtime::published {
namespace {

constexpr std::uint32_t bits_section = 1;
constexpr std::uint64_t most_k = touch_chain::most_k;

using std::to_string;

detail::buffer random_bits(std::uint64_t bytes, std::uint64_t seed) {
  detail::buffer bits(bytes);
  math::random_source random(seed);
  for (std::uint64_t at = 0; at < bytes; at += 8) detail::store_le64(bits.data() + at, random());
  return bits;
}

// Whole words of bits.
generalized_config valid(generalized_config c) {
  const auto refuse = [](errc code, const std::string& why) { throw error(code, why); };
  if (c.window == 0)
    refuse(errc::invalid_argument, "a generalized filter has a window of at least 1, got 0");
  if (c.memory < 8 || c.memory > detail::max_buffer_bytes) {
    refuse(c.memory < 8 ? errc::invalid_argument : errc::too_large,
           "a generalized filter has 8 to " + to_string(detail::max_buffer_bytes) + " bytes; got " +
               to_string(c.memory));
  }
  if (std::min(c.k0, c.k1) < 1 || std::max(c.k0, c.k1) > most_k) {
    refuse(errc::invalid_argument, "a generalized filter sets and clears 1 to 64 bits each, got " +
                                       to_string(c.k1) + " and " + to_string(c.k0));
  }
  c.memory = c.memory / 8 * 8;
  return c;
}

}  // namespace

generalized_filter::generalized_filter(const generalized_config& checked,
                                       detail::buffer bits) noexcept
    : bits_(std::move(bits)),
      chain_(checked.memory * 8, checked.k0, checked.k1),
      window_(checked.window),
      k0_(checked.k0),
      k1_(checked.k1),
      seed_(checked.seed) {}

generalized_filter::generalized_filter(const generalized_config& config)
    : generalized_filter(valid(config), random_bits(valid(config).memory, config.seed.value())) {}

// Position i of the first k0 is cleared, of the k1 after them set; a bit that is both is cleared.
void generalized_filter::insert_digest(digest d) noexcept {
  for (unsigned i = k0_ + k1_; i-- > 0;) {
    const std::uint64_t p = probes().position(d, i);
    std::byte& byte = bits_.data()[p / 8];
    byte = i < k0_ ? byte & ~detail::flat_bits::bit(p) : byte | detail::flat_bits::bit(p);
  }
  insertions_ += insertions_ != UINT64_MAX;
}

bool generalized_filter::clears(digest d, std::uint64_t position) const noexcept {
  for (unsigned i = 0; i < k0_; ++i) {
    if (probes().position(d, i) == position) return true;
  }
  return false;
}

bool generalized_filter::matches(digest d) const noexcept {
  if (bits_.size() == 0) return false;
  for (unsigned i = 0; i < k0_; ++i) {
    if (is_set(probes().position(d, i))) return false;
  }
  for (unsigned i = k0_; i < k0_ + k1_; ++i) {
    const std::uint64_t p = probes().position(d, i);
    if (!is_set(p) && !clears(d, p)) return false;
  }
  return true;
}

touch_pattern generalized_filter::pattern(digest d) const noexcept {
  std::array<std::uint64_t, 2 * most_k> different;
  unsigned count = 0;
  touch_pattern seen{0, 0, 0, 0};
  if (bits_.size() == 0) return seen;
  for (unsigned i = 0; i < k0_ + k1_; ++i) {
    const std::uint64_t p = probes().position(d, i);
    const auto end = different.begin() + count;
    if (std::find(different.begin(), end, p) != end) continue;
    different[count++] = p;
    ++(i < k0_ ? seen.r0 : seen.r1);
    if (i < k0_ && !is_set(p)) ++seen.c0;
    if (i >= k0_ && is_set(p)) ++seen.c1;
  }
  return seen;
}

math::masses generalized_filter::masses(digest d, const age_prior& prior,
                                        std::optional<double> window) const noexcept {
  if (bits_.size() == 0) return {0, 1};
  return chain_.window(pattern(d), window.value_or(static_cast<double>(window_)), prior.classes(),
                       static_cast<double>(insertions_));
}

void generalized_filter::clear() {
  detail::expect_not_moved_from(bits_.size() != 0, "generalized filter");
  bits_ = random_bits(bits_.size(), seed_.value());
  insertions_ = 0;
}

// -- storage -----------------------------------------------------------------------------------

void generalized_filter::write(detail::container_writer& out) const {
  detail::expect_not_moved_from(bits_.size() != 0, "generalized filter");
  out.info().seed = seed_;
  out.info().layout = static_cast<std::uint8_t>(layout::flat);
  auto& p = out.parameters();
  p.u64(window_);
  p.u64(bits());
  p.u64(k0_);
  p.u64(k1_);
  p.u64(insertions_);
  out.section(bits_section, bits_.bytes());
}

generalized_filter generalized_filter::read(const detail::container_view& view) {
  view.expect_sections(1);
  detail::byte_reader in = view.parameters();
  const std::uint64_t window = in.u64();
  const std::uint64_t bits = in.u64();
  const std::uint64_t k0 = in.u64();
  const std::uint64_t k1 = in.u64();
  const std::uint64_t insertions = in.u64();
  in.expect_end();
  if (window == 0 || bits == 0 || bits % 64 != 0 || bits / 8 > detail::max_buffer_bytes || k0 < 1 ||
      k0 > most_k || k1 < 1 || k1 > most_k || view.info().clock ||
      view.info().layout != static_cast<std::uint8_t>(layout::flat)) {
    contradict();
  }
  generalized_filter f({.window = window,
                        .memory = bits / 8,
                        .k0 = static_cast<unsigned>(k0),
                        .k1 = static_cast<unsigned>(k1),
                        .seed = view.info().seed},
                       detail::buffer::copy_of(view.section(bits_section, bits / 8)));
  f.insertions_ = insertions;
  return f;
}

BLOOMTIME_VALUE_OF(generalized_filter);

}  // namespace bloomtime::published

template class bloomtime::detail::stored<bloomtime::published::generalized_filter>;
