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
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/container.hpp>
#include <bloomtime/detail/file.hpp>
#include <bloomtime/detail/tick_span.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/error.hpp>
#include <bloomtime/history/history_engine.hpp>
#include <bloomtime/history/sighting.hpp>
#include <bloomtime/history/sightings.hpp>
#include <bloomtime/history/timeline_history.hpp>
#include <bloomtime/outcome.hpp>
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
  // Bytes of the tables of what is not sealed; they are compacted before they would take more.
  std::uint64_t live_memory = std::uint64_t{64} << 20;
  // Bytes that all partitions should take, but for those in files; beyond it old neighbours are
  // joined. Nothing is dropped to keep it: over_budget() tells when it is exceeded. 0: any number.
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

  // The config tells the values that are used. Throws error(invalid_argument).
  static history_shape of(history_config config);
  // From what was stored. Throws error(corrupt).
  static history_shape stored(history_config config, std::uint64_t partition, std::uint64_t ahead);

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

  static constexpr std::uint8_t engine_id = 5;  // of family history, in containers

  void add(std::uint64_t first, std::uint64_t joined, std::span<const std::byte> container);
  // It refers to the index.
  container_writer writer() const;
  // Their containers are those of the bytes that the view looks at, and not checked.
  static history_index read(const container_view& view, std::uint8_t engine);
};

}  // namespace detail

// Was x seen between s and e, over any length of time? A history for every partition of time,
// learned from the one before if whoever makes it does so. What lies before the newest is sealed,
// dropped when it is older than what is kept, and joined with its neighbours if all of them take
// too much memory; and it still takes what comes late. Const members may run concurrently.
template <history_engine Engine>
class basic_history {
 public:
  static constexpr std::uint8_t engine_id = detail::history_index::engine_id;

  // `last` is the newest partition before this one, if there is one.
  using maker = std::function<Engine(const partition_span& span, const Engine* last)>;

  explicit basic_history(const history_config& config, maker make = &make_default)
      : basic_history(detail::history_shape::of(config), std::move(make)) {}

  // added; dropped_late before the origin, before what is kept and before what may come late;
  // future beyond what an event may open. Throws only if memory is out, with the answers unchanged.
  template <item T>
  outcome add(const T& x, instant when) {
    return add_at(detail::as_digest(x, shape_.config.seed), when);
  }

  // In any tick that from..to touches; no if there is none.
  template <item T>
  sighting seen(const T& x, instant from, instant to) const noexcept {
    std::uint64_t probes = 0;
    return ask(detail::as_digest(x, shape_.config.seed), clock_.covering(from, to), probes);
  }
  // The same; sets `probes` to the number of structures read, in all partitions together.
  template <item T>
  sighting seen(const T& x, interval asked, std::uint64_t& probes) const noexcept {
    return ask(detail::as_digest(x, shape_.config.seed), asked, probes);
  }

  // When x was seen in these ticks, as far as they are still known.
  template <item T>
  sightings when(const T& x, interval asked) const {
    const digest d = detail::as_digest(x, shape_.config.seed);
    sightings all;
    for_each_in(asked, [&](const Engine& e) {
      for (const interval& i : e.when(d, asked)) extend(all, i);
      return true;
    });
    return all;
  }

  // Takes the tables of all partitions apart: less memory, the same answers, and the same bytes
  // whenever it was done before.
  void compact() {
    for (auto& [first, p] : parts_) compact(p.engine);
    live_ = sum([](const Engine& e) { return live_memory(e); });
  }
  // Seals all partitions, the newest as well, which still accepts events.
  void seal() { seal_before(detail::most_ticks); }
  // Writes every partition but the newest to a file of its own in this directory, and answers from
  // there. Files are named by the first tick; they must stay as they are.
  void retire(const std::filesystem::path& directory);

  std::size_t partitions() const noexcept { return parts_.size(); }
  // visit(const Engine&) for all of them, in the order of time.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const auto& [first, p] : parts_) visit(p.engine);
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
  std::uint64_t memory() const noexcept {
    return sum([](const Engine& e) { return e.memory(); });
  }
  // Whether the partitions take more than config().memory, but for those in files. Neighbours that
  // can be joined are joined when a partition is opened; what is left may still be too much, and
  // nothing is dropped for it.
  bool over_budget() const noexcept { return is_too_much(); }
  std::uint64_t seed() const noexcept { return shape_.config.seed; }
  const tick_clock& clock() const noexcept { return clock_; }

