#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <bloomtime/detail/digest_index.hpp>
#include <bloomtime/detail/hooked.hpp>
#include <bloomtime/detail/moved.hpp>
#include <bloomtime/detail/stored.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/estimate.hpp>
#include <bloomtime/heat/decay.hpp>
#include <bloomtime/heat/detail/kept_texts.hpp>
#include <bloomtime/heat/detail/least_counts.hpp>
#include <bloomtime/heat/detail/recent_counts.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime {

namespace forward {
class merge_weight;
}

// How many items are listed, and how their heat fades: by `half_life`, or by the factor `lambda`
// per tick.
struct hot_list_config {
  std::uint64_t entries = 1000;
  std::optional<std::chrono::microseconds> half_life = {};
  std::optional<double> lambda = {};
  std::chrono::microseconds tick = std::chrono::seconds(1);
  std::chrono::microseconds ahead = std::chrono::hours(24);  // events further ahead are refused
  // For the trend. The default is an eighth of the half-life, but at least a tick.
  std::optional<std::chrono::microseconds> fast_half_life = {};
  std::chrono::microseconds bucket = std::chrono::hours(1);  // of recent counts
  unsigned buckets = 24;
  hash_seed seed = 0;
};

struct hot_item {
  std::string item;                   // its first 1024 bytes
  estimate heat;                      // decayed count; lower <= truth <= upper, always
  bool guaranteed = false;            // certainly one of the n hottest items
  double trend = 1;                   // recent rate over rate; 1 if steady, above 1 if rising
  std::vector<std::uint64_t> recent;  // events per bucket since it was last listed, oldest first
  bool cut = false;                   // whether the item was longer than 1024 bytes
  digest id = {};                     // of the whole item
};

// An engine with exponential decay that answers about single items.
template <class E>
concept decaying = requires(const E& e, digest d, instant t) {
  { e.at(d, t) }
  noexcept->std::same_as<estimate>;
  { e.decay() } -> std::same_as<const decay&>;
  { e.clock() } -> std::same_as<const tick_clock&>;
  { e.seed() } -> std::same_as<const hash_seed&>;
  { e.newest() } -> std::same_as<std::optional<instant>>;
};

// What is hot now? The hottest items of a stream by decayed count, in fixed memory.
//
// Promise: bounds of listed items always hold. No other item is hotter than unlisted(), which is at
// most about mass / entries; so every item hotter than that is listed.
//
// Cost: an add takes constant time for most listed items, and O(log entries) for others; a halving
// goes through the entries that are warm. memory() grows with the entries in use: about 160 bytes
// for an entry with 24 buckets, and its text. Ages are in ticks of the clock, as in heat_filter.
// Const members may run concurrently.
//
// Source: SpaceSaving (Metwally et al. 2005) on weights that grow with time instead of counts that
// fade.
class hot_list : public detail::stored<hot_list> {
 public:
  // Engine 9 has a decay::fine_rate.
  static constexpr std::string_view name = "hot_list";
  static constexpr detail::stored_kind kind{family::heat, {4, 9}, "a hot list"};
  static constexpr std::uint64_t most_entries = std::uint64_t{1} << 24;
  static constexpr unsigned most_buckets = 10'000;
  static constexpr std::size_t longest_text = 1024;

  explicit hot_list(const hot_list_config& config);
  BLOOMTIME_VALUE(hot_list);

  // added or late; future if `when` is too far ahead, full if a count would exceed 2^47, and then
  // nothing has changed. Late events count what is left of them. An item is its digest; its text is
  // kept for people. Throws only if memory runs out, with the state unchanged.
  BLOOMTIME_PER_ISA outcome add(std::string_view item, instant when, std::uint64_t weight = 1) {
    return add(digest_of(item, seed_), item, when, weight);
  }
  // With a digest made with seed().
  outcome add(digest d, std::string_view item, instant when, std::uint64_t weight = 1) {
    return losses_.count(add_digest(d, item, when, weight));
  }

