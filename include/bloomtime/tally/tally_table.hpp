#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <string_view>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/detail/print_shards.hpp>
#include <bloomtime/detail/print_table.hpp>
#include <bloomtime/math/prints.hpp>
#include <bloomtime/tally/detail/print_counts.hpp>
#include <bloomtime/tally/detail/tally_face.hpp>

namespace bloomtime {

struct tally_table_config {
  // Different items at one time, if known. Only a hint: with more items the table grows all the
  // same, and its error grows with them.
  std::uint64_t items = 0;
  double error = 1e-3;      // the probability that a count is too high because of another item
  bool reserve = false;     // allocates memory for `items` at once; otherwise it starts with 4 KiB
  std::uint64_t total = 0;  // of all counts, if known, for `reserve`
  std::optional<std::uint64_t> memory = {};  // the most bytes of blocks; no limit if unset
  hash_seed seed = 0;
};

// What a table with reserved memory takes, and its error when all items are in.
struct tally_table_size {
  std::uint64_t bytes = 0;
  double error = 0;
};

// Counts items that are added and removed. Counts are exact, up to 2^64 - 1, except with the
// probability `error`: then another item has the same fingerprint, and both show the sum of their
// counts. Answers are never too low if only what was added is removed.
//
// A table of fingerprints, each with a count of 4 bits; counts of 15 or more take a second slot,
// and enormous ones more (docs/math.md, Tables of counts). It starts small, grows and shrinks with
// the number of items by a few blocks per call, and takes about log2(1/error) + 11 bits per item
// and large count, half as much again while it grows. Items that find no room under the memory
// limit are `full`, and nothing changed. Const members may run concurrently.
class tally_table : public detail::tally_face<tally_table> {
  using face = detail::tally_face<tally_table>;

 public:
  static constexpr bool removes = true;
  static constexpr bool one_sided = true;
  static constexpr std::string_view name = "tally_table";
  static constexpr detail::stored_kind kind{family::tally, {6}, "a tally table"};

  explicit tally_table(const tally_table_config& config);
  // With `reserve`, whatever the configuration says.
  static tally_table_size size_for(tally_table_config config);
  BLOOMTIME_VALUE(tally_table);

  // Many items, one of each, in their order. The result is the same as one by one; it is faster if
  // the table exceeds the cache.
  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA void add_bulk(const Items& items, std::span<outcome> outcomes) {
    expect_usable();
    add_in_bulk(items, outcomes, [](digest, std::size_t) {});
  }
  // The same, with the count of each item right after it was added.
  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA void add_bulk(const Items& items, std::span<outcome> outcomes,
                                  std::span<std::uint64_t> counts) {
    expect_usable();
    detail::expect_as_many(outcomes.size(), counts.size());
    add_in_bulk(items, outcomes,
                [&](digest d, std::size_t i) { counts[i] = count_digest(d).upper; });
  }
  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA void remove_bulk(const Items& items, std::span<outcome> outcomes) {
    expect_usable();
    in_bulk(*this, items, outcomes, [&](digest d) { return this->noted(remove_digest(d, 1)); });
  }
  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA void count_bulk(const Items& items, std::span<counted> answers) const {
    in_bulk(*this, items, answers, [&](digest d) { return count_digest(d); });
  }

  // The table of both streams. Both need the same error, hint and seed. Throws error(incompatible)
  // if there is no room for both under the memory limit.
  void merge(const tally_table& other);

  // The table of the items of one shard, with the same counts.
  tally_table part(const shard& s) const;
  std::uint32_t shard_of(digest d, const shard& s) const noexcept {
    return detail::tag_shard(d, s);
  }
  void clear();

  // use(print, count) for every slot. The print is print_of() of the items that are counted there;
  // rarely, two slots have the same one.
  template <class Use>
  void for_each(Use&& use) const {
    if (!usable()) return;
    table_.for_each([&](const detail::print& p, std::uint64_t count, std::uint64_t) {
      use(table_.stash_key(p), count);
    });
  }
  template <item T>
  BLOOMTIME_PER_ISA std::uint64_t print_of(const T& x) const noexcept {
    return usable() ? table_.stash_key(table_.print_of(detail::as_digest(x, this->seed_))) : 0;
  }

