#include <bloomtime/history/timeline_history.hpp>

#include <iterator>
#include <string>
#include <utility>

#include <bloomtime/detail/storing.hpp>
#include <bloomtime/error.hpp>
#include <bloomtime/history/detail/timelines_merge.hpp>

#include "math/expect.hpp"

namespace bloomtime {
namespace {

using detail::bit_reader;
using detail::bit_writer;
using detail::buffer;
using detail::live_ticks;
using detail::positions;
using detail::positions_shape;
using detail::timelines;
using detail::timelines_shape;
using math::text_of;

constexpr std::uint32_t directory_section = 1;
constexpr std::uint32_t stream_section = 2;
constexpr std::uint32_t live_section = 3;
constexpr std::uint32_t first_positions_section = 16;  // marks; the list follows, and so on
constexpr std::uint64_t most_sets = detail::most_nameless_sets;

constexpr std::uint8_t no_layout = 0;

[[noreturn]] void refuse_live() { detail::refuse_parameters(timeline_history::kind.called); }

std::uint32_t marks_section(std::size_t set) {
  return first_positions_section + 2 * static_cast<std::uint32_t>(set);
}
std::uint32_t list_section(std::size_t set) { return marks_section(set) + 1; }

void expect_sets(std::size_t sets) {
  if (sets > most_sets) {
    throw error(errc::too_large, "a timeline history has at most " + text_of(most_sets) +
                                     " sets of sightings without names; together these have " +
                                     text_of(std::uint64_t{sets}));
  }
}

// The table: of each item its digest, how many ticks it has, and the way from each to the next.
// Every tick takes a bit, so that no file can make a table that is much larger than itself.
buffer written(const live_ticks& live) {
  bit_writer out;
  for (const std::uint32_t number : live.in_order()) {
    const digest d = live.item(number);
    out.put(d.lo, 64);
    out.put(d.hi, 64);
    out.put_gamma(live.ticks_of(number));
    std::uint64_t least = 0;  // that may come next
    live.for_each(number, [&](std::uint32_t t) {
      out.put_gamma(t - least + 1);
      least = std::uint64_t{t} + 1;
    });
  }
  return out.finish();
}

live_ticks read_live(const bit_reader& bits, std::uint64_t items, std::uint64_t ticks,
                     std::uint64_t span) {
  live_ticks live;
  digest last;
  std::uint64_t at = 0;
  for (std::uint64_t i = 0; i < items; ++i) {
    const std::uint64_t lo = bits.take(at, 64);
    const digest d{lo, bits.take(at, 64)};
    const std::uint64_t count = bits.take_gamma(at);
    const bool in_order = last.hi < d.hi || (last.hi == d.hi && last.lo < d.lo);
    if (count == 0 || at > bits.size() || (i > 0 && !in_order)) refuse_live();
    std::uint64_t least = 0;
    for (std::uint64_t j = 0; j < count; ++j) {
      const std::uint64_t step = bits.take_gamma(at);
      if (step == 0 || step > span - least) refuse_live();
      live.add(d, static_cast<std::uint32_t>(least + step - 1));
      least += step;
    }
    last = d;
  }
  if (live.ticks() != ticks || !bits.ends_at(at)) refuse_live();
  return live;
}

}  // namespace

// -- histories of several streams, or of several spans -------------------------------------------

// Tables are merged as well.
timeline_history timeline_history::united(timeline_history a, timeline_history b,
                                          std::uint64_t ticks) {
  const bool sealed = a.is_sealed() || b.is_sealed();
  timeline_history* const parts[] = {&a, &b};
  for (timeline_history* part : parts) part->set_table_aside();
  timeline_history all = timeline_join::at_once(a.first_, ticks, parts);
  all.archive_.set_names_removed(sealed);
  return all;
}

void timeline_history::merge(const timeline_history& other) {
  expect_same_span(other);
  *this = united(*this, other, ticks_);
}

timeline_history timeline_history::joined(const timeline_history& left,
                                          const timeline_history& right) {
  left.expect_next(right);
  const std::uint64_t ticks = left.ticks_ + right.ticks_;
  if (ticks > detail::most_timeline_ticks) {
    throw bloomtime::error(
        errc::too_large,
        "a timeline history spans at most 2^32 ticks; together these span " + text_of(ticks));
  }
  return united(left, right, ticks);
}

timeline_join::timeline_join(std::uint64_t first, std::uint64_t ticks,
                             std::span<const timeline_history* const> parts)
    : first_(first), ticks_(ticks), merge_(ticks, {}) {
  detail::tick_sources sources;
  for (const timeline_history* part : parts) {
    layers_.push_back(part->archive_.layers());
    detail::tick_sources more = detail::sources_of(layers_.back(), part->first_ - first);
    std::move(more.begin(), more.end(), std::back_inserter(sources));
  }
  merge_ = detail::timelines_merge(ticks, std::move(sources));
}

// Nothing is moved before there is memory for all of it.
timeline_history timeline_join::finish(std::span<timeline_history* const> parts) {
  timeline_history all;
  static_cast<detail::history_base&>(all) = *parts.front();
  all.first_ = first_;
  all.ticks_ = ticks_;
  all.records_ = 0;
  all.error_ = parts.front()->error_;
  all.length_ = parts.front()->length_;
  all.archive_ = detail::tick_archive(ticks_);
  all.archive_.put(merge_.finish());
  bool sealed = true;
  std::size_t layers = all.archive_.layers().size();
  std::size_t sets = 0;
  for (timeline_history* part : parts) {
    part->archive_.freeze(part->live_);
    layers += part->archive_.layers().size();
    sets += part->nameless().size();
    sealed = sealed && part->is_sealed();
    all.count_all(*part);
  }
  all.archive_.set_names_removed(sealed);
  all.archive_.reserve(layers, sets);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    all.archive_.take(parts[i]->archive_, layers_[i].size(), parts[i]->first_ - first_);
  }
  expect_sets(all.nameless().size());
  return all;
}

