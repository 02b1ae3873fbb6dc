#pragma once

#include <cstdint>
#include <span>

#include <bloomtime/history/detail/bit_stream.hpp>

namespace bloomtime::support {

// A bit_reader that counts how often it reads: what a question costs, on any machine.
class metered_bits : public detail::bit_reader {
 public:
  metered_bits() = default;
  metered_bits(std::span<const std::byte> bytes, std::uint64_t& reads) noexcept
      : bit_reader(bytes), reads_(&reads) {}

  std::uint64_t get(std::uint64_t at, unsigned width) const noexcept {
    ++*reads_;
    return bit_reader::get(at, width);
  }
  std::uint64_t peek(std::uint64_t at) const noexcept { return get(at, 57); }
  std::uint64_t take(std::uint64_t& at, unsigned width) const noexcept {
    ++*reads_;
    return bit_reader::take(at, width);
  }
  std::uint64_t take_gamma(std::uint64_t& at) const noexcept {
    ++*reads_;
    return bit_reader::take_gamma(at);
  }

 private:
  std::uint64_t* reads_ = nullptr;
};

}  // namespace bloomtime::support
