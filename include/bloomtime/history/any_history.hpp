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
#include <bloomtime/history/history.hpp>
#include <bloomtime/history/timeline_history.hpp>
#include <bloomtime/published/persistent/level_history.hpp>
#include <bloomtime/published/persistent/single_history.hpp>
#include <bloomtime/published/persistent/tree_history.hpp>

namespace bloomtime {

// The parameters of all engines; their own configurations explain them. An engine refuses those
// that it does not have. What is not given has the engine's default.
struct any_history_config {
  std::chrono::microseconds tick = std::chrono::seconds(1);
  instant origin = {};
  // The probability of a wrong "maybe" about `length` ticks.
  std::optional<double> error = {};
  std::optional<std::uint64_t> length = {};
  // Bytes: a limit for history, the size of single_history, tree_history and level_history.
  std::optional<std::uint64_t> memory = {};
  std::optional<std::chrono::microseconds> partition = {};  // these five: history
  std::optional<std::chrono::microseconds> ahead = {};
  std::optional<std::uint64_t> retention = {};
  std::optional<std::uint64_t> late = {};
  std::optional<std::uint64_t> live_memory = {};
  std::optional<std::uint64_t> first = {};  // these two: all but history
  std::optional<std::uint64_t> ticks = {};
  // What is expected, to size an engine by error or memory. `pairs`: different (item, tick).
  std::optional<std::uint64_t> pairs = {};        // single_history, tree_history, level_history
  std::optional<std::uint64_t> items = {};        // tree_history, level_history
  std::optional<std::uint64_t> granularity = {};  // tree_history
  hash_seed seed = 0;
};

using history_engines = std::variant<history, timeline_history, published::single_history,
                                     published::tree_history, published::level_history>;

// A history whose engine is chosen at run time. Calls behave as those of the engine.
// detail/handle.hpp has what all handles do.
class any_history : public detail::handle<any_history, history_engines> {
 public:
  using handle::handle;
  BLOOMTIME_VALUE(any_history);

  // Throws error(invalid_argument) for a name that is not one of engines() and for a parameter that
  // the engine does not have.
  static any_history make(const any_history_config& config,
                          std::string_view engine = engines().front());

  const tick_clock& clock() const noexcept;

  outcome add(digest d, instant when);
  void add_bulk(std::span<const digest> items, std::span<const instant> when,
                std::span<outcome> outcomes);
  sighting seen(digest d, instant from, instant to) const noexcept;
  void seen_bulk(std::span<const digest> items, instant from, instant to,
                 std::span<sighting> answers) const;
  // Only history and timeline_history know when.
  sightings when(digest d, interval asked) const;

  // Drops what is older: only history can. advance() drops what is past its retention.
  void trim(instant before);

  std::uint64_t records() const noexcept;
  // Estimates how many different items were seen. Reads all names in history and timeline_history,
  // where an item without a name counts once for every tick. tree_history and level_history
  // tell if their root has bits, single_history never.
  double cardinality() const;
  // How many of n further items fit before the promised error is exceeded: all in history and
  // timeline_history, which grow. The others do not know their promise.
  std::uint64_t room_for(std::uint64_t n) const;
};

// What describe() or examine() say about an engine, after its family and name.
std::vector<fact> facts_of(const history& h, effort most);
std::vector<fact> facts_of(const timeline_history& h, effort most);
std::vector<fact> facts_of(const published::single_history& h, effort most);
std::vector<fact> facts_of(const published::tree_history& h, effort most);
std::vector<fact> facts_of(const published::level_history& h, effort most);

}  // namespace bloomtime
