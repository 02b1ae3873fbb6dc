#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <bloomtime/detail/buffer.hpp>

#include "bench/harness/keys.hpp"
#include "bench/harness/measure.hpp"

// The memory speed of this machine, measured together with the filters.
namespace bench {

// Its name, and what else it was doing.
std::string processor();
std::string load();

struct cache_sizes {
  std::uint64_t first;
  std::uint64_t second;
  std::uint64_t third;
};
cache_sizes caches();

// Half the second-level cache (the other half is for keys), 16 MiB, 256 MiB.
std::vector<std::uint64_t> sizes();

std::string text_of_bytes(std::uint64_t bytes);

// Random accesses before a case is timed, so that data that fits into a cache is measured there.
std::uint64_t warm_up(std::uint64_t bytes);

// Random lines of an array that is allocated like the cells of a filter, with the same page size.
// Each measurement does `count` accesses and returns nanoseconds per access.
class memory {
 public:
  explicit memory(std::uint64_t bytes);

  std::uint64_t size() const noexcept { return lines_.size(); }
  std::string pages() const;  // whether the system granted huge pages

  double dependent_reads(std::uint64_t count);
  // Independent ones, in a plain loop or in blocks: the lines of a block of 16 are prefetched while
  // those of the block before are used.
  double plain_reads(std::uint64_t count);
  double block_reads(std::uint64_t count);
  double plain_updates(std::uint64_t count);  // read, change and write back
  double block_updates(std::uint64_t count);

 private:
  using line_number = std::uint32_t;

  void link_lines();
  std::byte* line(std::uint64_t number) noexcept;
  template <class Use>
  double timed(std::uint64_t count, Use&& use);

  bloomtime::detail::buffer lines_;
  random_numbers random_{1};
  std::uint64_t at_ = 0;
};

// The cost of an independent random line is that of the faster loop.
struct line_cases {
  std::size_t plain = 0;
  std::size_t block = 0;

  std::size_t best(const schedule& cases) const { return cases.faster(plain, block); }
};

// The memory must outlive the rounds.
std::size_t add_dependent_reads(schedule& cases, memory& where, std::uint64_t count);
line_cases add_reads(schedule& cases, memory& where, std::uint64_t count);
line_cases add_updates(schedule& cases, memory& where, std::uint64_t count);

// Nanoseconds per digest.
double short_key_digests(std::uint64_t count);
double long_key_digests(std::uint64_t count);

}  // namespace bench