  // The n hottest at `when`, or at the newest event if that is later, by their upper bound.
  std::vector<hot_item> top(std::size_t n, instant when) const;
  // The same with bounds tightened by a heat_filter or a heat_table of the same stream, seed, decay
  // and clock.
  template <decaying Filter>
  std::vector<hot_item> top(std::size_t n, instant when, const Filter& filter) const {
    return top(n, when,
               tightener{filter.seed(), filter.decay(), filter.clock(), filter.newest(), &filter,
                         [](const void* f, digest d, instant t) noexcept {
                           return static_cast<const Filter*>(f)->at(d, t);
                         }});
  }

  // Of any item, listed or not; the value is the upper bound.
  BLOOMTIME_PER_ISA estimate at(std::string_view item, instant when) const noexcept {
    return at(digest_of(item, seed_), when);
  }
  estimate at(digest d, instant when) const noexcept;

  // No item that is not listed is hotter than this.
  double unlisted(instant when) const noexcept;
  // Events per second for a count: (1 - lambda) / tick times it. NaN if nothing fades.
  estimate rate(const estimate& heat) const noexcept;
  // The heat of all events together, rounded up; infinite once it has exceeded 2^88 hits.
  double mass(instant when) const noexcept;

  void clear() noexcept;  // forgets all events; parameters stay

  // Adds the events of another list, each counting `weight` times (0 to 2^32): upper bounds are
  // rounded up, lower bounds down. Both need equal entries, seed, decays, clock and buckets.
  void merge(const hot_list& other, double weight = 1);

  std::uint64_t entries() const noexcept { return entries_; }
  std::uint64_t listed() const noexcept { return slots_.size(); }
  std::uint64_t memory() const noexcept;  // bytes from the allocator hook
  const hash_seed& seed() const noexcept { return seed_; }
  const bloomtime::decay& decay() const noexcept { return slow_; }
  const bloomtime::decay& fast_decay() const noexcept { return fast_; }
  const tick_clock& clock() const noexcept { return clock_; }
  std::chrono::microseconds bucket() const noexcept { return bucket_clock_.resolution(); }
  unsigned buckets() const noexcept { return buckets_; }
  std::uint64_t events() const noexcept { return events_; }
  std::optional<instant> newest() const noexcept;  // the start of the tick of the newest event
  // Events that were not counted as requested, since the list was made or loaded.
  const bloomtime::losses& losses() const noexcept { return losses_; }

 private:
  __extension__ using unsigned_wide = unsigned __int128;

  // The interval of instants that lie in the same tick and the same bucket, and its decay.
  struct moment {
    instant first{1};
    instant last{0};  // empty until the first event
    std::int64_t tick = 0;
    std::int64_t bucket = 0;
    unsigned cell = 0;  // of the bucket, in all rings
    bloomtime::decay::power slow{};
    bloomtime::decay::power fast{};

    bool contains(instant t) const noexcept { return first <= t && t <= last; }
  };

  // `low` is a lower bound of the item's heat. Its count in counts_ is an upper bound, which may
  // include the count of the entry that it replaced. Both are in units of the newest moment.
  struct slot {
    digest id;
    std::uint64_t low = 0;
    std::uint64_t fast = 0;   // as `low`, with the fast decay; for the trend
    std::int64_t bucket = 0;  // the newest bucket of its ring of recent counts
    std::uint32_t text = 0;   // in texts_
  };

  // What an event adds to the counts of its item and to the mass.
  struct arrival {
    unsigned_wide upper;
    unsigned_wide lower;
    unsigned_wide fast;
    unsigned_wide mass;
  };

  // Another engine that knows the same stream, whatever its class.
  struct tightener {
    const hash_seed& seed;
    const bloomtime::decay& decay;
    const tick_clock& clock;
    std::optional<instant> newest;
    const void* engine;
    estimate (*at)(const void* engine, digest d, instant when) noexcept;
  };

  struct bounds {
    std::uint32_t slot;
    estimate heat;
  };

  struct joined;

  hot_list() = default;

