#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/container.hpp>
#include <bloomtime/detail/cpu.hpp>
#include <bloomtime/detail/file.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/error.hpp>
#include <bloomtime/history/detail/partitions.hpp>
#include <bloomtime/history/detail/tick_span.hpp>
#include <bloomtime/history/history_engine.hpp>
#include <bloomtime/history/sighting.hpp>
#include <bloomtime/history/sightings.hpp>
#include <bloomtime/history/timeline_history.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/published/persistent/level_history.hpp>
#include <bloomtime/published/persistent/single_history.hpp>
#include <bloomtime/published/persistent/tree_history.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime {

struct history_config {
  // Length of a partition: at least one tick, at most 2^32, rounded down to whole ticks. Unset: a
  // day, or an hour if a day has more than 2^32 ticks.
  std::optional<std::chrono::microseconds> partition = {};
  std::uint64_t retention = 0;  // partitions to keep, the newest among them; 0: all
  // Partitions before the newest that accept late events.
  std::uint64_t late = std::numeric_limits<std::uint64_t>::max();
  // How long after the end of the newest partition an event may come, rounded up to whole
  // partitions; later ones are refused as `future`. Unset: any time is accepted, and a partition
  // further ahead than `retention` or `late` reaches makes older ones late or drops them only when
  // a second partition near it is opened. So neither a gap nor a single wrong timestamp ends a
  // history.
  std::optional<std::chrono::microseconds> ahead = {};
  // Bytes of the tables of what is not sealed, at least 1 MiB. A table has at most 4096 items and
  // 65,536 sightings, about 1 MB, before it is taken apart; this matters if events come late into
  // many partitions at once.
  std::uint64_t live_memory = std::uint64_t{64} << 20;
  // Bytes that all partitions should take, but for those in files; beyond it more old neighbours
  // are joined than otherwise. Nothing is dropped to keep it: over_budget() tells when it is
  // exceeded. 0: any number.
  std::uint64_t memory = 0;
  std::chrono::microseconds resolution = std::chrono::seconds(1);
  instant origin = {};
  std::uint64_t seed = 0;
};

// The ticks of one partition, for whoever makes it.
struct partition_span {
  std::uint64_t first;
  std::uint64_t ticks;
  std::chrono::microseconds resolution;
  instant origin;
  std::uint64_t seed;
};

namespace detail {

// A configuration in whole ticks and partitions, as it is stored.
struct history_shape {
  static constexpr std::uint64_t any_number = std::numeric_limits<std::uint64_t>::max();

  history_config config;
  std::uint64_t partition = 1;       // ticks
  std::uint64_t ahead = any_number;  // partitions after the newest that an event may open
  bool joins = true;                 // see partition_rules

  // The config tells the values that are used. Throws error(invalid_argument).
  static history_shape of(history_config config);
  // From what was stored. Throws error(corrupt).
  static history_shape stored(history_config config, std::uint64_t partition, std::uint64_t ahead);

  partition_rules rules() const noexcept {
    return {.ticks = partition,
            .retention = config.retention,
            .memory = config.memory,
            .live_memory = config.live_memory,
            .joins = joins};
  }
  // Partitions between two that confirm each other's time (history_config::ahead).
  std::uint64_t reach() const noexcept {
    const std::uint64_t kept = config.retention == 0 ? any_number : config.retention - 1;
    return std::max<std::uint64_t>(1, std::min(kept, config.late));
  }
};

// What is stored of a history besides its partitions.
struct history_index {
  struct entry {
    std::uint64_t first;  // number of a partition
    std::uint64_t count;  // of them, joined
    std::span<const std::byte> container;
  };

  history_shape shape;
  std::uint8_t engine = 0;
  std::uint64_t known_from = 0;
  std::vector<entry> partitions;  // as read
  // As written: the containers behind one another, since there may be more of them than a container
  // has sections.
  byte_writer table;
  byte_writer containers;
  std::uint64_t count = 0;

  static constexpr std::uint8_t engine_id = 6;  // of family history, in containers
  // Of those that join partitions only to save memory.
  static constexpr std::uint8_t apart_engine_id = 5;

  void add(std::uint64_t first, std::uint64_t joined, std::span<const std::byte> container);
  // It refers to the index.
  container_writer writer() const;
  // Their containers are those of the bytes that the view looks at, and not checked.
  static history_index read(const container_view& view, std::uint8_t engine);
};

}  // namespace detail

