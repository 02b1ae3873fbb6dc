#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include <bloomtime/detail/buffer.hpp>
#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/error.hpp>

namespace bloomtime::detail {

// A field of 0 to 64 bits at any bit of a buffer: bit p is bit p % 8 of byte p / 8, low bits first.
inline std::uint64_t get_field(const std::byte* data, std::uint64_t bit, unsigned width) noexcept {
  if (width == 0) return 0;
  const std::byte* const p = data + bit / 8;
  const unsigned shift = bit % 8;
  std::uint64_t v = load_le64(p) >> shift;
  if (shift + width > 64) v |= std::to_integer<std::uint64_t>(p[8]) << (64 - shift);
  return v & (~std::uint64_t{0} >> (64 - width));
}

inline void set_field(std::byte* data, std::uint64_t bit, unsigned width,
                      std::uint64_t v) noexcept {
  if (width == 0) return;
  std::byte* const p = data + bit / 8;
  const unsigned shift = bit % 8;
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - width);
  store_le64(p, (load_le64(p) & ~(mask << shift)) | v << shift);
  if (shift + width > 64) {
    const auto high = static_cast<unsigned>(mask >> (64 - shift));
    const unsigned others = std::to_integer<unsigned>(p[8]) & ~high;
    p[8] = static_cast<std::byte>(others | static_cast<unsigned>(v >> (64 - shift)));
  }
}

// A packed array of fields of 0 to 64 bits whose width may change. Like packed_cells, but for wider
// fields and for vectors that are rebuilt. Neither i nor v is checked.
class field_vector {
 public:
  static constexpr std::uint64_t bytes_for(std::uint64_t size, unsigned width) noexcept {
    return (size * width + 7) / 8;
  }

  field_vector() noexcept = default;
  // All fields are zero. Holds no memory if the width is 0.
  field_vector(std::uint64_t size, unsigned width)
      : storage_(bytes_for(size, width)), size_(size), width_(width) {}
  // Of stored fields. If the buffer is borrowed, only const members may be called.
  field_vector(buffer storage, std::uint64_t size, unsigned width) noexcept
      : storage_(std::move(storage)), size_(size), width_(width) {
    assert(storage_.size() == bytes_for(size, width));
  }
  // Width 0; memory is reserved for most_width and never reallocated.
  static field_vector reserved(std::uint64_t size, unsigned most_width) {
    field_vector fields(size, most_width);
    fields.width_ = 0;
    fields.most_width_ = most_width;
    return fields;
  }

  std::uint64_t size() const noexcept { return size_; }
  unsigned width() const noexcept { return width_; }
  std::uint64_t memory() const noexcept { return storage_.size(); }
  std::span<const std::byte> bytes() const noexcept {
    return storage_.bytes().first(bytes_for(size_, width_));
  }

  std::uint64_t get(std::uint64_t i) const noexcept {
    return get_field(storage_.data(), i * width_, width_);
  }
  void set(std::uint64_t i, std::uint64_t v) noexcept {
    set_field(storage_.data(), i * width_, width_, v);
  }

  void clear() noexcept {
    std::fill(storage_.bytes().begin(), storage_.bytes().end(), std::byte{0});
  }

  // All values must fit. Throws only if memory runs out; nothing changes then.
  void change_width(unsigned width) {
    if (most_width_ > 0) {
      change_in_place(width);
    } else {
      field_vector changed(size_, width);
      if (width > 0) copy_into(changed);
      std::swap(*this, changed);
    }
  }

  bool padding_is_zero() const noexcept {
    const auto used = static_cast<unsigned>(size_ * width_ % 8);
    return used == 0 || (std::to_integer<unsigned>(bytes().back()) >> used) == 0;
  }

 private:
  void copy_into(field_vector& other) const noexcept {
    for (std::uint64_t i = 0; i < size_; ++i) {
      const std::uint64_t v = get(i);
      if (v != 0) other.set(i, v);
    }
  }

  // Widens from the last field to the first and narrows from the first to the last, so that no
  // field is overwritten before it is read.
  void change_in_place(unsigned width) noexcept {
    assert(width <= most_width_);
    const unsigned before = width_;
    std::byte* const data = storage_.data();
    const auto move = [&](std::uint64_t i) {
      set_field(data, i * width, width, get_field(data, i * before, before));
    };
    if (width > before) {
      for (std::uint64_t i = size_; i-- > 0;) move(i);
    } else {
      for (std::uint64_t i = 0; i < size_; ++i) move(i);
      for (std::uint64_t bit = size_ * width; bit < size_ * before;) {
        const auto n = static_cast<unsigned>(std::min<std::uint64_t>(64, size_ * before - bit));
        set_field(data, bit, n, 0);
        bit += n;
      }
    }
    width_ = width;
  }

  buffer storage_;
  std::uint64_t size_ = 0;
  unsigned width_ = 0;
  unsigned most_width_ = 0;  // 0: the memory follows the width
};

}  // namespace bloomtime::detail