  outcome add_digest(digest d, std::string_view item, instant when, std::uint64_t weight);
  moment moment_of(instant when) const noexcept;
  moment at_or_newest(instant when) const noexcept;
  bool full() const noexcept { return entries_ != 0 && slots_.size() == entries_; }
  void go_to(const moment& next) noexcept;
  void set_newest(const moment& m) noexcept;
  static arrival arrival_of(std::uint64_t weight, const moment& then, const moment& now) noexcept;

  std::optional<std::uint32_t> find(digest d) const noexcept;
  std::uint64_t least() const noexcept;
  void make_room_for_text(std::size_t size);
  void make_room_for_entry();
  void reserve_entries(std::size_t count);
  std::uint32_t enter(digest d, std::string_view text, std::uint64_t units) noexcept;
  std::uint32_t replace_least(digest d, std::string_view text) noexcept;
  void begin_entry(std::uint32_t slot, digest d) noexcept;
  void prefetch_least() const noexcept;

  // A total order of equal counts: the smallest entry does not depend on the past.
  struct digest_order {
    const slot* slots;

    std::uint32_t rank(std::uint32_t entry) const noexcept {
      return static_cast<std::uint32_t>(slots[entry].id.hi >> 32);
    }
    bool operator()(std::uint32_t a, std::uint32_t b) const noexcept {
      const digest& x = slots[a].id;
      const digest& y = slots[b].id;
      return x.hi != y.hi ? x.hi < y.hi : x.lo < y.lo;
    }
  };
  digest_order by_digest() const noexcept { return {slots_.data()}; }
  std::vector<std::uint32_t> by_count() const;  // all entries, smallest first

  unsigned cell_before(unsigned cell) const noexcept { return (cell == 0 ? buckets_ : cell) - 1; }
  void shift_ring(std::uint32_t slot, const moment& then) noexcept;
  void count_recent(std::uint32_t slot, const moment& then, std::uint64_t weight) noexcept;
  std::vector<std::uint64_t> recent(std::uint32_t slot, const moment& now) const;

  estimate bounds_of(std::uint32_t slot, const moment& now) const noexcept;
  double hits_above(std::uint64_t units, const moment& now) const noexcept;
  double trend(std::uint32_t slot, double heat, const moment& now) const noexcept;
  std::vector<hot_item> top(std::size_t n, instant when, const tightener& by) const;
  template <class BoundsOf>
  std::vector<hot_item> hottest(std::size_t n, const moment& now, const BoundsOf& bounds_of) const;

  void multiply(const forward::merge_weight& by);
  static hot_list sum_of(const hot_list& a, const hot_list& b);
  void forget_entries() noexcept;
  void take(const joined& j, const hot_list& from);
  std::uint32_t append(digest d, std::string_view text, std::uint64_t cnt);

  friend detail::stored<hot_list>;
  void write(detail::container_writer& out) const;
  static hot_list read(const detail::container_view& view);
  void read_parameters(const detail::container_view& view);
  void read_entries(std::span<const std::byte> entries, std::span<const std::byte> texts);

  detail::zero_when_moved<std::uint64_t> entries_;
  hash_seed seed_;
  bloomtime::decay slow_ = bloomtime::decay::by_rate(0);
  bloomtime::decay fast_ = bloomtime::decay::by_rate(0);
  tick_clock clock_;
  tick_clock bucket_clock_;
  unsigned buckets_ = 0;
  std::uint64_t ahead_ = 0;  // ticks
  detail::zero_when_moved<std::uint64_t> events_;
  std::int64_t start_ = 0;  // the tick of the first event
  moment newest_;
  arrival hit_{};  // of one event in the newest moment
  unsigned_wide mass_ = 0;
  std::vector<slot, detail::hooked<slot>> slots_;
  detail::least_counts counts_;  // by slot
  detail::recent_counts rings_;  // by slot
  detail::digest_index index_;
  detail::kept_texts texts_;
  bloomtime::losses losses_;
};

}  // namespace bloomtime
