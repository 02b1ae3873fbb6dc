#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/detail/container.hpp>
#include <bloomtime/detail/history_base.hpp>
#include <bloomtime/detail/live_ticks.hpp>
#include <bloomtime/detail/positions.hpp>
#include <bloomtime/detail/timelines.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/error.hpp>
#include <bloomtime/history/sighting.hpp>
#include <bloomtime/history/sightings.hpp>
#include <bloomtime/mapped.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime {

struct timeline_config {
  std::uint64_t first = 0;  // tick of the span
  std::uint64_t ticks = 0;  // from then on, at most 2^32
  // The probability that a question about `length` ticks is answered "maybe" because of items that
  // sealing keeps without names, which it does if they hardly repeat, and for no more of them than
  // this error allows. All else is exact.
  double error = 1e-9;
  std::uint64_t length = 128;
  std::chrono::microseconds resolution = std::chrono::seconds(1);
  instant origin = {};
  std::uint64_t seed = 0;
};

// Was x seen between s and e, and when? The ticks of every item: in a table while they come, and
// sealed in a few bits each. "No" is certain; "maybe" is true but for items whose digests agree in
// 48 bits, and for those without names (`error`). What comes late, even after sealing, is never
// lost. Const members may run concurrently.
class timeline_history : public detail::history_calls<timeline_history> {
 public:
  static constexpr std::uint8_t engine_id = 4;  // of family history, in containers

  explicit timeline_history(const timeline_config& config);

  // When x was seen in these ticks.
  template <item T>
  sightings when(const T& x, interval asked) const {
    return list(detail::as_digest(x, seed_), asked);
  }

  // Takes the table apart into timelines, all still by name: less memory, the same answers.
  // Throws error(too_large), with nothing changed, if that would take far more memory: only a file
  // made for it can do that (docs/FORMAT.md, What is checked).
  void compact();
  // Compacts, and the first time takes the names from items if that is worth it.
  void seal();

  // The ticks of both, of the same span, clock and seed.
  void merge(const timeline_history& other);
  // The ticks of two neighbours, `right` beginning where `left` ends: one of both spans.
  static timeline_history joined(const timeline_history& left, const timeline_history& right);

  // Different pairs of item and tick, and items with a name; what came late may count twice.
  std::uint64_t pairs() const noexcept;
  std::uint64_t items() const noexcept;
  // visit(key) for every item with a name, some perhaps twice. Throws error(corrupt) where the
  // timelines of a view are damaged.
  template <class Visit>
  void for_each_key(Visit&& visit) const {
    live_.for_each_item([&](digest d) { visit(detail::timeline_key(d)); });
    if (named_.empty()) return;
    auto items = named_.cursor();
    while (items.next()) visit(items.key());
    if (!items.sound()) throw bloomtime::error(errc::corrupt, "its timelines are damaged");
  }
  // The chance of a wrong "maybe" about so many ticks of an item that was not seen.
  double error(std::uint64_t length) const;
  std::uint64_t memory() const noexcept { return live_.bytes() + sealed_bytes(); }
  std::uint64_t live_memory() const noexcept { return live_.bytes(); }
  std::uint64_t sealed_bytes() const noexcept;
  const detail::timelines& named() const noexcept { return named_; }
  const std::vector<detail::positions>& nameless() const noexcept { return nameless_; }

  std::vector<std::byte> serialize() const;
  void save(const std::filesystem::path& path) const;
  static timeline_history load(std::span<const std::byte> container);
  static timeline_history load(const std::filesystem::path& path);
  // Throws unless load() would take it.
  static void verify(std::span<const std::byte> container);
  static mapped<timeline_history> map(const std::filesystem::path& path);
  // Answers straight from the bytes, which must outlive it; only their head is checked. The table of
  // what is not sealed is read, checked and kept in memory; it is empty after seal().
  static timeline_history view(std::span<const std::byte> container);

 private:
  friend class detail::history_calls<timeline_history>;

  timeline_history() = default;

  outcome add_at(digest d, tick t);
  sighting ask(digest d, interval asked, std::uint64_t& probes) const noexcept;
  sightings list(digest d, interval asked) const;
  void take_names();

  template <class Use>
  void write(Use&& use) const;
  template <class Make>
  static timeline_history read(const detail::container_view& view, Make&& make);
  static timeline_history borrow(std::span<const std::byte> container);

  double error_ = 0;
  std::uint64_t length_ = 1;
  bool sealed_ = false;  // names were taken, or it was not worth it
  detail::live_ticks live_;
  detail::timelines named_;
  std::vector<detail::positions> nameless_;
};

}  // namespace bloomtime
