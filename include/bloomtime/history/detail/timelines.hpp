#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <bloomtime/detail/buffer.hpp>
#include <bloomtime/detail/probes.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/history/detail/bit_stream.hpp>
#include <bloomtime/history/detail/key_filter.hpp>
#include <bloomtime/history/detail/timeline.hpp>
#include <bloomtime/shard.hpp>

// The timelines of many items, sealed: no tick can be added, and little is read to answer. A
// directory says where in a stream of bits each bucket of items begins. A bucket is: how many items
// it has and one more, as a gamma code; what is left of their keys; their heads; their bodies.
namespace bloomtime::detail {

// The number of bits of a digest that identify an item. Items with equal bits share one timeline:
// a sighting of either counts for both, and none is missed.
inline constexpr unsigned timeline_key_bits = 48;

constexpr std::uint64_t timeline_key(digest d) noexcept { return d.hi >> (64 - timeline_key_bits); }

// The shard of a key is its last bits: the first ones are the number of its bucket.
constexpr std::uint32_t shard_of_key(std::uint64_t key, const shard& s) noexcept {
  return static_cast<std::uint32_t>(key & (s.count - 1));
}

// Some of the items, by their keys.
struct key_range {
  static constexpr std::uint64_t all_keys = std::uint64_t{1} << timeline_key_bits;

  std::uint64_t first = 0;
  std::uint64_t end = all_keys;  // the first key behind

  constexpr bool has(std::uint64_t key) const noexcept { return first <= key && key < end; }
  constexpr bool is_all() const noexcept { return first == 0 && end == all_keys; }
};

// What has to be known to read them, beside the bits.
struct timelines_shape {
  std::uint64_t span = 1;  // ticks
  std::uint64_t items = 0;
  std::uint64_t ticks = 0;   // of all items together
  unsigned bucket_bits = 0;  // of a key, its highest: the number of its bucket
  unsigned offset_bits = 0;  // of an entry of the directory

  static constexpr unsigned most_bucket_bits = 40;

  // So that a bucket has one to two of so many items on average.
  static constexpr unsigned bucket_bits_for(std::uint64_t items) noexcept {
    return std::min(width_of(items / 2), most_bucket_bits);
  }

  std::uint64_t buckets() const noexcept { return std::uint64_t{1} << bucket_bits; }
  unsigned rest_bits() const noexcept { return timeline_key_bits - bucket_bits; }
  std::uint64_t directory_bytes() const noexcept { return stream_bytes(buckets() * offset_bits); }
};

// The body of an item, as bits.
struct coded_body {
  bit_reader bits = {};
  std::uint64_t at = 0;
};

template <class Bits>
class timelines_cursor;

template <class Bits>
class timelines_view {
 public:
  timelines_view(const timelines_shape& shape, Bits directory, Bits stream) noexcept
      : shape_(shape), directory_(directory), stream_(stream) {}

  std::optional<timeline<Bits>> find(std::uint64_t key) const noexcept {
    const std::optional<place> item = place_of(key);
    return item ? timeline_of(*item) : std::nullopt;
  }

  // Whether the item has a tick in the range. Reads nothing of its bucket behind its head if that
  // is enough to answer.
  bool seen(std::uint64_t key, tick_range asked) const noexcept {
    std::optional<place> item = place_of(key);
    if (!item || !skip_before(*item)) return false;
    const std::optional<timeline_head> head = take_ends(stream_, item->at, shape_.span);
    if (!head || asked.last < head->first || asked.first > head->last) return false;
    if (asked.first <= head->first || asked.last >= head->last) return true;
    const std::optional<timeline<Bits>> line = body_of(*item, *head);
    return line && line->seen(asked);
  }

  // Where the bucket of a key begins in the stream.
  std::uint64_t bucket_of(std::uint64_t key) const noexcept {
    return start_of(key >> shape_.rest_bits());
  }

 private:
  friend class timelines_cursor<Bits>;

  // An item among those of its bucket, and where the next head begins.
  struct place {
    std::uint64_t at;
    std::uint64_t items;
    std::uint64_t item;
    std::uint64_t bodies = 0;  // bits of those before it
  };

