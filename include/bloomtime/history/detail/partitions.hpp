#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <bloomtime/detail/file.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/error.hpp>
#include <bloomtime/history/detail/tick_archive.hpp>
#include <bloomtime/history/detail/tick_span.hpp>
#include <bloomtime/history/detail/timeline.hpp>
#include <bloomtime/history/history_engine.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/time.hpp>

// The partitions of a history, by number, and the work that keeps them small: sealing what is over
// and joining what is old. An engine that can do that in steps does a bounded part of it whenever
// an event comes; any other does it all at once.
namespace bloomtime::detail {

// What there is besides the partitions themselves.
struct partition_rules {
  std::uint64_t ticks = 1;      // of a partition
  std::uint64_t retention = 0;  // partitions; 0: all
  std::uint64_t memory = 0;     // bytes that all should take; 0: any number
  std::uint64_t live_memory = 0;
  // Whether old neighbours are joined even if there is memory. Histories of engine 5 do not, and
  // remove names as soon as a partition is over.
  bool joins = true;
  // Records of a block that is joined, at most.
  std::uint64_t most_joined = std::uint64_t{1} << 22;
  // With fewer records a partition keeps all names: sets without names cannot be merged, and every
  // one of them is read by every question about its time.
  std::uint64_t least_nameless = std::uint64_t{1} << 16;
};

// Old partitions become one by blocks of 8, 64, 512 and so on: none that is longer than an eighth
// of `retention`, since a block is dropped as a whole.
inline constexpr std::uint64_t block_factor = 8;

// An engine that can seal and join in steps.
template <class Engine>
concept stepwise = requires(Engine& e, std::uint64_t& work) {
  e.upkeep(work);
};

template <class Engine>
struct join_of {
  using type = std::monostate;
};
template <stepwise Engine>
struct join_of<Engine> {
  using type = typename Engine::join;
};

template <history_engine Engine>
class partitions {
 public:
  struct part {
    part(std::uint64_t joined, Engine e, std::shared_ptr<const void> l)
        : count(joined), engine(std::move(e)), lender(std::move(l)) {}
    part(const part& other) : count(other.count), engine(other.engine) {}  // a copy owns its bytes
    part(part&&) = default;
    part& operator=(part&&) = default;

    std::uint64_t count;  // of partitions, joined
    Engine engine;
    std::shared_ptr<const void> lender = nullptr;  // of its bytes, if they are not its own
    bool is_joined = false;                        // by the join that is going on
    bool is_refused = false;                       // few bytes would become many: it stays as it is
  };
  using map = std::map<std::uint64_t, part>;  // by the number of the first partition

  // Work that an event does at most, times the tables that wait and one, and that opening a
  // partition does.
  static constexpr std::uint64_t work_per_event = 256;
  static constexpr std::uint64_t work_per_partition = 1024;

  explicit partitions(const partition_rules& rules) : rules_(rules) {}
  // A copy begins anew with what is joined.
  partitions(const partitions& other)
      : rules_(other.rules_),
        parts_(other.parts_),
        live_(other.live_),
        busy_(other.busy_),
        present_(other.present_),
        unjoined_(other.unjoined_),
        wants_pair_(other.wants_pair_) {}
  partitions& operator=(const partitions& other) {
    if (this != &other) *this = partitions(other);
    return *this;
  }
  partitions(partitions&&) = default;
  partitions& operator=(partitions&&) = default;
  ~partitions() = default;

  const map& all() const noexcept { return parts_; }
  bool empty() const noexcept { return parts_.empty(); }
  std::uint64_t newest() const noexcept {
    return parts_.rbegin()->first + parts_.rbegin()->second.count - 1;
  }
  // The one that this partition is or lies in; all().end() if there is none.
  typename map::iterator find(std::uint64_t number) noexcept {
    const auto after = parts_.upper_bound(number);
    if (after == parts_.begin()) return parts_.end();
    const auto found = std::prev(after);
    return number - found->first < found->second.count ? found : parts_.end();
  }

  typename map::iterator put(std::uint64_t number, std::uint64_t count, Engine engine,
                             std::shared_ptr<const void> lender) {
    live_ += live_memory(engine);
    look_at(number);
    if (joining_ && number >= joining_->first && number - joining_->first < joining_->count) {
      cancel_join();  // it belongs to the block
    }
    return parts_.emplace(number, part(count, std::move(engine), std::move(lender))).first;
  }
  // Unless something is in it, as in a block.
  void erase_if_empty(std::uint64_t number) noexcept {
    const auto p = parts_.find(number);
    if (p != parts_.end() && p->second.engine.records() == 0) erase(p);
  }
  // Drops those that lie before it.
  void drop_before(std::uint64_t number) noexcept;

