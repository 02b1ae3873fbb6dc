#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include <bloomtime/math/tally.hpp>
#include <bloomtime/published/dynamic_count/counting_filter.hpp>
#include <bloomtime/published/dynamic_count/dynamic_count_filter.hpp>
#include <bloomtime/published/dynamic_count/spectral_filter.hpp>
#include <bloomtime/tally/rising_tally.hpp>
#include <bloomtime/tally/tally_engine.hpp>
#include <bloomtime/tally/tally_filter.hpp>
#include <bloomtime/tally/tally_table.hpp>

namespace bloomtime::support {

using namespace published;

// Both twins of an engine: what is there, and what its cells hold. `minimum`: of an item's cells
// only those below its new count are raised.
class oracle_tally {
 public:
  template <cell_tally_engine Engine>
  explicit oracle_tally(const Engine& f, bool minimum = !removing_tally_engine<Engine>)
      : minimum_(minimum), cells_(f.cells()) {}

  template <cell_tally_engine Engine>
  void add(const Engine& f, std::uint64_t item, std::uint64_t amount) {
    counts_[item] += amount;
    total_ += amount;
    const std::uint64_t raised = least(f, item) + amount;
    for (const std::uint64_t c : where(f, item)) {
      cells_[c] = minimum_ ? std::max(cells_[c], raised) : cells_[c] + amount;
    }
  }
  template <cell_tally_engine Engine>
  void remove(const Engine& f, std::uint64_t item, std::uint64_t amount) {
    counts_[item] -= amount;
    total_ -= amount;
    for (const std::uint64_t c : where(f, item)) cells_[c] -= amount;
  }

  template <cell_tally_engine Engine>
  std::uint64_t least(const Engine& f, std::uint64_t item) const {
    std::uint64_t value = ~std::uint64_t{0};
    for (const std::uint64_t c : where(f, item)) value = std::min(value, cells_[c]);
    return value;
  }
  // Of a filter in lines: from the sum of the counts that its line has in one of k parts, or in all
  // of them with minimum increase.
  template <cell_tally_engine Engine>
  std::uint64_t lower(const Engine& f, std::uint64_t item) const {
    const std::uint64_t per_line = f.cells() / f.lines();
    const std::uint64_t first = where(f, item).front() / per_line * per_line;
    std::uint64_t mass = 0;
    for (std::uint64_t c = 0; c < (minimum_ ? per_line : per_line / f.k()); ++c) {
      const std::uint64_t more = cells_[first + c];
      mass = more > ~mass ? ~std::uint64_t{0} : mass + more;
    }
    return math::count_at_least(least(f, item), std::min(mass, f.total()), per_line / f.k());
  }
  template <cell_tally_engine Engine>
  bool same_cells(const Engine& f) const {
    for (std::uint64_t c = 0; c < cells_.size(); ++c) {
      if (f.cell(c) != cells_[c]) return false;
    }
    return f.total() == total_;
  }

  std::uint64_t truth(std::uint64_t item) const {
    const auto found = counts_.find(item);
    return found == counts_.end() ? 0 : found->second;
  }
  const std::map<std::uint64_t, std::uint64_t>& counts() const { return counts_; }
  const std::vector<std::uint64_t>& cells() const { return cells_; }
  std::uint64_t total() const { return total_; }

 private:
  template <cell_tally_engine Engine>
  static std::vector<std::uint64_t> where(const Engine& f, std::uint64_t item) {
    std::vector<std::uint64_t> cells;
    for (unsigned i = 0; i < f.k(); ++i) cells.push_back(f.position(digest_of(item, f.seed()), i));
    return cells;
  }

  bool minimum_;
  std::map<std::uint64_t, std::uint64_t> counts_;
  std::vector<std::uint64_t> cells_;
  std::uint64_t total_ = 0;
};

// All engines with about the same shape, by what they are called in tests.
struct tally_shape {
  std::uint64_t items;
  double error;
  std::uint64_t seed;
};

struct counting_kind {
  using engine = counting_filter;
  static engine make(const tally_shape& s) {
    return engine({.items = s.items, .error = s.error, .cell_bits = 32, .seed = s.seed});
  }
};
template <spectral_rule Rule>
struct spectral_kind {
  using engine = basic_spectral_filter<Rule>;
  static engine make(const tally_shape& s) {
    return engine({.items = s.items, .error = s.error, .seed = s.seed});
  }
};
template <shrinking Shrinking>
struct dynamic_kind {
  using engine = dynamic_count_filter;
  static engine make(const tally_shape& s) {
    return engine({.items = s.items,
                   .error = s.error,
                   .base_bits = 2,
                   .shrinking = Shrinking,
                   .seed = s.seed});
  }
};
template <tally_rule Rule, unsigned Bits>
struct own_kind {
  using engine = basic_tally_filter<Rule>;
  static engine make(const tally_shape& s) {
    return engine({.items = s.items, .error = s.error, .cell_bits = Bits, .seed = s.seed});
  }
};

template <bool Reserve>
struct table_kind {
  using engine = tally_table;
  static engine make(const tally_shape& s) {
    return engine({.items = s.items, .error = s.error, .reserve = Reserve, .seed = s.seed});
  }
};

// Those that count in cells, and all.
using removing_cell_kinds =
    ::testing::Types<counting_kind, spectral_kind<spectral_rule::selection>,
                     spectral_kind<spectral_rule::recurrence>, dynamic_kind<shrinking::with_gap>,
                     dynamic_kind<shrinking::published>, own_kind<tally_rule::all, 4>,
                     own_kind<tally_rule::all, 8>>;
using cell_kinds = ::testing::Types<
    counting_kind, spectral_kind<spectral_rule::selection>, spectral_kind<spectral_rule::increase>,
    spectral_kind<spectral_rule::recurrence>, dynamic_kind<shrinking::with_gap>,
    dynamic_kind<shrinking::published>, own_kind<tally_rule::all, 4>, own_kind<tally_rule::all, 8>,
    own_kind<tally_rule::minimum, 4>, own_kind<tally_rule::minimum, 8>>;

template <class Kinds>
struct with_tables;
template <class... Kind>
struct with_tables<::testing::Types<Kind...>> {
  using type = ::testing::Types<Kind..., table_kind<false>, table_kind<true>>;
};
using removing_kinds = with_tables<removing_cell_kinds>::type;
using all_kinds = with_tables<cell_kinds>::type;

}  // namespace bloomtime::support
