#include <bloomtime/detail/timelines.hpp>

#include <utility>

#include <bloomtime/error.hpp>

namespace bloomtime::detail {
namespace {

[[noreturn]] void refuse() {
  throw error(errc::corrupt, "the timelines of this history are damaged; restore the file");
}

}  // namespace

timelines::timelines(const timelines_shape& shape, buffer directory, buffer stream)
    : shape_(shape), directory_(std::move(directory)), stream_(std::move(stream)) {
  if (shape.span == 0 || shape.span > most_timeline_ticks ||
      shape.bucket_bits > shape.most_bucket_bits || shape.offset_bits > 57 ||
      (shape.bucket_bits > 0 && shape.offset_bits == 0) ||
      directory_.size() != shape.directory_bytes()) {
    refuse();
  }
}

void timelines::verify() const {
  std::uint64_t items = 0;
  std::uint64_t ticks = 0;
  timelines_cursor<bit_reader> all = cursor();
  while (all.next()) {
    if (!all.line().sound()) refuse();
    ++items;
    ticks += all.head().count;
  }
  if (!all.sound() || items != shape_.items || ticks != shape_.ticks) refuse();
}

timelines_writer::timelines_writer(std::uint64_t span, std::uint64_t items, std::uint64_t bits) {
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
  close_buckets(key >> shape_.rest_bits());
  const std::uint64_t rest = key & ((std::uint64_t{1} << shape_.rest_bits()) - 1);
  if (open_ > 0 && bucket_[open_ - 1].rest == rest) {
    tick_runs& had = bucket_[open_ - 1].runs;
    unite(had, runs, scratch_);
    had.swap(scratch_);
    return;
  }
  if (open_ == bucket_.size()) bucket_.emplace_back();
  bucket_[open_].rest = rest;
  bucket_[open_].runs.swap(runs);
  ++open_;
}

// Writes the open bucket, if it lies before `upto`, and empty ones up to there.
void timelines_writer::close_buckets(std::uint64_t upto) {
  for (; closed_ < upto; ++closed_) {
    last_start_ = stream_.size();
    starts_.put(last_start_, shape_.offset_bits);
    stream_.put_gamma(open_ + 1);
    heads_.clear();
    for (std::size_t i = 0; i < open_; ++i) {
      stream_.put(bucket_[i].rest, shape_.rest_bits());
      heads_.push_back(head_of(bucket_[i].runs));
      shape_.ticks += heads_.back().count;
    }
    for (const timeline_head& head : heads_) put_head(stream_, head, shape_.span);
    for (std::size_t i = 0; i < open_; ++i) put_body(stream_, heads_[i], bucket_[i].runs);
    shape_.items += open_;
    open_ = 0;
  }
}

timelines timelines_writer::finish() {
  close_buckets(shape_.buckets());
  const unsigned width = shape_.offset_bits;
  shape_.offset_bits = width_of(last_start_);
  buffer directory = starts_.finish();
  if (width != shape_.offset_bits) {
    const bit_reader wide(directory.bytes());
    bit_writer narrow(shape_.buckets() * shape_.offset_bits);
    for (std::uint64_t i = 0; i < shape_.buckets(); ++i) {
      narrow.put(wide.get(i * width, width), shape_.offset_bits);
    }
    directory = narrow.finish();
  }
  return {shape_, std::move(directory), stream_.finish()};
}

}  // namespace bloomtime::detail
