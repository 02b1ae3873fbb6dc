#include <bloomtime/recency/detail/stamp_cells.hpp>

#include <bit>
#include <cstring>
#include <numeric>
#include <string>

#include <bloomtime/error.hpp>

#include "detail/refuse.hpp"

namespace bloomtime::detail {
namespace {

// Cells that one window of 64 bits holds at every shift.
constexpr unsigned per_window(unsigned bits) { return (64 - 7) / bits; }

// Bits after the last timer, of the whole or of each line.
bool padding_is_set(const stamp_shape& shape, std::span<const std::byte> codes) {
  if (shape.layout == layout::flat) {
    const auto used = static_cast<unsigned>(shape.cells * shape.bits % 8);
    return used == 0 || std::to_integer<unsigned>(codes.back()) >> used == 0xffU >> used;
  }
  const unsigned used = shape.per_line() * shape.bits % 64;
  for (std::size_t end = line_bytes; used != 0 && end <= codes.size(); end += line_bytes) {
    const std::uint64_t last = load_le64(codes.data() + end - sizeof last);
    if (last >> used != ~std::uint64_t{0} >> used) return false;
  }
  return true;
}

}  // namespace

void check(const stamp_shape& s) {
  if (s.layout != layout::flat && s.layout != layout::line) {
    refuse("the layout of timers is flat or line; got layout " +
           std::to_string(static_cast<unsigned>(s.layout)));
  }
  if (s.bits < 2 || s.bits > 32) {
    refuse("a timer has 2 to 32 bits; got " + std::to_string(s.bits));
  }
  const bool line = s.layout == layout::line;
  const unsigned most_k = line ? std::min(max_line_stamp_k, s.per_line()) : max_stamp_k;
  if (s.k == 0 || s.k > most_k) {
    refuse("an item has 1 to " + std::to_string(most_k) + " timers; got " + std::to_string(s.k));
  }
  const std::uint64_t most = max_buffer_bytes * 8 / s.bits / (line ? 2 : 1);
  if (s.cells == 0 || s.cells > most || (line && s.cells % s.per_line() != 0)) {
    refuse("there are 1 to " + std::to_string(most) + " timers of " + std::to_string(s.bits) +
           " bits" + (line ? ", in whole lines" : "") + "; got " + std::to_string(s.cells));
  }
  if (s.oldest == 0 || s.oldest > s.cycle() - 2) {
    refuse("timers of " + std::to_string(s.bits) + " bits tell ages of 1 to " +
           std::to_string(s.cycle() - 2) + " ticks; got " + std::to_string(s.oldest));
  }
}

std::uint64_t stamp_cells::bytes_for(const stamp_shape& s) noexcept {
  return s.layout == layout::line ? s.cells / s.per_line() * line_bytes
                                  : (s.cells * s.bits + 7) / 8;
}

stamp_cells::stamp_cells(const stamp_shape& shape) : shape_(shape) {
  check(shape);
  const bool line = shape.layout == layout::line;
  group_ = shape.bits > exact_bits ? shape.bits - exact_bits : 0;
  quota_ = shape.quota();
  lines_ = line ? shape.cells / shape.per_line() : 0;
  prefetched_ = line ? 1 : shape.k;
  for (unsigned i = 0; line && i <= shape.k; ++i) {
    starts_[i] = static_cast<std::uint16_t>(i * shape.per_line() / shape.k);
  }
  for (unsigned i = 0; i < per_window(shape.bits); ++i) ones_ |= std::uint64_t{1} << i * shape.bits;
  counts_.resize(std::size_t{(shape.cycle() - 1) >> group_} + 2);
  codes_ = buffer(bytes_for(shape));
  expire_all();
}

stamp_cells stamp_cells::read(const stamp_shape& shape, std::span<const std::byte> codes,
                              std::uint64_t now, std::uint64_t cursor, std::uint64_t swept,
                              std::optional<std::uint64_t> due) {
  check(shape);
  const auto corrupt = [](const std::string& sentence) { throw error(errc::corrupt, sentence); };
  if (codes.size() != bytes_for(shape)) {
    corrupt("expected " + std::to_string(bytes_for(shape)) + " bytes of timers, found " +
            std::to_string(codes.size()));
  }
  if (now >= shape.cycle() || cursor >= shape.cells || swept > shape.quota()) {
    corrupt("the present stamp, the place of the sweep and its progress must be below " +
            std::to_string(shape.cycle()) + ", " + std::to_string(shape.cells) + " and " +
            std::to_string(shape.quota() + 1) + ", found " + std::to_string(now) + ", " +
            std::to_string(cursor) + " and " + std::to_string(swept));
  }
  if (!padding_is_set(shape, codes)) corrupt("bits that belong to no timer must be set");
  stamp_cells cells(shape);
  std::memcpy(cells.codes_.data(), codes.data(), codes.size());
  cells.now_ = static_cast<std::uint32_t>(now);
  cells.cursor_ = cursor;
  cells.swept_ = swept;
  cells.count_codes();
  if (!cells.finds_stale_in_time(due.value_or(shape.quota() - swept))) {
    corrupt("a timer holds a stamp that should have been marked as expired");
  }
  return cells;
}

// Every timer is expired, and so is what would be one if there were room for it.
void stamp_cells::expire_all() noexcept {
  std::memset(codes_.data(), 0xff, codes_.size());
  std::fill(counts_.begin(), counts_.end(), 0);
  counts_.back() = shape_.cells;
}

void stamp_cells::clear() noexcept {
  expire_all();
  now_ = 0;
  cursor_ = 0;
  swept_ = 0;
}

void stamp_cells::count_codes() noexcept {
  std::fill(counts_.begin(), counts_.end(), 0);
  for (std::uint64_t i = 0; i < shape_.cells; ++i) ++counts_[slot_of(code_at(i))];
}

// Sweeps go on from the cursor: over `due` timers before the next tick, and over a quota in each
// tick after that. A stamp of `cycle` ticks would be taken for a new one.
bool stamp_cells::finds_stale_in_time(std::uint64_t due) const noexcept {
  if (counts_.back() == shape_.cells) return true;
  for (std::uint64_t i = 0; i < shape_.cells; ++i) {
    const std::uint32_t code = code_at(i);
    const std::uint64_t age = age_of(code);
    if (code == shape_.cycle() || age <= shape_.oldest) continue;
    const std::uint64_t ahead = i >= cursor_ ? i - cursor_ : i + shape_.cells - cursor_;
    const std::uint64_t ticks = ahead < due ? 0 : 1 + (ahead - due) / quota_;
    if (age + ticks >= shape_.cycle()) return false;
  }
  return true;
}

// How many of the places with this age stand there a second time.
unsigned stamp_cells::repeats(const places& at, std::uint32_t age) const noexcept {
  unsigned again = 0;
  for (unsigned i = 1; i < shape_.k; ++i) {
    const bool known = std::find(at.begin(), at.begin() + i, at[i]) != at.begin() + i;
    again += known && age_of(code(at[i])) == age;
  }
  return again;
}

void stamp_cells::stamp_back(const places& at, std::uint32_t age) noexcept {
  for (unsigned i = 0; i < shape_.k; ++i) {
    if (age_of(code(at[i])) > age) write(at[i], stamp_of(age));
  }
}

// -- time --------------------------------------------------------------------------------------

void stamp_cells::sweep(std::uint64_t count) noexcept {
  swept_ += count;
  if (counts_.back() == shape_.cells) return;  // nothing can come to life again
  for (count = std::min(count, shape_.cells); count != 0;) {
    const std::uint64_t run = std::min(count, shape_.cells - cursor_);
    expire(cursor_, run, shape_.oldest);
    cursor_ = cursor_ + run == shape_.cells ? 0 : cursor_ + run;
    count -= run;
  }
}

// Within the padding every tick has its sweep. Beyond it one pass marks what would be too old.
void stamp_cells::advance(std::uint64_t ticks) noexcept {
  if (ticks <= shape_.padding()) {
    for (; ticks != 0; --ticks) {
      sweep_some(quota_);
      step();
    }
    return;
  }
  if (ticks > shape_.oldest) {
    expire_all();
  } else {
    expire(0, shape_.cells, shape_.oldest - static_cast<std::uint32_t>(ticks));
  }
  now_ = static_cast<std::uint32_t>((now_ + ticks % shape_.cycle()) % shape_.cycle());
  swept_ = 0;
}

// Which stamps are older than a limit, decided for all timers in a window of 64 bits at once. From
// the one after the present stamp on they follow each other, with the code of expired timers before
// 0; so a timer is stale if, counted from there, it comes before `span`. Fields of a window are
// subtracted without borrowing from each other: the top bits stand apart.
struct stamp_cells::stale_stamps {
  stale_stamps(const stamp_cells& of, std::uint32_t limit) noexcept
      : bits(of.shape_.bits), cells(per_window(bits)), ones(of.ones_), top(ones << (bits - 1)) {
    const std::uint32_t now = of.now_;
    const std::uint32_t cycle = of.shape_.cycle();
    const std::uint32_t first = now + 1 == cycle ? 0 : now + 1;
    const std::uint32_t stamps = cycle - 1 - limit;
    from = ones * first;
    span = ones * (stamps + (stamps > cycle - first ? 1 : 0));
  }

