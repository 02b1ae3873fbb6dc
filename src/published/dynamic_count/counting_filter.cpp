#include <bloomtime/published/dynamic_count/counting_filter.hpp>

#include <string>
#include <utility>

#include <bloomtime/detail/storing.hpp>

namespace bloomtime::published {
namespace {

constexpr std::uint32_t cells_section = 1;
constexpr unsigned least_bits = 2;

unsigned valid_width(unsigned cell_bits) {
  if (cell_bits < least_bits || cell_bits > detail::max_cell_bits) {
    throw error(errc::invalid_argument,
                "a counting filter's cells have 2 to 32 bits, got " + std::to_string(cell_bits));
  }
  return cell_bits;
}

}  // namespace

counting_filter::counting_filter(detail::row_shape shape, unsigned cell_bits, const hash_seed& seed)
    : row_tally(shape, seed), cells_(cells(), cell_bits) {}

counting_filter::counting_filter(const counting_config& c)
    : counting_filter(
          detail::shape_of({c.items, c.error, c.memory, c.k,
                            static_cast<double>(valid_width(c.cell_bits)), kind.called}),
          c.cell_bits, c.seed) {}

outcome counting_filter::add_digest(digest d, std::uint64_t amount) {
  expect_cells();
  if (amount == 0) return outcome::added;
  if (exceeds_total(amount)) return outcome::full;
  const spots found = look_up(d);
  bool saturated = found.all_stuck;
  for (unsigned i = 0; i < k(); ++i) {
    if (stuck(found.value[i])) continue;
    const std::uint64_t room = cells_.max_value() - found.value[i];
    saturated = saturated || amount >= room;
    cells_.set(found.cell[i], static_cast<std::uint32_t>(found.value[i] + std::min(amount, room)));
  }
  total_ += amount;
  return saturated ? outcome::saturated : outcome::added;
}

outcome counting_filter::remove_digest(digest d, std::uint64_t amount) {
  expect_cells();
  const spots found = look_up(d);
  if (found.least < amount || total_ < amount) return outcome::refused;
  for (unsigned i = 0; i < k(); ++i) {
    if (stuck(found.value[i])) continue;
    cells_.set(found.cell[i], static_cast<std::uint32_t>(found.value[i] - amount));
  }
  total_ -= amount;
  return found.all_stuck && amount > 0 ? outcome::saturated : outcome::added;
}

void counting_filter::merge(const counting_filter& other) {
  expect_same_shape(other);
  if (cell_bits() != other.cell_bits()) {
    refuse_merge("cells of " + std::to_string(cell_bits()) + " bits",
                 "cells of " + std::to_string(other.cell_bits()) + " bits");
  }
  expect_sum_fits(other);
  for (std::uint64_t c = 0; c < cells(); ++c) {
    const std::uint64_t sum = cell(c) + other.cell(c);
    cells_.set(c, static_cast<std::uint32_t>(std::min<std::uint64_t>(sum, cells_.max_value())));
  }
  total_ += other.total();
}

void counting_filter::clear() noexcept {
  cells_.fill(0);
  total_ = 0;
}

void counting_filter::write(detail::container_writer& out) const {
  write_head(out, layout::rows);
  for (const std::uint64_t p : {std::uint64_t{cell_bits()}, std::uint64_t{k()}, row(), total()}) {
    out.parameters().u64(p);
  }
  out.section(cells_section, cells_.bytes());
}

counting_filter counting_filter::read(const detail::container_view& view) {
  view.expect_sections(1);
  detail::byte_reader in = view.parameters();
  const std::uint64_t bits = in.u64();
  const std::uint64_t k = in.u64();
  const std::uint64_t row = in.u64();
  const std::uint64_t total = in.u64();
  in.expect_end();
  if (bits < least_bits || bits > detail::max_cell_bits || k > most_k) contradict();
  const detail::row_shape shape{static_cast<unsigned>(k), row};
  const auto cell_bits = static_cast<unsigned>(bits);
  if (!detail::plausible(shape, cell_bits)) contradict();
  counting_filter stored({}, cell_bits, 0);
  stored.read_head(view, layout::rows);
  stored.shape_ = shape;
  stored.total_ = total;
  const auto bytes =
      view.section(cells_section, detail::packed_cells<>::bytes_for(k * row, cell_bits));
  stored.cells_ =
      detail::packed_cells<>(detail::buffer::borrow(bytes, nullptr), k * row, cell_bits);
  return stored;
}

void counting_filter::expect_sound() const {
  if (!cells_.padding_is_zero() || !rows_add_up()) contradict();
}

BLOOMTIME_VALUE_OF(counting_filter);

}  // namespace bloomtime::published

template class bloomtime::detail::stored<bloomtime::published::counting_filter>;
