#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <bloomtime/heat/heat_filter.hpp>
#include <bloomtime/heat/hot_list.hpp>
#include <bloomtime/history/history.hpp>

#include "logs/event_reader.hpp"
#include "logs/time_gate.hpp"
#include "store/ledger.hpp"
#include "store/reader.hpp"
#include "store/seed.hpp"
#include "store/writer.hpp"

namespace bloomtime::cli {

inline constexpr std::uint64_t default_memory_per_field = 7'000'000;
inline constexpr std::uint64_t least_memory_per_field = 1024;

// Throws usage_error if --memory is too little for so many fields.
void expect_memory(std::uint64_t memory, std::size_t fields);

struct field_profile {
  std::string name;
  heat_filter heat;
  hot_list hot;
  std::optional<history> past;  // none in a store that was made before there were any
  store::census items;

  // The decayed count of any item, by what filter and list know together.
  estimate at(std::string_view item, instant when) const;
  std::uint64_t memory() const;  // of heat
};

// Memory that was asked for, and by how much it is exceeded.
struct memory_budget {
  std::uint64_t asked = 0;  // 0: no limit
  std::uint64_t over = 0;
};

// The heat and the history of the items of a stream of events: a filter, a hot list and a history
// for each of their fields.
class profiler {
 public:
  profiler(const store::profile_settings& settings, const std::vector<std::string>& fields,
           std::uint64_t seed = default_seed);

  // What is loaded of a store: questions about heat need no histories.
  enum class wanted { everything, heat };

  // As a store has it: a store::reader or store::writer, and what it says it read.
  template <class Store>
  static profiler load(const Store& from, const store::facts& read, wanted what) {
    return profiler(read,
                    {.has = [&](const std::string& role) { return from.has(role); },
                     .get = [&](const std::string& role) { return from.container(role); }},
                    what);
  }
  void save(store::writer& into);

  // count(instant) for each event that is believed now, reject(held_event) for each that is not.
  template <class Count, class Reject>
  void add(const event& e, Count&& count, Reject&& reject);

  std::optional<instant> newest() const { return gate_.newest(); }

  // Events that still wait count from their time on, as far as it has come: for questions, not
  // before saving.
  void include_held(instant when);

  // Those whose time has not come.
  std::vector<held_event> ahead_of(instant when) const;

  // Must be called before fields() are asked.
  void flush();
  // The same, and histories become as small as they are when they are saved.
  void compact();

  // Of the heat filters of all fields together: --memory is that of their cells, and counts that
  // are too large for a cell take more.
  memory_budget heat_budget() const;
  // Of the histories that have a limit. The command sets none (past.cpp); a store that another
  // program made may have one.
  memory_budget history_budget() const;

  const store::profile_settings& settings() const { return settings_; }
  std::uint64_t seed() const { return fields_.front().heat.seed(); }  // of all filters
  const std::vector<field_profile>& fields() const { return fields_; }
  const std::vector<held_event>& held() const { return gate_.held(); }

 private:
  struct parts {
    std::function<bool(const std::string& role)> has;
    std::function<store::part_bytes(const std::string& role)> get;
  };

  profiler(const store::facts& read, const parts& from, wanted what);

  static held_event held(const event& e);
  bool has_come(const held_event& e, instant when) const;
  void use(const event& e);
  void use(const held_event& e);
  void use_item(std::size_t field, std::string_view item, instant when);
  void finish_event();

  store::profile_settings settings_;
  time_gate gate_;
  std::vector<field_profile> fields_;
  // Events on their way into the heat filters, which take many at once faster than one by one.
  struct waiting_items {
    std::vector<digest> items;
    std::vector<instant> times;
  };
  std::vector<waiting_items> waiting_;  // of each field
  std::size_t events_waiting_ = 0;
  std::vector<outcome> outcomes_;
};

template <class Count, class Reject>
void profiler::add(const event& e, Count&& count, Reject&& reject) {
  if (gate_.passes(*e.at)) {
    count(*e.at);
    use(e);
    return;
  }
  auto decided = gate_.judge(held(e));
  for (const held_event& h : decided.believed) {
    count(h.at);
    use(h);
  }
  for (const held_event& h : decided.rejected) reject(h);
}

}  // namespace bloomtime::cli