  std::uint64_t difference(std::uint64_t x, std::uint64_t y) const noexcept {
    return ((x | top) - (y & ~top)) ^ ((x ^ ~y) & top);
  }

  // The top bit of each stale one among the first `count` timers.
  std::uint64_t among(std::uint64_t x, unsigned count) const noexcept {
    const std::uint64_t place = difference(x, from);
    const std::uint64_t rest = difference(place, span);
    const std::uint64_t before = (~place & span) | (~(place ^ span) & rest);
    const std::uint64_t alive =
        ((~x & ~top) + (ones * ((std::uint64_t{1} << (bits - 1)) - 1))) | ~x;
    const std::uint64_t mine = ~std::uint64_t{0} >> (64 - count * bits);
    return before & alive & top & mine;
  }

  unsigned bits;
  unsigned cells;  // of a window
  std::uint64_t ones;
  std::uint64_t top;
  std::uint64_t from;
  std::uint64_t span;
};

// Marks timers older than `limit`.
void stamp_cells::expire(std::uint64_t first, std::uint64_t count, std::uint32_t limit) noexcept {
  const stale_stamps stale(*this, limit);
  if (shape_.layout == layout::flat) {
    expire_run(first * shape_.bits, count, stale);
    return;
  }
  const std::uint64_t per_line = shape_.per_line();
  std::uint64_t line = first / per_line;
  for (std::uint64_t cell = first % per_line; count != 0; cell = 0, ++line) {
    const std::uint64_t run = std::min(count, per_line - cell);
    expire_run(line * line_bytes * 8 + cell * shape_.bits, run, stale);
    count -= run;
  }
}

void stamp_cells::expire_run(std::uint64_t bit, std::uint64_t count,
                             const stale_stamps& stale) noexcept {
  while (count != 0) {
    const auto cells = static_cast<unsigned>(std::min<std::uint64_t>(count, stale.cells));
    const place at = place_of(bit);
    std::byte* const p = codes_.data() + at.byte();
    const std::uint64_t window = load_le64(p);
    std::uint64_t marks = 0;
    for (std::uint64_t left = stale.among(window >> at.shift(), cells); left != 0;
         left &= left - 1) {
      const auto shift =
          static_cast<unsigned>(std::countr_zero(left)) + 1 - stale.bits + at.shift();
      --counts_[slot_of(static_cast<std::uint32_t>(window >> shift) & shape_.cycle())];
      ++counts_.back();
      marks |= std::uint64_t{shape_.cycle()} << shift;
    }
    if (marks != 0) store_le64(p, window | marks);
    bit += std::uint64_t{cells} * stale.bits;
    count -= cells;
  }
}

// -- census ------------------------------------------------------------------------------------

std::uint64_t stamp_cells::below(std::uint32_t stamp) const noexcept {
  const std::uint32_t group = stamp >> group_;
  const std::uint64_t part = stamp & ((std::uint64_t{1} << group_) - 1);
  const std::uint64_t whole =
      std::accumulate(counts_.begin(), counts_.begin() + group, std::uint64_t{0});
  return part == 0 ? whole : whole + ((counts_[group] * part) >> group_);
}

// Timers with stamps from `first` up to but not including `end`.
std::uint64_t stamp_cells::between(std::uint32_t first, std::uint32_t end) const noexcept {
  if (group_ != 0) return below(end) - below(first);
  return std::accumulate(counts_.begin() + first, counts_.begin() + end, std::uint64_t{0});
}

std::uint64_t stamp_cells::sum_younger(std::uint32_t age) const noexcept {
  if (age >= shape_.cycle()) return shape_.cells - counts_.back();
  if (age == 0) return 0;
  const std::uint32_t first = stamp_of(age - 1);
  if (first <= now_) return between(first, now_ + 1);
  return between(0, now_ + 1) + between(first, shape_.cycle());
}

bool stamp_cells::holds(std::uint32_t age) const noexcept {
  for (std::uint64_t i = 0; i < shape_.cells; ++i) {
    if (age_of(code_at(i)) == age) return true;
  }
  return false;
}

// -- two of them -------------------------------------------------------------------------------

void stamp_cells::unite(const stamp_cells& other, std::uint64_t behind) noexcept {
  for (std::uint64_t i = 0; i < shape_.cells; ++i) {
    const std::uint32_t theirs = other.age_of(other.code_at(i));
    if (theirs > other.shape_.oldest || behind > shape_.oldest - theirs) continue;
    const auto age = static_cast<std::uint32_t>(theirs + behind);
    const place at = place_at(i);
    if (age < age_of(code(at))) write(at, stamp_of(age));
  }
}

}  // namespace bloomtime::detail
