#include "profile/profiler.hpp"

#include <malloc.h>

#include <algorithm>
#include <chrono>

#include <bloomtime/outcome.hpp>

#include "store/profile_heat.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::profile {

using store::heat_role;
using store::history_role;
using store::hot_role;
using store::largest_role;
using store::totals_role;

namespace {

constexpr std::size_t events_at_once = 4096;
// Batches that may wait for a structure, so that a slow one does not hold up the others. What an
// error comes after depends on it, so it is the same for every number of threads.
constexpr std::size_t most_sent = 3;
constexpr std::uint64_t hot_names = 500;
// The gate has decided already, by what came after an event as well.
constexpr auto any_time_ahead = std::chrono::microseconds::max();

using std::chrono::microseconds;

constexpr std::chrono::microseconds partition = std::chrono::hours(24);
constexpr std::chrono::microseconds before_1970 = std::chrono::seconds(100'000'000'000);

void expect_counted(outcome o) {
  if (o == outcome::added || o == outcome::late) return;
  text::throw_error(errc::too_large,
                    "an item is hotter than a filter can count ({}); try a shorter half-life",
                    name_of(o));
}

// A table gives up light items to keep its memory limit, but none with 1984 hits or more. Far too
// many items for the limit lead to that.
void expect_counted(outcome o, std::uint64_t memory) {
  if (o == outcome::full && memory != 0) {
    text::throw_error(errc::too_large,
                      "--memory ({} bytes) is too little for the active items of this log; use a "
                      "new --store with a larger --memory, or without",
                      memory);
  }
  expect_counted(o);
}

// After a large merge of a history that takes so many bytes: the allocator would keep what was
// freed between blocks that are in use. `most` are the most bytes since then.
void give_back_freed(std::uint64_t bytes, std::uint64_t& most) {
  constexpr std::uint64_t large = std::uint64_t{8} << 20;
  most = std::max(most, bytes);
  if (most - bytes < large) return;
  most = bytes;
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

field_profile new_field(const std::string& name, const store::profile_settings& settings,
                        std::optional<std::uint64_t> memory, const hash_seed& seed) {
  // A bucket for each of the last half-lives: what came before has faded.
  return {.name = name,
          .heat = any_heat(heat_table({.memory = memory,
                                       .half_life = settings.half_life,
                                       .tick = settings.resolution,
                                       .ahead = any_time_ahead,
                                       .seed = seed})),
          .hot = hot_list({.entries = hot_names,
                           .half_life = settings.half_life,
                           .tick = settings.resolution,
                           .ahead = any_time_ahead,
                           .bucket = settings.half_life,
                           .seed = seed}),
          .past = new_history(settings, seed),
          .totals = field_totals(memory, seed),
          .items = {}};
}

// Items are hashed once for all of them.
void expect_seed(const field_profile& f, const hash_seed& seed) {
  if (f.heat.seed() == seed && f.hot.seed() == seed && (!f.past || f.past->seed() == seed) &&
      (!f.totals || f.totals->counts().seed() == seed)) {
    return;
  }
  text::corrupt("the filters of the store have different seeds or hashes");
}

}  // namespace

void expect_memory(std::uint64_t memory, std::size_t fields) {
  if (memory > most_memory)
    text::refuse("--memory can be at most 1TiB (2^40 bytes), got {}", memory);
  if (memory >= fields * least_memory_per_field) return;
  text::refuse("--memory must be at least {} bytes, 1 KiB for each field, got {}",
               fields * least_memory_per_field, memory);
}

history new_history(const store::profile_settings& settings, const hash_seed& seed) {
  const std::int64_t resolution = settings.resolution.count();
  const std::int64_t ticks = std::max<std::int64_t>(1, partition.count() / resolution);
  const std::int64_t length = ticks * resolution;
  return history({.partition = std::chrono::microseconds(length),
                  .ahead = {},  // the gate has decided
                  .tick = settings.resolution,
                  .origin = instant(-((before_1970.count() - 1) / length + 1) * length),
                  .seed = seed});
}

void remember(history& past, std::span<const digest> items, std::span<const instant> times) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    const outcome became = past.add(items[i], times[i]);
    if (became == outcome::added || became == outcome::late) continue;
    if (became == outcome::dropped_late && past.known_from() > tick{0}) continue;
    text::throw_error(errc::invalid_argument, "an event cannot be remembered ({})",
                      name_of(became));
  }
}

estimate field_profile::at(digest d, instant when) const {
  const estimate by_filter = heat.at(d, when);
  const estimate by_list = hot.at(d, when);  // whose bounds hold always
  estimate both;
  both.value = std::clamp(by_filter.value, by_list.lower, by_list.upper);
  both.upper = std::max(both.value, std::min(by_filter.upper, by_list.upper));
  // The filter's lower bound can fail, and then the list may know it.
  const bool possible = by_filter.lower <= both.value;
  both.lower = possible ? std::max(by_filter.lower, by_list.lower) : by_list.lower;
  return both;
}

