#include "bench/harness/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <utility>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/detail/bytes.hpp>

namespace bench {
namespace {

using bloomtime::detail::bulk_block;
using bloomtime::detail::line_bytes;
using bloomtime::detail::load_le64;
using bloomtime::detail::store_le64;

constexpr std::uint64_t kibibyte = std::uint64_t{1} << 10;
constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

// Links of dependent reads live in a line's first word, updates go to its second.
constexpr std::size_t updated_word = 8;

void update(std::byte* line) noexcept {
  store_le64(line + updated_word, load_le64(line + updated_word) + 1);
}

template <class Prefetch, class Use>
void in_prefetched_blocks(std::span<const std::uint32_t> lines, Prefetch&& prefetch, Use&& use) {
  const auto each = [&](std::size_t first, auto&& act) {
    const std::size_t end = std::min(first + bulk_block, lines.size());
    for (std::size_t i = first; i < end; ++i) act(lines[i]);
  };
  each(0, prefetch);
  for (std::size_t first = 0; first < lines.size(); first += bulk_block) {
    each(first + bulk_block, prefetch);
    each(first, use);
  }
}

template <class Key>
double digests(std::uint64_t count) {
  query_set keys(first_absent, 100, 1);
  return time_in_blocks<Key>(
      count, [&](std::span<Key> block) { keys.fill(block); },
      [](std::span<const Key> block) {
        std::uint64_t all = 0;
        for (const Key& key : block) {
          const bloomtime::digest d = bloomtime::detail::as_digest(key, 0);
          all ^= d.lo ^ d.hi;
        }
        keep(all);
      });
}

std::size_t add_case(schedule& cases, memory& where, std::uint64_t count,
                     double (memory::*access)(std::uint64_t)) {
  return cases.add([&where, count, access] {
    (void)where.block_reads(warm_up(where.size()));
    return (where.*access)(count);
  });
}

}  // namespace

// As this core sees them; sysconf() adds up the third-level caches of a socket.
cache_sizes caches() {
  const auto size = [](int index, std::uint64_t otherwise) {
    std::ifstream in(fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/size", index));
    std::uint64_t kibibytes = 0;
    return in >> kibibytes ? kibibytes * kibibyte : otherwise;
  };
  return {size(0, 32 * kibibyte), size(2, 512 * kibibyte), size(3, 32 * mebibyte)};
}

std::vector<std::uint64_t> sizes() { return {caches().second / 2, 16 * mebibyte, 256 * mebibyte}; }

std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(": ") + 2);
  }
  return "unknown";
}

std::string load() {
  double average = 0;
  return getloadavg(&average, 1) == 1 ? fmt::format("{:.2f}", average) : "unknown";
}

std::string text_of_bytes(std::uint64_t bytes) {
  return bytes < mebibyte ? fmt::format("{} KiB", bytes / kibibyte)
                          : fmt::format("{} MiB", bytes / mebibyte);
}

// Four random accesses per line leave 2 % of the lines untouched.
std::uint64_t warm_up(std::uint64_t bytes) {
  return bytes <= caches().third ? 4 * bytes / line_bytes : block_size;
}

memory::memory(std::uint64_t bytes) : lines_(bytes) { link_lines(); }

std::byte* memory::line(std::uint64_t number) noexcept {
  return lines_.data() + number * line_bytes;
}

// One cycle through all lines in random order (Sattolo's shuffle).
void memory::link_lines() {
  const std::uint64_t count = lines_.size() / line_bytes;
  for (std::uint64_t i = 0; i < count; ++i) store_le64(line(i), i);
  for (std::uint64_t i = count - 1; i > 0; --i) {
    const std::uint64_t j = random_.below(i);
    const std::uint64_t link = load_le64(line(i));
    store_le64(line(i), load_le64(line(j)));
    store_le64(line(j), link);
  }
}

std::string memory::pages() const {
  std::ifstream in("/proc/self/smaps");
  const auto address = reinterpret_cast<std::uintptr_t>(lines_.data());
  bool inside = false;
  for (std::string text; std::getline(in, text);) {
    unsigned long first = 0;
    unsigned long end = 0;
    if (std::sscanf(text.c_str(), "%lx-%lx ", &first, &end) == 2) {
      inside = first <= address && address < end;
    } else if (inside && text.starts_with("AnonHugePages:")) {
      const double large = 1024 * std::strtod(text.c_str() + text.find(':') + 1, nullptr);
      return fmt::format("{:.0f} % in 2 MiB",
                         std::min(100.0, 100 * large / static_cast<double>(size())));
    }
  }
  return "unknown";
}

template <class Use>
double memory::timed(std::uint64_t count, Use&& use) {
  const std::uint64_t lines = lines_.size() / line_bytes;
  return time_in_blocks<line_number>(
      count,
      [&](std::span<line_number> block) {
        for (auto& number : block) number = static_cast<line_number>(random_.below(lines));
      },
      std::forward<Use>(use));
}

double memory::dependent_reads(std::uint64_t count) {
  return timed(count, [&](std::span<const line_number> numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) at_ = load_le64(line(at_));
    keep(at_);
  });
}

double memory::plain_reads(std::uint64_t count) {
  return timed(count, [&](std::span<const line_number> numbers) {
    std::uint64_t all = 0;
    for (const line_number n : numbers) all += load_le64(line(n));
    keep(all);
  });
}

double memory::block_reads(std::uint64_t count) {
  return timed(count, [&](std::span<const line_number> numbers) {
    std::uint64_t all = 0;
    in_prefetched_blocks(
        numbers, [&](line_number n) { bloomtime::detail::prefetch_read(line(n)); },
        [&](line_number n) { all += load_le64(line(n)); });
    keep(all);
  });
}

double memory::plain_updates(std::uint64_t count) {
  return timed(count, [&](std::span<const line_number> numbers) {
    for (const line_number n : numbers) update(line(n));
    keep(lines_.data());
  });
}

double memory::block_updates(std::uint64_t count) {
  return timed(count, [&](std::span<const line_number> numbers) {
    in_prefetched_blocks(
        numbers, [&](line_number n) { bloomtime::detail::prefetch_write(line(n)); },
        [&](line_number n) { update(line(n)); });
    keep(lines_.data());
  });
}

std::size_t add_dependent_reads(schedule& cases, memory& where, std::uint64_t count) {
  return add_case(cases, where, count, &memory::dependent_reads);
}

line_cases add_reads(schedule& cases, memory& where, std::uint64_t count) {
  return {add_case(cases, where, count, &memory::plain_reads),
          add_case(cases, where, count, &memory::block_reads)};
}

line_cases add_updates(schedule& cases, memory& where, std::uint64_t count) {
  return {add_case(cases, where, count, &memory::plain_updates),
          add_case(cases, where, count, &memory::block_updates)};
}

double short_key_digests(std::uint64_t count) { return digests<short_key>(count); }
double long_key_digests(std::uint64_t count) { return digests<long_key>(count); }

}  // namespace bench
