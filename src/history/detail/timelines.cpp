#include <bloomtime/history/detail/timelines.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include <bloomtime/error.hpp>
#include <bloomtime/history/detail/segmented.hpp>

#include "history/detail/damaged.hpp"

namespace bloomtime::detail {
namespace {

// Most of what is so young is asked whether it has an item by every event that happens now, and
// while the present tick lasts there are many such timelines.
constexpr bool is_short(const tick_range& reach) noexcept { return reach.last - reach.first < 2; }

}  // namespace

timelines::timelines(const timelines_shape& shape, buffer directory, buffer stream)
    : shape_(shape),
      directory_(std::move(directory)),
      stream_(std::move(stream)),
      reach_{0, shape.span - 1} {
  if (shape.span == 0 || shape.span > most_timeline_ticks ||
      shape.bucket_bits > shape.most_bucket_bits || shape.offset_bits > 57 ||
      (shape.bucket_bits > 0 && shape.offset_bits == 0) ||
      directory_.size() != shape.directory_bytes()) {
    refuse_damaged("timelines");
  }
}

// If the bits are damaged there is none. An item takes at least a byte of the stream.
void timelines::make_filter() {
  const bool possible = shape_.items <= stream_.size();
  if (!filter_.empty() || !possible || !key_filter::is_worth_it(shape_.items, shape_.ticks)) return;
  filter_ = key_filter(shape_.items);
  timelines_cursor<bit_reader> all = cursor();
  while (all.next()) filter_.add(all.key());
  if (!all.sound()) filter_ = {};
}

void timelines::verify() const {
  std::uint64_t items = 0;
  std::uint64_t ticks = 0;
  timelines_cursor<bit_reader> all = cursor();
  while (all.next()) {
    if (!all.line().sound()) refuse_damaged("timelines");
    ++items;
    ticks += all.head().count;
  }
  if (!all.sound() || items != shape_.items || ticks != shape_.ticks) refuse_damaged("timelines");
}

timelines_writer::timelines_writer(std::uint64_t span, std::uint64_t items, std::uint64_t bits,
                                   std::uint64_t ticks, const tick_range& reach) {
  if (key_filter::is_worth_it(items, ticks) || is_short(reach)) filter_ = key_filter(items);
  constexpr unsigned widest = 48;
  shape_.span = span;
  shape_.bucket_bits = timelines_shape::bucket_bits_for(items);
  // gamma(n + 1) takes at most 2 n + 1 bits.
  const std::uint64_t most = bits + items * (shape_.rest_bits() + 2) + shape_.buckets();
  if (bits != 0) stream_ = bit_writer(most);
  shape_.offset_bits = bits != 0 ? width_of(most) : widest;
  starts_ = bit_writer(shape_.buckets() * shape_.offset_bits);
}

void timelines_writer::add(std::uint64_t key, tick_runs& runs) {
  pending& item = open_item(key);
  if (item.runs.empty()) {
    item.runs.swap(runs);
  } else {
    unite(item.runs, runs, scratch_);
    item.runs.swap(scratch_);
  }
}

void timelines_writer::add(std::uint64_t key, const timeline_head& head, const coded_body& body) {
  pending& item = open_item(key);
  item.head = head;
  item.body = body;
}

// The one that came last, if it has this key, or a new one.
timelines_writer::pending& timelines_writer::open_item(std::uint64_t key) {
  close_buckets(key >> shape_.rest_bits());
  const std::uint64_t rest = key & ((std::uint64_t{1} << shape_.rest_bits()) - 1);
  if (open_ > 0 && bucket_[open_ - 1].rest == rest) return bucket_[open_ - 1];
  if (open_ == bucket_.size()) bucket_.emplace_back();
  if (!filter_.empty()) filter_.add(key);
  bucket_[open_].rest = rest;
  bucket_[open_].runs.clear();
  return bucket_[open_++];
}

// Writes the open bucket, if it lies before `upto`, and empty ones up to there.
void timelines_writer::close_buckets(std::uint64_t upto) {
  for (; closed_ < upto; ++closed_) {
    last_start_ = stream_.size();
    starts_.put(last_start_, shape_.offset_bits);
    stream_.put_gamma(open_ + 1);
    const std::span<pending> items(bucket_.data(), open_);
    for (pending& item : items) {
      stream_.put(item.rest, shape_.rest_bits());
      if (!item.runs.empty()) item.head = head_of(item.runs);
      shape_.ticks += item.head.count;
      reach_.widen({item.head.first, item.head.last});
    }
    for (const pending& item : items) put_head(stream_, item.head, shape_.span);
    for (const pending& item : items) {
      if (item.runs.empty()) {
        stream_.put_copy(item.body.bits, item.body.at, item.head.body);
      } else {
        put_body(stream_, item.head, item.runs);
      }
    }
    shape_.items += open_;
    open_ = 0;
  }
}

// The offsets are as wide as the largest needs, which is known only now.
bool timelines_writer::step(std::uint64_t& work) {
  const std::uint64_t buckets = shape_.buckets();
  if (closed_ < buckets) {
    const std::uint64_t before = closed_;
    close_buckets(before + std::min(work, buckets - before));
    work -= closed_ - before;
    if (closed_ < buckets) return false;
  }
  const unsigned width = width_of(last_start_);
  if (width == shape_.offset_bits) return true;
  if (narrowed_ == 0) narrow_ = bit_writer(buckets * width);
  for (; work > 0 && narrowed_ < buckets; ++narrowed_, --work) {
    narrow_.put(starts_.get(narrowed_ * shape_.offset_bits, shape_.offset_bits), width);
  }
  if (narrowed_ < buckets) return false;
  starts_ = std::move(narrow_);
  shape_.offset_bits = width;
  return true;
}

std::uint64_t timelines_writer::bytes() const noexcept {
  std::uint64_t bytes = stream_.capacity() + starts_.capacity() + narrow_.capacity() +
                        filter_.bytes() + allocated_by(bucket_) + allocated_by(scratch_);
  for (const pending& p : bucket_) bytes += allocated_by(p.runs);
  return bytes;
}

timelines timelines_writer::written() const {
  timelines_shape shape = shape_;
  shape.items = shape.ticks = 0;
  return {shape, buffer::borrow(starts_.bytes(), nullptr),
          buffer::borrow(stream_.bytes(), nullptr)};
}

timelines timelines_writer::finish() {
  for (std::uint64_t work = std::numeric_limits<std::uint64_t>::max(); !step(work);) {
  }
  buffer stream = stream_.finish();
  timelines made(shape_, starts_.finish(), std::move(stream));  // which has its size already
  made.filter_ = std::move(filter_);
  made.reach_ = reach_;
  made.trusted_ = true;
  return made;
}

}  // namespace bloomtime::detail