std::vector<hot_item> field_profile::top(std::size_t n, instant when) const {
  return std::visit(
      [&]<class Engine>(const Engine& e) -> std::vector<hot_item> {
        if constexpr (decaying<Engine>) return hot.top(n, when, e);
        return hot.top(n, when);
      },
      heat.get());
}

std::optional<counted> field_profile::total(digest d) const {
  return totals ? std::optional(totals->at(d)) : std::nullopt;
}

std::uint64_t field_profile::different() const {
  return counts_different() ? *totals->different() : items.different();
}

std::uint64_t field_profile::memory() const {
  return heat.memory() + hot.memory() + items.distinct.registers().size() +
         (totals ? totals->memory() : 0);
}

profiler::profiler(const store::profile_settings& settings, const std::vector<std::string>& fields,
                   const hash_seed& seed)
    : settings_(settings), lanes_(fields.size()) {
  std::optional<std::uint64_t> memory;
  if (settings.memory != 0) memory = settings.memory / fields.size();
  for (const std::string& name : fields) {
    fields_.push_back(new_field(name, settings, memory, seed));
    waiting_.push_back(empty_batch());
  }
}

profiler::profiler(const store::facts& read, const parts& from, wanted what)
    : lanes_(read.items.size()) {
  store::ledger kept = store::load_part<store::ledger>(from.get(store::ledger_role));
  if (kept.fields.size() != read.items.size()) {
    text::corrupt("the store names {} items, and its ledger has {}", read.items.size(),
                  kept.fields.size());
  }
  settings_ = kept.settings;
  gate_ = logs::time_gate(read.last_event, std::move(kept.held));
  for (std::size_t i = 0; i < read.items.size(); ++i) {
    const std::string& name = read.items[i];
    waiting_.push_back(empty_batch());
    fields_.push_back({.name = name,
                       .heat = store::load_part<store::profile_heat>(from.get(heat_role(name))),
                       .hot = store::load_part<hot_list>(from.get(hot_role(name))),
                       .past = {},
                       .totals = {},
                       .items = std::move(kept.fields[i])});
    if (what == wanted::everything && from.has(history_role(name))) {
      fields_.back().past = store::load_part<history>(from.get(history_role(name)));
    }
    if (from.has(totals_role(name))) {
      fields_.back().totals.emplace(
          store::load_part<store::profile_totals>(from.get(totals_role(name))),
          store::load_part<hot_list>(from.get(largest_role(name))));
    }
    expect_seed(fields_.back(), fields_.front().heat.seed());
  }
  if (from.has(store::web_role)) {
    web_ = store::load_part<store::web_totals>(from.get(store::web_role));
  }
}

void profiler::save(store::writer& into) {
  compact();
  store::ledger kept{.settings = settings_, .fields = {}, .held = gate_.held()};
  for (const field_profile& f : fields_) {
    into.put(heat_role(f.name), f.heat);
    into.put(hot_role(f.name), f.hot);
    if (f.past) into.put(history_role(f.name), *f.past);
    if (f.totals) {
      into.put(totals_role(f.name), f.totals->counts());
      into.put(largest_role(f.name), f.totals->largest());
    }
    kept.fields.push_back(f.items);
  }
  into.put(store::ledger_role, kept.serialize());
  if (web_.records() != 0) into.put(store::web_role, web_.serialize());
}

void profiler::use_item(std::size_t field, digest d, std::string_view item, instant when) {
  waiting_[field]->items.add(d, item);
  waiting_[field]->times.push_back(when);
}

void profiler::use(const logs::event& e) {
  const bool hashed = !e.digests.empty();
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (!e.present[i]) continue;
    use_item(i, hashed ? e.digests[i] : digest_of(e.items[i], seed()), e.items[i], *e.at);
  }
  if (e.web) web_.add(*e.at, *e.web);
  finish_event();
}

void profiler::use(const logs::held_event& e) {
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (e.items[i]) use_item(i, digest_of(*e.items[i], seed()), *e.items[i], e.at);
  }
  if (e.web) web_.add(e.at, e.web->facts());
  finish_event();
}

void profiler::finish_event() {
  if (++events_waiting_ == events_at_once) send_batch();
}

logs::held_event profiler::held(const logs::event& e) {
  logs::held_event h{.at = *e.at, .items = {}, .line = std::string(e.raw.bytes())};
  for (std::size_t i = 0; i < e.items.size(); ++i) {
    h.items.push_back(e.present[i] ? std::optional<std::string>(e.items[i]) : std::nullopt);
  }
  if (e.web) h.web = {e.web->status, std::string(e.web->method), e.web->bytes};
  return h;
}

std::shared_ptr<profiler::batch> profiler::empty_batch() {
  if (spare_.empty()) return std::make_shared<batch>();
  auto made = std::move(spare_.back());
  spare_.pop_back();
  made->items.clear();
  made->times.clear();
  return made;
}

