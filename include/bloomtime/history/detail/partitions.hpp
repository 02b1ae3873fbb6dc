#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <bloomtime/detail/hooked.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/history/timeline_history.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/time.hpp>

// The partitions of a history, by number, and the work that keeps them small: sealing what is over
// and joining what is old. Every event does a bounded part of that work.
namespace bloomtime::detail {

struct partition_rules {
  std::uint64_t ticks = 1;      // of a partition
  std::uint64_t retention = 0;  // partitions; 0: all
  std::uint64_t memory = 0;     // bytes that all should take; 0: any number
  std::uint64_t live_memory = 0;
  bool joins = true;  // see history_shape
  // Records of a block that is joined, at most.
  std::uint64_t most_joined = std::uint64_t{1} << 22;
  // With fewer records a partition keeps all names: sets without names cannot be merged, and every
  // one of them is read by every question about its time.
  std::uint64_t least_nameless = std::uint64_t{1} << 16;
};

// One partition, or several neighbours that were joined.
struct partition {
  partition(std::uint64_t joined, timeline_history e) : count(joined), engine(std::move(e)) {}
  // A copy owns its bytes.
  partition(const partition& other) : count(other.count), engine(other.engine) {}
  partition(partition&&) = default;
  partition& operator=(partition&&) = default;

  bool is_lent() const noexcept { return !lent.empty(); }

  std::uint64_t count;  // of partitions, joined
  timeline_history engine;
  std::span<const std::byte> lent = {};          // its container, if the bytes are not its own
  std::shared_ptr<const void> lender = nullptr;  // keeps them, if the owner of the history does not
  bool is_joined = false;                        // by the join that is going on
  bool is_refused = false;                       // few bytes would become many: it stays as it is
};

class partitions {
 public:
  // By the number of the first partition.
  using map = std::map<std::uint64_t, partition, std::less<>,
                       hooked<std::pair<const std::uint64_t, partition>>>;

  // Work that an event does at most, times the tables that wait and one, and that opening a
  // partition does.
  static constexpr std::uint64_t work_per_event = 256;
  static constexpr std::uint64_t work_per_partition = 1024;

  explicit partitions(const partition_rules& rules) : rules_(rules) {}
  // A copy starts the join that is going on again.
  partitions(const partitions& other);
  partitions& operator=(const partitions& other);
  partitions(partitions&&) = default;
  partitions& operator=(partitions&&) = default;
  ~partitions() = default;

  const map& all() const noexcept { return parts_; }
  bool empty() const noexcept { return parts_.empty(); }
  bool any_lent() const noexcept;
  std::uint64_t newest() const noexcept {
    return parts_.rbegin()->first + parts_.rbegin()->second.count - 1;
  }
  // The one that this partition is or lies in; all().end() if there is none.
  map::iterator find(std::uint64_t number) noexcept;

  void put(std::uint64_t number, partition p);
  // Unless something is in it, as in a block.
  void erase_if_empty(std::uint64_t number) noexcept;
  // Of partition_rules: limits the length of blocks that are joined from now on.
  void retain(std::uint64_t number) noexcept { rules_.retention = number; }
  // Drops those that lie before it.
  void drop_before(std::uint64_t number) noexcept;

  // Adds an event to one of them, after its share of the work, which waits if there is no memory
  // for it. If there is none for the event, nothing has changed.
  outcome add(map::iterator to, digest d, instant when);

  // The partitions that begin before this number are over.
  void close_before(std::uint64_t number);
  // Begins again to remove names from those that lie before the present one: what was begun is not
  // stored.
  void resume(std::uint64_t present);
  // Joins those that lie before the present one, if they are to be. Never throws: it can wait.
  void join_old(std::uint64_t present) noexcept;

  // Takes the parts of another history with the same ticks; parts that overlap become one. Nothing
  // has changed if it throws.
  void merge(const partitions& other);

  // All of the work at once.
  void finish();
  void compact();
  void seal();
  // Writes all but the newest to files of this directory, and answers from there.
  void retire(const std::filesystem::path& directory);

  // Bytes of everything, and whether what does not lie in files exceeds the memory of the rules.
  std::uint64_t memory() const noexcept;
  bool is_too_much() const noexcept;
  // The work done so far.
  std::uint64_t work() const noexcept { return work_done_; }

 private:
  static constexpr std::uint64_t any_work = std::numeric_limits<std::uint64_t>::max();

  using number_set = std::set<std::uint64_t, std::less<>, hooked<std::uint64_t>>;
  using numbers = std::vector<std::uint64_t, hooked<std::uint64_t>>;

  struct block {
    std::uint64_t first;
    std::uint64_t count;
  };
  struct joining {
    block into;
    numbers parts;  // that become one
    timeline_join work;
  };

  void count_live() noexcept;
  bool may_join() const noexcept { return !unjoined_.empty() || wants_pair_; }
  bool has_work() const noexcept { return !busy_.empty() || joining_ || may_join(); }
  // Its block may be joined now.
  void look_at(std::uint64_t number) {
    if (rules_.joins && number < present_) unjoined_.insert(number);
  }
  // Of items that hardly repeat, once it is over.
  bool keeps_no_names(const partition& p) const noexcept {
    return !rules_.joins || p.engine.records() >= rules_.least_nameless;
  }
  void erase(map::iterator p) noexcept;
  void close(map::iterator p);
  void make_room(map::iterator to);
  void set_aside(map::iterator p);
  template <class Work>
  static void if_there_is_memory(Work&& work);
  void step(std::uint64_t share);
  void step_part(std::uint64_t number, std::uint64_t share);

  // partition_joins.cpp
  void step_join(std::uint64_t share);
  map::iterator end_of(block b) noexcept { return parts_.lower_bound(b.first + b.count); }
  bool can_join(block b, std::uint64_t most_records) noexcept;
  std::optional<block> block_of(std::uint64_t number) noexcept;
  std::optional<block> next_block() noexcept;
  std::optional<block> next_pair() noexcept;
  void begin_join();
  void end_join();
  void cancel_join() noexcept;
  partition united(block b, std::vector<timeline_history> overlapping) const;
  void replace(const numbers& replaced, map by);

  partition_rules rules_;
  map parts_;
  std::uint64_t live_ = 0;     // bytes of the tables of all
  number_set busy_;            // parts that have work to do
  std::uint64_t turn_ = 0;     // the next of these
  std::uint64_t room_ = 0;     // part to look at next for a table to set aside
  std::uint64_t present_ = 0;  // partition before which blocks are joined
  number_set unjoined_;        // parts whose blocks are to be looked at
  bool wants_pair_ = false;    // two parts are to become one if all take too much
  std::unique_ptr<joining> joining_;
  std::uint64_t work_done_ = 0;
};

}  // namespace bloomtime::detail
