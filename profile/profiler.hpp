#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <bloomtime/digest.hpp>
#include <bloomtime/heat/any_heat.hpp>
#include <bloomtime/heat/hot_list.hpp>
#include <bloomtime/history/history.hpp>
#include <bloomtime/time.hpp>

#include "logs/event_reader.hpp"
#include "logs/time_gate.hpp"
#include "logs/workers.hpp"
#include "profile/field_totals.hpp"
#include "store/ledger.hpp"
#include "store/reader.hpp"
#include "store/seed.hpp"
#include "store/web_totals.hpp"
#include "store/writer.hpp"

namespace bloomtime::profile {

inline constexpr std::uint64_t least_memory_per_field = 1024;
inline constexpr std::uint64_t most_memory = std::uint64_t{1} << 40;

// Throws usage_error if --memory is too little for so many fields, or too much.
void expect_memory(std::uint64_t memory, std::size_t fields);

// A history with one partition per day. It accepts every time that can be read: its ticks are those
// of heat, and begin with the earliest readable time instead of 1970.
history new_history(const store::profile_settings& settings, const hash_seed& seed);

// Throws if the history refuses an event, unless that is older than what is kept.
void remember(history& past, std::span<const digest> items, std::span<const instant> times);

// What exact counting would take, for comparison: a std::unordered_map from the item to its total,
// its decayed count and the time of that. Per item a node of 72 bytes (link, hash, a 32-byte
// string, two counts, time), 8 for its allocation, 1.5 bucket pointers on average between two
// growths, and the text with its allocation where it does not fit into the string itself.
constexpr std::uint64_t exact_bytes_per_item(std::uint64_t length) {
  constexpr std::uint64_t node = 72 + 8 + 12;
  constexpr std::uint64_t fits_inside = 15;
  return length <= fits_inside ? node : node + (length + 1 + 8 + 15) / 16 * 16;
}

// Of short items.
constexpr std::uint64_t exact_map_bytes(std::uint64_t items) {
  const std::uint64_t each = exact_bytes_per_item(0);
  return items > (std::uint64_t{1} << 63) / each ? std::uint64_t{1} << 63 : items * each;
}

struct field_profile {
  std::string name;
  any_heat heat;  // a heat_table; a heat_filter in a store of a version without tables
  hot_list hot;
  std::optional<history> past;         // none in a store of a version without histories
  std::optional<field_totals> totals;  // none in a store of a version without totals of items
  store::census items;

  // The decayed count of an item, from the table or filter and the hot list together.
  estimate at(std::string_view item, instant when) const {
    return at(digest_of(item, heat.seed()), when);
  }
  estimate at(digest d, instant when) const;
  // How often it was seen in all; nothing without totals.
  std::optional<counted> total(digest d) const;
  // The n hottest items, likewise.
  std::vector<hot_item> top(std::size_t n, instant when) const;
  // How many different items there are, and whether that is an estimate within about 1 % or a count
  // that misses one in thousands.
  std::uint64_t different() const;
  bool counts_different() const { return totals && totals->different(); }
  std::uint64_t memory() const;  // of heat and totals
};

// A memory limit, and by how much it is exceeded.
struct memory_budget {
  std::uint64_t asked = 0;  // 0: no limit
  std::uint64_t over = 0;
};

// Heat, totals and history of the items of a stream of events: for each field a heat table, a hot
// list, totals and a history. Of web logs also what the responses were, per minute.
//
// Events go in batches to these structures. Each of them is a lane: it takes the batches one after
// the other in their order, whoever runs it, so that its bytes do not depend on the number of
// threads. The error of a structure is thrown a fixed number of batches later.
class profiler {
 public:
  profiler(const store::profile_settings& settings, const std::vector<std::string>& fields,
           const hash_seed& seed = store::default_seed);

  // What to load from a store: heat queries need no histories.
  enum class wanted { everything, heat };

  // Loads from a store::reader or store::writer.
  template <class Store>
  static profiler load(const Store& from, const store::facts& read, wanted what) {
    return profiler(read,
                    {.has = [&](const std::string& role) { return from.has(role); },
                     .get = [&](const std::string& role) { return from.container(role); }},
                    what);
  }
  void save(store::writer& into);

