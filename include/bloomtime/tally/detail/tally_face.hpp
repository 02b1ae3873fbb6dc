#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/detail/moved.hpp>
#include <bloomtime/detail/stored.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/error.hpp>
#include <bloomtime/layout.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/tally/counted.hpp>

namespace bloomtime::detail {

// The verbs of every engine that counts. An Engine has add_digest(), count_digest(), and
// remove_digest() if it `removes`.
template <class Engine>
class tally_face : public stored<Engine> {
 public:
  // Counts `amount` more of x. The outcome is `added`; `saturated` if a counter overflowed (see
  // count()); or `full` if the sum of all counts would exceed 64 bits or a stated limit, and then
  // nothing has changed. Throws only if memory runs out, with the state unchanged, or if the filter
  // was moved from, as every call but count() does.
  template <item T>
  BLOOMTIME_PER_ISA outcome add(const T& x, std::uint64_t amount = 1) {
    return noted(self().add_digest(as_digest(x, seed_), amount));
  }

  // The outcome is `refused` if the item certainly has less than that, and then nothing has
  // changed. Remove only what was added: removing an item that merely looks present lowers the
  // counts of others.
  template <item T, class E = Engine>  // clang 14 would look into an incomplete Engine
  [[nodiscard]] BLOOMTIME_PER_ISA outcome remove(const T& x, std::uint64_t amount = 1)  //
      requires(E::removes) {
    return noted(self().remove_digest(as_digest(x, seed_), amount));
  }

  template <item T>
  BLOOMTIME_PER_ISA counted count(const T& x) const noexcept {
    return self().count_digest(as_digest(x, seed_));
  }

  // predicted_error() of as many items as there seem to be now. Reads all cells.
  double current_error() const {
    const double items = std::ceil(self().statistics().distinct);
    return items < 0x1p63 ? self().predicted_error(static_cast<std::uint64_t>(items)) : 1;
  }

  std::uint64_t total() const noexcept { return total_; }  // the sum of all counts
  const hash_seed& seed() const noexcept { return seed_; }
  // Calls that were not counted as requested, since the filter was made or loaded.
  const bloomtime::losses& losses() const noexcept { return losses_; }

 protected:
  tally_face() noexcept = default;
  explicit tally_face(const hash_seed& seed) noexcept : seed_(seed) {}

  outcome noted(outcome o) noexcept {
    if (o != outcome::added) [[unlikely]]
      losses_.count(o);
    return o;
  }

  bool exceeds_total(std::uint64_t amount) const noexcept { return amount > ~total_; }

  // Throws if the filter was moved from.
  void expect_cells() const {
    if (self().k() == 0) refuse_moved_from(Engine::kind.called);
  }

  void write_head(container_writer& out, layout kind) const {
    expect_cells();
    out.info().layout = static_cast<std::uint8_t>(kind);
    out.info().seed = seed_;
  }
  void read_head(const container_view& view, layout kind) {
    if (view.info().clock || view.info().layout != static_cast<std::uint8_t>(kind)) {
      this->contradict();
    }
    seed_ = view.info().seed;
  }
  [[noreturn]] static void refuse_merge(const std::string& mine, const std::string& theirs) {
    throw error(errc::incompatible, "a merge needs " + std::string(Engine::kind.called) +
                                        " of the same shape and seed on both sides, got (" + mine +
                                        ") and (" + theirs + ")");
  }
  void expect_sum_fits(const Engine& other) const {
    if (exceeds_total(other.total_)) {
      throw error(errc::too_large, "the counts of both filters together exceed 64 bits");
    }
  }

  Engine& self() noexcept { return static_cast<Engine&>(*this); }
  const Engine& self() const noexcept { return static_cast<const Engine&>(*this); }

  hash_seed seed_;
  zero_when_moved<std::uint64_t> total_;

 private:
  bloomtime::losses losses_;
};

}  // namespace bloomtime::detail
