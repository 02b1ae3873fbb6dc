#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/detail/container.hpp>
#include <bloomtime/detail/file.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/history/history_engine.hpp>
#include <bloomtime/history/sighting.hpp>
#include <bloomtime/history/sightings.hpp>
#include <bloomtime/history/timeline_history.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime {

struct history_config {
  std::uint64_t partition = 86'400;  // ticks
  std::uint64_t retention = 0;       // partitions to keep, the newest among them; 0: all
  // Partitions before the newest that take what comes late, and after it that an event may open.
  std::uint64_t late = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t ahead = 1;
  // Bytes of the tables of what is not sealed; they are compacted before they would take more.
  std::uint64_t live_memory = std::uint64_t{64} << 20;
  // Bytes that all partitions should take; beyond it old neighbours are joined. 0: any number.
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

void expect_config(const history_config& config);

// What is stored of a history besides its partitions.
struct history_index {
  struct entry {
    std::uint64_t first;  // number of a partition
    std::uint64_t count;  // of them, joined
    std::span<const std::byte> container;
  };

  history_config config;
  std::uint8_t engine = 0;
  std::uint64_t known_from = 0;
  std::vector<entry> partitions;

  static constexpr std::uint8_t engine_id = 5;  // of family history, in containers

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
      : config_(config), make_(std::move(make)), clock_(config.resolution, config.origin) {
    detail::expect_config(config);
  }

  // added; dropped_late before the origin, before what is kept and before what may come late;
  // future beyond what an event may open. Throws only if memory is out, with the answers unchanged.
  template <item T>
  outcome add(const T& x, instant when) {
    return add_at(detail::as_digest(x, config_.seed), when);
  }

  // In any tick that from..to touches; no if there is none.
  template <item T>
  sighting seen(const T& x, instant from, instant to) const noexcept {
    std::uint64_t probes = 0;
    return ask(detail::as_digest(x, config_.seed), clock_.covering(from, to), probes);
  }
  // The same, and how many times a part of it was asked.
  template <item T>
  sighting seen(const T& x, interval asked, std::uint64_t& probes) const noexcept {
    return ask(detail::as_digest(x, config_.seed), asked, probes);
  }

  // When x was seen in these ticks, as far as they are still known.
  template <item T>
  sightings when(const T& x, interval asked) const requires requires(const Engine& e) {
    e.when(x, asked);
  }
  {
    const digest d = detail::as_digest(x, config_.seed);
    sightings all;
    for_each_in(asked, [&](const Engine& e) {
      for (const interval& i : e.when(d, asked)) append(all, i);
      return true;
    });
    return all;
  }

  // Seals all partitions, the newest as well, which goes on taking events.
  void seal();
  // Writes every partition but the newest to a file of its own in this directory, and answers from
  // there. The files are named by their first partition and must stay.
  void retire(const std::filesystem::path& directory);

  std::size_t partitions() const noexcept { return partitions_.size(); }
  // visit(const Engine&) for all of them, in the order of time.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const auto& [first, p] : partitions_) visit(p.engine);
  }
  // Before this tick nothing is known any more.
  tick known_from() const noexcept {
    return {static_cast<std::int64_t>(known_from_ * config_.partition)};
  }
  const history_config& config() const noexcept { return config_; }
  std::uint64_t records() const noexcept {
    return sum([](const Engine& e) { return e.records(); });
  }
  std::uint64_t memory() const noexcept {
    return sum([](const Engine& e) { return e.memory(); });
  }
  std::uint64_t seed() const noexcept { return config_.seed; }
  const bloomtime::clock& clock() const noexcept { return clock_; }

  std::vector<std::byte> serialize() const;
  void save(const std::filesystem::path& path) const;
  static basic_history load(std::span<const std::byte> container, maker make = &make_default);
  static basic_history load(const std::filesystem::path& path, maker make = &make_default);
  // Throws unless load() would take it.
  static void verify(std::span<const std::byte> container);
  // Answers straight from the file; a partition is copied when something is added to it. Only heads
  // were checked.
  static basic_history map(const std::filesystem::path& path, maker make = &make_default);

 private:
  struct part {
    std::uint64_t count;  // of partitions, joined
    Engine engine;
    std::shared_ptr<const void> lender;  // of its bytes, if they are not its own
    bool sealed;
  };
  using parts = std::map<std::uint64_t, part>;  // by the number of the first

  static Engine make_default(const partition_span& span, const Engine* last);
  // ...
};

using history = basic_history<timeline_history>;

}  // namespace bloomtime
