#include <bloomtime/detail/timelines.hpp>

#include <algorithm>
#include <iterator>
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
  std::optional<std::uint64_t> last;
  bool sound = true;
  const bool complete = view().for_each([&](std::uint64_t key, const auto& line) {
    sound = sound && (!last || *last < key) && line.sound();
    last = key;
    ++items;
    ticks += line.head().count;
  });
  if (!complete || !sound || items != shape_.items || ticks != shape_.ticks) refuse();
}

timelines_writer::timelines_writer(std::uint64_t span, std::uint64_t items) {
  shape_.span = span;
  shape_.bucket_bits = timelines_shape::bucket_bits_for(items);
  starts_.reserve(shape_.buckets());
}

void timelines_writer::add(std::uint64_t key, std::span<const std::uint32_t> ticks) {
  close_buckets(key >> shape_.rest_bits());
  const std::uint64_t rest = key & ((std::uint64_t{1} << shape_.rest_bits()) - 1);
  if (open_ > 0 && bucket_[open_ - 1].rest == rest) {
    std::vector<std::uint32_t>& had = bucket_[open_ - 1].ticks;
    std::vector<std::uint32_t> both;
    std::set_union(had.begin(), had.end(), ticks.begin(), ticks.end(), std::back_inserter(both));
    had.swap(both);
    return;
  }
  if (open_ == bucket_.size()) bucket_.emplace_back();
  bucket_[open_].rest = rest;
  bucket_[open_].ticks.assign(ticks.begin(), ticks.end());
  ++open_;
}

// Writes the open bucket, if it lies before `upto`, and empty ones up to there.
void timelines_writer::close_buckets(std::uint64_t upto) {
  while (starts_.size() < upto) {
    starts_.push_back(stream_.size());
    stream_.put_gamma(open_ + 1);
    std::vector<timeline_head> heads;
    for (std::size_t i = 0; i < open_; ++i) {
      stream_.put(bucket_[i].rest, shape_.rest_bits());
      heads.push_back(head_of(bucket_[i].ticks));
      shape_.ticks += heads.back().count;
    }
    for (const timeline_head& head : heads) put_head(stream_, head, shape_.span);
    for (std::size_t i = 0; i < open_; ++i) put_body(stream_, heads[i], bucket_[i].ticks);
    shape_.items += open_;
    open_ = 0;
  }
}

timelines timelines_writer::finish() {
  close_buckets(shape_.buckets());
  shape_.offset_bits = width_of(starts_.back());
  bit_writer directory;
  for (const std::uint64_t start : starts_) directory.put(start, shape_.offset_bits);
  return {shape_, directory.bytes(), stream_.bytes()};
}

}  // namespace bloomtime::detail
