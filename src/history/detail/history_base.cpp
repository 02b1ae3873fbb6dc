#include <bloomtime/history/detail/history_base.hpp>

#include <string>

#include <bloomtime/detail/stored.hpp>
#include <bloomtime/error.hpp>

#include "detail/refuse.hpp"

namespace bloomtime::detail {
namespace {

std::string text(const tick_clock& c) {
  return "ticks of " + std::to_string(c.resolution().count()) + " microseconds from " +
         std::to_string(c.origin().micros);
}

}  // namespace

void history_base::write_span(container_writer& out, std::uint8_t layout) const {
  expect_ticks();
  out.info().layout = layout;
  out.info().seed = seed_;
  out.info().clock = clock_;
  out.parameters().u64(first_);
  out.parameters().u64(ticks_);
  out.parameters().u64(records_);
}

byte_reader history_base::read_span(const container_view& view, std::uint8_t layout,
                                    std::string_view name) {
  const container_info& info = view.info();
  byte_reader in = view.parameters();
  first_ = in.u64();
  ticks_ = in.u64();
  records_ = in.u64();
  if (info.layout != layout || !info.clock || first_ > most_ticks || ticks_ == 0 ||
      ticks_ > most_ticks) {
    refuse_parameters(name);
  }
  seed_ = info.seed;
  clock_ = *info.clock;
  return in;
}

void history_events::expect_same_keys(const history_events& other) const {
  if (seed_ == other.seed_ && clock_ == other.clock_) return;
  const auto told = [](const history_events& h) {
    return "seed " + to_string(h.seed_) + ", " + text(h.clock_);
  };
  refuse_merge("histories merge if seed and clock are equal", told(*this), told(other));
}

void history_base::expect_same_keys(const history_base& other) const {
  expect_ticks();
  other.expect_ticks();
  history_events::expect_same_keys(other);
}

void history_base::expect_same_span(const history_base& other) const {
  expect_same_keys(other);
  if (first_ == other.first_ && ticks_ == other.ticks_) return;
  refuse_merge("histories merge if they span the same ticks; these span " + std::to_string(ticks_) +
               " ticks from " + std::to_string(first_) + " and " + std::to_string(other.ticks_) +
               " from " + std::to_string(other.first_));
}

void history_base::expect_next(const history_base& other) const {
  expect_same_keys(other);
  if (ticks_ + other.ticks_ > most_ticks) {
    refuse_merge("a history spans at most 2^62 ticks; together these span " +
                 std::to_string(ticks_ + other.ticks_));
  }
  if (other.first_ == first_ + ticks_) return;
  refuse_merge("a history of " + std::to_string(ticks_) + " ticks from " + std::to_string(first_) +
               " can be joined with one that begins at " + std::to_string(first_ + ticks_) +
               "; this one begins at " + std::to_string(other.first_));
}

}  // namespace bloomtime::detail
