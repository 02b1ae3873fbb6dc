#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <bloomtime/detail/print_shards.hpp>
#include <bloomtime/detail/print_table.hpp>
#include <bloomtime/detail/stored.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/math/prints.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/recency/audit.hpp>
#include <bloomtime/recency/detail/print_stamps.hpp>
#include <bloomtime/recency/detail/recency_face.hpp>
#include <bloomtime/recency/detail/recent_window.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime {

// A `window` of time or of the `last` insertions.
struct recency_table_config {
  std::optional<std::chrono::microseconds> window = {};
  std::optional<std::uint64_t> last = {};
  // Different items at one time, if known. Only a hint: with more items the table grows all the
  // same, and its error grows with them.
  std::uint64_t items = 0;
  double error = 1e-6;   // the probability that an item not seen lately is taken for one that was
  bool reserve = false;  // allocates memory for `items` at once; otherwise it starts with 4 KiB
  std::optional<std::uint64_t> memory = {};  // the most bytes of blocks; no limit if unset
  // What happens to a new item if there is no more memory: it is `full` and not recorded, or the
  // oldest item of its block is forgotten in its place.
  bool forget_oldest = false;
  std::uint32_t ticks = 64;  // of a window, 1 to 1024: an item is forgotten up to one tick after it
  bool refresh = true;       // whether a duplicate renews the time of its item, see add_if_new
  std::optional<std::chrono::microseconds> ahead = {};  // events further ahead are `future`
  std::optional<audit_config> audit = {};               // its window is the table's
  hash_seed seed = 0;
};

// What a table with reserved memory takes, and its error when all items are in.
struct recency_table_size {
  std::uint64_t bytes = 0;
  double error = 0;
};