std::uint64_t timeline_join::bytes() const noexcept {
  std::uint64_t bytes = merge_.bytes() + detail::allocated_by(layers_);
  for (const detail::tick_layers& each : layers_) bytes += detail::allocated_by(each);
  return bytes;
}

timeline_history timeline_join::at_once(std::uint64_t first, std::uint64_t ticks,
                                        std::span<timeline_history* const> parts) {
  const std::vector<const timeline_history*> all(parts.begin(), parts.end());
  return timeline_join(first, ticks, all).finish(parts);
}

// -- storage -----------------------------------------------------------------------------------

// All timelines in one, or none if they are.
timelines timeline_history::merged_lines() const {
  detail::tick_layers lines;
  for (const detail::tick_layer& layer : archive_.layers()) {
    if (layer.lines) lines.push_back(layer);
  }
  if (lines.empty() || (lines.size() == 1 && detail::is_whole(lines[0], ticks_))) return {};
  return detail::timelines_merge(ticks_, detail::sources_of(lines)).finish();
}

// The table and the layers that were set aside, as one table. Layers that were merged into
// timelines stay encoded: storage must succeed even if few bytes would become many.
live_ticks timeline_history::whole_table() const {
  live_ticks all = live_;
  for (const detail::tick_layer& layer : archive_.layers()) {
    if (!layer.table) continue;
    for (std::uint32_t i = 0; i < layer.table->items(); ++i) {
      const digest d = layer.table->item(i);
      if (!layer.keys.has(detail::timeline_key(d))) continue;
      layer.table->for_each(i, [&](std::uint32_t t) {
        (void)all.add(d, static_cast<std::uint32_t>(t + layer.first));
      });
    }
  }
  return all;
}

