#include <bloomtime/history/detail/positions.hpp>

#include <algorithm>
#include <utility>

#include <bloomtime/error.hpp>

#include "history/detail/damaged.hpp"

namespace bloomtime::detail {
namespace {

using view_of_bits = positions_view<bit_reader>;

constexpr std::uint64_t most_cells = 16;  // beyond the first that are looked for
constexpr std::uint64_t most_range = std::uint64_t{1} << 62;

list_code code_of(const positions_shape& shape) { return list_code::of(shape.count, shape.range); }

std::uint64_t mark_count(const positions_shape& shape) {
  const list_code code = code_of(shape);
  if (code.how != list_code::kind::split) return 0;
  return ((shape.range - 1) >> code.low) / view_of_bits::high_parts_per_mark + 1;
}

}  // namespace

std::uint64_t positions::marks_bytes(const positions_shape& shape) noexcept {
  return stream_bytes(mark_count(shape) * view_of_bits::mark_bits);
}

std::uint64_t positions::list_bytes(const positions_shape& shape) noexcept {
  return stream_bytes(code_of(shape).bits);
}

positions::positions(const positions_shape& shape, buffer marks, buffer list)
    : shape_(shape), marks_(std::move(marks)), list_(std::move(list)) {
  if (shape.span == 0 || shape.span > shape.range || shape.range > most_range ||
      shape.first > most_range || shape.count == 0 || shape.count > shape.range ||
      shape.count > most_count || marks_.size() != marks_bytes(shape) ||
      list_.size() != list_bytes(shape)) {
    refuse_damaged("positions");
  }
}

positions positions::of(positions_shape shape, std::span<const std::uint64_t> sorted) {
  shape.count = sorted.size();
  positions_writer out(shape);
  for (const std::uint64_t p : sorted) out.put(p);
  return out.finish();
}

bool operator==(const positions& a, const positions& b) noexcept {
  const auto same = [](const buffer& x, const buffer& y) {
    return std::equal(x.bytes().begin(), x.bytes().end(), y.bytes().begin(), y.bytes().end());
  };
  return a.shape_ == b.shape_ && same(a.marks_, b.marks_) && same(a.list_, b.list_);
}

bool positions::may_have(std::uint64_t key, tick_range asked) const noexcept {
  if (filter_.empty()) return true;
  const std::uint64_t from = std::max(asked.first, shape_.first) - shape_.first;
  const std::uint64_t to = std::min(asked.last - shape_.first, shape_.span - 1);
  if (asked.last < shape_.first || from > to) return false;
  const std::uint64_t start = shape_.start(key);
  if (to >= shape_.range - start) return true;  // positions that wrap around
  const unsigned bits = shape_.cell_bits();
  const std::uint64_t last = (start + to) >> bits;
  std::uint64_t cell = (start + from) >> bits;
  if (last - cell > most_cells) return true;
  for (; cell <= last; ++cell) {
    if (filter_.may_have(shape_.cell_key(cell))) return true;
  }
  return false;
}

// Not if all positions are there, which takes no bits, however many they are.
void positions::make_filter() {
  if (!filter_.empty() || shape_.count >= shape_.range) return;
  filter_ = key_filter(shape_.count);
  const unsigned bits = shape_.cell_bits();
  list_cursor<bit_reader> all(bit_reader(list_.bytes()), {0, shape_.count, shape_.range});
  while (const std::optional<tick_range> found = all.next()) {
    for (std::uint64_t p = found->first; p <= found->last; ++p) {
      filter_.add(shape_.cell_key(p >> bits));
    }
  }
  if (!all.sound()) filter_ = {};
}

void positions::verify() const {
  const bit_reader bits(list_.bytes());
  const list_code code = code_of(shape_);
  const bit_reader marks(marks_.bytes());
  const std::uint64_t wanted = mark_count(shape_);
  list_cursor<bit_reader> all(bits, {0, shape_.count, shape_.range});
  while (all.next()) {
  }
  if (!all.sound() || !bits.ends_at(code.bits) ||
      !marks.ends_at(wanted * view_of_bits::mark_bits)) {
    refuse_damaged("positions");
  }
  const std::uint64_t every = view_of_bits::high_parts_per_mark;
  std::uint64_t at = 0;
  for (std::uint64_t mark = 0; mark < wanted; ++mark) {
    if (mark > 0) at = after_zeros(bits, at, code.high, every);
    if (marks.get(mark * view_of_bits::mark_bits, view_of_bits::mark_bits) != at - mark * every) {
      refuse_damaged("positions");
    }
  }
}

positions_writer::positions_writer(const positions_shape& shape, bool with_filter)
    : shape_(shape), code_(code_of(shape)) {
  if (shape.count > positions::most_count) {
    throw error(errc::too_large,
                "a partition of a history holds at most 2^32 - 1 sightings of "
                "items that hardly repeat; use shorter partitions");
  }
  if (with_filter) filter_ = key_filter(shape.count);
  marks_ = bit_writer(mark_count(shape) * view_of_bits::mark_bits);
  list_ = bit_writer(code_.bits);
  list_.put_zeros(code_.how == list_code::kind::split ? code_.high : code_.bits);
}

void positions_writer::put(std::uint64_t position) {
  if (code_.how == list_code::kind::bitmap) list_.set(position);
  if (code_.how == list_code::kind::split) {
    const std::uint64_t high = position >> code_.low;
    for (; marked_ * view_of_bits::high_parts_per_mark <= high; ++marked_) {
      marks_.put(count_, view_of_bits::mark_bits);
    }
    list_.set(high + count_);
    list_.put(position, code_.low);
  }
  if (!filter_.empty()) filter_.add(positions_shape::cell_key(position >> shape_.cell_bits()));
  ++count_;
}

positions positions_writer::finish() {
  for (const std::uint64_t wanted = mark_count(shape_); marked_ < wanted; ++marked_) {
    marks_.put(count_, view_of_bits::mark_bits);
  }
  positions made(shape_, marks_.finish(), list_.finish());
  made.filter_ = std::move(filter_);
  return made;
}

}  // namespace bloomtime::detail
