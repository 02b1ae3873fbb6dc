#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/detail/container.hpp>
#include <bloomtime/detail/cpu.hpp>
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
  std::uint64_t seed = 0;
};

// A history whose engine is chosen at run time. Calls behave as those of the engine; what an engine
// cannot do throws error(unsupported). Const members may run concurrently.
class any_history {
 public:
  using engines_type = std::variant<history, timeline_history, published::single_history,
                                    published::tree_history, published::level_history>;

  // The names that make() accepts; the first is the default.
  static std::span<const std::string_view> engines() noexcept;
  // Throws error(invalid_argument) for a name that is not one of engines() and for a parameter that
  // the engine does not have.
  static any_history make(const any_history_config& config,
                          std::string_view engine = engines().front());

  explicit any_history(engines_type engine) : engine_(std::move(engine)) {}
  BLOOMTIME_VALUE(any_history);

  std::string_view engine() const noexcept;
  const engines_type& get() const noexcept { return engine_; }

  template <item T>
  BLOOMTIME_PER_ISA digest digest_of(const T& x) const noexcept {
    return detail::as_digest(x, seed());
  }
  std::uint64_t seed() const noexcept;
  const tick_clock& clock() const noexcept;

  outcome add(digest d, instant when);
  void add_bulk(std::span<const digest> items, std::span<const instant> when,
                std::span<outcome> outcomes);
  sighting seen(digest d, instant from, instant to) const noexcept;
  void seen_bulk(std::span<const digest> items, instant from, instant to,
                 std::span<sighting> answers) const;
  // Only history and timeline_history know when.
  sightings when(digest d, interval asked) const;

  // Both need the same engine.
  void merge(const any_history& other);
  void clear() noexcept;
  // Drops what is no longer kept at this time: only history has a retention.
  void advance(instant now) noexcept;
  // Drops what is older: only history can.
  void trim(instant before);
  void relocate();  // moves everything into newly allocated memory

  std::uint64_t records() const noexcept;
  const bloomtime::losses& losses() const noexcept;
  std::uint64_t memory() const noexcept;
  // Estimates how many different items were seen. Reads all names in history and timeline_history,
  // where an item without a name counts once for every tick. tree_history and level_history
  // tell if their root has bits, single_history never.
  double cardinality() const;
  // How many of n further items fit before the promised error is exceeded: all in history and
  // timeline_history, which grow. The others do not know their promise.
  std::uint64_t room_for(std::uint64_t n) const;

  std::vector<fact> describe() const;  // in time that does not depend on the number of items
  std::vector<fact> examine() const;   // what describe() says, and what takes a scan
  std::uint64_t identity() const;      // a hash of parameters and contents

  std::vector<std::byte> serialize() const;
  std::uint64_t serialized_size() const;
  void write_to(const byte_sink& sink) const;
  void save(const std::filesystem::path& path) const;
  static any_history load(std::span<const std::byte> container);
  static any_history load(const std::filesystem::path& path);

 private:
  engines_type engine_;
};

std::vector<fact> describe(const history& h);
std::vector<fact> describe(const timeline_history& h);
std::vector<fact> describe(const published::single_history& h);
std::vector<fact> describe(const published::tree_history& h);
std::vector<fact> describe(const published::level_history& h);
// What describe() says, and how many items there are, for which all names are read.
std::vector<fact> examine(const history& h);

}  // namespace bloomtime
