#include "store/totals.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/container.hpp>

#include "text/usage_error.hpp"

namespace bloomtime::store {
namespace {

constexpr std::uint8_t engine = 1;
constexpr std::uint32_t counts_section = 1;
// Leaves room for whatever is added later.
constexpr std::uint64_t most_events = std::uint64_t{1} << 63;

// Seven bits at a time, the lowest first; the top bit of a byte says that more follow.
void write_varint(detail::byte_writer& out, std::uint64_t v) {
  for (; v >= 0x80; v >>= 7) out.u8(static_cast<std::uint8_t>(v | 0x80));
  out.u8(static_cast<std::uint8_t>(v));
}

// There is one way to write a number: no zeros at its end, no bits beyond the 64th.
std::uint64_t read_varint(detail::byte_reader& in) {
  std::uint64_t v = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const std::uint64_t byte = in.u8();
    const std::uint64_t bits = byte & 0x7f;
    if (shift == 63 && bits > 1) break;
    v |= bits << shift;
    if (byte < 0x80) {
      if (bits == 0 && shift != 0) break;
      return v;
    }
  }
  text::corrupt("a number in the totals is encoded incorrectly");
}

// Where the minute is in its sorted block, or belongs.
auto position(auto& block, std::uint32_t minute) {
  return std::lower_bound(block.begin(), block.end(), minute,
                          [](const auto& e, std::uint32_t m) { return e.minute < m; });
}

}  // namespace

minute_totals::place minute_totals::place_of(std::int64_t minute) {
  const std::int64_t rest = (minute % block_minutes + block_minutes) % block_minutes;
  return {(minute - rest) / block_minutes, static_cast<std::uint32_t>(rest)};
}

// Most events belong to the latest minute: it is looked at first.
std::uint64_t& minute_totals::count_of(std::int64_t minute) {
  const auto [number, m] = place_of(minute);
  const bool latest = !blocks_.empty() && blocks_.rbegin()->first == number;
  block_counts& block = latest ? blocks_.rbegin()->second : blocks_[number];
  if (!block.empty() && block.back().minute == m) return block.back().count;
  auto found = position(block, m);
  if (found == block.end() || found->minute != m) found = block.insert(found, {m, 0});
  return found->count;
}

std::uint64_t minute_totals::add(instant t) {
  ++events_;
  return ++count_of(minutes().tick_of(t).number);
}

void minute_totals::add_to(std::int64_t minute, std::uint64_t events) {
  if (events == 0) return;
  events_ += events;
  count_of(minute) += events;
}

void minute_totals::merge(const minute_totals& other) {
  for (const auto& [number, block] : other.blocks_) {
    for (const entry& e : block) count_of(number * block_minutes + e.minute) += e.count;
  }
  events_ += other.events_;
}

void minute_totals::keep_newest(std::int64_t days) {
  constexpr std::int64_t minutes_per_day = 1440;
  const std::int64_t most = (days * minutes_per_day + block_minutes - 1) / block_minutes;
  while (!blocks_.empty() && blocks_.rbegin()->first - blocks_.begin()->first > most) {
    for (const entry& e : blocks_.begin()->second) events_ -= e.count;
    blocks_.erase(blocks_.begin());
  }
}

std::uint64_t minute_totals::memory() const noexcept {
  // Three links, a colour, what the allocator adds, a number and the vector.
  constexpr std::uint64_t bytes_per_block =
      5 * sizeof(void*) + sizeof(decltype(blocks_)::value_type);
  std::uint64_t bytes = blocks_.size() * bytes_per_block;
  for (const auto& [number, block] : blocks_) bytes += block.capacity() * sizeof(entry);
  return bytes;
}

std::uint64_t minute_totals::at(instant t) const {
  const auto [number, m] = place_of(minutes().tick_of(t).number);
  const auto block = blocks_.find(number);
  if (block == blocks_.end()) return 0;
  const auto found = position(block->second, m);
  return found == block->second.end() || found->minute != m ? 0 : found->count;
}

std::vector<std::byte> minute_totals::serialize() const {
  if (events_ > most_events) {
    text::throw_error(errc::too_large, "totals can have at most 2^63 events");
  }
  detail::byte_writer body;
  std::int64_t first = 0;
  std::int64_t previous = 0;
  std::uint64_t number = 0;
  for_each([&](instant start, std::uint64_t count) {
    const std::int64_t minute = minutes().tick_of(start).number;
    if (number++ == 0) first = previous = minute;
    write_varint(body, static_cast<std::uint64_t>(minute - previous));
    write_varint(body, count);
    previous = minute;
  });
  detail::container_writer out({.family = family::totals,
                                .engine = engine,
                                .layout = 0,
                                .seed = detail::no_hash,
                                .clock = minutes()});
  out.parameters().i64(first);
  out.parameters().u64(number);
  out.parameters().u64(events_);
  out.section(counts_section, body.written());
  return out.bytes();
}

minute_totals minute_totals::load(std::span<const std::byte> container) {
  const auto view = detail::container_view::parse(container);
  const detail::container_info expected{.family = family::totals,
                                        .engine = engine,
                                        .layout = 0,
                                        .seed = detail::no_hash,
                                        .clock = minutes()};
  if (view.info() != expected) {
    text::throw_error(errc::unknown_kind,
                      "expected totals per minute here, found a container of family {}",
                      name_of(view.info().family));
  }
  view.expect_sections(1);
  view.verify();
  detail::byte_reader parameters = view.parameters();
  const std::int64_t first = parameters.i64();
  const std::uint64_t number = parameters.u64();
  const std::uint64_t events = parameters.u64();
  parameters.expect_end();
  const std::int64_t least = minutes().tick_of(instant(INT64_MIN)).number;
  const std::int64_t most = minutes().tick_of(instant(INT64_MAX)).number;
  if (first < least || first > most || events > most_events || (number == 0 && first != 0)) {
    text::corrupt("the totals have an impossible first minute or number of events");
  }
  detail::byte_reader body(view.section(counts_section));
  minute_totals totals;
  std::int64_t minute = first;
  for (std::uint64_t i = 0; i < number; ++i) {
    const std::uint64_t gap = read_varint(body);
    const std::uint64_t count = read_varint(body);
    if ((gap == 0) != (i == 0) || gap > static_cast<std::uint64_t>(most - minute) || count == 0 ||
        count > events - totals.events_) {
      text::corrupt("minute {} of the totals is out of order or has an impossible count", i);
    }
    minute += static_cast<std::int64_t>(gap);
    totals.count_of(minute) = count;
    totals.events_ += count;
  }
  body.expect_end();
  if (totals.events_ != events) {
    text::corrupt("the totals should add up to {} events and add up to {}", events, totals.events_);
  }
  return totals;
}

}  // namespace bloomtime::store
