#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <bloomtime/detail/bit_stream.hpp>
#include <bloomtime/detail/buffer.hpp>
#include <bloomtime/detail/timeline.hpp>
#include <bloomtime/digest.hpp>

// The timelines of many items, sealed: no tick can be added, and little is read to answer. A
// directory says where in a stream of bits each bucket of items begins. A bucket is: how many items
// it has and one more, as a gamma code; what is left of their keys; their heads; their bodies.
namespace bloomtime::detail {

// Items are told apart by this many bits of their digest. Those that share them are one: what was
// seen of either was seen of both, and nothing is missed.
inline constexpr unsigned timeline_key_bits = 48;

constexpr std::uint64_t timeline_key(digest d) noexcept { return d.hi >> (64 - timeline_key_bits); }

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

template <class Bits>
class timelines_view {
 public:
  timelines_view(const timelines_shape& shape, Bits directory, Bits stream) noexcept
      : shape_(shape), directory_(directory), stream_(stream) {}

  std::optional<timeline<Bits>> find(std::uint64_t key) const noexcept {
    std::uint64_t at = start_of(key >> shape_.rest_bits());
    const std::uint64_t items = take_count(at);
    const std::uint64_t rest = key & ((std::uint64_t{1} << shape_.rest_bits()) - 1);
    for (std::uint64_t i = 0; i < items; ++i) {
      if (stream_.get(at + i * shape_.rest_bits(), shape_.rest_bits()) == rest) {
        return timeline_of(at + items * shape_.rest_bits(), items, i);
      }
    }
    return std::nullopt;
  }

  // visit(key, timeline) for all, in the order of their keys. Returns false where the bits are not
  // those of a bucket.
  template <class Visit>
  bool for_each(Visit&& visit) const {
    std::vector<timeline_head> heads;
    std::uint64_t at = 0;
    for (std::uint64_t bucket = 0; bucket < shape_.buckets(); ++bucket) {
      if (start_of(bucket) != at) return false;
      const std::uint64_t items = take_count(at);
      const std::uint64_t keys = at;
      at += items * shape_.rest_bits();
      heads.clear();
      for (std::uint64_t i = 0; i < items; ++i) {
        const std::optional<timeline_head> head = take_head(stream_, at, shape_.span);
        if (!head) return false;
        heads.push_back(*head);
      }
      for (std::uint64_t i = 0; i < items; ++i) {
        const std::uint64_t rest = stream_.get(keys + i * shape_.rest_bits(), shape_.rest_bits());
        visit(bucket << shape_.rest_bits() | rest, timeline<Bits>(stream_, heads[i], at));
        if (heads[i].body > stream_.size()) return false;
        at += heads[i].body;
      }
      if (at > stream_.size()) return false;
    }
    return stream_.ends_at(at) && directory_.ends_at(shape_.buckets() * shape_.offset_bits);
  }

 private:
  std::uint64_t start_of(std::uint64_t bucket) const noexcept {
    return directory_.get(bucket * shape_.offset_bits, shape_.offset_bits);
  }

  // Never more than there is room for.
  std::uint64_t take_count(std::uint64_t& at) const noexcept {
    const std::uint64_t and_one = stream_.take_gamma(at);
    if (and_one == 0 || at > stream_.size()) return 0;
    return std::min(and_one - 1, (stream_.size() - at) / shape_.rest_bits());
  }

  // The timeline of item number `wanted` of a bucket whose heads begin here.
  std::optional<timeline<Bits>> timeline_of(std::uint64_t at, std::uint64_t items,
                                            std::uint64_t wanted) const noexcept {
    timeline_head found;
    std::uint64_t before = 0;  // bits of bodies
    for (std::uint64_t i = 0; i < items; ++i) {
      const std::optional<timeline_head> head = take_head(stream_, at, shape_.span);
      if (!head) return std::nullopt;
      if (i < wanted) before += head->body;
      if (i == wanted) found = *head;
    }
    return timeline<Bits>(stream_, found, at + before);
  }

  timelines_shape shape_;
  Bits directory_;
  Bits stream_;
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
  std::uint64_t bytes() const noexcept { return directory_.size() + stream_.size(); }

  timelines_view<bit_reader> view() const noexcept {
    return {shape_, bit_reader(directory_.bytes()), bit_reader(stream_.bytes())};
  }

  // Throws error(corrupt) unless every bit is as it was written.
  void verify() const;

 private:
  timelines_shape shape_;
  buffer directory_;
  buffer stream_;
};

// Makes timelines of items that come in the order of their keys.
class timelines_writer {
 public:
  // Of about so many items.
  timelines_writer(std::uint64_t span, std::uint64_t items);

  // Ticks are sorted, different, and below the span. A key that comes again is the same item.
  void add(std::uint64_t key, std::span<const std::uint32_t> ticks);
  timelines finish();

 private:
  struct pending {
    std::uint64_t rest;
    std::vector<std::uint32_t> ticks;
  };

  void close_buckets(std::uint64_t upto);

  timelines_shape shape_;
  bit_writer stream_;
  std::vector<std::uint64_t> starts_;
  std::vector<pending> bucket_;  // the one that is open
  std::size_t open_ = 0;         // how many of them are in use
};

}  // namespace bloomtime::detail