// Was x seen within the window? A "no" is certain. A "yes" is wrong with the probability `error`,
// and for items that left the window less than a tick ago. A table of fingerprints, each with the
// tick in which it was last seen (docs/math.md, Tables of prints). It starts small, grows and
// shrinks with the number of items in the window by a few blocks per call, and takes about
// log2(1/error) + 14 bits per item with 14 ticks, 3 more with 64.
//
// Time never goes back: a query before the newest event is about the newest event, and late
// sightings are recorded where they belong. Windows of insertions ignore times; in a window of
// time, calls without a time use the newest one. Const members may run concurrently. A table that
// was moved from is safe to query and empty; it refuses events and cannot be merged or stored.
class recency_table : public detail::stored<recency_table>,
                      public detail::recency_face<recency_table> {
 public:
  static constexpr std::string_view name = "recency_table";
  static constexpr detail::stored_kind kind{family::recency, {7}, "a recency table"};

  explicit recency_table(const recency_table_config& config);
  // With `reserve`, whatever the configuration says.
  static recency_table_size size_for(recency_table_config config);
  BLOOMTIME_VALUE(recency_table);

  // Lets time pass without an event; never back.
  void advance(instant now) noexcept;

  // The table of both streams: what either of them has seen within the window was seen. Both need
  // the same error, hint, window, ticks and seed. Windows of insertions keep to the insertions of
  // each. Throws error(incompatible) if the memory limit leaves no room for both.
  void merge(const recency_table& other);

  // The table of the items of one shard, with the same answers about them. All insertions count in
  // each, and none has the audit. Throws error(unsupported) for a window of insertions, which would
  // be those of the shard.
  recency_table part(const shard& s) const;
  std::uint32_t shard_of(digest d, const shard& s) const noexcept {
    return detail::tag_shard(d, s);
  }

  // As it was made: nothing was added, and the audit has learned nothing.
  void clear();

  std::uint64_t items() const noexcept { return items_; }  // the hint
  bool refresh() const noexcept { return refresh_; }
  const hash_seed& seed() const noexcept { return seed_; }
  const bloomtime::losses& losses() const noexcept { return losses_; }  // since made or loaded
  const std::optional<bloomtime::audit>& audit() const noexcept { return audit_; }
  std::uint64_t memory() const noexcept;  // blocks, stash, counts of prints and arrivals, audit
  std::optional<std::uint64_t> memory_limit() const noexcept { return limit_; }
  bool forgets_oldest() const noexcept { return forget_oldest_; }
  // From now on. A limit below the present memory only stops growth.
  void set_memory_limit(std::optional<std::uint64_t> bytes, bool forget_oldest) noexcept {
    limit_ = bytes;
    forget_oldest_ = forget_oldest;
  }

  double alive_items() const noexcept {
    return usable() ? static_cast<double>(stamps().alive()) : 0;
  }
  // With so many different items in the window: the table has grown for them then.
  double predicted_error(std::uint64_t items) const;
  double current_error() const;  // of an item that was not seen lately, now
  // How many of n more different items fit before the memory limit or the error that the hint
  // stands for is exceeded.
  std::uint64_t room_for(std::uint64_t n) const;
  // Whether none of n more items can be `full`, unless the allocator fails.
  bool takes(std::uint64_t n) const noexcept {
    if (!usable()) return false;
    if (forget_oldest_ || (!limit_ && table_.can_grow_for(n))) return true;
    return static_cast<double>(stamps().alive() + n) <=
           math::grown_print_load * static_cast<double>(slots());
  }
  std::uint64_t stashed() const noexcept { return table_.stash().size(); }
  std::uint64_t slots() const noexcept { return table_.empty() ? 0 : table_.blocks().slots(); }
  std::uint64_t work() const noexcept { return table_.work(); }  // blocks examined, for tests

 private:
  friend detail::stored<recency_table>;
  friend detail::recency_face<recency_table>;
  using table = detail::print_table<detail::print_stamps>;

  struct sight {
    std::optional<std::uint32_t> age;  // in ticks
    unsigned bits = 0;                 // of the print
  };

  recency_table() noexcept = default;
  void write(detail::container_writer& out) const;
  static recency_table read(const detail::container_view& file);
  void read_table(detail::byte_reader& in, const detail::container_view& file);
  void count_prints();

  outcome add_digest(digest d, instant when) noexcept;
  novelty test_and_set(digest d, instant when, const math::penalties* costs) noexcept;
  novelty test_and_set_elsewhen(digest d, instant when, const math::penalties* costs) noexcept;
  BLOOMTIME_INLINE bool seen_digest(digest d, const moment& asked) const noexcept {
    if (table_.empty() || asked.behind > asked.oldest) return false;
    const auto oldest = static_cast<std::int64_t>(asked.oldest - asked.behind);
    bool within = false;
    table_.find(table_.print_of(d), [&](std::uint64_t code, std::uint64_t epoch, unsigned) {
      within = stamps().age(code, epoch) <= oldest;
    });
    return within;
  }
  sight look(digest d) const noexcept;
  double census_g(const sight& seen) const noexcept;
  BLOOMTIME_INLINE void prefetch(digest d) const noexcept { table_.prefetch(table_.print_of(d)); }
  bool in_cache() const noexcept { return !table_.blocks().large(); }
  bool usable() const noexcept { return !table_.empty(); }
  void expect_usable() const;

  const detail::print_stamps& stamps() const noexcept { return table_.payload(); }
  detail::recent_window::arrival arrive(instant when) noexcept;
  // Records a sighting of `back` ticks ago unless wanted(age) refuses it, given the age of the last
  // one if it is alive. False if there is no room.
  template <class Wanted>
  bool record(digest d, std::uint32_t back, Wanted&& wanted) noexcept;
  template <class Wanted>
  detail::print_change renewed(const std::uint64_t* before, std::uint32_t back,
                               Wanted&& wanted) noexcept;
  void limit_search() noexcept;
  detail::print_result placed(detail::print p, std::uint32_t back,
                              detail::print_result quickly) noexcept;
  detail::print_result make_room(detail::print p, std::uint64_t code) noexcept;
  bool recorded(detail::print p, std::uint32_t back, detail::print_result became) noexcept;
  bool forget_for(detail::print p, std::uint64_t code) noexcept;
  void count(digest d, const detail::recent_window::arrival& event) noexcept;
  void settle() noexcept;
  void resize(std::uint64_t alive) noexcept;
  bool may_split() const noexcept;
  bool crowded() const noexcept;
  void set_limits() noexcept;
  math::print_plan plan() const noexcept;
  math::print_widths widths() const noexcept;
  void expect_mergeable(const recency_table& other) const;
  void add_prints(const recency_table& other, const shard& only = {});

  table table_;
  detail::recent_window window_;
  std::optional<bloomtime::audit> audit_;
  std::uint64_t items_ = 0;
  hash_seed seed_;
  bool refresh_ = true;
  bool reserve_ = false;
  bool forget_oldest_ = false;
  std::optional<std::uint64_t> limit_;
  std::uint64_t grow_from_ = 0;  // items alive
  std::uint64_t shrink_below_ = 0;
  std::uint64_t crowded_from_ = 0;
  bloomtime::losses losses_;
};

}  // namespace bloomtime
