#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/detail/container.hpp>
#include <bloomtime/fact.hpp>
#include <bloomtime/heat/decay_ring.hpp>
#include <bloomtime/heat/heat_filter.hpp>
#include <bloomtime/heat/hot_list.hpp>
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
  std::optional<std::uint64_t> memory = {};
  std::optional<std::chrono::microseconds> half_life = {};  // these two: all but decay_ring
  std::optional<double> lambda = {};
  std::optional<std::chrono::microseconds> window = {};  // down to `reach`: decay_ring
  std::optional<double> polynomial = {};
  std::vector<double> weights = {};
  std::optional<unsigned> slots = {};
  std::optional<unsigned> per_octave = {};
  std::optional<std::chrono::microseconds> reach = {};
  std::optional<std::chrono::microseconds> tick = {};
  std::optional<std::chrono::microseconds> ahead = {};
  std::optional<unsigned> cell_bits = {};            // heat_filter, decaying_filter
  std::optional<published::rounding> rounding = {};  // these two: the published filters
  std::optional<published::increase> increase = {};
  std::optional<std::uint64_t> pool_memory = {};  // pooled_decaying_filter
  std::uint64_t seed = 0;
};

// A heat engine that is chosen at run time. Calls behave as those of the engine.
class any_heat {
 public:
  using engines_type = std::variant<heat_filter, decay_ring, published::decaying_filter,
                                    published::pooled_decaying_filter>;

  // The names that make() accepts; the first is the default.
  static std::span<const std::string_view> engines() noexcept;
  // Throws error(invalid_argument) for a name that is not one of engines() and for a parameter that
  // the engine does not have.
  static any_heat make(const any_heat_config& config, std::string_view engine = engines().front());

  explicit any_heat(engines_type engine) : engine_(std::move(engine)) {}
  BLOOMTIME_VALUE(any_heat);

  std::string_view engine() const noexcept;
  const engines_type& get() const noexcept { return engine_; }

  template <item T>
  BLOOMTIME_PER_ISA digest digest_of(const T& x) const noexcept {
    return detail::as_digest(x, seed());
  }
  std::uint64_t seed() const noexcept;

  outcome add(digest d, instant when, std::uint64_t weight = 1);
  void add_bulk(std::span<const digest> items, std::span<const instant> when,
                std::span<outcome> outcomes);
  estimate at(digest d, instant when) const noexcept;
  void at_bulk(std::span<const digest> items, instant when, std::span<estimate> answers) const;
  estimate rate(digest d, instant when) const noexcept;
  double mass(instant when) const noexcept;
  std::optional<instant> newest() const noexcept;
  const bloomtime::losses& losses() const noexcept;

  void advance(instant now) noexcept;
  void clear();
  // Both need the same engine. decay_ring merges with whole weights only.
  void merge(const any_heat& other, double weight = 1);
  void relocate();  // moves everything into newly allocated memory

  std::uint64_t memory() const noexcept;
  // These two read every cell. cardinality() estimates how many different items are warm;
  // room_for() says how many of n further ones fit before answers are too high with probability
  // `error`.
  double cardinality() const;
  std::uint64_t room_for(std::uint64_t n, double error = 0.01) const;

  std::vector<fact> describe() const;  // in constant time
  std::vector<fact> examine() const;   // what describe() says, and what takes a scan
  std::uint64_t identity() const;      // a hash of parameters and contents

  std::vector<std::byte> serialize() const;
  void write_to(const byte_sink& sink) const;
  void save(const std::filesystem::path& path) const;
  static any_heat load(std::span<const std::byte> container);
  static any_heat load(const std::filesystem::path& path);

 private:
  engines_type engine_;
};

std::vector<fact> describe(const heat_filter& f);
std::vector<fact> describe(const decay_ring& r);
std::vector<fact> describe(const published::decaying_filter& f);
std::vector<fact> describe(const published::pooled_decaying_filter& f);
std::vector<fact> describe(const hot_list& l);

}  // namespace bloomtime
