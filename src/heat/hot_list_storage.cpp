#include <bloomtime/heat/hot_list.hpp>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include <bloomtime/detail/storing.hpp>

#include "heat/forward.hpp"
#include "heat/hot_list_units.hpp"
#include "heat/merge_weight.hpp"

namespace bloomtime {
namespace {

constexpr std::uint32_t entries_section = 1;
constexpr std::uint32_t texts_section = 2;
constexpr std::size_t fixed_bytes = 48;  // of an entry, before its recent counts

std::string text(std::uint64_t n) { return std::to_string(n); }

[[noreturn]] void refuse(const std::string& why) {
  throw error(errc::corrupt, "this hot list contradicts itself: " + why);
}

}  // namespace

// -- lists of several streams ------------------------------------------------------------------

void hot_list::expect_mergeable(const hot_list& other) const {
  if (entries_ == other.entries_ && seed_ == other.seed_ && slow_ == other.slow_ &&
      fast_ == other.fast_ && clock_ == other.clock_ && bucket_clock_ == other.bucket_clock_ &&
      buckets_ == other.buckets_) {
    return;
  }
  const auto describe = [](const hot_list& l) {
    return text(l.entries_) + " entries, seed " + text(l.seed_) + ", " +
           forward::rate_text(l.slow_) + " and " + forward::rate_text(l.fast_) + ", ticks of " +
           std::to_string(l.clock_.resolution().count()) + " microseconds, " + text(l.buckets_) +
           " buckets of " + std::to_string(l.bucket_clock_.resolution().count());
  };
  throw error(
      errc::incompatible,
      "hot lists merge if entries, seed, decays, clock and buckets are equal; here they are (" +
          describe(*this) + ") and (" + describe(other) + ")");
}

// Mergeable summaries (Agarwal et al. 2012): what one side does not list may have had that side's
// least count. What the sum leaves out has no more than the least that it keeps.
void hot_list::merge(const hot_list& other, double weight) {
  expect_mergeable(other);
  const forward::merge_weight by(weight);
  if (other.events_ == 0 || by.is_zero()) return;
  hot_list theirs(other);
  if (!by.is_one()) theirs.multiply(by);
  hot_list mine(events_ == 0 ? theirs : *this);
  mine.ahead_ = ahead_;
  mine.losses_ = losses_;
  if (events_ != 0) {
    const moment now = mine.newest_.last < theirs.newest_.last ? theirs.newest_ : mine.newest_;
    mine.go_to(now);
    theirs.go_to(now);
    mine = sum_of(mine, theirs);
  }
  *this = std::move(mine);
}

// Products keep the order of counts but make some of them equal, and those are ordered anew.
void hot_list::multiply(const forward::merge_weight& by) {
  for (node& n : heap_) {
    const unsigned_wide product = by.above(n.cnt);
    if (product > ~std::uint64_t{0}) {
      throw error(errc::too_large, "the heat of both lists together exceeds 64 bits");
    }
    n.cnt = static_cast<std::uint64_t>(product);
  }
  rebuild_heap();
  for (slot& s : slots_) {
    s.low = hot_units::sum(0, by.below(s.low));
    s.fast = hot_units::sum(0, by.below(s.fast));
  }
  for (std::uint64_t& count : rings_) count = hot_units::sum(0, by.above(count));
  mass_ = by.mass(mass_);
}

struct hot_list::joined {
  digest id;
  std::uint64_t cnt;
  const hot_list* list;
  const hot_list* other;
};

hot_list hot_list::sum_of(const hot_list& a, const hot_list& b) {
  std::vector<joined> all;
  all.reserve(a.slots_.size() + b.slots_.size());
  const auto join = [&](const hot_list& list, const hot_list& other, bool skip_common) {
    for (const node& n : list.heap_) {
      const digest id = list.slots_[n.slot].id;
      const auto there = other.find(id);
      if (there && skip_common) continue;
      const std::uint64_t more =
          there ? other.heap_[other.slots_[*there].position].cnt : other.least();
      if (more > ~n.cnt) {
        throw error(errc::too_large, "the heat of both lists together exceeds 64 bits");
      }
      all.push_back({id, n.cnt + more, &list, &other});
    }
  };
  join(a, b, false);
  join(b, a, true);
  std::sort(all.begin(), all.end(), [](const joined& x, const joined& y) {
    return std::tie(x.cnt, x.id.hi, x.id.lo) > std::tie(y.cnt, y.id.hi, y.id.lo);
  });
  if (all.size() > a.entries_) all.resize(a.entries_);
  hot_list sum = a.without_entries();
  for (const joined& j : all) sum.take(j);
  sum.start_ = std::min(a.start_, b.start_);
  sum.events_ = hot_units::sum(a.events_, b.events_);
  sum.mass_ = forward::sum_of_mass(a.mass_, b.mass_);
  return sum;
}

hot_list hot_list::without_entries() const {
  hot_list list(*this);
  list.forget_entries();
  return list;
}

void hot_list::forget_entries() noexcept {
  slots_.clear();
  heap_.clear();
  rings_.clear();
  index_ = {};
  texts_.clear();
}

void hot_list::clear() noexcept {
  forget_entries();
  events_ = 0;
  start_ = 0;
  newest_ = last_ = {};
  mass_ = 0;
}

void hot_list::take(const joined& j) {
  std::optional<std::uint32_t> number;
  for (const hot_list* from : {j.list, j.other}) {
    const auto found = from->find(j.id);
    if (!found) continue;
    const slot& theirs = from->slots_[*found];
    if (!number) number = append(j.id, from->texts_[*found], j.cnt);
    slot& mine = slots_[*number];
    mine.low += theirs.low;
    mine.fast = hot_units::sum(mine.fast, theirs.fast);
    const std::vector<std::uint64_t> counts = from->recent(*found, newest_.bucket);
    for (unsigned i = 0; i < buckets_; ++i) {
      std::uint64_t& count = ring_of(*number)[i];
      count = hot_units::sum(count, counts[i]);
    }
  }
}

// An entry whose ring is to be filled from its oldest bucket on.
std::uint32_t hot_list::append(digest d, std::string_view text, std::uint64_t cnt) {
  make_room();
  texts_.prepare(text);
  const std::uint32_t number = enter(d, cnt);
  slots_[number].head = buckets_ - 1;
  return number;
}

// -- storage -----------------------------------------------------------------------------------

// Entries by their count, whatever the heap looks like: equal lists have equal bytes.
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
  p.u64(static_cast<std::uint64_t>(mass_));
  p.u64(static_cast<std::uint64_t>(mass_ >> 64));
  if (fine) {
    p.u64(slow_.fine_rate());
    p.u64(fast_.fine_rate());
  }
  std::vector<node> sorted(heap_.begin(), heap_.end());
  std::sort(sorted.begin(), sorted.end(),
            [&](const node& a, const node& b) { return before(a, b); });
  detail::byte_writer entries;
  detail::byte_writer texts;
  for (const node& n : sorted) {
    const slot& s = slots_[n.slot];
    entries.u64(s.id.lo);
    entries.u64(s.id.hi);
    entries.u64(n.cnt);
    entries.u64(s.low);
    entries.u64(s.fast);
    entries.u64(texts_[n.slot].size());
    for (const std::uint64_t count : recent(n.slot, newest_.bucket)) entries.u64(count);
    texts.bytes(std::as_bytes(std::span(texts_[n.slot])));
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
  mass_ = in.u64();
  mass_ |= static_cast<unsigned_wide>(in.u64()) << 64;
  read_decays(slow, fast, info.engine == kind.engines[1], in);
  in.expect_end();
  if (entries_ == 0 || entries_ > most_entries || buckets == 0 || buckets > most_buckets ||
      fast_.rate() < slow_.rate() || bucket <= 0 || !info.clock || info.layout != 0) {
    refuse("its parameters are out of their ranges");
  }
  seed_ = info.seed;
  clock_ = *info.clock;
  bucket_clock_ = tick_clock(std::chrono::microseconds(bucket));
  buckets_ = static_cast<unsigned>(buckets);
  if (events_ == 0) {
    if (start_ != 0 || newest_tick != 0 || newest_bucket != 0 || mass_ != 0) {
      refuse("it has no events and yet a time or a mass");
    }
    return;
  }
  const instant newest = std::max(clock_.start_of({newest_tick}),  //
                                  bucket_clock_.start_of({newest_bucket}));
  newest_ = moment_of(newest);
  if (newest_.tick != newest_tick || newest_.bucket != newest_bucket || start_ > newest_tick) {
    refuse("no event could be the newest in both its tick and its bucket");
  }
}

void hot_list::read_decays(std::uint64_t slow, std::uint64_t fast, bool fine,
                           detail::byte_reader& in) {
  const std::uint64_t slow_rest = fine ? in.u64() : 0;
  const std::uint64_t fast_rest = fine ? in.u64() : 0;
  const auto is_rate = [](std::uint64_t coarse, std::uint64_t rest) {
    return coarse != ~std::uint64_t{0} || rest == 0;
  };
  if ((fine && slow_rest == 0 && fast_rest == 0) || !is_rate(slow, slow_rest) ||
      !is_rate(fast, fast_rest)) {
    refuse("its decay rates have 128 bits where 64 are enough");
  }
  slow_ = decay::by_rate(slow, slow_rest);
  fast_ = decay::by_rate(fast, fast_rest);
}

void hot_list::read_entries(std::span<const std::byte> entries, std::span<const std::byte> texts) {
  const std::size_t each = fixed_bytes + 8 * std::size_t{buckets_};
  const std::size_t count = entries.size() / each;
  if (entries.size() % each != 0 || count > entries_ || count > events_ ||
      (count == 0) != (events_ == 0)) {
    refuse(text(events_) + " events, at most " + text(entries_) + " entries, and " +
           text(entries.size()) + " bytes for them");
  }
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
      refuse("entry " + text(i) + " counts wrongly, is too long or stands twice");
    }
    const auto item = letters.bytes(length);
    const std::uint32_t number =
        append(id, {reinterpret_cast<const char*>(item.data()), item.size()}, cnt);
    slots_[number].low = low;
    slots_[number].fast = fast;
    for (unsigned b = 0; b < buckets_; ++b) ring_of(number)[b] = in.u64();
    if (i > 0 && !before(heap_[slots_[number - 1].position], heap_[slots_[number].position])) {
      refuse("its entries are not in the order of their counts");
    }
  }
  letters.expect_end();
}

template class detail::stored<hot_list>;

}  // namespace bloomtime
