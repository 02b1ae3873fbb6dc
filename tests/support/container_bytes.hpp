#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <bloomtime/detail/bytes.hpp>

// Attacks on containers: fields by their offset in docs/FORMAT.md, and checksums made anew, so that
// a forged field is judged by the check meant for it and not by a checksum before it.
namespace bloomtime::support {

namespace field {
inline constexpr std::size_t version = 8;
inline constexpr std::size_t family = 10;
inline constexpr std::size_t engine = 11;
inline constexpr std::size_t layout = 12;
inline constexpr std::size_t hash = 13;
inline constexpr std::size_t reduction = 14;
inline constexpr std::size_t flags = 15;
inline constexpr std::size_t seed = 16;
inline constexpr std::size_t origin = 24;
inline constexpr std::size_t resolution = 32;
inline constexpr std::size_t parameter_bytes = 40;
inline constexpr std::size_t sections = 44;
inline constexpr std::size_t total = 48;
inline constexpr std::size_t checksum = 56;
inline constexpr std::size_t directory = 64;
inline constexpr std::size_t entry = 32;  // the size of an entry; the rest are offsets in it
inline constexpr std::size_t entry_id = 0;
inline constexpr std::size_t entry_reserved = 4;
inline constexpr std::size_t entry_offset = 8;
inline constexpr std::size_t entry_length = 16;
inline constexpr std::size_t entry_checksum = 24;
}  // namespace field

inline std::uint64_t xxh3(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

// The head's length as the head itself gives it, or 0 if it is not all there.
inline std::size_t head_length(std::span<const std::byte> c) {
  if (c.size() < field::directory) return 0;
  const std::uint64_t used =
      field::directory +
      std::uint64_t{field::entry} * detail::load_le32(c.data() + field::sections) +
      detail::load_le32(c.data() + field::parameter_bytes);
  const std::uint64_t length = (used + 63) / 64 * 64;
  return length <= c.size() ? static_cast<std::size_t>(length) : 0;
}

inline void seal_head(std::span<std::byte> c) {
  const std::size_t length = head_length(c);
  if (length == 0) return;
  detail::store_le64(c.data() + field::checksum, 0);
  detail::store_le64(c.data() + field::checksum, xxh3(c.first(length)));
}

// All sections that lie inside the container, then the head.
inline void seal(std::span<std::byte> c) {
  if (head_length(c) != 0) {
    const std::uint32_t sections = detail::load_le32(c.data() + field::sections);
    for (std::uint32_t i = 0; i < sections; ++i) {
      std::byte* entry = c.data() + field::directory + field::entry * i;
      const std::uint64_t offset = detail::load_le64(entry + field::entry_offset);
      const std::uint64_t length = detail::load_le64(entry + field::entry_length);
      if (offset > c.size() || length > c.size() - offset) continue;
      detail::store_le64(entry + field::entry_checksum, xxh3(c.subspan(offset, length)));
    }
  }
  seal_head(c);
}

// The sections that lie inside the container, in the order of the directory.
inline std::vector<std::span<std::byte>> sections_of(std::span<std::byte> c) {
  std::vector<std::span<std::byte>> found;
  if (head_length(c) == 0) return found;
  const std::uint32_t sections = detail::load_le32(c.data() + field::sections);
  for (std::uint32_t i = 0; i < sections; ++i) {
    const std::byte* entry = c.data() + field::directory + field::entry * i;
    const std::uint64_t offset = detail::load_le64(entry + field::entry_offset);
    const std::uint64_t length = detail::load_le64(entry + field::entry_length);
    if (offset > c.size() || length > c.size() - offset) return {};
    found.push_back(c.subspan(offset, length));
  }
  return found;
}

// The containers of the partitions inside a history: section 1 has 24 bytes for each, the last 8 of
// which are its length, and section 2 the containers one after the other.
inline std::vector<std::span<std::byte>> partitions_of(std::span<std::byte> c) {
  std::vector<std::span<std::byte>> found;
  const auto sections = sections_of(c);
  if (sections.size() != 2) return found;
  const auto engine = std::to_integer<unsigned>(c[field::engine]);
  if (c[field::family] != std::byte{3} || (engine != 5 && engine != 6)) return found;
  std::span<std::byte> rest = sections[1];
  for (std::size_t at = 0; at + 24 <= sections[0].size(); at += 24) {
    const std::uint64_t length = detail::load_le64(sections[0].data() + at + 16);
    if (length > rest.size()) return found;
    found.push_back(rest.first(length));
    rest = rest.subspan(length);
  }
  return found;
}

// And all containers inside of it first.
inline void seal_nested(std::span<std::byte> c) {
  for (const auto& inner : partitions_of(c)) seal(inner);
  seal(c);
}

template <std::unsigned_integral T>
void put(std::span<std::byte> c, std::size_t at, T value) {
  detail::store_le(c.subspan(at, sizeof value).data(), value);
}

template <std::unsigned_integral T>
T get(std::span<const std::byte> c, std::size_t at) {
  return detail::load_le<T>(c.subspan(at, sizeof(T)).data());
}

// Where parameter number `i` of an engine with one section and 8-byte parameters stands.
constexpr std::size_t parameter(std::size_t i) { return field::directory + field::entry + 8 * i; }

}  // namespace bloomtime::support