  // Adds an event to one of them, after its share of the work, which waits if there is no memory
  // for it. If there is none for the event, nothing has changed.
  outcome add(typename map::iterator to, digest d, instant when);

  // The partitions that begin before this number are over.
  void close_before(std::uint64_t number);
  // Begins again to remove names from those that lie before the present one: what was begun is not
  // stored.
  void resume(std::uint64_t present);
  // Joins those that lie before the present one, if they are to be. Never throws: it can wait.
  void join_old(std::uint64_t present) noexcept;

  // All of the work at once.
  void finish();
  void compact();
  void seal();
  // Writes all but the newest to files of this directory, and answers from there.
  void retire(const std::filesystem::path& directory);

  // Bytes of tables, of everything, and of what does not lie in files.
  std::uint64_t live() const noexcept { return live_; }
  std::uint64_t memory() const noexcept;
  bool is_too_much() const noexcept;
  // The work done so far.
  std::uint64_t work() const noexcept { return work_done_; }

 private:
  static constexpr bool steps = stepwise<Engine>;
  static constexpr std::uint64_t any_work = std::numeric_limits<std::uint64_t>::max();

  struct joining {
    std::uint64_t first;
    std::uint64_t count;
    std::vector<std::uint64_t> numbers;  // of the parts that become one
    typename join_of<Engine>::type work;
  };
  struct block {
    std::uint64_t first;
    std::uint64_t count;
  };

  // What only some engines have.
  static void compact(Engine& e) {
    if constexpr (requires { e.compact(); }) e.compact();
  }
  static void seal(Engine& e) {
    if constexpr (requires { e.seal(); }) e.seal();
  }
  static std::uint64_t live_memory(const Engine& e) noexcept {
    if constexpr (requires { e.live_memory(); }) return e.live_memory();
    return 0;
  }
  void count_live() noexcept {
    live_ = 0;
    for (const auto& [number, p] : parts_) live_ += live_memory(p.engine);
  }

  bool may_join() const noexcept { return !unjoined_.empty() || wants_pair_; }
  bool has_work() const noexcept { return !busy_.empty() || joining_ || may_join(); }
  // Its block may be joined now.
  void look_at(std::uint64_t number) {
    if (rules_.joins && number < present_) unjoined_.insert(number);
  }
  // Of items that hardly repeat, once it is over.
  bool keeps_no_names(const part& p) const noexcept {
    return !rules_.joins || p.engine.records() >= rules_.least_nameless;
  }
  void erase(typename map::iterator p) noexcept;
  void close(typename map::iterator p);
  void make_room(typename map::iterator to);
  void set_aside(typename map::iterator p);
  void try_step(std::uint64_t share) {
    if_there_is_memory([&] { step(share); });
  }
  void try_step_part(std::uint64_t number, std::uint64_t share) {
    if_there_is_memory([&] { step_part(number, share); });
  }
  template <class Work>
  void if_there_is_memory(Work&& work);
  void step(std::uint64_t share);
  void step_part(std::uint64_t number, std::uint64_t share);
  void step_join(std::uint64_t share);

  typename map::iterator end_of(block b) noexcept { return parts_.lower_bound(b.first + b.count); }
  bool can_join(block b, std::uint64_t most_records) noexcept;
  std::optional<block> block_of(std::uint64_t number) noexcept;
  std::optional<block> next_block() noexcept;
  std::optional<block> next_pair() noexcept;
  void begin_join();
  void end_join();
  void cancel_join() noexcept;
  bool join_pair_at_once();

