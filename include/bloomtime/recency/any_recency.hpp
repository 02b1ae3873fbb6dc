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
#include <bloomtime/fact.hpp>
#include <bloomtime/published/inferential/generalized_filter.hpp>
#include <bloomtime/published/inferential/recent_buffer.hpp>
#include <bloomtime/published/inferential/timing_filter.hpp>
#include <bloomtime/recency/age_partitioned_filter.hpp>
#include <bloomtime/recency/recency_filter.hpp>

namespace bloomtime {

// The parameters of all engines of the family. An engine refuses those that it does not have.
struct any_recency_config {
  std::optional<std::chrono::microseconds> window = {};  // of time; or
  std::optional<std::uint64_t> last = {};                // of so many insertions
  std::optional<std::uint64_t> items = {};  // different ones within a window; `last` unless given
  std::optional<double> error = {};
  std::optional<std::uint64_t> memory = {};             // bytes of cells
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
  std::uint64_t seed = 0;
};

// A recency engine whose kind is known at run time. It does what the engine does; an act that the
// engine cannot do throws error(unsupported). Windows of insertions ignore times; in a window of
// time, calls without a time use the newest one. Const members may run concurrently.
class any_recency {
 public:
  using engines_type =
      std::variant<recency_filter, age_partitioned_filter, published::timing_filter,
                   published::generalized_filter, published::recent_buffer>;

  // Throws error(invalid_argument) if there is no such engine or it lacks a given parameter.
  static any_recency make(const any_recency_config& config,
                          std::string_view engine = "recency_filter");
  static std::span<const std::string_view> engines() noexcept;
  explicit any_recency(engines_type engine) : engine_(std::move(engine)) {}
  BLOOMTIME_VALUE(any_recency);

  std::string_view engine() const noexcept;  // its name
  const engines_type& get() const noexcept { return engine_; }

  template <item T>
  BLOOMTIME_PER_ISA digest digest_of(const T& x) const noexcept {
    return detail::as_digest(x, seed());
  }

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

  // Of two filters of one engine.
  void merge(const any_recency& other);
  void clear();
  void advance(instant now);
  void relocate();  // moves everything into freshly allocated memory

  bool timed() const noexcept;
  std::uint64_t window() const noexcept;  // microseconds or insertions
  std::uint64_t insertions() const noexcept;
  std::optional<instant> newest() const noexcept;
  std::uint64_t seed() const noexcept;
  std::uint64_t memory() const noexcept;
  const bloomtime::losses& losses() const noexcept;
  double cardinality() const;  // an estimate of the different items in the window
  // How many of `items` more different items fit before the promised error is exceeded.
  std::uint64_t room_for(std::uint64_t items) const;

  std::vector<fact> describe() const;  // in O(1)
  std::vector<fact> examine() const;   // reads counts of all cells
  std::uint64_t identity() const;      // a digest of parameters and content

  std::vector<std::byte> serialize() const;
  void write_to(const byte_sink& sink) const;
  void save(const std::filesystem::path& path) const;
  static any_recency load(std::span<const std::byte> container);
  static any_recency load(const std::filesystem::path& path);

 private:
  engines_type engine_;
};

}  // namespace bloomtime
