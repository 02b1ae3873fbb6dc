#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/container.hpp>
#include <bloomtime/detail/moved.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/history/detail/flat_filter.hpp>
#include <bloomtime/history/detail/tick_span.hpp>
#include <bloomtime/history/sighting.hpp>
#include <bloomtime/layout.hpp>
#include <bloomtime/mapped.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/time.hpp>

// What the histories made of Bloom filters have in common.
namespace bloomtime::detail {

// What is stored of an engine besides its span.
struct history_parts {
  byte_writer parameters;
  byte_writer sizes;
  byte_writer bits;
  byte_writer sketches;  // none: there is no such section

  void add(const flat_filter& filter);
  // They must outlive the container.
  void put_into(container_writer& out) const;
};

// Reads such filters one after the other, as views into the container.
class filter_reader {
 public:
  filter_reader(const container_view& view, std::uint64_t filters);

  flat_filter next();
  void expect_end() const { bits_.expect_end(); }

 private:
  byte_reader sizes_;
  byte_reader bits_;
};

// The span of a history and what came into it.
class history_base {
 public:
  history_base(const history_base&) = default;
  history_base& operator=(const history_base&) = default;
  history_base(history_base&& other) noexcept : history_base(std::as_const(other)) {
    other.ticks_ = 0;
  }
  history_base& operator=(history_base&& other) noexcept {
    *this = std::as_const(other);
    if (this != &other) other.ticks_ = 0;
    return *this;
  }
  ~history_base() = default;

  std::uint64_t first() const noexcept { return first_; }  // tick of the clock
  std::uint64_t ticks() const noexcept { return ticks_; }  // from then on, so far
  std::uint64_t records() const noexcept { return records_; }
  std::uint64_t seed() const noexcept { return seed_; }
  const tick_clock& clock() const noexcept { return clock_; }

 protected:
  history_base() = default;
  history_base(tick_clock clock, std::uint64_t first, std::uint64_t ticks,
               std::uint64_t seed) noexcept
      : first_(first), ticks_(ticks), seed_(seed), clock_(clock) {}

  std::uint64_t position_of(tick t) const noexcept {
    return static_cast<std::uint64_t>(t.number) - first_;
  }
  void count(std::uint64_t more) noexcept {
    records_ = records_ > UINT64_MAX - more ? UINT64_MAX : records_ + more;
  }

  // Refuse others: of another span, of another clock or seed, not right after this one.
  void expect_same_span(const history_base& other) const;
  void expect_same_keys(const history_base& other) const;
  void expect_next(const history_base& other) const;

  // A container with the span and the records, to which more can be added.
  container_writer writer(std::uint8_t engine, std::uint8_t layout) const;
  // Both of them; returns the rest of the parameters.
  byte_reader read_span(const container_view& view, std::uint8_t engine, std::uint8_t layout,
                        std::string_view name);
  void expect_consistent(const flat_filter& filter) const;

  // Throws if the history was moved from.
  void expect_ticks() const {
    if (ticks_ == 0) refuse_moved_from("a history");
  }

  std::uint64_t first_ = 0;
  std::uint64_t ticks_ = 0;  // 0 if it was moved from
  std::uint64_t records_ = 0;
  std::uint64_t seed_ = 0;
  tick_clock clock_;
};

[[noreturn]] void refuse_parameters(std::string_view name);

// How all engines, which have add_at() and ask(), are talked to. One that was moved from answers
// "maybe" to everything; adding to it and storing it throws error(invalid_argument).
template <class Engine>
class history_calls : public history_base {
 public:
  // added; dropped_late before its first tick, future beyond the span. Throws only if memory is
  // out, with the answers unchanged.
  template <item T>
  BLOOMTIME_PER_ISA outcome add(const T& x, instant when) {
    expect_ticks();
    return self().add_at(as_digest(x, seed_), clock_.tick_of(when));
  }

  // In any tick that from..to touches; no if there is none.
  template <item T>
  BLOOMTIME_PER_ISA sighting seen(const T& x, instant from, instant to) const noexcept {
    std::uint64_t probes = 0;
    return seen(x, clock_.covering(from, to), probes);
  }
  // The same; sets `probes` to the number of structures read.
  template <item T>
  BLOOMTIME_PER_ISA sighting seen(const T& x, interval asked,
                                  std::uint64_t& probes) const noexcept {
    probes = 0;  // an engine may add to it
    if (ticks_ == 0) return sighting::maybe;
    return self().ask(as_digest(x, seed_), asked, probes);
  }

 protected:
  using history_base::history_base;

  Engine& self() noexcept { return static_cast<Engine&>(*this); }
  const Engine& self() const noexcept { return static_cast<const Engine&>(*this); }
};

// The public face of an engine made of Bloom filters, which has parts(), each_filter(), and
// decode(), whose result refers to the container.
template <class Engine>
class history_face : public history_calls<Engine> {
 public:
  BLOOMTIME_PER_ISA std::vector<std::byte> serialize() const {
    this->expect_ticks();
    const history_parts parts = this->self().parts();
    return container_of(parts).bytes();
  }
  BLOOMTIME_PER_ISA void save(const std::filesystem::path& path) const {
    this->expect_ticks();
    const history_parts parts = this->self().parts();
    container_of(parts).save(path);
  }

  // The only decoder: checks everything before it allocates memory for bits.
  BLOOMTIME_PER_ISA static Engine load(std::span<const std::byte> container) {
    const Engine borrowed = checked(container);
    return Engine(borrowed);  // a copy owns its bits
  }
  BLOOMTIME_PER_ISA static Engine load(const std::filesystem::path& path) {
    return load(mapped_file::open(path)->bytes());
  }
  BLOOMTIME_PER_ISA static mapped<Engine> map(const std::filesystem::path& path) {
    auto file = mapped_file::open(path);
    Engine engine = view(file->bytes());
    return {std::move(file), std::move(engine)};
  }
  // Answers straight from the bytes, which must outlive it; only their head is checked.
  BLOOMTIME_PER_ISA static Engine view(std::span<const std::byte> container) {
    return Engine::decode(container_view::parse(container));
  }
  // Throws what load() would throw, without loading.
  BLOOMTIME_PER_ISA static void verify(std::span<const std::byte> container) {
    (void)checked(container);
  }

 protected:
  using history_calls<Engine>::history_calls;

 private:
  BLOOMTIME_PER_ISA container_writer container_of(const history_parts& parts) const {
    container_writer out = this->writer(Engine::engine_id, static_cast<std::uint8_t>(layout::flat));
    parts.put_into(out);
    return out;
  }

  BLOOMTIME_PER_ISA static Engine checked(std::span<const std::byte> container) {
    const auto view = container_view::parse(container);
    view.verify();
    Engine engine = Engine::decode(view);
    engine.each_filter([&](const flat_filter& f) { engine.expect_consistent(f); });
    return engine;
  }
};

}  // namespace bloomtime::detail
