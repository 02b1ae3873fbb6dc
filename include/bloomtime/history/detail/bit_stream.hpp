#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include <bloomtime/detail/buffer.hpp>
#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/cpu.hpp>

// Numbers of any width one after the other, low bits first. Bit p is bit p % 8 of byte p / 8.
namespace bloomtime::detail {

// Bytes of a stream of so many bits: whole words, and one of zeros behind them, so that a word can
// be read from any bit on.
constexpr std::uint64_t stream_bytes(std::uint64_t bits) noexcept {
  return (bits + 63) / 64 * 8 + 8;
}

class bit_writer {
 public:
  bit_writer() = default;
  // Allocates memory for this many bits. No more is needed until they are written.
  explicit bit_writer(std::uint64_t bits) : words_(buffer::unset(stream_bytes(bits))) {}

  // The low `width` bits, 0 to 64 of them.
  void put(std::uint64_t value, unsigned width) {
    if (width == 0) return;
    if (width < 64) value &= (std::uint64_t{1} << width) - 1;
    make_room(width);
    std::byte* const word = words_.data() + size_ / 64 * 8;
    const std::size_t bit = size_ % 64;
    store_le64(word, bit == 0 ? value : load_le64(word) | value << bit);
    if (bit + width > 64) store_le64(word + 8, value >> (64 - bit));
    size_ += width;
  }

  // A number from 1 on in 2 floor(log2 n) + 1 bits: as many zeros as bits follow its leading one.
  void put_gamma(std::uint64_t n) {
    const auto more = static_cast<unsigned>(std::bit_width(n)) - 1;
    if (more < 32) [[likely]]
      return put((n << 1 | 1) << more, 2 * more + 1);  // without the leading one
    put(0, more);
    put(1, 1);
    put(n, more);
  }

  // So many zeros, of which set() makes ones.
  void put_zeros(std::uint64_t count) {
    make_room(count);
    const std::uint64_t from = (size_ + 63) / 64 * 8;
    size_ += count;
    const std::uint64_t to = (size_ + 63) / 64 * 8;
    if (to > from) std::memset(words_.data() + from, 0, to - from);
  }
  void set(std::uint64_t bit) noexcept {
    words_.data()[bit / 8] |= static_cast<std::byte>(1u << (bit % 8));
  }

  // A copy of bits of a stream that are not these.
  template <class Bits>
  void put_copy(const Bits& bits, std::uint64_t at, std::uint64_t count) {
    constexpr unsigned most = 57;
    make_room(count);
    for (; count > most; at += most, count -= most) put(bits.peek(at), most);
    put(bits.peek(at), static_cast<unsigned>(count));
  }

  std::byte* words() noexcept { return words_.data(); }
  std::uint64_t size() const noexcept { return size_; }  // bits
  std::uint64_t get(std::uint64_t at, unsigned width) const noexcept {
    const std::byte* const word = words_.data() + at / 64 * 8;
    const auto bit = static_cast<unsigned>(at % 64);
    std::uint64_t value = load_le64(word) >> bit;
    if (bit + width > 64) value |= load_le64(word + 8) << (64 - bit);
    return width < 64 ? value & ((std::uint64_t{1} << width) - 1) : value;
  }
  std::uint64_t capacity() const noexcept { return words_.size(); }  // bytes
  // All that there is room for, of which the first size() bits are written.
  std::span<const std::byte> bytes() const noexcept { return words_.bytes(); }

  // As bit_reader wants them; the writer is empty afterwards. Copies only what was not allocated
  // for this many bits.
  buffer finish() {
    make_room(0);
    const std::uint64_t bytes = stream_bytes(size_);
    store_le64(words_.data() + bytes - 8, 0);
    const bool fits = words_.size() - bytes <= bytes / 16;
    buffer all = fits ? std::move(words_) : buffer::copy_of(words_.bytes().first(bytes));
    all.truncate(bytes);
    words_ = {};
    size_ = 0;
    return all;
  }

 private:
  // Room for so many more bits, and for the word behind them.
  void make_room(std::uint64_t bits) {
    const std::uint64_t wanted = stream_bytes(size_ + bits);
    if (wanted > words_.size()) [[unlikely]]
      grow(wanted);
  }
  void grow(std::uint64_t wanted) {
    buffer larger = buffer::unset(std::max<std::uint64_t>({64, wanted, 2 * words_.size()}));
    if (size_ != 0) std::memcpy(larger.data(), words_.data(), (size_ + 63) / 64 * 8);
    words_.swap(larger);
  }

