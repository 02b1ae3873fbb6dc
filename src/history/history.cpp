#include <bloomtime/history/history.hpp>

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include <bloomtime/error.hpp>
#include <bloomtime/history/detail/tick_span.hpp>

namespace bloomtime {
namespace {

detail::partition_rules rules_of(const detail::history_shape& shape) {
  return {.ticks = shape.partition,
          .retention = shape.config.retention,
          .memory = shape.config.memory,
          .live_memory = shape.config.live_memory,
          .joins = shape.joins};
}

}  // namespace

history::history(const history_config& config) : history(detail::history_shape::of(config), 0) {}

history::history(const detail::history_shape& shape, std::uint64_t known_from)
    : history_calls(tick_clock(shape.config.tick, shape.config.origin), shape.config.seed),
      shape_(shape),
      parts_(rules_of(shape)),
      known_from_(known_from) {}

// A copy owns its bytes, and goes on with what could not be done in those of a file.
history::history(const history& other)
    : history_calls(other),
      stored(other),
      shape_(other.shape_),
      parts_(other.parts_),
      known_from_(other.known_from_),
      present_(other.present_) {
  if (other.parts_.any_lent()) parts_.resume(present_);
}
history::history(history&&) noexcept = default;
history& history::operator=(const history& other) { return *this = history(other); }
history& history::operator=(history&&) noexcept = default;
history::~history() = default;

// -- adding --------------------------------------------------------------------------------------

outcome history::allowed(tick t) const noexcept {
  if (t.number < 0) return outcome::dropped_late;
  const std::uint64_t number = static_cast<std::uint64_t>(t.number) / shape_.partition;
  if (number < known_from_) return outcome::dropped_late;
  if (number > detail::most_ticks / shape_.partition - 1) return outcome::future;
  if (parts_.empty()) return outcome::added;
  const std::uint64_t newest = parts_.newest();
  if (number > newest && number - newest > shape_.ahead) return outcome::future;
  if (number < present_ && present_ - number > shape_.config.late) return outcome::dropped_late;
  return outcome::added;
}

outcome history::add_at(digest d, tick t) {
  const outcome may = allowed(t);
  if (may != outcome::added) return may;
  const instant when = clock_.start_of(t);
  const std::uint64_t number = static_cast<std::uint64_t>(t.number) / shape_.partition;
  if (const auto known = parts_.find(number); known != parts_.all().end()) {
    return parts_.add(known, d, when);
  }
  open(number);
  outcome became{};
  try {
    became = parts_.add(parts_.find(number), d, when);
  } catch (...) {
    parts_.erase_if_empty(number);
    throw;
  }
  settle();  // only now, as what is forgotten cannot be brought back
  return number < known_from_ ? outcome::dropped_late : became;
}

// After partitions came.
void history::settle() noexcept {
  find_present();
  const std::uint64_t kept = shape_.config.retention;
  if (kept != 0 && present_ + 1 > kept) forget_before(present_ + 1 - kept);
  parts_.join_old(present_);
}

void history::forget_before(std::uint64_t number) noexcept {
  known_from_ = std::max(known_from_, number);
  parts_.drop_before(known_from_);
}

// The newest partition. If any time is accepted, the newest that another one confirms, or the
// oldest if none does.
void history::find_present() noexcept {
  auto p = parts_.all().rbegin();
  if (p == parts_.all().rend()) return;
  const auto last_of = [](const auto& each) { return each->first + each->second.count - 1; };
  if (shape_.ahead == detail::history_shape::any_number) {
    for (auto before = std::next(p); before != parts_.all().rend(); p = before++) {
      if (p->first - last_of(before) <= shape_.reach()) break;
    }
  }
  present_ = last_of(p);
}

void history::open(std::uint64_t number) {
  const history_config& c = shape_.config;
  timeline_history made({.first = number * shape_.partition,
                         .ticks = shape_.partition,
                         .error = c.error,
                         .length = c.length,
                         .tick = c.tick,
                         .origin = c.origin,
                         .seed = c.seed});
  parts_.close_before(number > present_ ? detail::most_ticks : number);
  if (parts_.find(number) != parts_.all().end()) return;  // its block was joined just now
  parts_.put(number, {1, std::move(made)});
}

void history::merge(const history& other) {
  expect_same_keys(other);
  if (shape_.partition != other.shape_.partition) {
    throw error(errc::incompatible,
                "histories merge if their partitions have the same ticks; got " +
                    std::to_string(shape_.partition) + " and " +
                    std::to_string(other.shape_.partition));
  }
  parts_.merge(other.parts_);
  count_newest(other.newest_);
  forget_before(other.known_from_);
  settle();
}

void history::trim(instant before) noexcept {
  const tick t = clock_.tick_of(before);
  if (t.number <= 0) return;
  const std::uint64_t most = detail::most_ticks / shape_.partition;
  forget_before(std::min(static_cast<std::uint64_t>(t.number) / shape_.partition, most));
}

void history::retain(std::uint64_t partitions) noexcept {
  shape_.config.retention = partitions;
  parts_.retain(partitions);
}

void history::advance(instant now) noexcept {
  const std::uint64_t kept = shape_.config.retention;
  const tick t = clock_.tick_of(now);
  if (kept == 0 || t.number < 0) return;
  const std::uint64_t number = static_cast<std::uint64_t>(t.number) / shape_.partition;
  if (number + 1 > kept) {
    forget_before(std::min(number + 1 - kept, detail::most_ticks / shape_.partition));
  }
}

void history::clear() noexcept { *this = history(shape_, 0); }

void history::compact() {
  parts_.join_old(present_);
  parts_.compact();
}

void history::seal() {
  parts_.join_old(present_);
  parts_.seal();
}

void history::retire(const std::filesystem::path& directory) { parts_.retire(directory); }

std::uint64_t history::records() const noexcept {
  std::uint64_t all = 0;
  for_each([&](const timeline_history& part) { all += part.records(); });
  return all;
}

// -- asking --------------------------------------------------------------------------------------

// visit(const timeline_history&) for the partitions that the interval touches, until it returns
// false.
template <class Visit>
void history::for_each_in(interval asked, Visit&& visit) const {
  if (asked.empty() || asked.last.number < 0) return;
  const auto from = static_cast<std::uint64_t>(std::max<std::int64_t>(asked.first.number, 0));
  const auto to = static_cast<std::uint64_t>(asked.last.number);
  const auto& parts = parts_.all();
  auto next = parts.upper_bound(from / shape_.partition);
  if (next != parts.begin()) --next;
  for (; next != parts.end() && next->first <= to / shape_.partition; ++next) {
    if (!visit(next->second.engine)) return;
  }
}

sighting history::ask(digest d, interval asked, std::uint64_t& probes) const noexcept {
  bool found = false;
  for_each_in(asked, [&](const timeline_history& part) {
    std::uint64_t here = 0;
    found = part.seen(d, asked, here) == sighting::maybe;
    probes += here;
    return !found;
  });
  return found ? sighting::maybe : unseen(asked);
}

void history::ask_block(const detail::digest_block& items, std::span<const interval> asked,
                        std::span<sighting> answers) const noexcept {
  interval all{{std::numeric_limits<std::int64_t>::max()}, {-1}};
  for (const interval& each : asked) {
    if (each.empty()) continue;
    all.first = std::min(all.first, each.first);
    all.last = std::max(all.last, each.last);
  }
  for_each_in(all, [&](const timeline_history& part) {
    part.ask_block(items, asked, answers);
    return true;
  });
  for (std::size_t i = 0; i < items.count; ++i) {
    if (answers[i] != sighting::maybe) answers[i] = unseen(asked[i]);
  }
}

// What is said about an item that no partition has.
sighting history::unseen(interval asked) const noexcept {
  if (asked.empty() || asked.last.number < 0) return sighting::no;
  // No event before the origin was ever recorded, so only ticks from 0 on can have been dropped.
  const bool forgotten = std::max(asked.first, tick{0}) < known_from();
  return forgotten ? sighting::out_of_retention : sighting::no;
}

sightings history::list(digest d, interval asked) const {
  sightings all;
  for_each_in(asked, [&](const timeline_history& part) {
    for (const interval& i : part.when(d, asked)) extend(all, i);
    return true;
  });
  return all;
}

}  // namespace bloomtime