  std::vector<std::byte> serialize() const {
    std::vector<std::byte> bytes;
    write([&](const detail::container_writer& out) { bytes = out.bytes(); });
    return bytes;
  }
  void save(const std::filesystem::path& path) const {
    write([&](const detail::container_writer& out) { out.save(path); });
  }
  static basic_history load(std::span<const std::byte> container, maker make = &make_default) {
    detail::container_view::parse(container).verify();
    return read(container, nullptr, std::move(make),
                [](auto bytes) { return Engine::load(bytes); });
  }
  static basic_history load(const std::filesystem::path& path, maker make = &make_default) {
    return load(detail::mapped_file::open(path)->bytes(), std::move(make));
  }
  // Throws unless load() would take it.
  static void verify(std::span<const std::byte> container) { (void)load(container); }
  // Answers straight from the file, of which only the heads were checked. A partition is copied
  // when something is added to it.
  static basic_history map(const std::filesystem::path& path, maker make = &make_default) {
    const auto file = detail::mapped_file::open(path);
    return read(file->bytes(), file, std::move(make),
                [](auto bytes) { return Engine::view(bytes); });
  }

 private:
  basic_history(const detail::history_shape& shape, maker make)
      : shape_(shape),
        make_(std::move(make)),
        clock_(shape.config.resolution, shape.config.origin) {}

  struct part {
    part(std::uint64_t joined, Engine e, std::shared_ptr<const void> l)
        : count(joined), engine(std::move(e)), lender(std::move(l)) {}
    part(const part& other) : count(other.count), engine(other.engine) {}  // a copy owns its bytes
    part(part&&) = default;
    part& operator=(part&&) = default;

    std::uint64_t count;  // of partitions, joined
    Engine engine;
    std::shared_ptr<const void> lender;  // of its bytes, if they are not its own
  };

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

  // What only some engines have.
  static void seal(Engine& e) {
    if constexpr (requires { e.seal(); }) e.seal();
  }
  static void compact(Engine& e) {
    if constexpr (requires { e.compact(); }) e.compact();
  }
  static std::uint64_t live_memory(const Engine& e) noexcept {
    if constexpr (requires { e.live_memory(); }) return e.live_memory();
    return 0;
  }

  // Anew: an add that ran out of memory may have left a larger table than it found.
  void count_live() noexcept {
    live_ = sum([](const Engine& e) { return live_memory(e); });
  }

  outcome add_at(digest d, instant when);
  outcome allowed(tick t) const noexcept;
  void find_present() noexcept;
  outcome add_to(part& p, digest d, instant when);
  part* part_of(std::uint64_t number) noexcept;
  part& open(std::uint64_t number);
  void expect_made(const Engine& e, std::uint64_t first, std::uint64_t count, errc code) const;
  void seal_before(std::uint64_t number);
  void compact_large();
  void drop_before(std::uint64_t number);
  void join_old();
  bool is_too_much() const noexcept;
  bool join_pair();