  partition_rules rules_;
  map parts_;
  std::uint64_t live_ = 0;            // bytes of the tables of all
  std::set<std::uint64_t> busy_;      // parts that have work to do
  std::uint64_t turn_ = 0;            // the next of these
  std::uint64_t room_ = 0;            // part to look at next for a table to set aside
  std::uint64_t present_ = 0;         // partition before which blocks are joined
  std::set<std::uint64_t> unjoined_;  // parts whose blocks are to be looked at
  bool wants_pair_ = false;           // two parts are to become one if all take too much
  std::unique_ptr<joining> joining_;
  std::uint64_t work_done_ = 0;
};

// -- adding --------------------------------------------------------------------------------------

template <history_engine Engine>
outcome partitions<Engine>::add(typename map::iterator to, digest d, instant when) {
  if constexpr (steps) {
    const std::uint64_t number = to->first;
    make_room(to);
    if (has_work()) try_step(work_per_event);
    to = find(number);  // it may have become part of another one
    if (to->second.engine.waiting_tables() > 1) try_step_part(to->first, work_per_event);
  }
  part& p = to->second;
  if (p.lender) {
    Engine owned(p.engine);
    p.engine = std::move(owned);
    p.lender = nullptr;
  }
  const std::uint64_t before = live_memory(p.engine);
  const outcome became = p.engine.add(d, when);
  live_ += live_memory(p.engine) - before;
  return became;
}

template <history_engine Engine>
void partitions<Engine>::set_aside(typename map::iterator p) {
  if (!p->second.is_refused) busy_.insert(p->first);
  p->second.engine.set_table_aside();
}

// A full table is set aside. If all of them together take too much, so is the next one that is not
// small, wherever it is.
template <history_engine Engine>
void partitions<Engine>::make_room(typename map::iterator to) {
  if (to->second.engine.is_table_full()) set_aside(to);
  if (live_ < rules_.live_memory) return;
  const std::uint64_t least = live_ / (2 * parts_.size());
  constexpr int most_looked_at = 64;
  auto p = parts_.lower_bound(room_);
  for (int i = 0; i < most_looked_at; ++i, ++p) {
    if (p == parts_.end()) p = parts_.begin();
    room_ = p->first + 1;
    if (p->second.engine.table_memory() >= least) return set_aside(p);
  }
}

// -- work ----------------------------------------------------------------------------------------

// One part after the other, and then the join, so that all of it comes to an end.
template <history_engine Engine>
void partitions<Engine>::step(std::uint64_t share) {
  if (!joining_ && may_join()) begin_join();
  if (busy_.empty() && !joining_) return;
  const auto next = busy_.lower_bound(turn_);
  if (next != busy_.end()) {
    turn_ = *next + 1;
    return step_part(*next, share);
  }
  turn_ = 0;
  if (joining_) return step_join(share);
  if (!busy_.empty()) step(share);
}

template <history_engine Engine>
void partitions<Engine>::step_part(std::uint64_t number, std::uint64_t share) {
  part& p = parts_.find(number)->second;
  ++work_done_;
  if (p.is_joined) return;  // its turn comes after the join
  const std::uint64_t tables = 1 + p.engine.waiting_tables();
  const std::uint64_t given = share > any_work / tables ? any_work : share * tables;
  const std::uint64_t before = live_memory(p.engine);
  std::uint64_t left = given;
  bool done = true;
  try {
    done = p.engine.upkeep(left);
  } catch (const error& e) {
    if (e.code() != errc::too_large && e.code() != errc::corrupt) throw;
    p.is_refused = true;
  }
  work_done_ += given - left;
  live_ += live_memory(p.engine) - before;
  if (!done) return;
  look_at(number);
  busy_.erase(number);
}

template <history_engine Engine>
void partitions<Engine>::step_join(std::uint64_t share) {
  std::uint64_t left = share;
  try {
    if (joining_->work.step(left)) end_join();
  } catch (const error& e) {
    const bool refused = e.code() == errc::too_large || e.code() == errc::corrupt;
    for (const std::uint64_t number : joining_->numbers) {
      parts_.find(number)->second.is_refused |= refused;
    }
    cancel_join();
    if (!refused) throw;
  } catch (...) {
    cancel_join();
    throw;
  }
  work_done_ += share - left;
}

// What there is no memory for is tried again.
template <history_engine Engine>
template <class Work>
void partitions<Engine>::if_there_is_memory(Work&& work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
  } catch (const error& e) {
    if (e.code() != errc::out_of_memory) throw;
  }
}

template <history_engine Engine>
void partitions<Engine>::finish() {
  if constexpr (steps) {
    while (has_work()) step(any_work);
  }
}

template <history_engine Engine>
void partitions<Engine>::close(typename map::iterator p) {
  part& over = p->second;
  if constexpr (steps) {
    if (over.is_joined || over.is_refused) return;
    if (keeps_no_names(over)) {
      over.engine.begin_seal();
    } else {
      over.engine.begin_compact();
    }
    if (over.engine.needs_upkeep()) busy_.insert(p->first);
  } else {
    seal(over.engine);
  }
}

template <history_engine Engine>
void partitions<Engine>::close_before(std::uint64_t number) {
  for (auto p = parts_.begin(); p != parts_.end() && p->first < number; ++p) close(p);
  count_live();
  if constexpr (steps) {
    const std::uint64_t upto = work_done_ + work_per_partition;
    while (!busy_.empty() && work_done_ < upto) step(upto - work_done_);
  }
}

