#include <bloomtime/published/dynamic_count/dynamic_count_filter.hpp>

#include <algorithm>
#include <bit>
#include <exception>
#include <string>
#include <utility>

#include <bloomtime/detail/storing.hpp>

namespace bloomtime::published {
namespace {

constexpr std::uint32_t base_section = 1;
constexpr std::uint32_t overflow_section = 2;
constexpr unsigned most_base_bits = 57;
constexpr unsigned usual_overflow_bits = 4;  // if nothing is known about the counts

}  // namespace

struct dynamic_count_filter::plan {
  detail::row_shape shape;
  unsigned x;
  unsigned most_y;
  bool bounded;
  double lambda;
  bloomtime::published::shrinking shrinking;
  hash_seed seed;
};

// -- making one --------------------------------------------------------------------------------

namespace {

// The bits that a counter is expected to need above its base. They depend on the number of counters
// and hence on themselves.
unsigned overflow_bits_for(const dynamic_count_config& c, unsigned x) {
  if (c.items == 0 || c.total == 0) return usual_overflow_bits;
  unsigned y = usual_overflow_bits;
  for (int round = 0; round < 3; ++round) {
    const std::uint64_t cells = std::max<std::uint64_t>(1, 8 * *c.memory / (x + y));
    const std::uint64_t largest = largest_cell(c.items, c.total, cells, c.k.value_or(3));
    y = std::min(64 - x, overflow_level(largest >> x));
  }
  return y;
}

detail::row_request request_of(const dynamic_count_config& c, unsigned x) {
  const bool by_error = c.error.has_value();
  const unsigned y =
      !by_error && c.memory && *c.memory <= detail::max_buffer_bytes ? overflow_bits_for(c, x) : 0;
  return {c.items,
          c.error,
          by_error ? std::nullopt : c.memory,
          c.k,
          static_cast<double>(x + y),
          dynamic_count_filter::kind.called};
}

}  // namespace

dynamic_count_filter::plan dynamic_count_filter::plan_of(const dynamic_count_config& c) {
  const unsigned x =
      c.base_bits.value_or(std::min(most_base_bits, base_bits_for(c.total, c.items)));
  if (x < 1 || x > most_base_bits) {
    throw error(errc::invalid_argument,
                "the base of a dynamic count filter has 1 to 57 bits, got " + std::to_string(x));
  }
  if (!(c.threshold >= 0 && c.threshold <= 1)) {
    throw error(errc::invalid_argument,
                "the threshold of a dynamic count filter lies from 0 to 1, got " +
                    std::to_string(c.threshold));
  }
  const detail::row_shape shape = detail::shape_of(request_of(c, x));
  unsigned most_y = 64 - x;
  if (c.memory) {
    const std::uint64_t cells = shape.k * shape.row;
    const std::uint64_t base = detail::field_vector::bytes_for(cells, x);
    if (base > *c.memory) {
      throw error(errc::invalid_argument, "a dynamic count filter of " + std::to_string(cells) +
                                              " cells needs at least " + std::to_string(base) +
                                              " bytes, got " + std::to_string(*c.memory));
    }
    most_y = static_cast<unsigned>(std::min<std::uint64_t>(
        most_y, std::min(*c.memory - base, detail::max_buffer_bytes) * 8 / cells));
  }
  return {shape, x, most_y, c.memory.has_value(), c.threshold, c.shrinking, c.seed};
}

dynamic_count_filter::dynamic_count_filter(const dynamic_count_config& config)
    : dynamic_count_filter(plan_of(config)) {}

dynamic_count_filter::dynamic_count_filter(const plan& p)
    : row_tally(p.shape, p.seed),
      base_(cells(), p.x),
      overflow_(p.bounded ? detail::field_vector::reserved(cells(), p.most_y)
                          : detail::field_vector(cells(), 0)),
      most_overflow_(p.most_y),
      bounded_(p.bounded),
      lambda_(p.lambda) {
  if (p.shrinking == shrinking::published) {
    for (unsigned l = 0; l <= 64 - p.x; ++l) {
      levels_.push_back({published_level_threshold(p.x, l, lambda_), {}});
    }
  }
  recount();
}

// -- counting ----------------------------------------------------------------------------------

std::uint64_t dynamic_count_filter::threshold_of(unsigned y) const {
  return levels_.empty() ? shrink_threshold_with_gap(base_bits(), y, lambda_)
                         : shrink_threshold(base_bits(), y, lambda_);
}

std::uint64_t& dynamic_count_filter::level_count_of(std::uint64_t value) noexcept {
  level& l = levels_[overflow_level(value >> base_bits())];
  return value < l.split ? l.cells.below : l.cells.above;
}

// Recomputes everything that is derived from the cells.
void dynamic_count_filter::recount() {
  threshold_ = overflow_bits() == 0 ? 0 : threshold_of(overflow_bits());
  above_ = 0;
  for (level& l : levels_) l.cells = {};
  for (std::uint64_t i = 0; i < cells(); ++i) {
    const std::uint64_t value = cell(i);
    above_ += threshold_ != 0 && value >= threshold_;
    if (!levels_.empty()) ++level_count_of(value);
  }
}

void dynamic_count_filter::put_value(std::uint64_t i, std::uint64_t value) noexcept {
  const unsigned x = base_bits();
  base_.set(i, value & (~std::uint64_t{0} >> (64 - x)));
  if (overflow_bits() > 0) overflow_.set(i, value >> x);
}

void dynamic_count_filter::put(std::uint64_t i, std::uint64_t before,
                               std::uint64_t after) noexcept {
  put_value(i, after);
  if (threshold_ != 0) {
    above_ += after >= threshold_;
    above_ -= before >= threshold_;
  }
  if (!levels_.empty()) {
    --level_count_of(before);
    ++level_count_of(after);
  }
}

void dynamic_count_filter::rebuild(unsigned y) {
  const bool grows = y > overflow_bits();
  overflow_.change_width(y);
  (grows ? growths_ : shrinks_) += 1;
  recount();
}

outcome dynamic_count_filter::add_digest(digest d, std::uint64_t amount) {
  expect_cells();
  if (amount == 0) return outcome::added;
  if (exceeds_total(amount)) return outcome::full;
  const spots found = look_up(d);
  if (!saturating_) {
    const std::uint64_t most =
        amount + *std::max_element(found.value.begin(), found.value.begin() + k());
    const unsigned y = overflow_level(most >> base_bits());
    if (y > most_overflow_) {
      if (overflow_bits() < most_overflow_) rebuild(most_overflow_);
      saturating_ = true;
    } else if (y > overflow_bits()) {
      rebuild(y);  // before anything is changed
    }
  }
  total_ += amount;
  if (saturating_) return add_saturating(look_up(d), amount);
  for (unsigned i = 0; i < k(); ++i) put(found.cell[i], found.value[i], found.value[i] + amount);
  return outcome::added;
}

outcome dynamic_count_filter::add_saturating(const spots& found, std::uint64_t amount) noexcept {
  bool saturated = found.all_stuck;
  for (unsigned i = 0; i < k(); ++i) {
    if (stuck(found.value[i])) continue;
    const std::uint64_t room = highest() - found.value[i];
    saturated = saturated || amount >= room;
    put(found.cell[i], found.value[i], found.value[i] + std::min(amount, room));
  }
  return saturated ? outcome::saturated : outcome::added;
}

outcome dynamic_count_filter::remove_digest(digest d, std::uint64_t amount) {
  expect_cells();
  const spots found = look_up(d);
  if (found.least < amount || total_ < amount) return outcome::refused;
  for (unsigned i = 0; i < k(); ++i) {
    if (!stuck(found.value[i])) put(found.cell[i], found.value[i], found.value[i] - amount);
  }
  total_ -= amount;
  if (amount > 0 && above_ == 0 && overflow_bits() > 0) shrink();
  return found.all_stuck && amount > 0 ? outcome::saturated : outcome::added;
}

// As narrow as the largest cell allows.
void dynamic_count_filter::shrink() noexcept {
  std::uint64_t largest = 0;
  for (std::uint64_t i = 0; i < cells(); ++i) largest = std::max(largest, cell(i));
  unsigned y = overflow_bits() - 1;
  while (y > 0 && largest < threshold_of(y)) --y;
  try {
    rebuild(y);
  } catch (const std::exception&) {
    // Memory for a narrower vector is missing; the wider one remains.
  }
}

std::vector<level_count> dynamic_count_filter::levels() const {
  std::vector<level_count> counts;
  for (const level& l : levels_) {
    if (counts.size() <= overflow_bits()) counts.push_back(l.cells);
  }
  return counts;
}

void dynamic_count_filter::merge(const dynamic_count_filter& other) {
  expect_same_shape(other);
  if (base_bits() != other.base_bits() || most_overflow_ != other.most_overflow_ ||
      bounded_ != other.bounded_ || levels_.size() != other.levels_.size() ||
      lambda_ != other.lambda_) {
    const auto describe = [](const dynamic_count_filter& f) {
      return "cells of " + std::to_string(f.base_bits()) + " bits that may grow by " +
             std::to_string(f.most_overflow_) + (f.bounded_ ? " in bounded memory" : "") +
             ", threshold " + std::to_string(f.lambda_);
    };
    refuse_merge(describe(*this), describe(other));
  }
  expect_sum_fits(other);
  dynamic_count_filter sum(*this);
  const auto stuck_in_either = [&](std::uint64_t i) {
    return stuck(cell(i)) || other.stuck(other.cell(i));
  };
  unsigned y = std::max(overflow_bits(), other.overflow_bits());
  bool too_large = false;
  for (std::uint64_t i = 0; i < cells(); ++i) {
    const bool is_stuck = stuck_in_either(i);
    too_large = too_large || is_stuck;
    if (!is_stuck) y = std::max(y, overflow_level((cell(i) + other.cell(i)) >> base_bits()));
  }
  sum.saturating_ = too_large || y > most_overflow_;
  y = std::min(y, most_overflow_);
  if (y > sum.overflow_bits()) sum.rebuild(y);
  for (std::uint64_t i = 0; i < cells(); ++i) {
    const std::uint64_t value = cell(i) + other.cell(i);
    sum.put_value(i, stuck_in_either(i) ? sum.highest() : std::min(value, sum.highest()));
  }
  sum.recount();
  sum.total_ += other.total();
  *this = std::move(sum);
}

// The vector gets its initial width again, which frees memory or needs none.
void dynamic_count_filter::clear() noexcept {
  base_.clear();
  overflow_.clear();
  overflow_.change_width(0);
  saturating_ = false;
  growths_ = 0;
  shrinks_ = 0;
  total_ = 0;
  recount();
}

// -- storage -----------------------------------------------------------------------------------

void dynamic_count_filter::write(detail::container_writer& out) const {
  write_head(out, layout::rows);
  auto& p = out.parameters();
  p.u64(base_bits());
  p.u64(overflow_bits());
  p.u64(k());
  p.u64(row());
  p.u64(total_);
  p.f64(lambda_);
  p.u64(static_cast<std::uint64_t>(levels_.empty() ? shrinking::with_gap : shrinking::published));
  p.u64(bounded_);
  p.u64(most_overflow_);
  p.u64(saturating_);
  p.u64(growths_);
  p.u64(shrinks_);
  out.section(base_section, base_.bytes());
  out.section(overflow_section, overflow_.bytes());
}

dynamic_count_filter dynamic_count_filter::read(const detail::container_view& view) {
  view.expect_sections(2);
  detail::byte_reader in = view.parameters();
  const std::uint64_t x = in.u64();
  const std::uint64_t y = in.u64();
  const std::uint64_t k = in.u64();
  const std::uint64_t row = in.u64();
  const std::uint64_t total = in.u64();
  const double lambda = in.f64();
  const std::uint64_t how = in.u64();
  const std::uint64_t bounded = in.u64();
  const std::uint64_t most_y = in.u64();
  const std::uint64_t saturating = in.u64();
  const std::uint64_t growths = in.u64();
  const std::uint64_t shrinks = in.u64();
  in.expect_end();
  if (x < 1 || x > most_base_bits || most_y > 64 - x || y > most_y || k > most_k || how < 1 ||
      how > 2 || bounded > 1 || saturating > 1 || !(lambda >= 0 && lambda <= 1) ||
      (bounded == 0 && most_y != 64 - x) || (saturating == 1 && (bounded == 0 || y != most_y))) {
    contradict();
  }
  const detail::row_shape shape{static_cast<unsigned>(k), row};
  const auto base_bits = static_cast<unsigned>(x);
  const auto overflow_bits = static_cast<unsigned>(y);
  if (!detail::plausible(shape, base_bits + static_cast<unsigned>(bounded ? most_y : y)))
    contradict();
  const std::uint64_t cells = k * row;
  const auto fields = [&](std::uint32_t id, unsigned width) {
    const auto bytes = view.section(id, detail::field_vector::bytes_for(cells, width));
    return detail::field_vector(detail::buffer::borrow(bytes, nullptr), cells, width);
  };
  const plan p{{1, 1}, base_bits, 64 - base_bits, false, lambda, static_cast<shrinking>(how), 0};
  dynamic_count_filter stored(p);
  stored.read_head(view, layout::rows);
  stored.shape_ = shape;
  stored.total_ = total;
  stored.base_ = fields(base_section, base_bits);
  stored.overflow_ = fields(overflow_section, overflow_bits);
  stored.saturating_ = saturating == 1;
  if (!stored.base_.padding_is_zero() || !stored.overflow_.padding_is_zero() ||
      !stored.rows_add_up() || (saturating == 1 && stored.statistics().saturated == 0)) {
    contradict();
  }
  if (bounded == 1) {
    auto reserved = detail::field_vector::reserved(cells, static_cast<unsigned>(most_y));
    if (y > 0) reserved.change_width(overflow_bits);
    for (std::uint64_t i = 0; i < cells && y > 0; ++i) reserved.set(i, stored.overflow_.get(i));
    stored.overflow_ = std::move(reserved);
    stored.bounded_ = true;
  }
  stored.most_overflow_ = static_cast<unsigned>(most_y);
  stored.growths_ = growths;
  stored.shrinks_ = shrinks;
  stored.recount();
  return dynamic_count_filter(stored);  // a copy owns its cells
}

BLOOMTIME_VALUE_OF(dynamic_count_filter);

}  // namespace bloomtime::published

template class bloomtime::detail::stored<bloomtime::published::dynamic_count_filter>;
