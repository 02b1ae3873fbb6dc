#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/detail/cpu.hpp>
#include <bloomtime/detail/line_bits.hpp>
#if BLOOMTIME_X86 && defined(__AVX2__)
#include <bloomtime/detail/line_bits_avx2.hpp>
#endif

namespace bloomtime::detail {

// Single calls use whatever their caller is compiled for; bulk calls ask the processor.
#if BLOOMTIME_X86 && defined(__AVX2__)
namespace compiled = avx2;
#else
namespace compiled = portable;
#endif

// `now` has been `next` before: its lines are asked for when it is next, and used when it is now.
struct line_kernels {
  void (*contains)(const std::byte* lines, line_bits bits, const digest_block& now,
                   digest_block& next, bool* answers) noexcept;
  std::uint64_t (*insert)(std::byte* lines, line_bits bits, const digest_block& now,
                          digest_block& next) noexcept;  // how many bits were not set before
};

const line_kernels& portable_line_kernels() noexcept;
const line_kernels& fastest_line_kernels() noexcept;

// Three blocks of 16 lines: measured to be enough, and hardly better if more.
inline constexpr std::size_t line_depth = 3;

template <item T>
void contains_lines(const line_kernels& kernels, const std::byte* lines, line_bits bits,
                    std::span<const T> items, std::uint64_t seed, bool* answers) noexcept {
  in_blocks<line_depth>(items, seed,
                        [&](const digest_block& now, digest_block& next, std::size_t first) {
                          kernels.contains(lines, bits, now, next, answers + first);
                        });
}

// Returns how many bits were not set before.
template <item T>
std::uint64_t insert_lines(const line_kernels& kernels, std::byte* lines, line_bits bits,
                           std::span<const T> items, std::uint64_t seed) noexcept {
  std::uint64_t fresh = 0;
  in_blocks<line_depth>(items, seed, [&](const digest_block& now, digest_block& next, std::size_t) {
    fresh += kernels.insert(lines, bits, now, next);
  });
  return fresh;
}

}  // namespace bloomtime::detail