void profiler::send(std::size_t field, const std::shared_ptr<batch>& full, sent_batch& sent) {
  field_profile& f = fields_[field];
  field_lanes& lane = lanes_[field];
  sent.jobs.push_back(lane.names.start(by_, [&f, full] {
    const auto& [items, times] = *full;
    for (std::size_t i = 0; i < times.size(); ++i) {
      const digest d = items.digests()[i];
      const std::string_view text = items.text(i);
      f.items.add(d, text.size());
      expect_counted(f.hot.add(d, text, times[i]));
    }
  }));
  sent.jobs.push_back(lane.heat.start(by_, [&f, full, memory = settings_.memory] {
    std::vector<outcome> outcomes(full->times.size());
    f.heat.add_bulk(full->items.digests(), full->times, outcomes);
    for (const outcome o : outcomes) expect_counted(o, memory);
  }));
  if (f.past) {
    sent.jobs.push_back(lane.past.start(by_, [&f, &lane, full] {
      remember(*f.past, full->items.digests(), full->times);
      give_back_freed(f.past->memory(), lane.most_of_past);
    }));
  }
  if (f.totals) {
    sent.jobs.push_back(lane.totals.start(by_, [&f, full] { f.totals->add(full->items); }));
  }
}

void profiler::send_batch() {
  events_waiting_ = 0;
  if (sent_.size() == most_sent) finish_batch();
  sent_batch& sent = sent_.emplace_back();
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    sent.of_fields.push_back(std::exchange(waiting_[i], empty_batch()));
    send(i, sent.of_fields.back(), sent);
  }
}

// The one that was sent first.
void profiler::finish_batch() {
  const sent_batch first = std::move(sent_.front());
  sent_.pop_front();
  for (const auto& job : first.jobs) by_->finish(job);
  spare_.insert(spare_.end(), first.of_fields.begin(), first.of_fields.end());
}

void profiler::flush() {
  if (events_waiting_ != 0) send_batch();
  while (!sent_.empty()) finish_batch();
}

void profiler::compact() {
  flush();
  std::vector<logs::workers::handle> jobs;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (!fields_[i].past) continue;
    jobs.push_back(lanes_[i].past.start(by_, [this, &past = *fields_[i].past] {
      drop_old_history(past);
      past.compact();
    }));
  }
  for (const auto& job : jobs) by_->finish(job);
#ifdef __GLIBC__
  malloc_trim(0);  // what merging freed, since storing takes memory next
#endif
}

// By the time that is believed.
void profiler::drop_old_history(history& past) const noexcept {
  if (newest()) past.advance(*newest());
}

void profiler::keep_history(microseconds span) noexcept {
  for (field_profile& f : fields_) {
    if (!f.past) continue;
    const microseconds each = *f.past->config().partition;
    const std::int64_t whole = span / each + (span % each != microseconds(0) ? 1 : 0);
    // The newest day is not over.
    f.past->retain(span == microseconds(0) ? 0 : static_cast<std::uint64_t>(whole) + 1);
  }
}

std::uint64_t profiler::too_old() const {
  std::uint64_t most = 0;
  for (const field_profile& f : fields_) {
    if (f.past) most = std::max(most, f.past->losses().dropped_late);
  }
  return most;
}

memory_budget profiler::heat_budget() const {
  if (settings_.memory == 0) return {};
  std::uint64_t taken = 0;
  for (const field_profile& f : fields_) taken += f.heat.memory();
  return {settings_.memory, taken - std::min(taken, settings_.memory)};
}

std::uint64_t profiler::given_up() const {
  std::uint64_t items = 0;
  for (const field_profile& f : fields_) items += f.heat.losses().forgot_early;
  return items;
}

memory_budget profiler::history_budget() const {
  memory_budget all;
  for (const field_profile& f : fields_) {
    if (!f.past) continue;
    all.asked += f.past->config().memory;
    if (f.past->over_budget()) all.over += f.past->memory() - f.past->config().memory;
  }
  return all;
}

bool profiler::has_come(const logs::held_event& e, instant when) const {
  const tick_clock epochs(settings_.resolution);
  return epochs.tick_of(e.at) <= epochs.tick_of(when);
}

void profiler::include_held(instant when) {
  flush();
  // They may never be believed, so nothing is dropped for them.
  for (field_profile& f : fields_) {
    if (!f.past) continue;
    drop_old_history(*f.past);
    f.past->retain(0);
  }
  for (const logs::held_event& e : gate_.held()) {
    if (has_come(e, when)) use(e);
  }
  flush();
}

std::vector<logs::held_event> profiler::ahead_of(instant when) const {
  std::vector<logs::held_event> ahead;
  for (const logs::held_event& e : gate_.held()) {
    if (!has_come(e, when)) ahead.push_back(e);
  }
  return ahead;
}

}  // namespace bloomtime::profile