void timeline_history::write(detail::container_writer& out) const {
  write_span(out, no_layout);
  detail::byte_writer& p = out.parameters();
  p.f64(error_);
  p.u64(length_);
  const timelines merged = merged_lines();
  const timelines& named = merged.empty() ? archive_.lines() : merged;
  const live_ticks table = whole_table();
  const detail::position_sets& sets = nameless();
  p.u64(is_sealed() || !sets.empty() ? 1 : 0);
  p.u64(table.items());
  p.u64(table.ticks());
  p.u64(named.shape().items);
  p.u64(named.shape().ticks);
  p.u64(named.shape().bucket_bits);
  p.u64(named.shape().offset_bits);
  p.u64(sets.size());
  for (const positions& set : sets) {
    p.u64(set.shape().first);
    p.u64(set.shape().span);
    p.u64(set.shape().range);
    p.u64(set.shape().count);
  }
  const auto put = [&](std::uint32_t id, std::span<const std::byte> bytes, bool copied) {
    if (!copied) return out.section(id, bytes);
    out.section(id, std::vector<std::byte>(bytes.begin(), bytes.end()));
  };
  put(directory_section, named.directory().bytes(), !merged.empty());
  put(stream_section, named.stream().bytes(), !merged.empty());
  put(live_section, written(table).bytes(), true);
  for (std::size_t i = 0; i < sets.size(); ++i) {
    out.section(marks_section(i), sets[i].marks().bytes());
    out.section(list_section(i), sets[i].list().bytes());
  }
}

// The table is read; the rest stays in the bytes of the container.
timeline_history timeline_history::read(const detail::container_view& view) {
  const auto borrowed = [](auto bytes) { return buffer::borrow(bytes, nullptr); };
  timeline_history h;
  detail::byte_reader in = h.read_span(view, no_layout, kind.called);
  h.error_ = in.f64();
  h.length_ = in.u64();
  const std::uint64_t sealed = in.u64();
  const std::uint64_t live_items = in.u64();
  const std::uint64_t live_count = in.u64();
  timelines_shape shape{.span = h.ticks_};
  shape.items = in.u64();
  shape.ticks = in.u64();
  const std::uint64_t bucket_bits = in.u64();
  const std::uint64_t offset_bits = in.u64();
  const std::uint64_t sets = in.u64();
  if (h.ticks_ > detail::most_timeline_ticks || !(h.error_ > 0 && h.error_ < 1) || h.length_ == 0 ||
      sealed > 1 || sets > most_sets || (sealed == 0 && sets > 0) || bucket_bits > 40 ||
      offset_bits > 57) {
    contradict();
  }
  h.archive_ = detail::tick_archive(h.ticks_);
  h.archive_.set_names_removed(sealed == 1);
  view.expect_sections(3 + 2 * sets);
  shape.bucket_bits = static_cast<unsigned>(bucket_bits);
  shape.offset_bits = static_cast<unsigned>(offset_bits);
  const auto directory = view.section(directory_section);
  const auto stream = view.section(stream_section);
  if (shape.items > 0) {
    h.archive_.put(timelines(shape, borrowed(directory), borrowed(stream)));
  } else if (!directory.empty() || !stream.empty() || shape.ticks != 0 || bucket_bits != 0 ||
             offset_bits != 0) {
    contradict();
  }
  for (std::size_t i = 0; i < sets; ++i) {
    positions_shape set;
    set.first = in.u64();
    set.span = in.u64();
    set.range = in.u64();
    set.count = in.u64();
    if (set.span > h.ticks_ || set.first > h.ticks_ - set.span) contradict();
    h.archive_.put(positions(set, borrowed(view.section(marks_section(i))),
                             borrowed(view.section(list_section(i)))));
  }
  in.expect_end();
  h.live_ = read_live(bit_reader(view.section(live_section)), live_items, live_count, h.ticks_);
  return h;
}

void timeline_history::expect_sound() const {
  if (!named().empty()) named().verify();
  for (const positions& set : nameless()) set.verify();
}

template class detail::stored<timeline_history>;

}  // namespace bloomtime
