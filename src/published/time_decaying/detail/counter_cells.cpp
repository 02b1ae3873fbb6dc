#include <bloomtime/published/time_decaying/detail/counter_cells.hpp>

namespace bloomtime::detail {

std::uint64_t counter_cells::setting_of(const published::decaying_config& config) {
  if (config.pool_memory) {
    throw error(errc::invalid_argument,
                "a decaying filter has no pool; pool_memory is for pooled_decaying_filter");
  }
  if (!is_setting(config.cell_bits, 0)) {
    throw error(errc::invalid_argument, "a decaying filter's counters have 16 or 32 bits, got " +
                                            std::to_string(config.cell_bits));
  }
  return config.cell_bits;
}

counter_cells::counter_cells(std::uint64_t cells, std::uint64_t bits) : counter_cells() {
  if (bits == 16) {
    counters_ = packed_cells<16>(cells);
  } else {
    counters_ = packed_cells<32>(cells);
  }
}

counter_cells counter_cells::read(const container_view& stored, std::uint64_t cells,
                                  std::uint64_t bits) {
  buffer body = buffer::copy_of(stored.section(1, cells * (bits / 8)));
  counter_cells read;
  if (bits == 16) {
    read.counters_ = packed_cells<16>(std::move(body), cells);
  } else {
    read.counters_ = packed_cells<32>(std::move(body), cells);
  }
  for (std::uint64_t i = 0; i < cells; ++i) read.pinned_ += read.pinned(i);
  return read;
}

void counter_cells::write(container_writer& out) const { out.section(1, bytes()); }

std::uint64_t counter_cells::size() const noexcept {
  return std::visit([](const auto& c) { return c.size(); }, counters_);
}

bool counter_cells::set(const raise& r) noexcept {
  if (r.to >= largest()) {
    pin(r.cell);
    return false;
  }
  std::visit([&](auto& c) { c.set(r.cell, static_cast<std::uint32_t>(r.to)); }, counters_);
  return true;
}

void counter_cells::pin(std::uint64_t cell) noexcept {
  pinned_ += !pinned(cell);
  std::visit([&](auto& c) { c.set(cell, c.max_value()); }, counters_);
}

void counter_cells::sweep(const fade& by) noexcept {
  std::visit(
      [&](auto& c) {
        for (std::uint64_t i = 0; i < c.size(); ++i) {
          const std::uint32_t value = c.get(i);
          if (value != 0 && value != c.max_value())
            c.set(i, static_cast<std::uint32_t>(by(value, i)));
        }
      },
      counters_);
}

}  // namespace bloomtime::detail
