#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include <bloomtime/detail/stored.hpp>
#include <bloomtime/history/detail/history_base.hpp>
#include <bloomtime/published/persistent/detail/flat_filter.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime::published {

// Sized by accuracy: for `pairs` different (item, tick), `error` is the probability that a query
// about `length` ticks in which the item was not seen is answered "maybe". Or by memory, in bytes.
struct single_config {
  std::uint64_t pairs = 0;
  std::optional<double> error = {};
  std::uint64_t length = 1;
  std::optional<std::uint64_t> memory = {};
  std::optional<unsigned> k = {};  // other than the best, with memory
  std::uint64_t ticks = 0;         // of the span
  std::uint64_t first = 0;         // of them, counted from the origin
  std::chrono::microseconds tick = std::chrono::seconds(1);
  instant origin = {};
  hash_seed seed = 0;
};

// Was x seen between s and e? One Bloom filter of all pairs (item, tick): the baseline of Peng et
// al. 2018. A query probes every tick, so its cost and its error grow with its length.
// "No" is certain. Const members may run concurrently.
class single_history : public detail::history_calls<single_history>,
                       public detail::stored<single_history> {
 public:
  static constexpr std::string_view name = "single_history";
  static constexpr detail::stored_kind kind{family::history, {1}, "a single history", true};

  explicit single_history(const single_config& config);
  BLOOMTIME_VALUE(single_history);

  // The history of both streams. Both need the same span, size, seed and clock.
  void merge(const single_history& other);
  // Forgets everything.
  void clear() noexcept;
  // Of two neighbouring spans, folded to a common size. Seed and clock must be equal.
  static single_history joined(const single_history& left, const single_history& right);

  filter_size size() const noexcept { return filter_.size(); }
  // The probability of a wrong "maybe" about so many ticks, as full as it is.
  double current_error(std::uint64_t length) const;
  double pairs() const noexcept { return filter_.keys(); }  // different ones, from its bits
  std::uint64_t memory() const noexcept { return filter_.storage().size(); }

 private:
  friend detail::history_calls<single_history>;
  friend detail::stored<single_history>;

  single_history() = default;

  outcome add_at(digest d, tick t) noexcept;
  sighting ask(digest d, interval asked, std::uint64_t& probes) const noexcept;
  void write(detail::container_writer& out) const;
  static single_history read(const detail::container_view& view);
  void expect_sound() const;

  detail::flat_filter filter_;
};

}  // namespace bloomtime::published
