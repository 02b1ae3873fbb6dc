#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <bloomtime/detail/hooked.hpp>
#include <bloomtime/detail/moved.hpp>

namespace bloomtime::detail {

// The texts of the entries of a hot list, by the number of the entry, and a spare one that is
// prepared before the list changes. An entry that is replaced leaves its memory to the spare text.
class hot_texts {
 public:
  hot_texts() = default;
  hot_texts(const hot_texts& other);
  hot_texts& operator=(const hot_texts& other);
  hot_texts(hot_texts&&) noexcept = default;
  hot_texts& operator=(hot_texts&&) noexcept = default;
  ~hot_texts() = default;

  std::string_view operator[](std::uint32_t number) const noexcept { return texts_[number]; }
  std::uint64_t memory() const noexcept;  // bytes from the allocator hook

  // These two allocate, so that the others cannot fail.
  void reserve(std::size_t count) { texts_.reserve(count); }
  void prepare(std::string_view text);

  void append() noexcept { texts_.emplace_back().swap(spare_); }
  void replace(std::uint32_t number) noexcept { texts_[number].swap(spare_); }
  void clear() noexcept;

 private:
  using text = std::basic_string<char, std::char_traits<char>, hooked<char>>;

  std::vector<text, hooked<text>> texts_;
  text spare_;
  zero_when_moved<std::uint64_t> outside_;  // bytes that are not within the strings themselves
};

}  // namespace bloomtime::detail