  tally_statistics statistics() const;                     // reads all blocks
  std::uint64_t items() const noexcept { return items_; }  // the hint
  // Different fingerprints now, which is the number of different items but for the error.
  std::uint64_t prints() const noexcept { return usable() ? counts().prints() + stashed() : 0; }
  std::uint64_t slots() const noexcept { return usable() ? table_.blocks().slots() : 0; }
  std::uint64_t used_slots() const noexcept { return usable() ? counts().slots() : 0; }
  std::uint64_t stashed() const noexcept { return table_.stash().size(); }
  std::uint64_t memory() const noexcept { return usable() ? table_.memory() : 0; }  // and stash
  std::optional<std::uint64_t> memory_limit() const noexcept { return limit_; }

  // The probability that an absent item shows a count, or a present one too much, when there are
  // `items` different ones; and now.
  double predicted_error(std::uint64_t items) const;
  double current_error() const;
  double confidence() const { return usable() ? 1 - current_error() : 0; }
  // How many of n more different items fit before the memory limit is reached, with the share of
  // large counts that there is now.
  std::uint64_t room_for(std::uint64_t n) const noexcept;
  // Whether none of n more items of one slot each can be `full`, unless the allocator fails.
  bool takes(std::uint64_t n) const noexcept {
    if (!usable()) return false;
    if (!limit_ && table_.can_grow_for(n)) return true;
    const auto used = static_cast<double>(used_slots() + stashed() + n);
    return used <= math::grown_print_load * static_cast<double>(slots());
  }
  std::uint64_t work() const noexcept { return table_.work(); }  // blocks examined, for tests

 private:
  friend face;
  friend detail::stored<tally_table>;
  using table = detail::print_table<detail::print_counts>;

  tally_table(const hash_seed& seed, std::uint64_t items) noexcept : face(seed), items_(items) {}
  void write(detail::container_writer& out) const;
  static tally_table read(const detail::container_view& view);
  void read_table(detail::byte_reader& in, const detail::container_view& view);
  void count_prints();

  bool usable() const noexcept { return !table_.empty(); }
  void expect_usable() const;
  const detail::print_counts& counts() const noexcept { return table_.payload(); }
  math::print_plan plan() const noexcept;

  // Most additions raise a count in a block of its print. These paths are kept short; all others
  // are in add_elsewhere().
  BLOOMTIME_INLINE outcome add_digest(digest d, std::uint64_t amount) {
    if (table_.blocks().can_join()) return add_grown(d, amount);
    bool found = false;
    const bool raised = !this->exceeds_total(amount) &&
                        table_.touch_first(table_.print_of(d), raising{amount, found});
    return added(d, amount, raised, found);
  }
  [[gnu::noinline]] BLOOMTIME_PER_ISA outcome add_grown(digest d, std::uint64_t amount) {
    return usable() ? add_at({table_.blocks(), table_.print_of(d)}, d, amount)
                    : add_elsewhere(d, amount, false);
  }
  BLOOMTIME_INLINE outcome add_at(const table::two_places& at, const digest& d,
                                  std::uint64_t amount) {
    bool found = false;
    const bool raised = !this->exceeds_total(amount) && table_.touch(at, raising{amount, found});
    return added(d, amount, raised, found);
  }
  // What touch() does with the slot that it finds.
  struct raising {
    std::uint64_t amount;
    bool& found;
    BLOOMTIME_INLINE bool operator()(const detail::print_block& block, unsigned i) const noexcept {
      found = true;
      return detail::print_counts::raise(block, i, amount);
    }
  };
  BLOOMTIME_INLINE outcome added(const digest& d, std::uint64_t amount, bool raised, bool found) {
    if (!raised) [[unlikely]]
      return add_elsewhere(d, amount, found);
    this->total_ += amount;
    return outcome::added;
  }
  outcome add_elsewhere(digest d, std::uint64_t amount, bool in_first);
  bool raise_other(const detail::print& p, std::uint64_t amount) noexcept;
  detail::print_result change_count(const detail::print& p, std::uint64_t amount) noexcept;
  outcome remove_digest(digest d, std::uint64_t amount);
  BLOOMTIME_INLINE counted count_digest(digest d) const noexcept {
    std::uint64_t found = 0;
    if (table_.blocks().can_join() || !table_.touch_first(table_.print_of(d), reading{found}))
      return count_elsewhere(d);
    return {found, found, found, false};
  }
  counted count_elsewhere(digest d) const noexcept;
  struct reading {
    std::uint64_t& found;
    BLOOMTIME_INLINE bool operator()(const detail::print_block& block, unsigned i) const noexcept {
      found = detail::print_counts::read(block, i);
      return true;
    }
  };
  void settle() noexcept;
  bool should_grow() const noexcept;
  bool crowded_by(std::uint64_t used, std::uint64_t prints) const noexcept;
  bool may_split() const noexcept;
  void set_limits() noexcept;
  void expect_mergeable(const tally_table& other) const;
  bool absorb(const tally_table& other, const shard& only = {});

