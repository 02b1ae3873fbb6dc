#include <cmath>

#include <bloomtime/heat/detail/forward_state.hpp>
#include <bloomtime/heat/detail/heat_face.hpp>
#include <bloomtime/math/bloom.hpp>
#include <bloomtime/math/rows.hpp>

#include "heat/forward.hpp"

namespace bloomtime::detail {

std::optional<instant> heat_time::newest() const noexcept {
  if (events_ == 0) return std::nullopt;
  return clock_.start_of({tick_});
}

double heat_state::confidence() const noexcept { return math::rows_confidence(k_); }

double heat_state::predicted_error(std::uint64_t items) const {
  return k_ == 0 ? 1 : math::rows_error(items, cells(), k_);
}

// The answer for a new item is too high if its cell is warm in every row.
double heat_state::error_of(std::uint64_t warm_cells) const {
  if (k_ == 0) return 1;
  return std::pow(static_cast<double>(warm_cells) / static_cast<double>(cells()), k());
}

double heat_state::items_of(std::uint64_t warm_cells) const {
  return k_ == 0 ? 0 : math::fill_items(warm_cells, cells(), k_, layout::rows);
}

bool heat_state::same_shape(const heat_state& other) const noexcept {
  return k_ == other.k_ && row_ == other.row_ && seed_ == other.seed_ && clock_ == other.clock_;
}

std::string heat_state::shape_text() const {
  return std::to_string(cells()) + " cells, k " + std::to_string(k_) + ", seed " +
         to_string(seed_) + ", ticks of " + std::to_string(clock_.resolution().count()) +
         " microseconds";
}

void heat_state::write_head(container_writer& out) const {
  out.info().layout = static_cast<std::uint8_t>(layout::rows);
  out.info().seed = seed_;
  out.info().clock = clock_;
}

bool heat_state::read_head(const container_view& view, std::uint64_t k, unsigned most_k) {
  const container_info& info = view.info();
  if (k == 0 || k > most_k || !info.clock ||
      info.layout != static_cast<std::uint8_t>(layout::rows)) {
    return false;
  }
  k_ = static_cast<unsigned>(k);
  seed_ = info.seed;
  clock_ = *info.clock;
  return true;
}

template <class State>
double basic_forward_state<State>::mass(instant when) const noexcept {
  if (events_ == 0) return 0;
  return forward::mass_in_hits(mass_, power_, power_at(tick_or_newest(when)));
}

template <class State>
void basic_forward_state<State>::set_tick(std::int64_t tick,
                                          const bloomtime::decay::power& p) noexcept {
  tick_ = tick;
  tick_begins_ = clock_.start_of({tick});
  tick_ends_ = clock_.end_of({tick});
  power_ = p;
}

template <class State>
void basic_forward_state<State>::forget_time() noexcept {
  events_ = 0;
  tick_ = 0;
  tick_begins_ = instant(1);
  tick_ends_ = instant(0);
  mass_ = 0;
}

template <class State>
estimate basic_forward_state<State>::rate_of(const estimate& count) const noexcept {
  return forward::rate_of(count, decay_, clock_);
}

template class basic_forward_state<heat_time>;
template class basic_forward_state<heat_state>;

}  // namespace bloomtime::detail
