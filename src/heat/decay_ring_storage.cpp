#include <bloomtime/heat/decay_ring.hpp>

#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include <bloomtime/detail/storing.hpp>
#include <bloomtime/layout.hpp>

#include "heat/forward.hpp"
#include "heat/merge_weight.hpp"
#include "heat/ring_weights.hpp"
#include "math/expect.hpp"

namespace bloomtime {
namespace {

using detail::ring_ages;
using detail::ring_cells;
using math::text_of;

constexpr std::uint32_t cells_section = 1;
constexpr std::uint32_t large_section = 2;
constexpr std::uint32_t totals_section = 3;
constexpr std::uint32_t weights_section = 4;

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

[[noreturn]] void refuse() {
  throw error(errc::corrupt, "the parameters of this decay ring contradict each other");
}

}  // namespace

// -- rings of several streams ------------------------------------------------------------------

void decay_ring::expect_same_kind(const decay_ring& other) const {
  if (curve_ == other.curve_ && alpha_ == other.alpha_ && weights_ == other.weights_ &&
      slots() == other.slots() && ages_.levels() == other.ages_.levels() && k_ == other.k_ &&
      row_ == other.row_ && seed_ == other.seed_ && clock_ == other.clock_) {
    return;
  }
  const auto describe = [](const decay_ring& r) {
    return text_of(r.cells()) + " cells of " + text_of(r.slots()) + " slots, k " + text_of(r.k_) +
           ", seed " + text_of(r.seed_) + ", decay " + text_of(static_cast<unsigned>(r.curve_)) +
           ", ticks of " + std::to_string(r.clock_.resolution().count()) + " microseconds";
  };
  throw error(errc::incompatible,
              "decay rings merge if decay, cells, k, seed and clock are equal; here they are (" +
                  describe(*this) + ") and (" + describe(other) + ")");
}

void decay_ring::merge(const decay_ring& other, double weight) {
  expect_same_kind(other);
  const forward::merge_weight by(weight);
  if (!by.is_whole()) {
    throw error(
        errc::unsupported,
        "decay rings have whole counts and merge with whole weights; got " + text_of(weight));
  }
  if (other.events_ == 0 || by.is_zero()) return;
  const bool copies = events_ == 0 && by.is_one();
  decay_ring sum(copies ? other : *this);
  sum.ahead_ = ahead_;
  sum.losses_ = losses_;
  if (!copies) sum.add_ring(other, by);
  *this = std::move(sum);
}

// A sum of bounds bounds the sum, slot by slot.
void decay_ring::add_ring(const decay_ring& other, const forward::merge_weight& by) {
  if (events_ == 0) start_ = tick_ = other.tick_;
  if (other.tick_ > tick_) go_to(other.tick_);
  add_events(other.events_);
  const counts totals = other.totals_at(tick_);
  forward::unsigned_wide sum = std::accumulate(totals_.begin(), totals_.end(), std::uint64_t{0});
  for (unsigned s = 0; s < slots(); ++s) sum += by.above(totals[s]);
  if (sum > largest) {
    throw error(errc::too_large, "the counts of both rings together exceed 64 bits");
  }
  const auto add = [&](std::uint64_t& mine, std::uint64_t theirs) {
    const forward::unsigned_wide both = mine + by.above(theirs);
    mine = both > largest ? largest : static_cast<std::uint64_t>(both);
  };
  for (unsigned s = 0; s < slots(); ++s) add(totals_[s], totals[s]);
  counts mine;
  counts theirs;
  for (std::uint64_t cell = 0; cell < cells(); ++cell) {
    look_up(cell, tick_, mine);
    other.look_up(cell, tick_, theirs);
    for (unsigned s = 0; s < slots(); ++s) add(mine[s], theirs[s]);
    cells_.set(cell, passed(tick_), std::span(mine.data(), slots()));
  }
}

// -- storage -----------------------------------------------------------------------------------

void decay_ring::write(detail::container_writer& out) const {
  expect_cells();
  out.info().layout = static_cast<std::uint8_t>(layout::rows);
  out.info().seed = seed_;
  out.info().clock = clock_;
  auto& p = out.parameters();
  p.u64(static_cast<std::uint64_t>(curve_));
  p.u64(curve_ == curve::polynomial ? ages_.per_octave() : slots());
  p.u64(ages_.levels());
  p.f64(alpha_);
  p.u64(k_);
  p.u64(row_);
  p.u64(ahead_);
  p.u64(events_);
  p.i64(start_);
  p.i64(tick_);
  detail::byte_writer large;
  cells_.large().write(large);
  detail::byte_writer totals;
  for (const std::uint64_t total : totals_) totals.u64(total);
  detail::byte_writer weights;
  for (const double weight : weights_) weights.f64(weight);
  out.section(cells_section, cells_.storage().bytes());
  out.section(large_section, std::move(large).written());
  out.section(totals_section, std::move(totals).written());
  out.section(weights_section, std::move(weights).written());
}

decay_ring decay_ring::read(const detail::container_view& view) {
  view.expect_sections(4);
  decay_ring ring;
  ring.read_parameters(view);
  const std::uint64_t bytes = ring_cells::bytes_per_cell(ring.slots()) * ring.k_ * ring.row_;
  const auto cells = view.section(cells_section, bytes);
  const auto large = view.section(large_section);
  if (ring.events_ == 0 && !(large.empty() && detail::all_zero(cells))) refuse();
  ring.cells_ = ring_cells::read(cells, large, ring.slots(), ring.passed(ring.tick_));
  return ring;
}

void decay_ring::read_parameters(const detail::container_view& view) {
  const detail::container_info& info = view.info();
  detail::byte_reader in = view.parameters();
  const std::uint64_t which = in.u64();
  const std::uint64_t number = in.u64();  // of slots, in all or per octave
  const std::uint64_t levels = in.u64();
  alpha_ = in.f64();
  const std::uint64_t k = in.u64();
  row_ = in.u64();
  ahead_ = in.u64();
  events_ = in.u64();
  start_ = in.i64();
  tick_ = in.i64();
  in.expect_end();
  if (which < 1 || which > 3 || !info.clock ||
      info.layout != static_cast<std::uint8_t>(layout::rows) || k == 0 || k > most_k ||
      start_ > tick_ || (events_ == 0 && (start_ != 0 || tick_ != 0))) {
    refuse();
  }
  curve_ = static_cast<curve>(which);
  k_ = static_cast<unsigned>(k);
  seed_ = info.seed;
  clock_ = *info.clock;
  if (curve_ == curve::polynomial) {
    if (number < 1 || number > 16 || levels > 63 || !(alpha_ >= 0 && alpha_ <= 64)) refuse();
    ages_ = ring_ages::dyadic(static_cast<unsigned>(number), static_cast<unsigned>(levels));
  } else {
    const unsigned fewest = curve_ == curve::window ? 2 : 1;  // a window has one slot to spare
    if (number < fewest || number > ring_ages::most_slots || levels != 0 || alpha_ != 0) refuse();
    ages_ = ring_ages::single(static_cast<unsigned>(number));
  }
  const std::uint64_t most = detail::max_buffer_bytes / ring_cells::bytes_per_cell(slots()) / k;
  if (slots() > ring_ages::most_slots || row_ == 0 || row_ > most) refuse();
  const std::uint64_t weights = curve_ == curve::polynomial ? 0 : slots();
  detail::byte_reader decay(view.section(weights_section, 8 * weights));
  for (std::uint64_t i = 0; i < weights; ++i) weights_.push_back(decay.f64());
  if (weights != 0) expect_weights(weights_, errc::corrupt);
  if (curve_ == curve::window && weights_ != std::vector<double>(weights, 1.0)) refuse();
  detail::byte_reader totals(view.section(totals_section, 8 * std::uint64_t{slots()}));
  std::uint64_t sum = 0;
  for (unsigned s = 0; s < slots(); ++s) {
    totals_.push_back(totals.u64());
    if (totals_.back() > largest - sum) refuse();
    sum += totals_.back();
  }
  if (events_ == 0 && sum != 0) refuse();
}

template class detail::stored<decay_ring>;

}  // namespace bloomtime