// Was x seen between s and e, over any length of time? A history for every partition of time,
// learned from the one before if whoever makes it does so. A partition that is over is sealed, and
// still takes what comes late. Old ones are joined by eights, so that a question about years reads
// few of them, and dropped when they are older than what is kept.
//
// A history of timelines does that work in steps: an event does at most so much of it that it takes
// some microseconds. Const members may run concurrently.
template <history_engine Engine>
class basic_history {
 public:
  static constexpr std::uint8_t engine_id = detail::history_index::engine_id;
  static constexpr std::uint8_t apart_engine_id = detail::history_index::apart_engine_id;

  // Whether the engine has when().
  static constexpr bool lists = requires(const Engine& e, digest d, interval i) { e.when(d, i); };

  // `last` is the newest partition before this one, if there is one.
  using maker = std::function<Engine(const partition_span& span, const Engine* last)>;

  explicit basic_history(const history_config& config, maker make = &make_default)
      : basic_history(detail::history_shape::of(config), std::move(make)) {}
  BLOOMTIME_VALUE(basic_history);

  // added; dropped_late before the origin, before what is kept and before what may come late;
  // future beyond what an event may open. Throws only if memory is out, with the answers unchanged.
  template <item T>
  BLOOMTIME_PER_ISA outcome add(const T& x, instant when) {
    return add_at(detail::as_digest(x, shape_.config.seed), when);
  }

  // In any tick that from..to touches; no if there is none.
  template <item T>
  BLOOMTIME_PER_ISA sighting seen(const T& x, instant from, instant to) const noexcept {
    std::uint64_t probes = 0;
    return ask(detail::as_digest(x, shape_.config.seed), clock_.covering(from, to), probes);
  }
  // The same; sets `probes` to the number of structures read, in all partitions together.
  template <item T>
  BLOOMTIME_PER_ISA sighting seen(const T& x, interval asked,
                                  std::uint64_t& probes) const noexcept {
    return ask(detail::as_digest(x, shape_.config.seed), asked, probes);
  }

  // When x was seen in these ticks, as far as they are still known.
  template <item T>
  BLOOMTIME_PER_ISA sightings when(const T& x, interval asked) const requires(lists) {
    return list(detail::as_digest(x, shape_.config.seed), asked);
  }

  // Does all work that is left, and takes the tables of all partitions apart: less memory, the same
  // answers, and the same bytes whenever it was done before, unless names are removed from a
  // partition to which events came late.
  void compact();
  // Compacts, and seals all partitions, the newest as well, which still accepts events.
  void seal();
  // Writes every partition but the newest to a file of its own in this directory, and answers from
  // there. Files are named by the first tick; they must stay as they are.
  void retire(const std::filesystem::path& directory);

  std::size_t partitions() const noexcept { return parts_.all().size(); }
  // visit(const Engine&) for all of them, in the order of time.
  template <class Visit>
  BLOOMTIME_PER_ISA void for_each(Visit&& visit) const {
    for (const auto& [first, p] : parts_.all()) visit(p.engine);
  }
  // Before this tick nothing is known any more.
  tick known_from() const noexcept {
    return {static_cast<std::int64_t>(known_from_ * shape_.partition)};
  }
  // With the partition and `ahead` that are used.
  const history_config& config() const noexcept { return shape_.config; }
  std::uint64_t partition_ticks() const noexcept { return shape_.partition; }
  std::uint64_t records() const noexcept {
    return sum([](const Engine& e) { return e.records(); });
  }
  std::uint64_t memory() const noexcept;
  // Whether the partitions take more than config().memory, but for those in files. Neighbours that
  // can be joined are joined when a partition is opened; what is left may still be too much, and
  // nothing is dropped for it.
  bool over_budget() const noexcept;
  // What sealing and joining took so far: one for every item, and every run of ticks, that was read
  // or written.
  std::uint64_t upkeep_work() const noexcept { return parts_.work(); }
  std::uint64_t seed() const noexcept { return shape_.config.seed; }
  const tick_clock& clock() const noexcept { return clock_; }

  std::vector<std::byte> serialize() const;
  void save(const std::filesystem::path& path) const;
  static basic_history load(std::span<const std::byte> container, maker make = &make_default);
  static basic_history load(const std::filesystem::path& path, maker make = &make_default);
  // Throws unless load() would take it.
  static void verify(std::span<const std::byte> container) { (void)load(container); }
  // Answers straight from the file, of which only the heads were checked. A partition is copied
  // when something is added to it.
  static basic_history map(const std::filesystem::path& path, maker make = &make_default);

