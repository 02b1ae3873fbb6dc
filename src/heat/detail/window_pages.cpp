#include <bloomtime/heat/detail/window_pages.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <exception>
#include <utility>

namespace bloomtime::detail {
namespace {

constexpr int most_splits_per_call = 2;
constexpr int most_refreshed_for_room = 8;

constexpr std::uint64_t ones(unsigned bits) noexcept { return (std::uint64_t{1} << bits) - 1; }

constexpr std::uint64_t round_up(std::uint64_t n, std::uint64_t step) noexcept {
  return (n + step - 1) / step * step;
}

}  // namespace

// -- records -----------------------------------------------------------------------------------

std::uint64_t window_pages::size_of(const record& r, unsigned width) noexcept {
  return 1 + width + (r.hits.size() < is_long ? 0 : 2) + r.hits.size();
}

// The hits may overlap the place that is written, if they are behind it.
std::byte* window_pages::write_record(std::byte* at, const record& r, unsigned width) noexcept {
  const std::size_t length = r.hits.size();
  const std::byte* const hits = r.hits.data();
  *at++ = static_cast<std::byte>(std::min<std::size_t>(length, is_long));
  for (unsigned i = 0; i < width; ++i) *at++ = static_cast<std::byte>(r.rest >> 8 * i & 0xff);
  if (length >= is_long) {
    store_le16(at, static_cast<std::uint16_t>(length));
    at += 2;
  }
  std::memmove(at, hits, length);
  return at + length;
}

window_pages::found window_pages::find(const page& p, const place& where, unsigned width) noexcept {
  const std::byte* const base = p.bytes.data();
  const std::byte* const end = base + p.ends[where.group];
  const std::uint64_t mask = ones(8 * width);
  const std::byte* at = base + p.begin_of(where.group);
  while (at != end) {
    const std::uint64_t rest = load_le64(at + 1) & mask;
    if (rest >= where.rest) return {static_cast<std::uint64_t>(at - base), rest == where.rest};
    const auto length = std::to_integer<std::uint64_t>(*at);
    at += 1 + width + length;
    if (length == is_long) [[unlikely]]
      at += 2 + std::uint64_t{load_le16(at - is_long)} - is_long;
  }
  return {static_cast<std::uint64_t>(at - base), false};
}

// -- making ------------------------------------------------------------------------------------

window_pages::window_pages(unsigned slots, unsigned key_bits, std::uint64_t reserved_bytes,
                           std::optional<std::uint64_t> limit)
    : form_(window_hits::of(slots)), key_bits_(key_bits), reserved_(reserved_bytes), limit_(limit) {
  open_page();
  const std::uint64_t wanted = reserved_bytes / page_bytes;
  while (pages() < wanted && rest_bits(level_) != 0) open_page();
  least_pages_ = pages();
  if (reserved_bytes == 0) return;
  least_allocated_ = allocated_for(reserved_bytes / pages());
  for (std::uint64_t i = 0; i < pages(); ++i) reallocate(page_at(i), least_allocated_);
}

// With more pages, keys are shorter.
std::uint64_t window_pages::bytes_for(std::uint64_t items, unsigned slots,
                                      unsigned key_bits) noexcept {
  const std::uint64_t hits = 2 * window_hits::of(slots).size_of(1);
  const std::uint64_t most = std::uint64_t{1} << 40;
  std::uint64_t bytes = 0;
  for (unsigned level = 0; level + group_bits <= key_bits; ++level) {
    bytes = std::min(items, most) * (1 + (key_bits - level - group_bits + 7) / 8 + hits);
    if (bytes <= page_bytes << level) break;
  }
  return bytes;
}

std::uint64_t window_pages::memory() const noexcept {
  return allocated_ + chunks_.size() * hooked_bytes<page>(std::size_t{1} << chunk_shift) +
         hooked_bytes<chunk>(chunks_.capacity());
}

// The first call opens page 0, each further one the page of the next split.
void window_pages::open_page() {
  const bool first = chunks_.empty();
  const std::uint64_t index = first ? 0 : pages();
  if (index >> chunk_shift == chunks_.size()) {
    chunks_.push_back(chunk(std::size_t{1} << chunk_shift));
  }
  if (first) return;
  if (++split_ == std::uint64_t{1} << level_) {
    split_ = 0;
    ++level_;
  }
}

// Of the list of pages, at most.
std::uint64_t window_pages::bytes_of_opening() const noexcept {
  if (pages() >> chunk_shift != chunks_.size()) return 0;
  const std::size_t listed = chunks_.capacity() * (chunks_.size() == chunks_.capacity() ? 2 : 1);
  return hooked_bytes<page>(std::size_t{1} << chunk_shift) + hooked_bytes<chunk>(listed) -
         hooked_bytes<chunk>(chunks_.capacity());
}

// -- memory ------------------------------------------------------------------------------------

std::uint64_t window_pages::allocated_for(std::uint64_t used) noexcept {
  if (used == 0) return 0;
  return round_up(used + padding, std::max(step, std::bit_floor(used) / 16));
}

bool window_pages::within_limit(std::uint64_t more, std::uint64_t less) const noexcept {
  return !limit_ || more <= less || memory() - less + more <= *limit_;
}

void window_pages::reallocate(page& p, std::uint64_t bytes) {
  std::vector<std::byte, hooked<std::byte>> made(bytes);
  if (p.used() != 0) std::memcpy(made.data(), p.bytes.data(), p.used());
  allocated_ += made.size();
  allocated_ -= p.bytes.size();
  p.bytes = std::move(made);
}

// Releases what a page does not need if that is worth a copy.
void window_pages::tighten(page& p) noexcept {
  const std::uint64_t wanted = std::max(allocated_for(p.used()), least_allocated_);
  if (p.bytes.size() <= wanted + 2 * step) return;
  try {
    reallocate(p, wanted);
  } catch (const std::exception&) {
    // The page keeps its memory.
  }
}

// Bytes that more hits of a key take at most: those of a new record, or of a count that grows by a
// byte in a record that becomes long.
std::uint64_t window_pages::room_for(std::uint64_t count, unsigned level) const noexcept {
  return 4 + width(level) + form_.size_of(count);
}

bool window_pages::make_room(std::uint64_t key, std::uint64_t count) {
  const place where = place_of(key);
  page& p = page_at(where.page);
  const std::uint64_t needed = p.used() + room_for(count, where.level);
  if (needed + padding <= p.bytes.size()) return true;
  const std::uint64_t bytes = std::max(allocated_for(needed), least_allocated_);
  if (needed > most_page_bytes || !within_limit(bytes, p.bytes.size())) return false;
  reallocate(p, bytes);
  return true;
}

bool window_pages::find_room(std::uint64_t key, std::uint64_t count, std::uint64_t now) noexcept {
  const auto try_again = [&] {
    try {
      return make_room(key, count);
    } catch (const std::exception&) {
      return false;
    }
  };
  const place where = place_of(key);
  page& own = page_at(where.page);
  if (own.epoch != now) refresh(own, where.level, now);
  tighten(own);
  if (try_again()) return true;
  for (int i = 0; i < most_refreshed_for_room; ++i) refresh_next(now);
  return try_again();
}

// -- hits --------------------------------------------------------------------------------------

window_pages::place window_pages::place_of(std::uint64_t key) const noexcept {
  const unsigned level = level_ + ((key & ones(level_)) < split_ ? 1 : 0);
  const std::uint64_t rest = key >> level;
  return {key & ones(level), level, static_cast<unsigned>(rest & (groups - 1)), rest >> group_bits};
}

void window_pages::prefetch_page(std::uint64_t key) const noexcept {
  const page* const p = &page_at(place_of(key).page);
  asm volatile("" : : "r"(p));  // g++ 12 removes calls that only prefetch
  __builtin_prefetch(p);
}

void window_pages::prefetch_record(std::uint64_t key) const noexcept {
  const place where = place_of(key);
  const page& p = page_at(where.page);
  if (p.bytes.empty()) return;
  const std::size_t first = p.begin_of(where.group);
  const std::size_t most = p.bytes.size() - 1;
  for (const std::size_t at : {std::min(first, most), std::min(first + 64, most)}) {
    const std::byte* const byte = p.bytes.data() + at;
    asm volatile("" : : "r"(byte));
    __builtin_prefetch(byte);
  }
}

window_pages::sum window_pages::at(std::uint64_t key, std::uint64_t now,
                                   unsigned slots) const noexcept {
  sum total;
  const place where = place_of(key);
  const page& p = page_at(where.page);
  const std::uint64_t behind = now - p.epoch;
  const unsigned width = this->width(where.level);
  const found f = find(p, where, width);
  if (!f.there) return total;
  const std::byte* at = p.bytes.data() + f.at;
  const record r = read_record(at, width);
  for (at = r.hits.data(); at != r.hits.data() + r.hits.size();) {
    const auto h = form_.read(at);
    const std::uint64_t back = form_.back(h.code, p.epoch);
    if (!form_.counts(back, behind, slots)) break;
    total.above += h.count;
    if (form_.within(back, behind, slots)) total.below += h.count;
  }
  return total;
}

// Replaces `gone` bytes of a group.
void window_pages::splice(page& p, unsigned group, std::uint64_t at, std::uint64_t gone,
                          std::span<const std::byte> put) noexcept {
  std::byte* const to = p.bytes.data() + at;
  const auto more = static_cast<std::uint32_t>(put.size() - gone);  // modulo 2^32
  if (more != 0) {
    std::memmove(to + put.size(), to + gone, p.used() - at - gone);
    for (unsigned g = group; g < groups; ++g) p.ends[g] += more;
    used_ += put.size() - gone;
  }
  std::memcpy(to, put.data(), put.size());
}

void window_pages::add(std::uint64_t key, std::uint64_t tick, std::uint64_t count,
                       std::uint64_t now) noexcept {
  const place where = place_of(key);
  page& p = page_at(where.page);
  const bool due = now - p.epoch > form_.spare();
  if (due) refresh(p, where.level, now);
  add_to_page(p, where, tick, count);
  if (due) tighten(p);
}

void window_pages::add_to_page(page& p, const place& where, std::uint64_t tick,
                               std::uint64_t count) noexcept {
  const unsigned width = this->width(where.level);
  const found f = find(p, where, width);
  if (f.there) return add_to_record(p, where, f.at, tick, count);
  const auto hits = form_.write({form_.code(tick), count});
  std::array<std::byte, 16 + window_hits::most_bytes> made;
  const std::byte* const end =
      write_record(made.data(), {where.rest, {hits.bytes.data(), hits.size}}, width);
  splice(p, where.group, f.at, 0, {made.data(), end});
  ++records_;
}

void window_pages::add_to_record(page& p, const place& where, std::uint64_t at, std::uint64_t tick,
                                 std::uint64_t count) noexcept {
  const unsigned width = this->width(where.level);
  const std::byte* const base = p.bytes.data();
  const std::byte* after = base + at;
  const record r = read_record(after, width);
  const std::uint64_t back = form_.back(form_.code(tick), p.epoch);
  const std::byte* entry = r.hits.data();
  std::uint64_t gone = 0;
  while (entry != after) {
    const std::byte* next = entry;
    const auto h = form_.read(next);
    const std::uint64_t its = form_.back(h.code, p.epoch);
    if (its == back) {
      gone = static_cast<std::uint64_t>(next - entry);
      count += h.count;
    }
    if (its >= back) break;
    entry = next;
  }
  const auto hits = form_.write({form_.code(tick), count});
  const std::size_t length = r.hits.size() + hits.size - gone;
  splice(p, where.group, static_cast<std::uint64_t>(entry - base), gone,
         {hits.bytes.data(), hits.size});
  p.bytes[at] = static_cast<std::byte>(std::min<std::size_t>(length, is_long));
  if (length < is_long) return;
  std::array<std::byte, 2> counted;
  store_le16(counted.data(), static_cast<std::uint16_t>(length));
  splice(p, where.group, at + 1 + width, r.hits.size() < is_long ? 0 : 2, counted);
}

// -- expiry ------------------------------------------------------------------------------------

// What of the hits still counts.
std::span<const std::byte> window_pages::alive(const record& r, std::uint64_t epoch,
                                               std::uint64_t behind) const noexcept {
  const std::byte* const end = r.hits.data() + r.hits.size();
  for (const std::byte* at = r.hits.data(); at != end;) {
    const std::byte* const entry = at;
    if (!form_.counts(form_.back(form_.read(at).code, epoch), behind))
      return {r.hits.data(), entry};
  }
  return r.hits;
}

void window_pages::refresh(page& p, unsigned level, std::uint64_t now) noexcept {
  ++work_;
  const std::uint64_t behind = now - p.epoch;
  const unsigned width = this->width(level);
  std::byte* const base = p.bytes.data();
  std::byte* to = base;
  const std::byte* at = base;
  const std::uint32_t before = p.used();
  for (std::uint32_t& end_of_group : p.ends) {
    for (const std::byte* const end = base + end_of_group; at != end;) {
      const std::byte* const start = at;
      record r = read_record(at, width);
      const std::size_t length = r.hits.size();
      r.hits = alive(r, p.epoch, behind);
      if (r.hits.empty()) {
        --records_;
      } else if (to == start && r.hits.size() == length) {
        to += at - start;
      } else {
        to = write_record(to, r, width);
      }
    }
    end_of_group = static_cast<std::uint32_t>(to - base);
  }
  used_ -= before - p.used();
  p.epoch = now;
}

void window_pages::refresh_next(std::uint64_t now) noexcept {
  if (next_ >= pages()) next_ = 0;
  page& p = page_at(next_);
  if (p.used() != 0 && now - p.epoch > form_.spare()) {
    refresh(p, level_of(next_), now);
    tighten(p);
  }
  ++next_;
}

// -- growth ------------------------------------------------------------------------------------

// A page of the records that each(use) gives to use(group, record), in the order of groups.
template <class Each>
window_pages::page window_pages::packed(Each&& each, unsigned width, std::uint64_t epoch) const {
  std::uint64_t bytes = 0;
  each([&](unsigned, const record& r) { bytes += size_of(r, width); });
  page made;
  made.epoch = epoch;
  made.bytes.resize(std::max(allocated_for(bytes), least_allocated_));
  std::byte* at = made.bytes.data();
  each([&](unsigned g, const record& r) {
    at = write_record(at, r, width);
    made.ends[g] = static_cast<std::uint32_t>(at - made.bytes.data());
  });
  for (unsigned g = 1; g < groups; ++g) made.ends[g] = std::max(made.ends[g], made.ends[g - 1]);
  return made;
}

// Bit `level` of a key is the lowest one of its group. The lowest one of its rest becomes the
// highest one of its group.
bool window_pages::split_one(std::uint64_t now) {
  if (rest_bits(level_) == 0 || !within_limit(bytes_of_opening() + 2 * step)) return false;
  page& parent = page_at(split_);  // stays where it is
  const unsigned before = width(level_);
  if (now - parent.epoch > form_.spare()) refresh(parent, level_, now);
  const auto half = [&](unsigned bit) {
    return packed(
        [&](auto&& use) {
          for (unsigned g = 0; g < groups; ++g) {
            const std::span<const std::byte> all = parent.group((g << 1 & (groups - 1)) | bit);
            for (const std::byte* at = all.data(); at != all.data() + all.size();) {
              const record r = read_record(at, before);
              if ((r.rest & 1) == g >> (group_bits - 1)) use(g, record{r.rest >> 1, r.hits});
            }
          }
        },
        width(level_ + 1), parent.epoch);
  };
  page first = half(0);
  page second = half(1);
  const std::uint64_t index = pages();
  open_page();
  work_ += 2;
  put(parent, std::move(first));
  put(page_at(index), std::move(second));
  return true;
}

// The records of two pages that were split from one, in the order of that one.
template <class Use>
void window_pages::for_both(const page& first, const page& second, unsigned width, Use&& use) {
  for (unsigned g = 0; g < groups; ++g) {
    const page& from = g % 2 == 0 ? first : second;
    // The rests that end with 0, and those that end with 1.
    std::array<std::span<const std::byte>, 2> left{from.group(g / 2),
                                                   from.group(g / 2 + groups / 2)};
    std::array<std::optional<record>, 2> next;
    while (true) {
      for (unsigned bit = 0; bit < 2; ++bit) {
        if (next[bit] || left[bit].empty()) continue;
        const std::byte* at = left[bit].data();
        const record r = read_record(at, width);
        next[bit] = record{r.rest << 1 | bit, r.hits};
        left[bit] = {at, left[bit].data() + left[bit].size()};
      }
      if (!next[0] && !next[1]) break;
      const bool takes_second = !next[0] || (next[1] && next[1]->rest < next[0]->rest);
      use(g, *std::exchange(next[takes_second ? 1 : 0], std::nullopt));
    }
  }
}

bool window_pages::join_one(std::uint64_t now) {
  const unsigned level = split_ != 0 ? level_ : level_ - 1;
  const std::uint64_t half = std::uint64_t{1} << level;
  page& first = page_at(pages() - 1 - half);
  page& second = page_at(pages() - 1);
  for (page* const p : {&first, &second}) {
    if (p->epoch != now) refresh(*p, level + 1, now);
  }
  page both = packed([&](auto&& use) { for_both(first, second, width(level + 1), use); },
                     width(level), now);
  if (!within_limit(both.bytes.size(), first.bytes.size() + second.bytes.size())) return false;
  put(first, std::move(both));
  put(second, page());
  work_ += 2;
  split_ = split_ != 0 ? split_ - 1 : half - 1;
  level_ = level;
  if ((pages() & ones(chunk_shift)) == 0) chunks_.pop_back();
  return true;
}

void window_pages::put(page& old, page made) noexcept {
  used_ += std::uint64_t{made.used()} - old.used();
  allocated_ += made.bytes.size() - old.bytes.size();
  old = std::move(made);
}

void window_pages::settle(std::uint64_t now) noexcept {
  try {
    for (int i = 0; i < most_splits_per_call && used_ > page_bytes * pages(); ++i) {
      if (!split_one(now)) break;
    }
    if (pages() > least_pages_ && used_ < page_bytes * pages() / 5 * 2) join_one(now);
  } catch (const std::exception&) {
    // Without memory the pages stay as they are.
  }
}

// -- storage -----------------------------------------------------------------------------------

std::vector<std::byte> window_pages::heads() const {
  byte_writer out;
  for (std::uint64_t i = 0; i < pages(); ++i) {
    out.u64(page_at(i).epoch);
    for (const std::uint32_t end : page_at(i).ends) out.u32(end);
  }
  return std::move(out).written();
}

std::vector<std::byte> window_pages::bodies() const {
  std::vector<std::byte> all;
  all.reserve(used_);
  for (std::uint64_t i = 0; i < pages(); ++i) {
    const page& p = page_at(i);
    all.insert(all.end(), p.bytes.begin(), p.bytes.begin() + p.used());
  }
  return all;
}

bool window_hits::valid(const std::byte* at, const std::byte* end, std::uint64_t epoch,
                        std::uint64_t latest) const noexcept {
  std::uint64_t least = spare() - std::min(latest, spare());  // ticks before epoch + spare
  while (at != end) {
    if (end - at < head_bytes) return false;
    const std::byte* more = at + head_bytes;
    const std::uint64_t head = head_bytes == 2 ? load_le16(at) : std::to_integer<unsigned>(*at);
    if (head >> code_bits == direct) {
      constexpr unsigned most_groups = 10;
      const std::byte* const first = more;
      while (more != end && std::to_integer<unsigned>(*more) >= 0x80) ++more;
      if (more++ == end || more - first > most_groups) return false;
    }
    const std::byte* next = at;
    const hits h = read(next);
    const auto again = write(h);
    if (next != more || h.count == 0 || again.size != next - at ||
        !std::equal(at, next, again.bytes.begin())) {
      return false;
    }
    if (back(h.code, epoch) < least) return false;
    least = back(h.code, epoch) + 1;
    at = next;
  }
  return true;
}

// Whether records are in order and have valid hits; counts them.
bool window_pages::count_records(const page& p, unsigned level, std::uint64_t now) {
  const std::uint64_t latest = now - p.epoch;
  if (p.used() != 0 && static_cast<std::int64_t>(p.epoch) > static_cast<std::int64_t>(now)) {
    return false;
  }
  const std::uint64_t head = 1 + width(level);
  for (unsigned g = 0; g < groups; ++g) {
    const std::span<const std::byte> all = p.group(g);
    const std::byte* const end = all.data() + all.size();
    std::uint64_t least = 0;
    for (const std::byte* at = all.data(); at != end; ++records_) {
      const auto left = static_cast<std::uint64_t>(end - at);
      const bool longer = std::to_integer<unsigned>(*at) == is_long;
      if (left < head + (longer ? 2 : 0)) return false;
      const record r = read_record(at, width(level));
      if (size_of(r, width(level)) > left || longer != (r.hits.size() >= is_long)) return false;
      if (r.hits.empty() || r.rest < least || r.rest >> rest_bits(level) != 0) return false;
      if (!form_.valid(r.hits.data(), at, p.epoch, latest)) return false;
      least = r.rest + 1;
    }
  }
  return true;
}

bool window_pages::read(const stored_pages& stored, std::uint64_t now) {
  const unsigned most = key_bits_ - group_bits;
  if (stored.level > most || (stored.split != 0 && stored.level == most) ||
      stored.split >= std::uint64_t{1} << stored.level) {
    return false;
  }
  const std::uint64_t count = (std::uint64_t{1} << stored.level) + stored.split;
  if (count < pages() || stored.next >= count || stored.heads.size() / head_bytes != count ||
      stored.heads.size() % head_bytes != 0) {
    return false;
  }
  while (pages() < count) open_page();
  next_ = stored.next;
  byte_reader heads(stored.heads);
  byte_reader bodies(stored.bodies);
  for (std::uint64_t i = 0; i < count; ++i) {
    page p;
    p.epoch = heads.u64();
    for (std::uint32_t& end : p.ends) end = heads.u32();
    if (!std::is_sorted(p.ends.begin(), p.ends.end()) || p.used() > most_page_bytes ||
        p.used() > bodies.remaining()) {
      return false;
    }
    const auto records = bodies.bytes(p.used());
    p.bytes.resize(std::max(allocated_for(p.used()), least_allocated_));
    std::copy(records.begin(), records.end(), p.bytes.begin());
    if (!count_records(p, level_of(i), now)) return false;
    put(page_at(i), std::move(p));
  }
  return bodies.remaining() == 0;
}

}  // namespace bloomtime::detail
