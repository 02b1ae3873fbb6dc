#pragma once

#include <cstdint>
#include <optional>

#include <bloomtime/published/dynamic_count/detail/row_tally.hpp>
#include <bloomtime/published/dynamic_count/detail/string_array.hpp>

namespace bloomtime::published {

// By accuracy or by memory, as counting_config. Memory is that of an empty filter with its index;
// it grows with the counts.
struct spectral_config {
  std::uint64_t items = 0;
  std::optional<double> error = {};
  std::optional<std::uint64_t> memory = {};  // bytes
  std::optional<unsigned> k = {};            // other than the best
  // One spare bit for so many counters, 1 to 64, each time all counters are laid out. Fewer spare
  // bits take less memory and move more counters; work() counts them.
  unsigned counters_per_slack = 2;
  std::uint64_t seed = 0;
};

// How items are counted (Cohen & Matias 2003). Numbers are written into files.
enum class spectral_rule : std::uint8_t {
  selection = 1,  // every counter is raised, the least one is the answer
  increase = 2,   // only counters below the new count are raised; nothing can be removed
  // Items whose least counter is alone are counted in a second filter as well. The answer for such
  // an item is the smaller one of both filters' least counters, or the first filter's if the second
  // one has none of it (Cohen & Matias answer with the second one's alone).
  recurrence = 3,
};

// What a spectral filter occupies, in bits, by ways of accounting
// (docs/math.md, Index of a spectral filter).
struct spectral_bits {
  std::uint64_t counters;         // each as short as it can be
  std::uint64_t string;           // with slack
  std::uint64_t published_index;  // as the paper adds it up: offsets of all counters
  std::uint64_t compact_index;    // lengths of counters instead
};

// How many x are there? The spectral Bloom filter: counters as long as they need to be, found
// through an index that outweighs them. Kept for comparison. Const members may run concurrently.
//
// one_sided is false for the recurring minimum, whose answers may be too low as well as too high:
// what comes while the least counter is not alone does not reach the second filter, which is asked
// later on, and an item may be found there that is not in it.
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

  // The filter of both streams, by addition. Both need the same cells, k, seed and slack.
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

  basic_spectral_filter(detail::row_shape shape, unsigned counters_per_slack, std::uint64_t seed);

  outcome add_digest(digest d, std::uint64_t amount);
  outcome remove_digest(digest d, std::uint64_t amount);
  counted count_digest(digest d) const noexcept;
  void write(detail::container_writer& out) const;
  static basic_spectral_filter read(const detail::container_view& view);

  bool alone(const spots& found) const noexcept;
  spots look_up_second(digest d) const noexcept;
  std::uint64_t second_row() const noexcept { return (this->row() + 1) / 2; }

  detail::string_array counters_;
  detail::string_array second_;  // of half the rows; none unless minima recur
};

using spectral_filter = basic_spectral_filter<spectral_rule::selection>;
using rising_spectral_filter = basic_spectral_filter<spectral_rule::increase>;
using recurring_spectral_filter = basic_spectral_filter<spectral_rule::recurrence>;

extern template class basic_spectral_filter<spectral_rule::selection>;
extern template class basic_spectral_filter<spectral_rule::increase>;
extern template class basic_spectral_filter<spectral_rule::recurrence>;

}  // namespace bloomtime::published
