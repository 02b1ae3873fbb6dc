#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/measure.hpp"

// Calls of the library beside references that are built from descriptions (bench/harness), each
// ratio with its limit. docs/performance.md explains the figures.
namespace bench {

struct ratio_session {
  bool quick;
  std::string filter;

  unsigned rounds() const noexcept { return quick ? 3 : 11; }
  std::uint64_t operations() const noexcept { return quick ? 1 << 16 : 1 << 19; }
  bool wants(std::string_view name) const { return name.find(filter) != name.npos; }
};

// A schedule whose cases have names, and the ratios of some of them that have a limit.
class comparison {
 public:
  explicit comparison(std::string title) : title_(std::move(title)) {}

  // Returns the number of the case.
  std::size_t add(std::string name, schedule::round once);
  // which / base must be at most `limit`; 0 for no limit.
  void expect(std::size_t which, std::size_t base, double limit);
  void run(unsigned rounds);
  void print() const;

  const schedule& cases() const noexcept { return cases_; }

 private:
  struct expected {
    std::size_t which;
    std::size_t base;
    double limit;
  };

  std::string title_;
  schedule cases_;
  std::vector<std::string> names_;
  std::vector<expected> expected_;
};

void bloom_ratios(const ratio_session& run);
void heat_ratios(const ratio_session& run);
void tally_ratios(const ratio_session& run);
void hot_list_ratios(const ratio_session& run);
void timeline_ratios(const ratio_session& run);

}  // namespace bench
