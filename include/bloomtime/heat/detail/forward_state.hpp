#pragma once

#include <algorithm>
#include <cstdint>

#include <bloomtime/estimate.hpp>
#include <bloomtime/heat/decay.hpp>
#include <bloomtime/heat/detail/heat_face.hpp>

namespace bloomtime::detail {

// The state of engines with exponential decay: the decay, its power at the newest tick, and the
// heat of all events.
template <class State>
class basic_forward_state : public State {
 public:
  // The heat of all events together, rounded up; infinite once it has exceeded 2^88 hits.
  double mass(instant when) const noexcept;
  const bloomtime::decay& decay() const noexcept { return decay_; }

 protected:
  __extension__ using unsigned_wide = unsigned __int128;
  using State::clock_, State::events_, State::tick_;

  // Most events fall into the newest tick; they need neither a division nor a power.
  bool in_newest_tick(instant when) const noexcept {
    return tick_begins_ <= when && when <= tick_ends_;
  }
  std::int64_t tick_of(instant when) const noexcept {
    return in_newest_tick(when) ? tick_ : clock_.tick_of(when).number;
  }
  // Queries never look back beyond the newest event.
  std::int64_t tick_or_newest(instant when) const noexcept {
    return std::max(tick_, tick_of(when));
  }
  bloomtime::decay::power power_at(std::int64_t tick) const noexcept {
    return events_ != 0 && tick == tick_ ? power_ : decay_.at(tick);
  }
  void set_tick(std::int64_t tick, const bloomtime::decay::power& p) noexcept;
  void forget_time() noexcept;  // as if there had been no event
  estimate rate_of(const estimate& count) const noexcept;

  bloomtime::decay decay_ = bloomtime::decay::by_rate(0);
  instant tick_begins_{1};  // none so far
  instant tick_ends_{0};    // the last instant of the tick
  bloomtime::decay::power power_{};
  unsigned_wide mass_ = 0;
};

extern template class basic_forward_state<heat_time>;
extern template class basic_forward_state<heat_state>;

using forward_time = basic_forward_state<heat_time>;
using forward_state = basic_forward_state<heat_state>;

}  // namespace bloomtime::detail
