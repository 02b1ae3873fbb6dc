#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>

#include <bloomtime/detail/buffer.hpp>
#include <bloomtime/history/detail/bit_stream.hpp>

namespace bloomtime::support {

using touched_lines = std::set<std::uintptr_t>;

// A bit_reader that notes which cache lines it reads.
class counted_bits : public detail::bit_reader {
 public:
  counted_bits(std::span<const std::byte> bytes, touched_lines& lines) noexcept
      : bit_reader(bytes), first_(bytes.data()), lines_(&lines) {}

  std::uint64_t get(std::uint64_t at, unsigned width) const noexcept {
    touch(at, width);
    return bit_reader::get(at, width);
  }
  std::uint64_t peek(std::uint64_t at) const noexcept { return get(at, 57); }
  std::uint64_t take(std::uint64_t& at, unsigned width) const noexcept {
    touch(at, width);
    return bit_reader::take(at, width);
  }
  std::uint64_t take_gamma(std::uint64_t& at) const noexcept {
    const std::uint64_t from = at;
    const std::uint64_t n = bit_reader::take_gamma(at);
    touch(from, static_cast<unsigned>(at - from));
    return n;
  }

 private:
  void touch(std::uint64_t at, unsigned width) const noexcept {
    if (at >= size() || width == 0) return;
    const auto line_of = [&](std::uint64_t bit) {
      return reinterpret_cast<std::uintptr_t>(first_ + bit / 8) / detail::line_bytes;
    };
    lines_->insert(line_of(at));
    lines_->insert(line_of(at + width - 1));
  }

  const std::byte* first_;
  touched_lines* lines_;
};

}  // namespace bloomtime::support