template <history_engine Engine>
void partitions<Engine>::resume(std::uint64_t present) {
  if constexpr (steps) {
    for (auto p = parts_.begin(); p != parts_.end() && p->first < present; ++p) {
      if (!p->second.lender && keeps_no_names(p->second) && !p->second.engine.is_sealed()) close(p);
    }
  }
}

template <history_engine Engine>
void partitions<Engine>::compact() {
  finish();
  for (auto& [number, p] : parts_) {
    compact(p.engine);
  }
  count_live();
}

template <history_engine Engine>
void partitions<Engine>::seal() {
  finish();
  for (auto& [number, p] : parts_) {
    seal(p.engine);
  }
  count_live();
}

template <history_engine Engine>
void partitions<Engine>::retire(const std::filesystem::path& directory) {
  finish();
  for (auto& [number, p] : parts_) {
    if (p.lender || number + p.count > newest()) continue;
    seal(p.engine);
    const std::string name = "history-" + std::to_string(p.engine.first()) + ".bloomtime";
    p.engine.save(directory / name);
    const auto file = mapped_file::open(directory / name);
    p.engine = Engine::view(file->bytes());
    p.lender = file;
  }
  count_live();
}

// -- dropping ------------------------------------------------------------------------------------

template <history_engine Engine>
void partitions<Engine>::erase(typename map::iterator p) noexcept {
  if (p->second.is_joined) cancel_join();
  busy_.erase(p->first);
  unjoined_.erase(p->first);
  live_ -= live_memory(p->second.engine);
  parts_.erase(p);
}

template <history_engine Engine>
void partitions<Engine>::drop_before(std::uint64_t number) noexcept {
  while (!parts_.empty() && parts_.begin()->first + parts_.begin()->second.count <= number) {
    erase(parts_.begin());
  }
}

// -- joining -------------------------------------------------------------------------------------

template <history_engine Engine>
void partitions<Engine>::join_old(std::uint64_t present) noexcept {
  const std::uint64_t before = std::exchange(present_, present);
  if constexpr (steps) {
    wants_pair_ = is_too_much();
    const std::uint64_t upto = work_done_ + work_per_partition;
    try {
      for (auto p = parts_.lower_bound(before); p != parts_.end() && p->first < present; ++p) {
        look_at(p->first);
      }
      while ((may_join() || joining_) && busy_.size() < 2 && work_done_ < upto) {
        ++work_done_;
        step(upto - work_done_);
      }
    } catch (const std::bad_alloc&) {
      present_ = before;  // all of it is tried again
    } catch (const error&) {
      present_ = before;
    }
  } else {
    while (is_too_much() && join_pair_at_once()) {
    }
  }
}

// Whether the parts in the block are at least two, at rest, in memory and not too many.
template <history_engine Engine>
bool partitions<Engine>::can_join(block b, std::uint64_t most_records) noexcept {
  if (b.count > most_timeline_ticks / rules_.ticks ||
      b.first + b.count > most_ticks / rules_.ticks) {
    return false;
  }
  std::size_t parts = 0;
  std::size_t sets = 0;  // without names
  std::uint64_t records = 0;
  for (auto p = parts_.lower_bound(b.first); p != end_of(b); ++p, ++parts) {
    const part& each = p->second;
    if (each.lender || each.is_refused || busy_.contains(p->first) ||
        each.count > b.first + b.count - p->first || each.engine.records() > most_records) {
      return false;
    }
    records += each.engine.records();
    if constexpr (steps) sets += each.engine.nameless().size();
    if (records > most_records || sets > most_nameless_sets) return false;
  }
  return parts >= 2;
}

// The smallest block that this part is in and that is to be joined.
template <history_engine Engine>
auto partitions<Engine>::block_of(std::uint64_t number) noexcept -> std::optional<block> {
  const std::uint64_t most =
      rules_.retention == 0 ? most_timeline_ticks : rules_.retention / block_factor;
  for (std::uint64_t count = block_factor; count <= most; count *= block_factor) {
    const block b{number / count * count, count};
    if (b.first + count > present_) break;
    if (can_join(b, rules_.most_joined)) return b;
  }
  return std::nullopt;
}

template <history_engine Engine>
auto partitions<Engine>::next_block() noexcept -> std::optional<block> {
  for (; !unjoined_.empty(); unjoined_.erase(unjoined_.begin())) {
    if (const std::optional<block> found = block_of(*unjoined_.begin())) return found;
  }
  return std::nullopt;
}