  // Shares the work with these; without them the calling thread does it.
  void work_with(std::shared_ptr<logs::workers> by) { by_ = std::move(by); }

  // count(instant) for each event that is believed now, reject(held_event) for each that is not.
  template <class Count, class Reject>
  void add(const logs::event& e, Count&& count, Reject&& reject);

  std::optional<instant> newest() const { return gate_.newest(); }

  // Adds the held events up to `when`. For queries; do not save afterwards.
  void include_held(instant when);

  // The held events after `when`.
  std::vector<logs::held_event> ahead_of(instant when) const;

  // Drops history that is older than this, in whole days, from now on; 0: none. Older events that
  // come late are in heat and totals only.
  void keep_history(std::chrono::microseconds span) noexcept;
  // How many of these came, since the profile was made or loaded.
  std::uint64_t too_old() const;

  // Waits until all events are in the structures. Must be called before fields() is used.
  void flush();
  // flush(), and makes histories as small as they are when saved, without what is not kept.
  void compact();

  // Of the heat of all fields, without hot lists. --memory limits the cells or blocks; counts that
  // are too large for them need more.
  memory_budget heat_budget() const;
  // Items that were given up to keep --memory, since the profile was made or loaded.
  std::uint64_t given_up() const;
  // Of the histories that have a limit. The command sets none; another program may have.
  memory_budget history_budget() const;

  const store::profile_settings& settings() const { return settings_; }
  const hash_seed& seed() const { return fields_.front().heat.seed(); }  // of all filters
  const std::vector<field_profile>& fields() const { return fields_; }
  const std::vector<logs::held_event>& held() const { return gate_.held(); }
  // Of the lines that were added since a version that keeps it reads the log.
  const store::web_totals& web() const { return web_; }

 private:
  struct parts {
    std::function<bool(const std::string& role)> has;
    std::function<store::part_bytes(const std::string& role)> get;
  };

  profiler(const store::facts& read, const parts& from, wanted what);

  void drop_old_history(history& past) const noexcept;
  static logs::held_event held(const logs::event& e);
  bool has_come(const logs::held_event& e, instant when) const;
  void use(const logs::event& e);
  void use(const logs::held_event& e);
  void use_item(std::size_t field, digest d, std::string_view item, instant when);
  void finish_event();
  void send_batch();
  void finish_batch();

  // Items of one field and when they came.
  struct batch {
    item_batch items;
    std::vector<instant> times;
  };
  struct sent_batch {
    std::vector<std::shared_ptr<batch>> of_fields;
    std::vector<logs::workers::handle> jobs;
  };
  std::shared_ptr<batch> empty_batch();
  void send(std::size_t field, const std::shared_ptr<batch>& full, sent_batch& sent);

  store::profile_settings settings_;
  logs::time_gate gate_;
  std::vector<field_profile> fields_;
  store::web_totals web_;
  std::vector<std::shared_ptr<batch>> waiting_;  // of each field
  std::size_t events_waiting_ = 0;
  std::deque<sent_batch> sent_;
  std::vector<std::shared_ptr<batch>> spare_;
  std::shared_ptr<logs::workers> by_ = std::make_shared<logs::workers>();
  struct field_lanes {
    logs::lane names, heat, past, totals;
    std::uint64_t most_of_past = 0;  // bytes of the history since freed memory was given back
  };
  std::vector<field_lanes> lanes_;  // of each field; their end comes before that of the fields
};

template <class Count, class Reject>
void profiler::add(const logs::event& e, Count&& count, Reject&& reject) {
  if (gate_.passes(*e.at)) {
    count(*e.at);
    use(e);
    return;
  }
  auto decided = gate_.judge(held(e));
  for (const logs::held_event& h : decided.believed) {
    count(h.at);
    use(h);
  }
  for (const logs::held_event& h : decided.rejected) reject(h);
}

}  // namespace bloomtime::profile
