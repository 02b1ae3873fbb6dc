#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <bloomtime/time.hpp>

namespace bloomtime::store {

// The largest distance from UTC that a timestamp can name, in seconds: 23:59.
inline constexpr std::int32_t most_offset = 24 * 3600 - 60;

// Events from `first` to `last` whose timestamps were written with a UTC offset (seconds east) of
// `west` to `east`. Both are equal unless the offset is not known exactly.
struct offset_span {
  instant first;
  instant last;
  std::int32_t west = 0;
  std::int32_t east = 0;

  bool exact() const noexcept { return west == east; }
  friend bool operator==(const offset_span&, const offset_span&) = default;
};

// Which UTC offsets the timestamps of a log had, and when. Every event that was added lies in a
// span of its offset. Sorted by offset, then by time; spans of the same offset are more than
// `joined` apart. At most `most` spans are kept: beyond that, those of the same offset that are
// closest to each other become one; if all differ, all become one.
class offset_spans {
 public:
  static constexpr std::size_t most = 128;
  static constexpr std::chrono::microseconds joined = std::chrono::hours(24);

  offset_spans() = default;
  // Throws bloomtime::error (corrupt) for spans that no offset_spans could hold.
  explicit offset_spans(std::vector<offset_span> spans);

  void add(instant t, std::int32_t offset) {
    if (!extends_recent(t, offset)) insert({t, t, offset, offset});
  }
  void add(const offset_span& events) { insert(events); }
  // Events with an unknown offset.
  void add_unknown(instant first, instant last) {
    insert({first, last, -most_offset, most_offset});
  }

  const std::vector<offset_span>& spans() const noexcept { return spans_; }
  friend bool operator==(const offset_spans& a, const offset_spans& b) {
    return a.spans_ == b.spans_;
  }

 private:
  bool extends_recent(instant t, std::int32_t offset) noexcept;
  void insert(offset_span added);
  void shrink();
  void join_closest(std::size_t left);

  std::vector<offset_span> spans_;
  std::size_t recent_ = 0;  // the span extended last: nearly always the next one as well
};

}  // namespace bloomtime::store
