#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include <bloomtime/detail/handle.hpp>
#include <bloomtime/fact.hpp>
#include <bloomtime/published/dynamic_count/counting_filter.hpp>
#include <bloomtime/published/dynamic_count/dynamic_count_filter.hpp>
#include <bloomtime/published/dynamic_count/spectral_filter.hpp>
#include <bloomtime/tally/rising_tally.hpp>
#include <bloomtime/tally/tally_engine.hpp>
#include <bloomtime/tally/tally_filter.hpp>
#include <bloomtime/tally/tally_table.hpp>

namespace bloomtime {

// The parameters of all engines; their own configurations explain them. An engine refuses those
// that it does not have. What is not given has the engine's default.
struct any_tally_config {
  std::uint64_t items = 0;
  std::optional<double> error = {};
  std::optional<std::uint64_t> memory = {};         // the most it may take
  std::optional<bool> reserve = {};                 // memory for all items at once; tally_table
  std::optional<std::uint64_t> total = {};          // the three tallies, dynamic_count_filter
  std::optional<unsigned> cell_bits = {};           // tallies of cells, counting_filter
  std::optional<std::uint64_t> large_memory = {};   // tallies of cells
  std::optional<unsigned> k = {};                   // the published filters
  std::optional<unsigned> counters_per_slack = {};  // the spectral filters
  std::optional<unsigned> base_bits = {};           // these three: dynamic_count_filter
  std::optional<double> threshold = {};
  std::optional<published::shrinking> shrinking = {};
  hash_seed seed = 0;
};

using tally_engines =
    std::variant<tally_table, tally_filter, rising_tally, published::counting_filter,
                 published::spectral_filter, published::rising_spectral_filter,
                 published::recurring_spectral_filter, published::dynamic_count_filter>;

// A tally engine that is chosen at run time. Calls behave as those of the engine. detail/handle.hpp
// has what all handles do.
class any_tally : public detail::handle<any_tally, tally_engines> {
 public:
  using handle::handle;
  BLOOMTIME_VALUE(any_tally);

  // Throws error(invalid_argument) for a name that is not one of engines() and for a parameter that
  // the engine does not have.
  static any_tally make(const any_tally_config& config,
                        std::string_view engine = engines().front());

  bool removes() const noexcept;  // rising engines do not

  outcome add(digest d, std::uint64_t amount = 1);
  // Removing throws error(unsupported) unless the engine removes().
  [[nodiscard]] outcome remove(digest d, std::uint64_t amount = 1);
  counted count(digest d) const noexcept;
  void add_bulk(std::span<const digest> items, std::span<outcome> outcomes);
  // The same, with the upper bound of each item's count right after it was added.
  void add_bulk(std::span<const digest> items, std::span<outcome> outcomes,
                std::span<std::uint64_t> counts);
  void remove_bulk(std::span<const digest> items, std::span<outcome> outcomes);
  void count_bulk(std::span<const digest> items, std::span<counted> answers) const;
  std::uint64_t total() const noexcept;
  tally_statistics statistics() const;
  double confidence() const;  // of the lower bounds that count() gives

  // These two read every cell, except those of a table. cardinality() estimates how many different
  // items there are; room_for() says how many of n further ones fit before an answer is wrong with
  // more than the probability `error` or a table exceeds its memory. Containers do not keep the
  // error that a tally was sized for.
  double cardinality() const;
  std::uint64_t room_for(std::uint64_t n, double error = 0.01) const;
};

// What describe() or examine() say about an engine, after its family and name.
template <tally_engine Engine>
std::vector<fact> facts_of(const Engine& f, effort most);

}  // namespace bloomtime