 private:
  basic_history(const detail::history_shape& shape, maker make)
      : shape_(shape),
        make_(std::move(make)),
        clock_(shape.config.resolution, shape.config.origin),
        parts_(shape.rules()) {}

  static Engine make_default(const partition_span& span, const Engine*) {
    if constexpr (std::same_as<Engine, timeline_history>) {
      return timeline_history({.first = span.first,
                               .ticks = span.ticks,
                               .resolution = span.resolution,
                               .origin = span.origin,
                               .seed = span.seed});
    } else {
      throw error(errc::invalid_argument,
                  "whoever makes this history must say how to make a partition");
    }
  }

  outcome add_at(digest d, instant when);
  outcome allowed(tick t) const noexcept;
  void find_present() noexcept;
  void open(std::uint64_t number);
  void expect_made(const Engine& e, std::uint64_t first, std::uint64_t count, errc code) const;

  sighting ask(digest d, interval asked, std::uint64_t& probes) const noexcept;
  sightings list(digest d, interval asked) const;

  // visit(const Engine&) for the partitions that the interval touches, until it returns false.
  template <class Visit>
  void for_each_in(interval asked, Visit&& visit) const {
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

  template <class Of>
  std::uint64_t sum(Of&& of) const noexcept {
    std::uint64_t all = 0;
    for (const auto& [first, p] : parts_.all()) all += of(p.engine);
    return all;
  }

  partition_span span_of(std::uint64_t number) const noexcept {
    return {number * shape_.partition, shape_.partition, shape_.config.resolution,
            shape_.config.origin, shape_.config.seed};
  }

  template <class Use>
  void write(Use&& use) const;
  template <class Make>
  static basic_history read(std::span<const std::byte> container,
                            std::shared_ptr<const void> lender, maker make, Make&& engine_of);

  detail::history_shape shape_;
  maker make_;
  tick_clock clock_;
  detail::partitions<Engine> parts_;
  std::uint64_t known_from_ = 0;  // partition
  std::uint64_t present_ = 0;     // partition that `retention` and `late` count from
};

using history = basic_history<timeline_history>;

// -- adding ------------------------------------------------------------------------------------

template <history_engine Engine>
outcome basic_history<Engine>::allowed(tick t) const noexcept {
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

template <history_engine Engine>
outcome basic_history<Engine>::add_at(digest d, instant when) {
  const tick t = clock_.tick_of(when);
  const outcome may = allowed(t);
  if (may != outcome::added) return may;
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
  // Only now, as what is forgotten cannot be brought back.
  find_present();
  const std::uint64_t kept = shape_.config.retention;
  if (kept != 0 && present_ + 1 > kept) {
    known_from_ = std::max(known_from_, present_ + 1 - kept);
    parts_.drop_before(known_from_);
  }
  parts_.join_old(present_);
  return number < known_from_ ? outcome::dropped_late : became;
}

// The newest partition. If any time is accepted, the newest that another one confirms, or the
// oldest if none does.
template <history_engine Engine>
void basic_history<Engine>::find_present() noexcept {
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

template <history_engine Engine>
void basic_history<Engine>::open(std::uint64_t number) {
  const auto after = parts_.all().upper_bound(number);
  const Engine* last = after == parts_.all().begin() ? nullptr : &std::prev(after)->second.engine;
  Engine made = make_(span_of(number), last);
  expect_made(made, number, 1, errc::invalid_argument);
  parts_.close_before(number > present_ ? detail::most_ticks : number);
  if (parts_.find(number) != parts_.all().end()) return;  // its block was joined just now
  parts_.put(number, 1, std::move(made), nullptr);
}

template <history_engine Engine>
void basic_history<Engine>::expect_made(const Engine& e, std::uint64_t first, std::uint64_t count,
                                        errc code) const {
  if (e.first() == first * shape_.partition && e.ticks() == count * shape_.partition &&
      e.clock() == clock_ && e.seed() == shape_.config.seed) {
    return;
  }
  throw error(code, "a partition should be about " + std::to_string(count * shape_.partition) +
                        " ticks from " + std::to_string(first * shape_.partition) +
                        " on, with the clock and seed of its history, and is about " +
                        std::to_string(e.ticks()) + " from " + std::to_string(e.first()));
}

template <history_engine Engine>
void basic_history<Engine>::compact() {
  parts_.join_old(present_);
  parts_.compact();
}

template <history_engine Engine>
void basic_history<Engine>::seal() {
  parts_.join_old(present_);
  parts_.seal();
}

template <history_engine Engine>
void basic_history<Engine>::retire(const std::filesystem::path& directory) {
  parts_.retire(directory);
}

template <history_engine Engine>
std::uint64_t basic_history<Engine>::memory() const noexcept {
  return parts_.memory();
}

template <history_engine Engine>
bool basic_history<Engine>::over_budget() const noexcept {
  return parts_.is_too_much();
}

// -- asking ------------------------------------------------------------------------------------

template <history_engine Engine>
sighting basic_history<Engine>::ask(digest d, interval asked,
                                    std::uint64_t& probes) const noexcept {
  bool found = false;
  probes = 0;
  for_each_in(asked, [&](const Engine& e) {
    std::uint64_t here = 0;
    found = e.seen(d, asked, here) == sighting::maybe;
    probes += here;
    return !found;
  });
  if (found) return sighting::maybe;
  const bool forgotten = !asked.empty() && asked.first < known_from() && asked.last.number >= 0;
  return forgotten ? sighting::out_of_retention : sighting::no;
}

template <history_engine Engine>
sightings basic_history<Engine>::list(digest d, interval asked) const {
  sightings all;
  if constexpr (lists) {
    for_each_in(asked, [&](const Engine& e) {
      for (const interval& i : e.when(d, asked)) extend(all, i);
      return true;
    });
  }
  return all;
}

// -- storage -----------------------------------------------------------------------------------

// Hands over the writer while what it refers to is alive.
template <history_engine Engine>
template <class Use>
void basic_history<Engine>::write(Use&& use) const {
  detail::history_index index;
  index.shape = shape_;
  index.engine = Engine::engine_id;
  index.known_from = known_from_;
  for (const auto& [first, p] : parts_.all()) index.add(first, p.count, p.engine.serialize());
  use(index.writer());
}

template <history_engine Engine>
template <class Make>
basic_history<Engine> basic_history<Engine>::read(std::span<const std::byte> container,
                                                  std::shared_ptr<const void> lender, maker make,
                                                  Make&& engine_of) {
  const auto view = detail::container_view::parse(container);
  const auto index = detail::history_index::read(view, Engine::engine_id);
  basic_history h(index.shape, std::move(make));
  h.known_from_ = index.known_from;
  for (const auto& p : index.partitions) {
    Engine engine = engine_of(p.container);
    h.expect_made(engine, p.first, p.count, errc::corrupt);
    h.parts_.put(p.first, p.count, std::move(engine), lender);
  }
  h.find_present();
  h.parts_.resume(h.present_);
  return h;
}

template <history_engine Engine>
std::vector<std::byte> basic_history<Engine>::serialize() const {
  std::vector<std::byte> bytes;
  write([&](const detail::container_writer& out) { bytes = out.bytes(); });
  return bytes;
}

template <history_engine Engine>
void basic_history<Engine>::save(const std::filesystem::path& path) const {
  write([&](const detail::container_writer& out) { out.save(path); });
}

template <history_engine Engine>
basic_history<Engine> basic_history<Engine>::load(std::span<const std::byte> container,
                                                  maker make) {
  detail::container_view::parse(container).verify();
  return read(container, nullptr, std::move(make), [](auto bytes) { return Engine::load(bytes); });
}

template <history_engine Engine>
basic_history<Engine> basic_history<Engine>::load(const std::filesystem::path& path, maker make) {
  return load(detail::mapped_file::open(path)->bytes(), std::move(make));
}

template <history_engine Engine>
basic_history<Engine> basic_history<Engine>::map(const std::filesystem::path& path, maker make) {
  const auto file = detail::mapped_file::open(path);
  return read(file->bytes(), file, std::move(make), [](auto bytes) { return Engine::view(bytes); });
}

BLOOMTIME_VALUE_OF_TEMPLATE(template <history_engine Engine>, basic_history, basic_history<Engine>);

extern template class basic_history<published::single_history>;
extern template class basic_history<published::tree_history>;
extern template class basic_history<published::level_history>;
extern template class basic_history<timeline_history>;

}  // namespace bloomtime