  buffer words_;
  std::uint64_t size_ = 0;
};

// Makes ones of the zeros of a writer, at increasing places and word by word. Two of them may share
// a word. Takes nothing after the writer was written to again, and writes the last word in end().
class zeros_filler {
 public:
  zeros_filler(bit_writer& out, std::uint64_t at) noexcept
      : words_(out.words()), word_(at / 64), bit_(static_cast<unsigned>(at % 64)) {}

  void set(std::uint64_t at) noexcept {
    if (at / 64 != word_) {
      end();
      word_ = at / 64;
    }
    ones_ |= std::uint64_t{1} << (at % 64);
  }
  // A number of less than 64 bits behind the one before.
  void put(std::uint64_t value, unsigned width) noexcept {
    ones_ |= value << bit_;
    bit_ += width;
    if (bit_ < 64) return;
    end();
    ++word_;
    bit_ -= 64;
    ones_ = bit_ == 0 ? 0 : value >> (width - bit_);
  }
  void end() noexcept {
    if (ones_ == 0) return;
    std::byte* const word = words_ + 8 * word_;
    store_le64(word, load_le64(word) | std::exchange(ones_, 0));
  }

 private:
  std::byte* words_;
  std::uint64_t word_;
  unsigned bit_;
  std::uint64_t ones_ = 0;
};

// Reads what a bit_writer wrote. Whatever the bits and positions are, it stays inside: there are
// zeros beyond the end.
class bit_reader {
 public:
  bit_reader() noexcept = default;
  explicit bit_reader(std::span<const std::byte> bytes) noexcept
      : data_(bytes.size() < 8 ? nullptr : bytes.data()),
        size_(bytes.size() < 8 ? 0 : 8 * (std::uint64_t{bytes.size()} - 8)) {}

  std::uint64_t size() const noexcept { return size_; }

  BLOOMTIME_INLINE std::uint64_t get(std::uint64_t at, unsigned width) const noexcept {
    if (at >= size_) return 0;
    if (width > most_at_once) [[unlikely]]
      return get_long(at, width);
    const std::uint64_t bits = load_le64(data_ + at / 8) >> (at % 8);
    return bits & ((std::uint64_t{1} << width) - 1);
  }

  // Whether a stream that ends at this bit has this length, and zeros behind it.
  bool ends_at(std::uint64_t at) const noexcept {
    return data_ != nullptr && size_ == (at + 63) / 64 * 64 &&
           get(at, static_cast<unsigned>(size_ - at)) == 0 && load_le64(data_ + size_ / 8) == 0;
  }

  // The 57 bits from here on, and zeros.
  BLOOMTIME_INLINE std::uint64_t peek(std::uint64_t at) const noexcept {
    return get(at, most_at_once);
  }

  // Reads a number and moves on.
  BLOOMTIME_INLINE std::uint64_t take(std::uint64_t& at, unsigned width) const noexcept {
    const std::uint64_t value = get(at, width);
    at += width;
    return value;
  }

  // 0 where there is no such number.
  BLOOMTIME_INLINE std::uint64_t take_gamma(std::uint64_t& at) const noexcept {
    const std::uint64_t next = peek(at);
    const auto width = static_cast<unsigned>(std::countr_zero(next));
    if (2 * width < 57) [[likely]] {  // all of the code, which zeros would not be
      at += 2 * width + 1;
      const std::uint64_t one = std::uint64_t{1} << width;
      return (next >> (width + 1) & (one - 1)) | one;
    }
    return take_long_gamma(at);
  }

 private:
  static constexpr unsigned most_at_once = 57;

  std::uint64_t get_long(std::uint64_t at, unsigned width) const noexcept {
    return get(at, 32) | get(at + 32, width - 32) << 32;
  }

  std::uint64_t take_long_gamma(std::uint64_t& at) const noexcept {
    unsigned more = 0;
    while (peek(at) == 0) {
      if (at >= size_ || more > 64) return 0;
      more += 57;
      at += 57;
    }
    const auto zeros = static_cast<unsigned>(std::countr_zero(peek(at)));
    more += zeros;
    at += zeros + 1;
    if (more >= 64) return 0;
    return take(at, more) | std::uint64_t{1} << more;
  }

  const std::byte* data_ = nullptr;
  std::uint64_t size_ = 0;
};

}  // namespace bloomtime::detail