  std::optional<place> place_of(std::uint64_t key) const noexcept {
    std::uint64_t at = bucket_of(key);
    const unsigned rest_bits = shape_.rest_bits();
    const std::uint64_t items = take_count(at);
    const std::uint64_t rest = key & ((std::uint64_t{1} << rest_bits) - 1);
    for (std::uint64_t i = 0; i < items; ++i) {
      if (stream_.get(at + i * rest_bits, rest_bits) == rest) {
        return place{at + items * rest_bits, items, i};
      }
    }
    return std::nullopt;
  }

  std::uint64_t start_of(std::uint64_t bucket) const noexcept {
    return directory_.get(bucket * shape_.offset_bits, shape_.offset_bits);
  }

  // Never more than there is room for.
  std::uint64_t take_count(std::uint64_t& at) const noexcept {
    const std::uint64_t and_one = stream_.take_gamma(at);
    if (and_one == 0 || at > stream_.size()) return 0;
    const std::uint64_t left = stream_.size() - at;
    const std::uint64_t items = and_one - 1;
    const bool fit = items < (std::uint64_t{1} << 32) && items * shape_.rest_bits() <= left;
    return fit ? items : std::min(items, left / shape_.rest_bits());  // rarely a division
  }

  // Reads the heads before that of the item.
  bool skip_before(place& item) const noexcept {
    for (std::uint64_t i = 0; i < item.item; ++i) {
      const std::optional<timeline_head> head = take_head(stream_, item.at, shape_.span);
      if (!head || head->body > stream_.size()) return false;
      item.bodies += head->body;
    }
    return true;
  }

  // The item's timeline, after its head was read: its body follows all heads.
  std::optional<timeline<Bits>> body_of(const place& item, timeline_head head) const noexcept {
    head.body = body_bits(head);
    std::uint64_t at = item.at;
    for (std::uint64_t i = item.item + 1; i < item.items; ++i) {
      if (!take_ends(stream_, at, shape_.span)) return std::nullopt;
    }
    if (!fits(at, item.bodies) || !fits(at + item.bodies, head.body)) return std::nullopt;
    return timeline<Bits>(stream_, head, at + item.bodies);
  }

  std::optional<timeline<Bits>> timeline_of(place item) const noexcept {
    if (!skip_before(item)) return std::nullopt;
    const std::optional<timeline_head> head = take_ends(stream_, item.at, shape_.span);
    return head ? body_of(item, *head) : std::nullopt;
  }

  // Whether so many bits from here on are in the stream.
  bool fits(std::uint64_t at, std::uint64_t bits) const noexcept {
    return at <= stream_.size() && bits <= stream_.size() - at;
  }

  timelines_shape shape_;
  Bits directory_;
  Bits stream_;
};

// Goes through all items in the order of their keys. What it comes to lies inside the stream.
template <class Bits>
class timelines_cursor {
 public:
  explicit timelines_cursor(const timelines_view<Bits>& view) noexcept
      : view_(view), end_(view.shape_.buckets()) {}
  // Of these items only. Where they end, a bucket must end. Buckets before the first are not read.
  timelines_cursor(const timelines_view<Bits>& view, const key_range& keys) noexcept
      : view_(view),
        bucket_(keys.first >> view.shape_.rest_bits()),
        end_(keys.end >> view.shape_.rest_bits()),
        first_(keys.first),
        whole_(keys.is_all()) {
    if (bucket_ < end_ && bucket_ > 0) next_body_ = view.start_of(bucket_);
  }

  // The next item. False behind the last, or where the bits are damaged.
  bool next() noexcept {
    do {
      if (!sound_) return false;
      while (item_ == items_) {
        if (bucket_ >= end_) return false;
        sound_ = open_bucket();
        if (!sound_) return false;
      }
      sound_ = open_item();
    } while (key_ < first_);
    return sound_;
  }

  std::uint64_t key() const noexcept { return key_; }
  timeline<Bits> line() const noexcept { return {view_.stream_, head_, body_}; }
  const timeline_head& head() const noexcept { return head_; }
  coded_body body() const noexcept { return {view_.stream_, body_}; }