  sighting ask(digest d, interval asked, std::uint64_t& probes) const noexcept {
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

  // visit(const Engine&) for the partitions that the interval touches, until it returns false.
  template <class Visit>
  void for_each_in(interval asked, Visit&& visit) const {
    if (asked.empty() || asked.last.number < 0) return;
    const auto from = static_cast<std::uint64_t>(std::max<std::int64_t>(asked.first.number, 0));
    const auto to = static_cast<std::uint64_t>(asked.last.number);
    auto next = parts_.upper_bound(from / shape_.partition);
    if (next != parts_.begin()) --next;
    for (; next != parts_.end() && next->first <= to / shape_.partition; ++next) {
      if (!visit(next->second.engine)) return;
    }
  }

  template <class Of>
  std::uint64_t sum(Of&& of) const noexcept {
    std::uint64_t all = 0;
    for (const auto& [first, p] : parts_) all += of(p.engine);
    return all;
  }

  partition_span span_of(std::uint64_t number) const noexcept {
    return {number * shape_.partition, shape_.partition, shape_.config.resolution,
            shape_.config.origin, shape_.config.seed};
  }
  std::uint64_t newest() const noexcept {
    return parts_.rbegin()->first + parts_.rbegin()->second.count - 1;
  }

  template <class Use>
  void write(Use&& use) const;
  template <class Make>
  static basic_history read(std::span<const std::byte> container,
                            std::shared_ptr<const void> lender, maker make, Make&& engine_of);

  detail::history_shape shape_;
  maker make_;
  tick_clock clock_;
  std::map<std::uint64_t, part> parts_;  // by the number of the first partition
  std::uint64_t known_from_ = 0;         // partition
  std::uint64_t present_ = 0;            // partition that `retention` and `late` count from
  std::uint64_t live_ = 0;               // bytes of the tables of all
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
  if (number > newest() && number - newest() > shape_.ahead) return outcome::future;
  if (number < present_ && present_ - number > shape_.config.late) return outcome::dropped_late;
  return outcome::added;
}

template <history_engine Engine>
outcome basic_history<Engine>::add_at(digest d, instant when) {
  const tick t = clock_.tick_of(when);
  const outcome may = allowed(t);
  if (may != outcome::added) return may;
  if (live_ >= shape_.config.live_memory) compact_large();
  const std::uint64_t number = static_cast<std::uint64_t>(t.number) / shape_.partition;
  if (part* const known = part_of(number)) return add_to(*known, d, when);
  part& opened = open(number);
  outcome became{};
  try {
    became = add_to(opened, d, when);
  } catch (...) {
    parts_.erase(number);
    throw;
  }
  // Only now, as what is forgotten cannot be brought back.
  find_present();
  const std::uint64_t kept = shape_.config.retention;
  if (kept != 0 && present_ + 1 > kept) drop_before(present_ + 1 - kept);
  join_old();
  return number < known_from_ ? outcome::dropped_late : became;
}

// The newest partition. If any time is accepted, the newest that another one confirms, or the
// oldest if none does.
template <history_engine Engine>
void basic_history<Engine>::find_present() noexcept {
  auto p = parts_.rbegin();
  if (p == parts_.rend()) return;
  const auto last_of = [](const auto& each) { return each->first + each->second.count - 1; };
  if (shape_.ahead == detail::history_shape::any_number) {
    for (auto before = std::next(p); before != parts_.rend(); p = before++) {
      if (p->first - last_of(before) <= shape_.reach()) break;
    }
  }
  present_ = last_of(p);
}

template <history_engine Engine>
outcome basic_history<Engine>::add_to(part& p, digest d, instant when) {
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
auto basic_history<Engine>::part_of(std::uint64_t number) noexcept -> part* {
  const auto after = parts_.upper_bound(number);
  if (after == parts_.begin()) return nullptr;
  const auto found = std::prev(after);
  return number - found->first < found->second.count ? &found->second : nullptr;
}

template <history_engine Engine>
auto basic_history<Engine>::open(std::uint64_t number) -> part& {
  const auto after = parts_.upper_bound(number);
  const Engine* last = after == parts_.begin() ? nullptr : &std::prev(after)->second.engine;
  Engine made = make_(span_of(number), last);
  expect_made(made, number, 1, errc::invalid_argument);
  seal_before(number > present_ ? detail::most_ticks : number);
  return parts_.emplace(number, part{1, std::move(made), nullptr}).first->second;
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
void basic_history<Engine>::seal_before(std::uint64_t number) {
  for (auto p = parts_.begin(); p != parts_.end() && p->first < number; ++p) seal(p->second.engine);
  count_live();
}

// Tables of at least half the average: all others together take less than half of the memory, so
// that it is long until the next time, wherever events go.
template <history_engine Engine>
void basic_history<Engine>::compact_large() {
  if constexpr (requires(Engine & e) { e.compact(); }) {
    count_live();
    const std::uint64_t least = live_ / (2 * std::max<std::size_t>(1, parts_.size()));
    for (auto& [first, p] : parts_) {
      if (live_memory(p.engine) >= least) p.engine.compact();
    }
    count_live();
  }
}

// -- what is kept --------------------------------------------------------------------------------

template <history_engine Engine>
void basic_history<Engine>::drop_before(std::uint64_t number) {
  known_from_ = std::max(known_from_, number);
  while (!parts_.empty() && parts_.begin()->first + parts_.begin()->second.count <= number) {
    parts_.erase(parts_.begin());
  }
  count_live();
}

template <history_engine Engine>
void basic_history<Engine>::join_old() {
  while (is_too_much() && join_pair()) {
  }
}

// What lies in files takes no memory.
template <history_engine Engine>
bool basic_history<Engine>::is_too_much() const noexcept {
  if (shape_.config.memory == 0) return false;
  std::uint64_t bytes = 0;
  for (const auto& [first, p] : parts_) bytes += p.lender ? 0 : p.engine.memory();
  return bytes > shape_.config.memory;
}

// The oldest two neighbours of the same length that begin where one of twice the length would. The
// newest partition is not among them, nor are those in files, nor those that their engine cannot
// join.
template <history_engine Engine>
bool basic_history<Engine>::join_pair() {
  for (auto left = parts_.begin(); left != parts_.end(); ++left) {
    const auto right = std::next(left);
    if (right == parts_.end() || std::next(right) == parts_.end()) return false;
    const std::uint64_t count = left->second.count;
    if (left->first % (2 * count) != 0 || right->first != left->first + count ||
        right->second.count != count || left->second.lender || right->second.lender) {
      continue;
    }
    try {
      Engine both = Engine::joined(left->second.engine, right->second.engine);
      seal(both);
      left->second = {2 * count, std::move(both), nullptr};
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

template <history_engine Engine>
void basic_history<Engine>::retire(const std::filesystem::path& directory) {
  for (auto& [first, p] : parts_) {
    if (p.lender || first + p.count > newest()) continue;
    seal(p.engine);
    const std::string name = "history-" + std::to_string(p.engine.first()) + ".bloomtime";
    p.engine.save(directory / name);
    const auto file = detail::mapped_file::open(directory / name);
    p.engine = Engine::view(file->bytes());
    p.lender = file;
  }
  count_live();
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
  for (const auto& [first, p] : parts_) index.add(first, p.count, p.engine.serialize());
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
    h.live_ += live_memory(engine);
    h.parts_.emplace_hint(h.parts_.end(), p.first, part{p.count, std::move(engine), lender});
  }
  h.find_present();
  return h;
}

}  // namespace bloomtime
