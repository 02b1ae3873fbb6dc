#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <bloomtime/detail/cpu.hpp>
#include <bloomtime/error.hpp>

namespace bloomtime::detail {

// Bytes that follow one another, wherever they lie.
using byte_pieces = std::vector<std::span<const std::byte>>;

// Stored values are little-endian; on little-endian hosts these compile to one access.
template <std::unsigned_integral T>
constexpr T swap_bytes(T v) noexcept {
  T swapped = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    swapped = static_cast<T>((swapped << 8) | ((v >> (8 * i)) & 0xff));
  }
  return swapped;
}

template <std::unsigned_integral T>
BLOOMTIME_INLINE T load_le(const std::byte* p) noexcept {
  T v;
  std::memcpy(&v, p, sizeof v);
  if constexpr (std::endian::native == std::endian::big) v = swap_bytes(v);
  return v;
}

template <std::unsigned_integral T>
inline void store_le(std::byte* p, T v) noexcept {
  if constexpr (std::endian::native == std::endian::big) v = swap_bytes(v);
  std::memcpy(p, &v, sizeof v);
}

inline std::uint16_t load_le16(const std::byte* p) noexcept { return load_le<std::uint16_t>(p); }
inline std::uint32_t load_le32(const std::byte* p) noexcept { return load_le<std::uint32_t>(p); }
inline std::uint64_t load_le64(const std::byte* p) noexcept { return load_le<std::uint64_t>(p); }
inline void store_le16(std::byte* p, std::uint16_t v) noexcept { store_le(p, v); }
inline void store_le32(std::byte* p, std::uint32_t v) noexcept { store_le(p, v); }
inline void store_le64(std::byte* p, std::uint64_t v) noexcept { store_le(p, v); }

inline bool all_zero(std::span<const std::byte> bytes) noexcept {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

inline std::uint64_t count_ones(std::span<const std::byte> bytes) noexcept {
  std::uint64_t ones = 0;
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    ones += static_cast<unsigned>(std::popcount(load_le64(bytes.data() + at)));
  }
  for (; at < bytes.size(); ++at) {
    ones += static_cast<unsigned>(std::popcount(std::to_integer<unsigned>(bytes[at])));
  }
  return ones;
}

// Reads little-endian values in order, never past the end.
class byte_reader {
 public:
  explicit byte_reader(std::span<const std::byte> bytes) noexcept : rest_(bytes) {}

  std::uint8_t u8() { return std::to_integer<std::uint8_t>(take(1)[0]); }
  std::uint16_t u16() { return load_le16(take(2).data()); }
  std::uint32_t u32() { return load_le32(take(4).data()); }
  std::uint64_t u64() { return load_le64(take(8).data()); }
  std::int64_t i64() { return static_cast<std::int64_t>(u64()); }
  double f64() { return std::bit_cast<double>(u64()); }
  std::span<const std::byte> bytes(std::size_t n) { return take(n); }

  std::size_t remaining() const noexcept { return rest_.size(); }

  // Throws if bytes are left unread.
  void expect_end() const {
    if (!rest_.empty()) {
      throw error(errc::corrupt,
                  "expected no more bytes here, found " + std::to_string(rest_.size()) + " more");
    }
  }

 private:
  std::span<const std::byte> take(std::size_t n) {
    if (n > rest_.size()) {
      throw error(errc::truncated, "expected " + std::to_string(n) + " more bytes, found " +
                                       std::to_string(rest_.size()));
    }
    const auto taken = rest_.first(n);
    rest_ = rest_.subspan(n);
    return taken;
  }

  std::span<const std::byte> rest_;
};

class byte_writer {
 public:
  void u8(std::uint8_t v) { append(v); }
  void u16(std::uint16_t v) { append(v); }
  void u32(std::uint32_t v) { append(v); }
  void u64(std::uint64_t v) { append(v); }
  void i64(std::int64_t v) { append(static_cast<std::uint64_t>(v)); }
  void f64(double v) { append(std::bit_cast<std::uint64_t>(v)); }
  void bytes(std::span<const std::byte> b) { out_.insert(out_.end(), b.begin(), b.end()); }

  const std::vector<std::byte>& written() const& noexcept { return out_; }
  std::vector<std::byte> written() && noexcept { return std::move(out_); }

 private:
  template <std::unsigned_integral T>
  void append(T v) {
    const std::size_t at = out_.size();
    out_.resize(at + sizeof v);
    store_le(out_.data() + at, v);
  }

  std::vector<std::byte> out_;
};

}  // namespace bloomtime::detail