  // After next() returned false: whether everything outside of the bodies is as it was written.
  bool sound() const noexcept {
    if (!sound_ || bucket_ < end_) return false;
    return !whole_ || (view_.stream_.ends_at(next_body_) &&
                       view_.directory_.ends_at(bucket_ * view_.shape_.offset_bits));
  }

 private:
  // Bodies follow all heads of a bucket, which are therefore read here, and those that do not fit
  // into the cursor again as items come.
  bool open_bucket() noexcept {
    std::uint64_t at = next_body_;
    if (view_.start_of(bucket_) != at) return false;
    items_ = view_.take_count(at);
    keys_ = at;
    heads_ = at + items_ * view_.shape_.rest_bits();
    at = heads_;
    for (std::uint64_t i = 0; i < items_; ++i) {
      const std::optional<timeline_head> head = take_head(view_.stream_, at, view_.shape_.span);
      if (!head) return false;
      if (i >= read_.size()) continue;
      read_[i] = *head;
      heads_ = at;
    }
    next_body_ = at;
    item_ = 0;
    ++bucket_;
    return at <= view_.stream_.size();
  }

  bool open_item() noexcept {
    const unsigned rest_bits = view_.shape_.rest_bits();
    const std::uint64_t rest = view_.stream_.get(keys_ + item_ * rest_bits, rest_bits);
    const std::uint64_t key = (bucket_ - 1) << rest_bits | rest;
    const bool in_order = !any_ || key > key_;
    if (item_ < read_.size()) {
      head_ = read_[item_];
    } else if (const auto head = take_head(view_.stream_, heads_, view_.shape_.span)) {
      head_ = *head;
    } else {
      return false;
    }
    if (!in_order || !view_.fits(next_body_, head_.body)) return false;
    key_ = key;
    body_ = next_body_;
    next_body_ += head_.body;
    any_ = true;
    ++item_;
    return true;
  }

  timelines_view<Bits> view_;
  std::uint64_t bucket_ = 0;           // the next one
  std::uint64_t end_;                  // bucket
  std::uint64_t first_ = 0;            // key
  bool whole_ = true;                  // all items
  std::uint64_t items_ = 0;            // of the one that is open
  std::uint64_t item_ = 0;             // the next one of these
  std::uint64_t keys_ = 0;             // where its bits begin
  std::array<timeline_head, 6> read_;  // the first heads of the bucket
  std::uint64_t heads_ = 0;            // where the next head begins that is not among them
  std::uint64_t next_body_ = 0;
  std::uint64_t key_ = 0;
  timeline_head head_;
  std::uint64_t body_ = 0;
  bool any_ = false;
  bool sound_ = true;
};

class timelines {
 public:
  timelines() = default;
  // As they were stored. Throws error(corrupt) if the shape cannot be.
  timelines(const timelines_shape& shape, buffer directory, buffer stream);

  bool empty() const noexcept { return shape_.items == 0; }
  const timelines_shape& shape() const noexcept { return shape_; }
  const buffer& directory() const noexcept { return directory_; }
  const buffer& stream() const noexcept { return stream_; }
  std::uint64_t bytes() const noexcept {
    return directory_.size() + stream_.size() + filter_.bytes();
  }
  // All ticks lie in it. It is not stored, so that it is the whole span after loading.
  const tick_range& reach() const noexcept { return reach_; }

