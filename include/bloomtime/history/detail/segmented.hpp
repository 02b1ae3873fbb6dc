#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <bloomtime/detail/buffer.hpp>
#include <bloomtime/detail/hooked.hpp>

namespace bloomtime::detail {

// What glibc takes from memory for an allocation of so many bytes.
constexpr std::uint64_t allocated_bytes(std::uint64_t asked) noexcept {
  return asked == 0 ? 0 : std::max<std::uint64_t>(32, (asked + 8 + 15) / 16 * 16);
}
constexpr std::uint64_t allocated_buffer(std::uint64_t bytes) noexcept {
  return bytes == 0 ? 0 : allocated_bytes(bytes + readable_past_end + line_bytes - 1);
}
template <class T>
std::uint64_t allocated_by(const std::vector<T, hooked<T>>& v) noexcept {
  return allocated_bytes(hooked_bytes<T>(v.capacity()));
}

// An array that grows at its end without moving what it holds, so that no call takes long: in
// segments that double up to 64 KiB. A segment begins at a multiple of its size.
template <class T>
class segmented {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  static constexpr std::uint32_t first_segment = std::bit_floor(256 / sizeof(T));
  static constexpr std::uint32_t most_segment = std::bit_floor(65'536 / sizeof(T));

  // All zero bits at first.
  T& operator[](std::uint32_t i) noexcept {
    const place p = place_of(i);
    return reinterpret_cast<T*>(segments_[p.segment].data())[p.offset];
  }
  const T& operator[](std::uint32_t i) const noexcept {
    const place p = place_of(i);
    return reinterpret_cast<const T*>(segments_[p.segment].data())[p.offset];
  }

  // Throws if memory is out, with nothing changed.
  void reserve(std::uint64_t count) {
    while (capacity(segments_.size()) < count) {
      segments_.emplace_back(segment_size(segments_.size()) * sizeof(T));
    }
  }

  // With what the allocator takes for itself.
  std::uint64_t bytes() const noexcept {
    const std::size_t small = std::min(segments_.size(), doublings);
    return allocated_by(segments_) + bytes_of_first[small] +
           (segments_.size() - small) * allocated_buffer(most_segment * sizeof(T));
  }

 private:
  struct place {
    std::size_t segment;
    std::uint32_t offset;
  };

  static constexpr auto first_width = static_cast<unsigned>(std::bit_width(first_segment));
  // Segments before those of the largest size.
  static constexpr std::size_t doublings =
      static_cast<unsigned>(std::bit_width(most_segment)) - first_width + 1;

  // Of so many segments, up to the last that is smaller than those behind it: a history asks for
  // bytes() at every event.
  static constexpr auto bytes_of_first = [] {
    std::array<std::uint64_t, doublings + 1> sums{};
    std::uint64_t size = first_segment;
    for (std::size_t s = 0; s < doublings; ++s) {
      sums[s + 1] = sums[s] + allocated_buffer(size * sizeof(T));
      if (s != 0) size *= 2;
    }
    return sums;
  }();

  static std::uint64_t capacity(std::size_t segments) noexcept {
    if (segments == 0) return 0;
    if (segments <= doublings) return std::uint64_t{first_segment} << (segments - 1);
    return std::uint64_t{most_segment} * (segments - doublings + 1);
  }
  static std::uint64_t segment_size(std::size_t segment) noexcept {
    return capacity(segment + 1) - capacity(segment);
  }

  static place place_of(std::uint32_t i) noexcept {
    if (i < first_segment) return {0, i};
    if (i < most_segment) {
      const auto width = static_cast<unsigned>(std::bit_width(i));
      return {width - first_width + 1, i - std::bit_floor(i)};
    }
    return {doublings - 1 + i / most_segment, i % most_segment};
  }

  std::vector<buffer, hooked<buffer>> segments_;
};

}  // namespace bloomtime::detail
