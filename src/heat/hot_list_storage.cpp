#include <bloomtime/heat/hot_list.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include <bloomtime/detail/storing.hpp>

#include "heat/forward.hpp"
#include "math/expect.hpp"

namespace bloomtime {
namespace {

constexpr std::uint32_t entries_section = 1;
constexpr std::uint32_t texts_section = 2;
constexpr std::size_t fixed_bytes = 48;  // of an entry, before its recent counts

[[noreturn]] void refuse_stored(const std::string& why) {
  throw error(errc::corrupt, "this hot list contradicts itself: " + why);
}

}  // namespace

// Entries are sorted by count, so equal lists have equal bytes.
void hot_list::write(detail::container_writer& out) const {
  if (entries_ == 0) detail::refuse_moved_from(kind.called);
  const bool fine = slow_.fine_rate() != 0 || fast_.fine_rate() != 0;
  out.info().engine = kind.engines[fine ? 1 : 0];
  out.info().seed = seed_;
  out.info().clock = clock_;
  auto& p = out.parameters();
  p.u64(entries_);
  p.u64(slow_.coarse_rate());
  p.u64(fast_.coarse_rate());
  p.u64(ahead_);
  p.i64(bucket_clock_.resolution().count());
  p.u64(buckets_);
  p.u64(events_);
  p.i64(start_);
  p.i64(newest_.tick);
  p.i64(newest_.bucket);
  forward::write(p, mass_);
  if (fine) {
    p.u64(slow_.fine_rate());
    p.u64(fast_.fine_rate());
  }
  detail::byte_writer entries;
  detail::byte_writer texts;
  for (const std::uint32_t number : by_count()) {
    const slot& s = slots_[number];
    entries.u64(s.id.lo);
    entries.u64(s.id.hi);
    entries.u64(counts_[number]);
    entries.u64(s.low);
    entries.u64(s.fast);
    entries.u64(texts_[s.text].size());
    for (const std::uint64_t count : recent(number, newest_)) entries.u64(count);
    texts.bytes(std::as_bytes(std::span(texts_[s.text])));
  }
  out.section(entries_section, std::move(entries).written());
  out.section(texts_section, std::move(texts).written());
}

hot_list hot_list::read(const detail::container_view& view) {
  view.expect_sections(2);
  hot_list list;
  list.read_parameters(view);
  list.read_entries(view.section(entries_section), view.section(texts_section));
  return list;
}

void hot_list::read_parameters(const detail::container_view& view) {
  const detail::container_info& info = view.info();
  detail::byte_reader in = view.parameters();
  entries_ = in.u64();
  const std::uint64_t slow = in.u64();
  const std::uint64_t fast = in.u64();
  ahead_ = in.u64();
  const std::int64_t bucket = in.i64();
  const std::uint64_t buckets = in.u64();
  events_ = in.u64();
  start_ = in.i64();
  const std::int64_t newest_tick = in.i64();
  const std::int64_t newest_bucket = in.i64();
  mass_ = forward::read_wide(in);
  const bool fine = info.engine == kind.engines[1];
  slow_ = forward::stored_decay(slow, fine ? in.u64() : 0);
  fast_ = forward::stored_decay(fast, fine ? in.u64() : 0);
  in.expect_end();
  if (fine && slow_.fine_rate() == 0 && fast_.fine_rate() == 0) {
    refuse_stored("its decay rates have 128 bits where 64 suffice");
  }
  if (entries_ == 0 || entries_ > most_entries || buckets == 0 || buckets > most_buckets ||
      fast_.rate() < slow_.rate() || bucket <= 0 || !info.clock || info.layout != 0) {
    refuse_stored("its parameters are out of their ranges");
  }
  seed_ = info.seed;
  clock_ = *info.clock;
  bucket_clock_ = tick_clock(std::chrono::microseconds(bucket));
  buckets_ = static_cast<unsigned>(buckets);
  rings_ = detail::recent_counts(buckets_);
  if (events_ == 0) {
    if (start_ != 0 || newest_tick != 0 || newest_bucket != 0 || mass_ != 0) {
      refuse_stored("it has no events, but a time or a mass");
    }
    return;
  }
  const instant newest = std::max(clock_.start_of({newest_tick}),  //
                                  bucket_clock_.start_of({newest_bucket}));
  set_newest(moment_of(newest));
  if (newest_.tick != newest_tick || newest_.bucket != newest_bucket || start_ > newest_tick) {
    refuse_stored("no event could be the newest in both its tick and its bucket");
  }
}

void hot_list::read_entries(std::span<const std::byte> entries, std::span<const std::byte> texts) {
  const std::size_t each = fixed_bytes + 8 * std::size_t{buckets_};
  const std::size_t count = entries.size() / each;
  if (entries.size() % each != 0 || count > entries_ || count > events_ ||
      (count == 0) != (events_ == 0)) {
    refuse_stored(math::text_of(events_) + " events, at most " + math::text_of(entries_) +
                  " entries, and " + math::text_of(entries.size()) + " bytes for them");
  }
  reserve_entries(count);
  detail::byte_reader in(entries);
  detail::byte_reader letters(texts);
  for (std::size_t i = 0; i < count; ++i) {
    digest id;
    id.lo = in.u64();
    id.hi = in.u64();
    const std::uint64_t cnt = in.u64();
    const std::uint64_t low = in.u64();
    const std::uint64_t fast = in.u64();
    const std::uint64_t length = in.u64();
    if (cnt == 0 || low > cnt || length > longest_text || find(id)) {
      refuse_stored("entry " + math::text_of(i) +
                    " has an impossible count, is too long or is repeated");
    }
    const auto item = letters.bytes(length);
    const std::uint32_t number =
        append(id, {reinterpret_cast<const char*>(item.data()), item.size()}, cnt);
    slots_[number].low = low;
    slots_[number].fast = fast;
    unsigned cell = newest_.cell;
    for (unsigned b = 0; b < buckets_; ++b) {
      cell = cell + 1 == buckets_ ? 0 : cell + 1;  // from the oldest bucket on
      rings_.put(number, cell, in.u64());
    }
    if (i > 0 && (counts_[number - 1] > cnt ||
                  (counts_[number - 1] == cnt && !by_digest()(number - 1, number)))) {
      refuse_stored("its entries are not sorted by count");
    }
  }
  letters.expect_end();
}

template class detail::stored<hot_list>;

}  // namespace bloomtime