  // Most items are in their first block, but for those of a table that grows.
  BLOOMTIME_INLINE void prefetch(const detail::digest_block& items) const noexcept {
    if (!table_.blocks().can_join()) {
      for (std::size_t i = 0; i < items.count; ++i)
        table_.prefetch_first(table_.print_of(items[i]));
    } else if (usable()) {
      for (std::size_t i = 0; i < items.count; ++i) table_.prefetch(table_.print_of(items[i]));
    }
  }
  // Where the items of a block are if the table has grown, as it was then: computed once, to
  // prefetch them and to add there.
  struct places_ahead {
    bool known = false;
    std::uint64_t changes = 0;
    std::array<table::two_places, detail::bulk_block> at;
  };
  BLOOMTIME_INLINE void look_ahead(const detail::digest_block& items,
                                   places_ahead& later) const noexcept {
    later.known = table_.blocks().can_join();
    if (!later.known) return prefetch(items);
    later.changes = table_.blocks().changes();
    for (std::size_t i = 0; i < items.count; ++i) {
      later.at[i] = {table_.blocks(), table_.print_of(items[i])};
      later.at[i].prefetch();
    }
  }
  BLOOMTIME_INLINE outcome add_ahead(const places_ahead& known, std::size_t i, const digest& d) {
    if (known.changes != table_.blocks().changes()) return add_grown(d, 1);
    return add_at(known.at[i], d, 1);
  }
  // Adds all items in order, and calls then(digest, i) after item i.
  template <class Items, class Then>
  BLOOMTIME_PER_ISA void add_in_bulk(const Items& items, std::span<outcome> outcomes, Then then) {
    const std::span<const std::ranges::range_value_t<Items>> all(items);
    detail::expect_as_many(all.size(), outcomes.size());
    std::array<places_ahead, 2> ahead;
    bool turn = false;
    detail::in_blocks<1>(all, this->seed_,
                         [&](const auto& now, const auto& next, std::size_t first) {
                           look_ahead(next, ahead[turn]);
                           turn = !turn;
                           const places_ahead& known = ahead[turn];
                           outcome* const to = outcomes.data() + first;
                           const auto add_each = [&](auto&& add) {
                             for (std::size_t i = 0; i < now.count; ++i) {
                               to[i] = this->noted(add(i));
                               then(now[i], first + i);
                             }
                           };
                           if (known.known) {
                             add_each([&](std::size_t i) { return add_ahead(known, i, now[i]); });
                           } else {
                             add_each([&](std::size_t i) { return add_digest(now[i], 1); });
                           }
                         });
  }
  // answers[i] = step(digest of item i) in order, while the blocks of later items are on their way.
  template <class Self, class Items, class Answer, class Step>
  BLOOMTIME_PER_ISA static void in_bulk(Self& self, const Items& items, std::span<Answer> answers,
                                        Step step) {
    const std::span<const std::ranges::range_value_t<Items>> all(items);
    detail::expect_as_many(all.size(), answers.size());
    detail::in_blocks<1>(
        all, self.seed_,
        [&self, answers, &step](const auto& now, const auto& next, std::size_t first) {
          self.prefetch(next);
          Answer* const to = answers.data() + first;
          for (std::size_t i = 0; i < now.count; ++i) to[i] = step(now[i]);
        });
  }

  table table_;
  std::uint64_t items_ = 0;
  bool reserve_ = false;
  std::optional<std::uint64_t> limit_;
  std::uint64_t grow_from_ = 0;  // slots in use
  std::uint64_t shrink_below_ = 0;
};

}  // namespace bloomtime