// If all take too much memory: the oldest two neighbours of the same length that begin where one of
// twice the length would. The newest partition is not among them.
template <history_engine Engine>
auto partitions<Engine>::next_pair() noexcept -> std::optional<block> {
  wants_pair_ = wants_pair_ && is_too_much();
  if (!wants_pair_) return std::nullopt;
  for (auto left = parts_.begin(); left != parts_.end(); ++left) {
    const auto right = std::next(left);
    if (right == parts_.end() || std::next(right) == parts_.end()) break;
    const block both{left->first, 2 * left->second.count};
    if (left->first % both.count == 0 && right->first == left->first + left->second.count &&
        right->second.count == left->second.count && can_join(both, any_work)) {
      return both;
    }
  }
  wants_pair_ = false;
  return std::nullopt;
}

template <history_engine Engine>
void partitions<Engine>::begin_join() {
  std::optional<block> found = next_block();
  if (!found) found = next_pair();
  if (!found) return;
  std::vector<std::uint64_t> numbers;
  std::vector<const Engine*> engines;
  for (auto p = parts_.lower_bound(found->first); p != end_of(*found); ++p) {
    numbers.push_back(p->first);
    engines.push_back(&p->second.engine);
  }
  using join = typename Engine::join;
  joining_ = std::make_unique<joining>(
      joining{found->first, found->count, std::move(numbers),
              join(found->first * rules_.ticks, found->count * rules_.ticks, engines)});
  for (const std::uint64_t number : joining_->numbers) parts_.find(number)->second.is_joined = true;
}

// Nothing is taken from the parts before there is memory for all that follows.
template <history_engine Engine>
void partitions<Engine>::end_join() {
  const std::uint64_t first = joining_->first;
  const std::vector<std::uint64_t>& numbers = joining_->numbers;
  std::vector<Engine*> engines;
  for (const std::uint64_t number : numbers) engines.push_back(&parts_.find(number)->second.engine);
  busy_.insert(first);
  unjoined_.insert(first);
  part all(joining_->count, joining_->work.finish(engines), nullptr);
  auto node = parts_.extract(numbers.front());
  for (std::size_t i = 1; i < numbers.size(); ++i) parts_.erase(numbers[i]);
  for (const std::uint64_t number : numbers) {
    if (number != first) busy_.erase(number);
  }
  node.key() = first;
  node.mapped() = std::move(all);
  const auto joined = parts_.insert(std::move(node)).position;
  joining_.reset();
  close(joined);
  count_live();
}

template <history_engine Engine>
void partitions<Engine>::cancel_join() noexcept {
  if (!parts_.contains(joining_->first)) {  // end_join() has gone halfway
    busy_.erase(joining_->first);
    unjoined_.erase(joining_->first);
  }
  for (const std::uint64_t number : joining_->numbers) {
    parts_.find(number)->second.is_joined = false;
  }
  joining_.reset();
}

// For engines that join at once. Those that cannot be joined stay apart.
template <history_engine Engine>
bool partitions<Engine>::join_pair_at_once() {
  for (auto left = parts_.begin(); left != parts_.end(); ++left) {
    const auto right = std::next(left);
    if (right == parts_.end() || std::next(right) == parts_.end()) return false;
    const std::uint64_t count = left->second.count;
    if (left->first % (2 * count) != 0 || right->first != left->first + count ||
        right->second.count != count || left->second.lender || right->second.lender) {
      continue;
    }
    try {
      left->second = {2 * count, Engine::joined(left->second.engine, right->second.engine),
                      nullptr};
      parts_.erase(right);
      return true;
    } catch (const error& e) {
      if (e.code() == errc::out_of_memory) return false;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }
  return false;
}

// -- sizes ---------------------------------------------------------------------------------------

template <history_engine Engine>
std::uint64_t partitions<Engine>::memory() const noexcept {
  std::uint64_t bytes = 0;
  for (const auto& [number, p] : parts_) bytes += p.engine.memory();
  if constexpr (steps) bytes += joining_ ? joining_->work.bytes() : 0;
  return bytes;
}

template <history_engine Engine>
bool partitions<Engine>::is_too_much() const noexcept {
  if (rules_.memory == 0) return false;
  std::uint64_t bytes = 0;
  for (const auto& [number, p] : parts_) bytes += p.lender ? 0 : p.engine.memory();
  return bytes > rules_.memory;
}

}  // namespace bloomtime::detail
