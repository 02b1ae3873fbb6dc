#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include <bloomtime/detail/hooked.hpp>
#include <bloomtime/detail/moved.hpp>

namespace bloomtime::detail {

// Texts of up to 64 KiB in one block of memory. A text is addressed by a number of 32 bits. It
// begins with its length and the size of its place, and takes whole words of 8 bytes. A text that
// replaces another one of nearly the same size takes its place; otherwise it goes to the end, and
// the old place is lost until the owner copies all texts into a new block. Only the constructor and
// the copies may throw.
class kept_texts {
 public:
  kept_texts() noexcept = default;
  // Room for `words` words.
  explicit kept_texts(std::size_t words) { words_.reserve(words); }

  // The words that a text of this size takes.
  static constexpr std::size_t words_for(std::size_t size) noexcept {
    return (sizeof(head) + size + sizeof(word) - 1) / sizeof(word);
  }

  std::string_view operator[](std::uint32_t text) const noexcept {
    return {reinterpret_cast<const char*>(&words_[text]) + sizeof(head), head_of(text).size};
  }

  // Whether a text of this size can be added, or can replace another one, in this block: there is
  // room at the end, and at least half of the block is in use.
  bool has_room_for(std::size_t size) const noexcept {
    const std::size_t used = used_ + words_for(size);
    return words_.capacity() - words_.size() >= words_for(size) &&
           words_.capacity() <= 2 * used + least_spare;
  }
  // The size of a new block with room for all texts, one more, and a quarter to spare.
  std::size_t words_with(std::size_t size) const noexcept {
    const std::size_t used = used_ + words_for(size);
    return used + used / 4 + least_spare;
  }

  // Both need has_room_for(). The results are numbers of texts.
  std::uint32_t add(std::string_view text) noexcept {
    const auto begin = static_cast<std::uint32_t>(words_.size());
    const std::size_t words = words_for(text.size());
    words_.resize(words_.size() + words);
    used_ += words;
    write(begin, text, words);
    return begin;
  }
  std::uint32_t replace(std::uint32_t old, std::string_view text) noexcept {
    const std::size_t place = head_of(old).words;
    const std::size_t words = words_for(text.size());
    if (words <= place && place <= words + most_unused) {
      write(old, text, place);
      return old;
    }
    used_ -= place;
    return add(text);
  }

  void clear() noexcept {
    words_.clear();
    used_ = 0;
  }
  std::uint64_t memory() const noexcept { return hooked_bytes<word>(words_.capacity()); }

 private:
  using word = std::uint64_t;
  struct head {
    std::uint16_t size;
    std::uint16_t words;  // of its place
  };
  static constexpr std::size_t most_unused = 2;  // words at the end of a place
  static constexpr std::size_t least_spare = 8;

  head head_of(std::uint32_t text) const noexcept {
    head h;
    std::memcpy(&h, &words_[text], sizeof h);
    return h;
  }
  void write(std::uint32_t begin, std::string_view text, std::size_t words) noexcept {
    const head h{static_cast<std::uint16_t>(text.size()), static_cast<std::uint16_t>(words)};
    std::memcpy(&words_[begin], &h, sizeof h);
    if (text.empty()) return;
    std::memcpy(reinterpret_cast<char*>(&words_[begin]) + sizeof h, text.data(), text.size());
  }

  std::vector<word, hooked<word>> words_;
  zero_when_moved<std::size_t> used_;  // words of places that have a text
};

}  // namespace bloomtime::detail
