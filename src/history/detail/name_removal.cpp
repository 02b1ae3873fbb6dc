#include <bloomtime/history/detail/name_removal.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <utility>

#include <bloomtime/error.hpp>
#include <bloomtime/math/history.hpp>

#include "history/detail/damaged.hpp"

namespace bloomtime::detail {
namespace {

constexpr std::uint64_t most_slices = 8;
constexpr std::uint64_t positions_of_a_slice = std::uint64_t{1} << 17;  // at least

std::uint64_t stored_bits(const positions_shape& shape) {
  return 8 * (positions::list_bytes(shape) + positions::marks_bytes(shape));
}

// Bits that a sighting without a name takes, if there are many.
double position_bits(double error, std::uint64_t length) {
  constexpr std::uint64_t many = 1 << 16;
  const positions_shape shape{
      .first = 0, .span = 1, .range = math::position_range(many, error, length), .count = many};
  return static_cast<double>(stored_bits(shape)) / many;
}

// The items that keep their names; the others have no runs.
class kept_source : public sealed_source {
 public:
  kept_source(const timelines& named, const name_costs& costs)
      : sealed_source(named), costs_(costs) {}

  bool take(tick_runs& runs, std::size_t most) override {
    return head() && sealed_source::take(runs, most);
  }
  std::optional<timeline_head> head() const noexcept override {
    const std::optional<timeline_head> all = sealed_source::head();
    return costs_.loses_name(key(), *all) ? std::nullopt : all;
  }

 private:
  name_costs costs_;
};

}  // namespace

name_costs::name_costs(const timelines_shape& shape, double error, std::uint64_t length)
    : rest_bits_(shape.rest_bits()), span_(shape.span), each_(position_bits(error, length)) {}

std::uint64_t name_costs::with_name(const timeline_head& head) const {
  return rest_bits_ + head_bits(head, span_) + head.body;
}

bool name_costs::loses_name(std::uint64_t key, const timeline_head& head) const {
  return key < end_ &&
         static_cast<double>(head.count) * each_ < static_cast<double>(with_name(head));
}

name_removal::name_removal(const timelines& named, double error, std::uint64_t length)
    : named_(named),
      error_(error),
      length_(length),
      costs_(named.shape(), error, length),
      items_(named.view()) {
  shape_.span = named.shape().span;
  if (named.empty()) stage_ = stage::done;
}

std::uint64_t name_removal::bytes() const noexcept {
  std::uint64_t bytes = sizeof *this + kept_.bytes() + out_.bytes();
  if (keeping_) bytes += keeping_->bytes();
  if (nameless_) bytes += nameless_->bytes();
  for (const slice_part& part : parts_) bytes += allocated_by(part);
  return bytes;
}

bool name_removal::step(std::uint64_t& work) {
  while (work > 0 && stage_ != stage::done) {
    switch (stage_) {
      case stage::count: count_some(work); break;
      case stage::keep: keep_some(work); break;
      case stage::spread: spread_some(work); break;
      case stage::sort: sort_some(work); break;
      case stage::done: break;
    }
  }
  return stage_ == stage::done;
}

void name_removal::count_some(std::uint64_t& work) {
  const std::uint64_t most = std::min(positions::most_count, math::most_positions(error_, length_));
  for (; work > 0; --work) {
    if (items_.next()) {
      if (!costs_.loses_name(items_.key(), items_.head())) continue;
      if (items_.head().count > most - shape_.count) {
        costs_.keep_from(items_.key());
        continue;
      }
      shape_.count += items_.head().count;
      saved_ += costs_.with_name(items_.head());
      continue;
    }
    if (!items_.sound()) refuse_damaged("timelines");
    stage_ = stage::done;
    if (shape_.count == 0) return;
    shape_.range = std::max(shape_.span, math::position_range(shape_.count, error_, length_));
    if (stored_bits(shape_) >= saved_) return;
    stage_ = stage::keep;
    tick_sources kept;
    kept.push_back(hooked_shared<kept_source>(named_, costs_));
    keeping_.emplace(shape_.span, std::move(kept));
    return;
  }
}

void name_removal::keep_some(std::uint64_t& work) {
  if (!keeping_->step(work)) return;
  kept_ = keeping_->finish();
  keeping_.reset();
  begin_slices();
}

void name_removal::begin_slices() {
  const std::uint64_t slices = std::bit_floor(
      std::clamp<std::uint64_t>(shape_.count / positions_of_a_slice, 1, most_slices));
  const auto wanted = static_cast<unsigned>(std::bit_width(slices * parts_of_a_slice - 1));
  const auto bits = static_cast<unsigned>(std::bit_width(shape_.range - 1));
  shift_ = bits > wanted ? bits - wanted : 0;
  const std::uint64_t parts = ((shape_.range - 1) >> shift_) + 1;
  const double each = static_cast<double>(shape_.count) / static_cast<double>(parts);
  part_room_ = static_cast<std::size_t>(each + 5 * std::sqrt(each)) + 1;
  slice_ = 0;
  const std::uint64_t filtered = named_.shape().items + shape_.count;
  out_ = positions_writer(shape_, key_filter::is_worth_it(filtered, named_.shape().ticks));
  items_ = named_.cursor();
  stage_ = stage::spread;
}

void name_removal::spread_some(std::uint64_t& work) {
  while (work > 0) {
    if (!items_.next()) {
      part_ = 0;
      stage_ = stage::sort;
      return;
    }
    --work;
    if (!costs_.loses_name(items_.key(), items_.head())) continue;
    spread_item();
    work -= std::min(work, items_.head().count);
  }
}

void name_removal::spread_item() {
  timeline_cursor<bit_reader> ticks(items_.line());
  while (const std::optional<tick_range> found = ticks.next()) {
    for (std::uint64_t t = found->first; t <= found->last; ++t) {
      const std::uint64_t p = shape_.position(items_.key(), t);
      const std::uint64_t part = p >> shift_;
      if (part / parts_of_a_slice != slice_) continue;
      slice_part& into = parts_[part % parts_of_a_slice];
      if (into.size() == into.capacity()) into.reserve(std::max(part_room_, 2 * into.size()));
      into.push_back(p);
    }
  }
  if (!ticks.sound()) refuse_damaged("timelines");
}

void name_removal::sort_some(std::uint64_t& work) {
  for (; work > 0 && part_ < parts_of_a_slice; ++part_) {
    slice_part& part = parts_[part_];
    std::sort(part.begin(), part.end());
    const auto end = std::unique(part.begin(), part.end());
    for (auto p = part.begin(); p != end; ++p) out_.put(*p);
    work -= std::min<std::uint64_t>(work, part.size() + 1);
    part.clear();
  }
  if (part_ < parts_of_a_slice) return;
  const std::uint64_t slices = ((shape_.range - 1) >> shift_) / parts_of_a_slice + 1;
  if (++slice_ == slices) return end_slices();
  items_ = named_.cursor();
  stage_ = stage::spread;
}

// How a list is written follows from how many different positions there are: if some coincide, they
// are known only now.
void name_removal::end_slices() {
  if (out_.count() != shape_.count) {
    shape_.count = out_.count();
    return begin_slices();
  }
  nameless_ = out_.finish();
  parts_ = {};
  stage_ = stage::done;
}

}  // namespace bloomtime::detail
