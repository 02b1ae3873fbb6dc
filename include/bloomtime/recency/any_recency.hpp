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
#include <bloomtime/published/inferential/generalized_filter.hpp>
#include <bloomtime/published/inferential/recent_buffer.hpp>
#include <bloomtime/published/inferential/timing_filter.hpp>
#include <bloomtime/recency/age_partitioned_filter.hpp>
#include <bloomtime/recency/recency_filter.hpp>
#include <bloomtime/recency/recency_table.hpp>

namespace bloomtime {

// The parameters of all engines of the family. An engine refuses those that it does not have.
struct any_recency_config {
  std::optional<std::chrono::microseconds> window = {};  // of time; or
  std::optional<std::uint64_t> last = {};                // of so many insertions
  std::optional<std::uint64_t> items = {};  // different ones within a window; `last` unless given
  std::optional<double> error = {};
  std::optional<std::uint64_t> memory = {};             // bytes of cells; the most bytes of a table
  std::optional<bool> reserve = {};                     // memory for all items at once; tables
  std::optional<bool> forget_oldest = {};               // in place of `full`; tables
  std::optional<std::chrono::microseconds> tick = {};   // windows of time
  std::optional<std::uint32_t> ticks = {};              // of a window, in place of tick
  std::optional<bool> refresh = {};                     // whether a duplicate renews its item
  std::optional<std::chrono::microseconds> ahead = {};  // events further ahead are `future`
  std::optional<bool> evenly = {};
  std::optional<bloomtime::layout> layout = {};
  std::optional<audit_config> audit = {};
  // Of the published engines.
  std::optional<unsigned> k = {};
  std::optional<unsigned> k0 = {};
  std::optional<unsigned> k1 = {};
  std::optional<unsigned> bits = {};
  std::optional<std::uint64_t> sweep = {};
  hash_seed seed = 0;
};

using recency_engines =
    std::variant<recency_table, recency_filter, age_partitioned_filter, published::timing_filter,
                 published::generalized_filter, published::recent_buffer>;

// A recency engine that is chosen at run time. Calls behave as those of the engine. Windows of
// insertions ignore times; in a window of time, calls without a time use the newest one.
// detail/handle.hpp has what all handles do.
class any_recency : public detail::handle<any_recency, recency_engines> {
 public:
  using handle::handle;
  BLOOMTIME_VALUE(any_recency);

  // Throws error(invalid_argument) for a name that is not one of engines() and for a parameter that
  // the engine does not have.
  static any_recency make(const any_recency_config& config,
                          std::string_view engine = engines().front());

  outcome add(digest x, std::optional<instant> when = {});
  [[nodiscard]] novelty add_if_new(digest x, std::optional<instant> when = {});
  bool seen(digest x, std::optional<instant> when = {}) const;
  std::optional<age_bracket> age(digest x, std::optional<instant> when = {}) const;
  // NaN if the prior is unknown. An event_rate is unknown in windows of insertions, an age_prior in
  // windows of time of an age_partitioned_filter.
  double posterior(digest x, std::optional<instant> when, const age_prior& prior) const;
  double posterior(digest x, std::optional<instant> when, const event_rate& prior) const;
  bool decide(digest x, std::optional<instant> when, const age_prior& prior,
              const math::penalties& costs) const;
  bool decide(digest x, std::optional<instant> when, const event_rate& prior,
              const math::penalties& costs) const;

  // One time per item, or none at all.
  void add_bulk(std::span<const digest> items, std::span<const instant> when,
                std::span<outcome> outcomes);
  void add_if_new_bulk(std::span<const digest> items, std::span<const instant> when,
                       std::span<novelty> answers);
  void seen_bulk(std::span<const digest> items, std::optional<instant> when,
                 std::span<bool> answers) const;

  bool timed() const noexcept;
  std::uint64_t window() const noexcept;  // microseconds or insertions
  std::uint64_t insertions() const noexcept;
  double cardinality() const;  // an estimate of the different items in the window
  // How many of n more different items fit before the promised error is exceeded.
  std::uint64_t room_for(std::uint64_t n) const;
};

// What describe() or examine() say about an engine, after its family and name.
std::vector<fact> facts_of(const recency_table& f, effort most);
std::vector<fact> facts_of(const recency_filter& f, effort most);
std::vector<fact> facts_of(const age_partitioned_filter& f, effort most);
std::vector<fact> facts_of(const published::timing_filter& f, effort most);
std::vector<fact> facts_of(const published::generalized_filter& f, effort most);
std::vector<fact> facts_of(const published::recent_buffer& f, effort most);

}  // namespace bloomtime
