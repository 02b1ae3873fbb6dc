#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include <bloomtime/detail/handle.hpp>
#include <bloomtime/fact.hpp>
#include <bloomtime/heat/decay_ring.hpp>
#include <bloomtime/heat/heat_filter.hpp>
#include <bloomtime/heat/heat_table.hpp>
#include <bloomtime/heat/hot_list.hpp>
#include <bloomtime/heat/window_table.hpp>
#include <bloomtime/published/time_decaying/decaying_filter.hpp>
#include <bloomtime/published/time_decaying/pooled_decaying_filter.hpp>

namespace bloomtime {

// The parameters of all engines; their own configurations explain them. An engine refuses those
// that it does not have. What is not given has the engine's default.
struct any_heat_config {
  std::uint64_t items = 0;
  std::optional<double> error = {};
  std::optional<double> epsilon = {};  // these two: heat_filter
  std::optional<double> delta = {};
  std::optional<std::uint64_t> memory = {};                 // the size; tables: a limit
  std::optional<bool> reserve = {};                         // tables
  std::optional<std::chrono::microseconds> half_life = {};  // these two: all but windows
  std::optional<double> lambda = {};
  std::optional<std::chrono::microseconds> window = {};  // window_table, decay_ring
  std::optional<unsigned> slots = {};
  std::optional<double> polynomial = {};  // down to `reach`: decay_ring
  std::optional<std::vector<double>> weights = {};
  std::optional<unsigned> per_octave = {};
  std::optional<std::chrono::microseconds> reach = {};
  std::optional<std::chrono::microseconds> tick = {};
  std::optional<std::chrono::microseconds> ahead = {};
  std::optional<unsigned> cell_bits = {};            // heat_filter, decaying_filter
  std::optional<published::rounding> rounding = {};  // these two: the published filters
  std::optional<published::increase> increase = {};
  std::optional<std::uint64_t> pool_memory = {};  // pooled_decaying_filter
  hash_seed seed = 0;
};

using heat_engines = std::variant<heat_table, heat_filter, window_table, decay_ring,
                                  published::decaying_filter, published::pooled_decaying_filter>;

// A heat engine that is chosen at run time. Calls behave as those of the engine. detail/handle.hpp
// has what all handles do.
class any_heat : public detail::handle<any_heat, heat_engines> {
 public:
  using handle::handle;
  BLOOMTIME_VALUE(any_heat);

  // Throws error(invalid_argument) for a name that is not one of engines() and for a parameter that
  // the engine does not have.
  static any_heat make(const any_heat_config& config, std::string_view engine = engines().front());

  outcome add(digest d, instant when, std::uint64_t weight = 1);
  void add_bulk(std::span<const digest> items, std::span<const instant> when,
                std::span<outcome> outcomes);
  estimate at(digest d, instant when) const noexcept;
  void at_bulk(std::span<const digest> items, instant when, std::span<estimate> answers) const;
  // The hits of the last `span`, a part of the window: only window_table can.
  estimate within(digest d, instant when, std::chrono::microseconds span) const;
  estimate rate(digest d, instant when) const noexcept;
  double mass(instant when) const noexcept;
  double confidence() const noexcept;  // the probability that a lower bound holds

  // Both need the same engine. window_table and decay_ring merge with whole weights only.
  void merge(const any_heat& other, double weight = 1);

  // These two read every cell. cardinality() estimates how many different items are warm;
  // room_for() says how many of n further ones fit before answers are too high with probability
  // `error`.
  double cardinality() const;
  std::uint64_t room_for(std::uint64_t n, double error = 0.01) const;
};

// What describe() or examine() say about an engine, after its family and name.
std::vector<fact> facts_of(const heat_table& t, effort most);
std::vector<fact> facts_of(const heat_filter& f, effort most);
std::vector<fact> facts_of(const window_table& t, effort most);
std::vector<fact> facts_of(const decay_ring& r, effort most);
std::vector<fact> facts_of(const published::decaying_filter& f, effort most);
std::vector<fact> facts_of(const published::pooled_decaying_filter& f, effort most);
std::vector<fact> facts_of(const hot_list& l, effort most);

}  // namespace bloomtime
