#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <bloomtime/detail/buffer.hpp>
#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/probes.hpp>
#include <bloomtime/error.hpp>

namespace bloomtime::detail {

inline constexpr unsigned max_cell_bits = 32;
inline constexpr unsigned dynamic_bits = 0;

template <unsigned Bits>
struct cell_width {
  explicit cell_width(unsigned) noexcept {}
  static constexpr unsigned bits() noexcept { return Bits; }
};

template <>
struct cell_width<dynamic_bits> {
  explicit cell_width(unsigned width) noexcept : width_(width) {}
  unsigned bits() const noexcept { return width_; }

 private:
  unsigned width_;
};

// An array of cells of 1 to 32 bits without gaps. Cell i is bits [i * width, (i + 1) * width) of a
// little-endian bit string, so the bytes are the same on every machine. The width is part of the
// type or, like the extent of a std::span, set at run time. Neither i nor v is checked.
template <unsigned Bits = dynamic_bits>
class packed_cells {
  static_assert(Bits <= max_cell_bits);

 public:
  static std::uint64_t bytes_for(std::uint64_t cells, unsigned width = Bits);

  // All cells are zero. A width that is part of the type need not be repeated.
  explicit packed_cells(std::uint64_t cells, unsigned width = Bits)
      : storage_(bytes_for(cells, width)), size_(cells), width_(width) {}

  // Takes over stored cells. With a borrowed buffer only const members may be called. A loader that
  // needs canonical bytes also checks padding_is_zero().
  explicit packed_cells(buffer storage, std::uint64_t cells, unsigned width = Bits);

  std::uint64_t size() const noexcept { return size_; }
  unsigned width() const noexcept { return width_.bits(); }
  std::uint32_t max_value() const noexcept {
    return ~std::uint32_t{0} >> (max_cell_bits - width());
  }

  std::uint32_t get(std::uint64_t i) const noexcept {
    assert(i < size_);
    const place at = place_of(i);
    const auto bits = load_le<window>(storage_.data() + at.byte);
    return static_cast<std::uint32_t>(bits >> at.shift) & max_value();
  }

  void set(std::uint64_t i, std::uint32_t v) noexcept {
    assert(i < size_ && v <= max_value() && storage_.owning());
    const place at = place_of(i);
    std::byte* const p = storage_.data() + at.byte;
    const std::uint64_t others = load_le<window>(p) & ~(std::uint64_t{max_value()} << at.shift);
    store_le(p, static_cast<window>(others | (std::uint64_t{v} << at.shift)));
  }

  void prefetch_read(std::uint64_t i) const noexcept {
    detail::prefetch_read(storage_.data() + place_of(i).byte);
  }
  void prefetch_write(std::uint64_t i) const noexcept {
    detail::prefetch_write(storage_.data() + place_of(i).byte);
  }

  void fill(std::uint32_t v) noexcept;

  std::span<const std::byte> bytes() const noexcept { return storage_.bytes(); }

  // The bits of the last byte that belong to no cell; set() and fill() keep them zero.
  bool padding_is_zero() const noexcept;

 private:
  // The type of one access. A window of 64 bits holds every width at every shift (7 + 32 <= 64) and
  // may reach past the last byte; the buffer has room for that. Cells that never straddle their
  // natural word are accessed as that word.
  using window = std::conditional_t<
      Bits == 1 || Bits == 2 || Bits == 4 || Bits == 8, std::uint8_t,
      std::conditional_t<Bits == 16, std::uint16_t,
                         std::conditional_t<Bits == 32, std::uint32_t, std::uint64_t>>>;

  struct place {
    std::size_t byte;
    unsigned shift;
  };

  place place_of(std::uint64_t i) const noexcept {
    if constexpr (Bits != dynamic_bits && Bits % 8 == 0) {
      return {static_cast<std::size_t>(i * (Bits / 8)), 0};
    }
    const std::uint64_t bit = i * width();
    return {static_cast<std::size_t>(bit / 8), static_cast<unsigned>(bit % 8)};
  }

  buffer storage_;
  std::uint64_t size_;
  [[no_unique_address]] cell_width<Bits> width_;
};

template <unsigned Bits>
std::uint64_t packed_cells<Bits>::bytes_for(std::uint64_t cells, unsigned width) {
  if (width < 1 || width > max_cell_bits || (Bits != dynamic_bits && width != Bits)) {
    const std::string expected =
        Bits == dynamic_bits ? "1 to " + std::to_string(max_cell_bits) : std::to_string(Bits);
    throw error(errc::invalid_argument, "a cell of this array must have " + expected +
                                            " bits, got " + std::to_string(width));
  }
  const std::uint64_t most = max_buffer_bytes * 8 / width;
  if (cells > most) {
    throw error(errc::too_large, "an array of " + std::to_string(width) +
                                     "-bit cells can have at most " + std::to_string(most) +
                                     " cells, got " + std::to_string(cells));
  }
  return (cells * width + 7) / 8;
}

template <unsigned Bits>
packed_cells<Bits>::packed_cells(buffer storage, std::uint64_t cells, unsigned width)
    : storage_(std::move(storage)), size_(cells), width_(width) {
  const std::uint64_t expected = bytes_for(cells, width);
  if (storage_.size() != expected) {
    throw error(errc::corrupt, "expected " + std::to_string(expected) + " bytes for " +
                                   std::to_string(cells) + " cells of " + std::to_string(width) +
                                   " bits, found " + std::to_string(storage_.size()));
  }
}

template <unsigned Bits>
void packed_cells<Bits>::fill(std::uint32_t v) noexcept {
  if (size_ == 0) return;
  if (v == 0) {
    std::memset(storage_.data(), 0, storage_.size());
  } else {
    for (std::uint64_t i = 0; i < size_; ++i) set(i, v);
  }
}

template <unsigned Bits>
bool packed_cells<Bits>::padding_is_zero() const noexcept {
  const auto used = static_cast<unsigned>(size_ * width() % 8);
  return used == 0 || (std::to_integer<unsigned>(storage_.bytes().back()) >> used) == 0;
}

}  // namespace bloomtime::detail
