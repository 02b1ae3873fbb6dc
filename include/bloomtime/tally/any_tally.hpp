#pragma once

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
#include <bloomtime/fact.hpp>
#include <bloomtime/published/dynamic_count/counting_filter.hpp>
#include <bloomtime/published/dynamic_count/dynamic_count_filter.hpp>
#include <bloomtime/published/dynamic_count/spectral_filter.hpp>
#include <bloomtime/tally/rising_tally.hpp>
#include <bloomtime/tally/tally_engine.hpp>
#include <bloomtime/tally/tally_filter.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime {

// The parameters of all engines; their own configurations explain them. An engine refuses those
// that it does not have. What is not given has the engine's default.
struct any_tally_config {
  std::uint64_t items = 0;
  std::optional<double> error = {};
  std::optional<std::uint64_t> memory = {};
  std::optional<std::uint64_t> total = {};          // the two tallies, dynamic_count_filter
  std::optional<unsigned> cell_bits = {};           // the two tallies, counting_filter
  std::optional<std::uint64_t> large_memory = {};   // the two tallies
  std::optional<unsigned> k = {};                   // the published filters
  std::optional<unsigned> counters_per_slack = {};  // the spectral filters
  std::optional<unsigned> base_bits = {};           // these three: dynamic_count_filter
  std::optional<double> threshold = {};
  std::optional<published::shrinking> shrinking = {};
  std::uint64_t seed = 0;
};

// A tally engine that is chosen at run time. Calls behave as those of the engine.
class any_tally {
 public:
  using engines_type =
      std::variant<tally_filter, rising_tally, published::counting_filter,
                   published::spectral_filter, published::rising_spectral_filter,
                   published::recurring_spectral_filter, published::dynamic_count_filter>;

  // The names that make() accepts; the first is the default.
  static std::span<const std::string_view> engines() noexcept;
  // Throws error(invalid_argument) for a name that is not one of engines() and for a parameter that
  // the engine does not have.
  static any_tally make(const any_tally_config& config,
                        std::string_view engine = tally_filter::name);

  explicit any_tally(engines_type engine) : engine_(std::move(engine)) {}
  BLOOMTIME_VALUE(any_tally);

  std::string_view engine() const noexcept;
  const engines_type& get() const noexcept { return engine_; }
  bool removes() const noexcept;  // rising engines do not

  template <item T>
  BLOOMTIME_PER_ISA digest digest_of(const T& x) const noexcept {
    return detail::as_digest(x, seed());
  }
  std::uint64_t seed() const noexcept;

  outcome add(digest d, std::uint64_t amount = 1);
  // Removing throws error(unsupported) unless the engine removes().
  [[nodiscard]] outcome remove(digest d, std::uint64_t amount = 1);
  counted count(digest d) const noexcept;
  void add_bulk(std::span<const digest> items, std::span<outcome> outcomes);
  void remove_bulk(std::span<const digest> items, std::span<outcome> outcomes);
  void count_bulk(std::span<const digest> items, std::span<counted> answers) const;

  std::uint64_t total() const noexcept;
  const bloomtime::losses& losses() const noexcept;

  void advance(instant) noexcept {}  // counts do not depend on time
  void clear();
  void merge(const any_tally& other);  // both need the same engine
  void relocate();                     // moves everything into newly allocated memory

  std::uint64_t memory() const noexcept;
  // These two read every cell. cardinality() estimates how many different items there are;
  // room_for() says how many of n further ones fit before an answer is wrong with more than the
  // probability `error`. Containers do not keep the error that a tally was sized for.
  double cardinality() const;
  std::uint64_t room_for(std::uint64_t n, double error) const;

  std::vector<fact> describe() const;  // in constant time
  std::vector<fact> examine() const;   // what describe() says, and what needs a scan
  std::uint64_t identity() const;      // a hash of parameters and contents

  std::vector<std::byte> serialize() const;
  std::uint64_t serialized_size() const;
  void write_to(const byte_sink& sink) const;
  void save(const std::filesystem::path& path) const;
  static any_tally load(std::span<const std::byte> container);
  static any_tally load(const std::filesystem::path& path);

 private:
  engines_type engine_;
};

template <tally_engine Engine>
std::vector<fact> describe(const Engine& f);
template <tally_engine Engine>
std::vector<fact> examine(const Engine& f);

}  // namespace bloomtime
