#include <bloomtime/bloom/bloom_filter.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include <bloomtime/detail/storing.hpp>

#include "detail/refuse.hpp"

namespace bloomtime {
namespace {

constexpr std::uint32_t bits_section = 1;

using std::to_string;

math::bloom_size size_of(const bloom_config& c) {
  if (c.error.has_value() == c.memory.has_value()) {
    throw error(errc::invalid_argument,
                std::string("a Bloom filter is sized by error or by memory; got ") +
                    (c.error ? "both" : "neither"));
  }
  if (c.layout && *c.layout != layout::flat && *c.layout != layout::line) {
    throw error(errc::invalid_argument,
                "a Bloom filter's layout is flat or line; rows is for counting filters");
  }
  if (c.error) {
    return c.layout ? math::size_for_error(*c.layout, c.items, *c.error)
                    : math::plan_bloom(c.items, *c.error);
  }
  const std::uint64_t least = c.layout == layout::line ? detail::line_bytes : 8;
  if (*c.memory < least || *c.memory > detail::max_buffer_bytes) {
    throw error(*c.memory < least ? errc::invalid_argument : errc::too_large,
                "a Bloom filter's memory is " + to_string(least) + " to " +
                    to_string(detail::max_buffer_bytes) + " bytes, got " + to_string(*c.memory));
  }
  return c.layout ? math::size_for_bits(*c.layout, c.items, *c.memory * 8)
                  : math::plan_bloom_in_bits(c.items, *c.memory * 8);
}

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) noexcept {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

}  // namespace

bloom_filter::bloom_filter(const bloom_config& config) {
  const math::bloom_size size = size_of(config);
  layout_ = size.layout;
  k_ = size.k;
  one_round_ = detail::one_round(layout_, k_);
  bit_count_ = size.bits;
  seed_ = config.seed;
  capacity_ = config.items;
  bits_ = detail::buffer(bit_count_ / 8);
}

std::uint64_t bloom_filter::ones() const noexcept {
  if (k_ == 0 || insertions_ == 0) return 0;
  if (!ones_.is_kept()) ones_.keep(count_ones());
  return ones_.value();
}

bool bloom_filter::count_new_bits(digest d) noexcept {
  const unsigned fresh = layout_ == layout::line
                             ? detail::single::line_insert(line_of(d), lines(), d)
                             : flat().insert(bits_.data(), d);
  ones_.raise(fresh);
  return fresh != 0;
}

double bloom_filter::fill() const noexcept {
  if (k_ == 0) return 0;
  return static_cast<double>(ones()) / static_cast<double>(bit_count_);
}

double bloom_filter::distinct() const noexcept {
  if (k_ == 0) return 0;
  return math::fill_items(ones(), bit_count_, k_, layout_);
}

double bloom_filter::predicted_error(std::uint64_t items) const {
  expect_bits();
  return math::bloom_error(layout_, items, bit_count_, k_);
}

double bloom_filter::current_error() const {
  expect_bits();
  if (layout_ == layout::flat) return std::pow(fill(), k_);
  if (ones() == bit_count_) return 1;  // no finite number of items sets every bit on average
  return predicted_error(static_cast<std::uint64_t>(std::ceil(distinct())));
}

// -- inference ---------------------------------------------------------------------------------

math::masses bloom_filter::masses(digest d, const prior& before) const noexcept {
  if (!may_contain(d)) return {.in = 0, .out = 1};
  if (k_ == 0) return before.of(0, 1);  // moved from: it knows nothing
  return before.of(insertions_, likelihood_if_absent(d));
}

// The probability that an item that was never inserted finds all its bits set.
double bloom_filter::likelihood_if_absent(digest d) const noexcept {
  return layout_ == layout::flat ? math::census(ones(), bit_count_, flat().distinct(d))
                                 : line_likelihood(d);
}

// The words of the item's line are better evidence than the whole array. Each of the l items of a
// line has any of the patterns of bits that fit into the line, over all eight starting words, with
// equal probability, so l / patterns of them have a given one. An absent item has any line with
// equal probability. The likelihood is therefore the share of patterns that fit, divided by (load
// of this line) / (mean load) (docs/math.md, Evidence of a line).
double bloom_filter::line_likelihood(digest d) const noexcept {
  const detail::line_bits geometry = lines();
  const std::byte* line = bits_.data() + geometry.offset(d);
  std::array<std::uint64_t, detail::line_words> wanted{};
  const auto want = [&](unsigned word, std::uint64_t mask) { wanted[word] |= mask; };
  detail::for_each_line_bit(geometry.first_hash(d), geometry.start(d), geometry.first_round(),
                            want);
  detail::for_each_line_bit(geometry.second_hash(d), geometry.start(d), geometry.second_round(),
                            want);
  std::array<unsigned, detail::line_words> ones{};
  unsigned line_ones = 0;
  for (unsigned w = 0; w < detail::line_words; ++w) {
    ones[w] = static_cast<unsigned>(std::popcount(detail::load_le64(line + 8 * w)));
    line_ones += ones[w];
  }
  double fitting = 0;
  for (unsigned turn = 0; turn < detail::line_words; ++turn) {
    double share = 1;
    for (unsigned w = 0; w < detail::line_words; ++w) {
      share *= math::census(ones[(w + turn) % detail::line_words], 64,
                            static_cast<unsigned>(std::popcount(wanted[w])));
    }
    fitting += share / detail::line_words;
  }
  return std::min(1.0, fitting / math::relative_line_load(line_ones, this->ones(), bit_count_, k_));
}

// -- sets of filters ---------------------------------------------------------------------------

void bloom_filter::merge(const bloom_filter& other) {
  expect_bits();
  if (layout_ != other.layout_ || bit_count_ != other.bit_count_ || k_ != other.k_ ||
      seed_ != other.seed_) {
    const auto describe = [](const bloom_filter& f) {
      return std::string(name_of(f.layout_)) + ", " + to_string(f.bit_count_) + " bits, k " +
             to_string(f.k_) + ", seed " + to_string(f.seed_);
    };
    detail::refuse_merge("Bloom filters merge if layout, bits, k and seed are equal",
                         describe(*this), describe(other));
  }
  std::byte* mine = bits_.data();
  const std::byte* theirs = other.bits_.data();
  for (std::size_t i = 0; i < bits_.size(); ++i) mine[i] |= theirs[i];
  insertions_ = saturating_add(insertions_, other.insertions_);
  capacity_ = std::max(capacity_, other.capacity_);
  ones_.forget();
}

void bloom_filter::fold(std::uint64_t factor) {
  expect_bits();
  const std::uint64_t unit = layout_ == layout::line ? detail::line_bit_count : 64;
  if (factor == 0 || bit_count_ / unit % factor != 0) {
    throw error(errc::invalid_argument,
                "a filter of " + to_string(bit_count_ / unit) + " blocks of " + to_string(unit) +
                    " bits folds by a divisor of that number, got " + to_string(factor));
  }
  detail::buffer folded(bit_count_ / factor / 8);
  if (layout_ == layout::line) {
    for (std::size_t i = 0; i < bits_.size(); ++i) {
      const std::size_t line = i / detail::line_bytes / factor;
      folded.data()[line * detail::line_bytes + i % detail::line_bytes] |= bits_.data()[i];
    }
  } else {
    for (std::uint64_t p = 0; p < bit_count_; ++p) {
      if ((bits_.data()[p / 8] & detail::flat_bits::bit(p)) != std::byte{0}) {
        folded.data()[p / factor / 8] |= detail::flat_bits::bit(p / factor);
      }
    }
  }
  bits_.swap(folded);
  bit_count_ = bit_count_ / factor;
  ones_.forget();
}

std::uint64_t bloom_filter::count_ones() const noexcept {
  return detail::count_ones(bits_.bytes());
}

// -- storage -----------------------------------------------------------------------------------

void bloom_filter::write(detail::container_writer& out) const {
  expect_bits();
  out.info().layout = static_cast<std::uint8_t>(layout());
  out.info().seed = seed_;
  out.parameters().u64(bit_count_);
  out.parameters().u64(k_);
  out.parameters().u64(capacity_);
  out.parameters().u64(insertions_);
  out.parameters().u64(ones());
  out.section(bits_section, bits_.bytes());
}

bloom_filter bloom_filter::read(const detail::container_view& view) {
  const detail::container_info& info = view.info();
  bloom_filter f;
  f.layout_ = static_cast<bloomtime::layout>(info.layout);
  f.seed_ = info.seed;
  detail::byte_reader in = view.parameters();
  f.bit_count_ = in.u64();
  const std::uint64_t k = in.u64();
  f.capacity_ = in.u64();
  f.insertions_ = in.u64();
  const std::uint64_t ones = in.u64();
  in.expect_end();

  const bool line = f.layout_ == layout::line;
  if (!line && f.layout_ != layout::flat) {
    throw error(errc::unknown_kind,
                "a Bloom filter's layout is flat (1) or line (3), found " + to_string(info.layout));
  }
  const unsigned most_k = line ? detail::max_line_k : detail::max_flat_k;
  const std::uint64_t unit = line ? detail::line_bit_count : 64;
  if (k == 0 || k > most_k || f.bit_count_ == 0 || f.bit_count_ % unit != 0 ||
      f.bit_count_ / 8 > detail::max_buffer_bytes || ones > f.bit_count_ ||
      (ones + k - 1) / k > f.insertions_ || info.clock) {
    contradict();
  }
  f.k_ = static_cast<unsigned>(k);
  f.one_round_ = detail::one_round(f.layout_, f.k_);
  f.ones_.keep(ones);
  view.expect_sections(1);
  f.bits_ = detail::buffer::borrow(view.section(bits_section, f.bit_count_ / 8), nullptr);
  return f;
}

void bloom_filter::expect_sound() const {
  if (count_ones() == ones_.value()) return;
  throw error(errc::corrupt, "this Bloom filter says " + to_string(ones_.value()) +
                                 " of its bits are set, and " + to_string(count_ones()) + " are");
}

BLOOMTIME_VALUE_OF(bloom_filter);
template class detail::stored<bloom_filter>;

}  // namespace bloomtime
