#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/detail/container.hpp>
#include <bloomtime/detail/file.hpp>
#include <bloomtime/detail/moved.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/layout.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/tally/counted.hpp>

// What the engines that count have in common.
namespace bloomtime::detail {

// Handed a writer while what it refers to is alive.
using container_use = std::function<void(const container_writer&)>;

// How they are talked to and stored. An Engine has add_digest(), count_digest(), remove_digest() if
// it `removes`, write() and decode(), and says what it is called.
template <class Engine>
class tally_face {
 public:
  // added; saturated if a counter was too small (see count()); full if the sum of all counts would
  // exceed 64 bits or a stated limit, and then nothing has changed. Throws only if memory is out,
  // with the state unchanged, or if the filter was moved from, as everything but count() does.
  template <item T>
  BLOOMTIME_PER_ISA outcome add(const T& x, std::uint64_t amount = 1) {
    return self().add_digest(as_digest(x, seed_), amount);
  }

  // refused if the item certainly has less than that, and then nothing has changed. Only what was
  // added may be removed: taking away an item that merely looks present takes from others.
  template <item T, class E = Engine>  // clang 14 would ask an Engine that is not complete
  BLOOMTIME_PER_ISA outcome remove(const T& x, std::uint64_t amount = 1) requires(E::removes) {
    return self().remove_digest(as_digest(x, seed_), amount);
  }

  template <item T>
  BLOOMTIME_PER_ISA counted count(const T& x) const noexcept {
    return self().count_digest(as_digest(x, seed_));
  }

  std::uint64_t total() const noexcept { return total_; }  // of all counts
  std::uint64_t seed() const noexcept { return seed_; }

  BLOOMTIME_PER_ISA std::vector<std::byte> serialize() const {
    std::vector<std::byte> bytes;
    self().write([&](const container_writer& out) { bytes = out.bytes(); });
    return bytes;
  }
  BLOOMTIME_PER_ISA void save(const std::filesystem::path& path) const {
    self().write([&](const container_writer& out) { out.save(path); });
  }
  // The only decoder: checks everything before it allocates memory for counters.
  BLOOMTIME_PER_ISA static Engine load(std::span<const std::byte> container) {
    const auto view = container_view::parse(container);
    view.expect_kind(family::tally, Engine::engine_id, Engine::called);
    view.verify();
    return Engine::decode(view);
  }
  BLOOMTIME_PER_ISA static Engine load(const std::filesystem::path& path) {
    return load(mapped_file::open(path)->bytes());
  }

 protected:
  tally_face() noexcept = default;
  explicit tally_face(std::uint64_t seed) noexcept : seed_(seed) {}
  tally_face(const tally_face&) = default;
  tally_face& operator=(const tally_face&) = default;
  tally_face(tally_face&& other) noexcept
      : seed_(other.seed_), total_(std::exchange(other.total_, 0)) {}
  tally_face& operator=(tally_face&& other) noexcept {
    seed_ = other.seed_;
    total_ = std::exchange(other.total_, 0);
    return *this;
  }
  ~tally_face() = default;

  bool exceeds_total(std::uint64_t amount) const noexcept { return amount > ~total_; }

  // Throws if the filter was moved from.
  void expect_cells() const {
    if (self().k() == 0) refuse_moved_from(Engine::called);
  }

  container_writer writer(layout kind) const {
    expect_cells();
    return container_writer({.family = family::tally,
                             .engine = Engine::engine_id,
                             .layout = static_cast<std::uint8_t>(kind),
                             .seed = seed_,
                             .clock = {}});
  }
  // Takes the seed and returns the parameters.
  byte_reader read_head(const container_view& view, layout kind) {
    if (view.info().clock || view.info().layout != static_cast<std::uint8_t>(kind)) refuse();
    seed_ = view.info().seed;
    return view.parameters();
  }
  [[noreturn]] static void refuse() {
    throw error(errc::corrupt, "the parts of this container of " + std::string(Engine::called) +
                                   " contradict each other");
  }
  [[noreturn]] static void refuse_merge(const std::string& mine, const std::string& theirs) {
    throw error(errc::incompatible, "to be merged both must be " + std::string(Engine::called) +
                                        " of the same shape and seed; here they have (" + mine +
                                        ") and (" + theirs + ")");
  }
  [[noreturn]] static void refuse_sum() {
    throw error(errc::too_large, "the counts of both filters together exceed 64 bits");
  }

  Engine& self() noexcept { return static_cast<Engine&>(*this); }
  const Engine& self() const noexcept { return static_cast<const Engine&>(*this); }

  std::uint64_t seed_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace bloomtime::detail
