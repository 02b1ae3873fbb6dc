#pragma once

#include <cstdint>
#include <optional>

#include <bloomtime/published/dynamic_count/detail/row_tally.hpp>
#include <bloomtime/published/dynamic_count/detail/string_array.hpp>

namespace bloomtime::published {

// Size by accuracy or by memory, as in counting_config. `memory` is that of an empty filter with
// its index; it grows with the counts.
struct spectral_config {
  std::uint64_t items = 0;
  std::optional<double> error = {};
  std::optional<std::uint64_t> memory = {};  // bytes
  std::optional<unsigned> k = {};            // instead of the best
  // One spare bit per this many counters (1 to 64) whenever all counters are laid out. Fewer spare
  // bits take less memory but move more counters; work() counts the moves.
  unsigned counters_per_slack = 2;
  hash_seed seed = 0;
};

// How items are counted (Cohen & Matias 2003). The numbers are stored in files.
enum class spectral_rule : std::uint8_t {
  selection = 1,  // every counter is raised; the smallest one is the answer
  increase = 2,   // only counters below the new count are raised; nothing can be removed
  // An item is also counted in a second filter while only one of its counters has the smallest
  // value. The answer for such an item is the smaller of both filters' minima, or the first
  // filter's if the second one has a 0 (Cohen & Matias use the second one's alone).
  recurrence = 3,
};

// The size of a spectral filter in bits, by several accountings
// (docs/math.md, Index of a spectral filter).
struct spectral_bits {
  std::uint64_t counters;         // each as short as it can be
  std::uint64_t string;           // with slack
  std::uint64_t published_index;  // as in the paper: offsets of all counters
  std::uint64_t compact_index;    // lengths of counters instead
};

// Counts items with counters of variable length: the spectral Bloom filter. The counters are found
// through an index that is larger than they are. Kept for comparison. Const members may run
// concurrently.
//
// one_sided is false for the recurring minimum, whose answers may also be too low. Events that
// arrive while several counters of an item have the smallest value do not reach the second filter,
// which may be queried later; and the second filter may show items that are not in it.
template <spectral_rule Rule>
class basic_spectral_filter : public detail::row_tally<basic_spectral_filter<Rule>> {
  using base = detail::row_tally<basic_spectral_filter<Rule>>;

 public:
  static constexpr std::string_view name = Rule == spectral_rule::selection ? "spectral_filter"
                                           : Rule == spectral_rule::increase
                                               ? "rising_spectral_filter"
                                               : "recurring_spectral_filter";
  static constexpr detail::stored_kind kind{family::tally, {2}, "a spectral filter"};
  static constexpr bool removes = Rule != spectral_rule::increase;
  static constexpr bool one_sided = Rule != spectral_rule::recurrence;

  explicit basic_spectral_filter(const spectral_config& config);
  BLOOMTIME_VALUE(basic_spectral_filter);

  // Adds the counts of another filter. Both need equal cells, k, seed and slack.
  void merge(const basic_spectral_filter& other);
  void clear();

  // Whether a container of this kind holds a filter with this rule. Throws error(corrupt) if there
  // is no such rule.
  static bool reads(const detail::container_view& view);

  std::uint64_t cell(std::uint64_t i) const noexcept { return counters_.get(i); }
  static constexpr bool stuck(std::uint64_t) noexcept { return false; }
  std::uint64_t memory() const noexcept { return counters_.memory() + second_.memory(); }
  spectral_bits bits() const;  // without those of a second filter
  const detail::string_array::work& work() const noexcept { return counters_.done(); }

 private:
  friend base;
  friend detail::tally_face<basic_spectral_filter>;
  friend detail::stored<basic_spectral_filter>;
  using spots = typename base::spots;

  basic_spectral_filter(detail::row_shape shape, unsigned counters_per_slack,
                        const hash_seed& seed);

  outcome add_digest(digest d, std::uint64_t amount);
  outcome remove_digest(digest d, std::uint64_t amount);
  counted count_digest(digest d) const noexcept;
  void write(detail::container_writer& out) const;
  static basic_spectral_filter read(const detail::container_view& view);

  bool alone(const spots& found) const noexcept;
  spots look_up_second(digest d) const noexcept;
  std::uint64_t second_row() const noexcept { return (this->row() + 1) / 2; }

  detail::string_array counters_;
  detail::string_array second_;  // rows of half the length; only of the recurring minimum
};

using spectral_filter = basic_spectral_filter<spectral_rule::selection>;
using rising_spectral_filter = basic_spectral_filter<spectral_rule::increase>;
using recurring_spectral_filter = basic_spectral_filter<spectral_rule::recurrence>;

extern template class basic_spectral_filter<spectral_rule::selection>;
extern template class basic_spectral_filter<spectral_rule::increase>;
extern template class basic_spectral_filter<spectral_rule::recurrence>;

}  // namespace bloomtime::published