  timelines_view<bit_reader> view() const noexcept {
    return {shape_, bit_reader(directory_.bytes()), bit_reader(stream_.bytes())};
  }
  // Whether the item has a tick in the range. Most items that are not there are not looked for.
  bool seen(std::uint64_t key, tick_range asked) const noexcept {
    return filter_.may_have(key) && view().seen(key, asked);
  }
  const key_filter& filter() const noexcept { return filter_; }
  // Makes the filter that they would have if they had been written in this process, except one for
  // a short reach, which is not stored.
  void make_filter();
  // For questions that follow: first the entry of the directory, then what it says.
  void prefetch_directory(std::uint64_t key) const noexcept {
    const std::uint64_t bucket = key >> shape_.rest_bits();
    prefetch_read(directory_.data() + bucket * shape_.offset_bits / 8);
  }
  void prefetch_bucket(std::uint64_t key) const noexcept {
    const std::uint64_t at = view().bucket_of(key) / 8;  // anything if the bits are damaged
    const std::byte* const bucket = stream_.data() + std::min<std::uint64_t>(at, stream_.size());
    prefetch_read(bucket);
    prefetch_read(bucket + line_bytes / 2);  // most often the same line
  }
  timelines_cursor<bit_reader> cursor() const noexcept {
    return timelines_cursor<bit_reader>(view());
  }
  timelines_cursor<bit_reader> cursor(const key_range& keys) const noexcept {
    return {view(), keys};
  }
  // The bytes of the stream that only items below this key take.
  std::uint64_t bytes_before(std::uint64_t key) const noexcept {
    const std::uint64_t bytes = stream_.size();
    return key >= key_range::all_keys ? bytes : std::min(view().bucket_of(key) / 8, bytes);
  }

  // Whether they were written in this process, so that every bit is as it should be.
  bool is_trusted() const noexcept { return trusted_; }
  // Throws error(corrupt) unless every bit is as it was written.
  void verify() const;

 private:
  friend class timelines_writer;

  timelines_shape shape_;
  buffer directory_;
  buffer stream_;
  key_filter filter_;
  tick_range reach_ = no_ticks;
  bool trusted_ = false;
};

// Makes timelines of items that come in the order of their keys.
class timelines_writer {
 public:
  timelines_writer() = default;
  // Of about so many items, whose heads and bodies take about so many bits. If there are no more of
  // either, it takes no more memory than the timelines will. They get a filter if they have so many
  // ticks that it is worth it, or if all of them lie in a `reach` of one or two.
  timelines_writer(std::uint64_t span, std::uint64_t items, std::uint64_t bits = 0,
                   std::uint64_t ticks = 0, const tick_range& reach = any_tick);

  // Runs are of ticks below the span. A key that comes again is the same item. Takes the runs and
  // leaves others in their place, so that memory is used again.
  void add(std::uint64_t key, tick_runs& runs);
  // An item that comes once, with a body that lives until the next bucket.
  void add(std::uint64_t key, const timeline_head& head, const coded_body& body);
  // After the last item: does about so much of what finish() would do, and takes what was done from
  // it, one for every bucket. Returns whether all is done.
  bool step(std::uint64_t& work);
  // Throws if memory is out, with nothing changed.
  timelines finish();
  std::uint64_t bytes() const noexcept;  // of what it holds and has reserved

  // Until it is finished: the items that can be read already, which are those below this key, in
  // the memory of the writer. The last bucket is never among them, because whoever reads all items
  // expects the stream to end behind it. What the timelines say of their number is 0.
  std::uint64_t written_upto() const noexcept {
    return std::min(closed_, shape_.buckets() - 1) << shape_.rest_bits();
  }
  timelines written() const;

 private:
  static constexpr tick_range any_tick{0, ~std::uint64_t{0}};

  struct pending {
    std::uint64_t rest = 0;
    tick_runs runs = {};  // none if it is coded
    timeline_head head = {};
    coded_body body = {};
  };

  pending& open_item(std::uint64_t key);
  void close_buckets(std::uint64_t upto);

  timelines_shape shape_;
  tick_range reach_ = no_ticks;
  key_filter filter_;
  bit_writer stream_;
  bit_writer starts_;             // of buckets, wider than in the end where that is not known
  bit_writer narrow_;             // the same in as few bits as they need
  std::uint64_t narrowed_ = 0;    // buckets
  std::uint64_t closed_ = 0;      // buckets
  std::uint64_t last_start_ = 0;  // of those
  std::vector<pending, hooked<pending>> bucket_;  // the one that is open
  std::size_t open_ = 0;                          // how many of them are in use
  tick_runs scratch_;
};

}  // namespace bloomtime::detail
