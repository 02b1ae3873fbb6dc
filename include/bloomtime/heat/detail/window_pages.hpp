#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/hooked.hpp>
#include <bloomtime/heat/detail/window_hits.hpp>

namespace bloomtime::detail {

// A table from keys of `key_bits` bits to the hits of a window, in pages of about a KiB whose
// records are as long as their hits need (docs/math.md, Pages of hits).
//
// The number of pages grows and shrinks by one (linear hashing): in round `level`, page i splits
// into itself and page i + 2^level by bit `level` of the key. Within a page, the next three bits of
// a key choose one of eight groups. A record holds the other bits, as many bytes as they need, and
// the hits. Records of a group are in the order of these bits.
//
// A page has an epoch, see window_hits: it is refreshed, which removes hits that no longer count,
// before a write that is more than `spare` ticks later.
class window_pages {
 public:
  static constexpr unsigned group_bits = 3;
  static constexpr unsigned groups = 1 << group_bits;
  static constexpr unsigned most_key_bits = 59;
  static constexpr std::uint64_t page_bytes = 1024;            // of records, on average
  static constexpr std::uint64_t most_page_bytes = 1 << 17;    // a bound on the time of one call
  static constexpr std::uint64_t head_bytes = 8 + 4 * groups;  // of a page in heads()

  static constexpr std::uint64_t least_limit = 16 * 1024;  // of memory(): some pages fit

  struct sum {
    std::uint64_t above = 0;  // all that counts
    std::uint64_t below = 0;  // what certainly is within the window
  };

  window_pages() noexcept = default;
  // Splits in advance, with memory for so many bytes of records; it never becomes smaller.
  window_pages(unsigned slots, unsigned key_bits, std::uint64_t reserved_bytes,
               std::optional<std::uint64_t> limit);

  // Of the records of so many items with one hit in each of two slots.
  static std::uint64_t bytes_for(std::uint64_t items, unsigned slots, unsigned key_bits) noexcept;

  const window_hits& form() const noexcept { return form_; }
  unsigned key_bits() const noexcept { return key_bits_; }
  bool empty() const noexcept { return chunks_.empty(); }  // moved from
  std::uint64_t pages() const noexcept { return (std::uint64_t{1} << level_) + split_; }
  unsigned level() const noexcept { return level_; }
  std::uint64_t split() const noexcept { return split_; }
  std::uint64_t records() const noexcept { return records_; }  // some may have expired
  std::uint64_t used() const noexcept { return used_; }        // bytes of records
  std::uint64_t memory() const noexcept;
  std::uint64_t reserved() const noexcept { return reserved_; }
  std::optional<std::uint64_t> limit() const noexcept { return limit_; }
  std::uint64_t work() const noexcept { return work_; }  // pages refreshed, split or joined

  void prefetch_page(std::uint64_t key) const noexcept;
  void prefetch_record(std::uint64_t key) const noexcept;  // reads the page

  // The hits of the last `slots` ticks, at most those of the window.
  sum at(std::uint64_t key, std::uint64_t now, unsigned slots) const noexcept;

  // Makes room for so many more hits of a key. False if the limit forbids it. Throws
  // error(out_of_memory), with everything unchanged.
  bool make_room(std::uint64_t key, std::uint64_t count);
  // The same after expired hits of the page and of some others were removed.
  bool find_room(std::uint64_t key, std::uint64_t count, std::uint64_t now) noexcept;
  // Adds hits at a tick that is at most `slots` before now. Needs room.
  void add(std::uint64_t key, std::uint64_t tick, std::uint64_t count, std::uint64_t now) noexcept;
  // Removes expired hits of one page after the other, which may have no more writes.
  void refresh_next(std::uint64_t now) noexcept;
  // Grows or shrinks by a page if it is time, without error if there is no memory.
  void settle(std::uint64_t now) noexcept;

  // use(key, epoch, hits as written) for every record.
  template <class Use>
  void for_each(Use&& use) const;

  // For every page its epoch and the end of each group; then all records.
  std::vector<std::byte> heads() const;
  std::vector<std::byte> bodies() const;
  std::uint64_t next_to_refresh() const noexcept { return next_ < pages() ? next_ : 0; }
  struct stored_pages {
    std::uint64_t level = 0;
    std::uint64_t split = 0;
    std::uint64_t next = 0;
    std::span<const std::byte> heads;
    std::span<const std::byte> bodies;
  };
  // False if these are not the pages of a table whose newest tick is `now`.
  bool read(const stored_pages& stored, std::uint64_t now);

 private:
  static constexpr unsigned chunk_shift = 6;
  static constexpr std::uint64_t padding = 8;  // readable after the last record
  static constexpr std::uint64_t step = 64;    // of the memory of a page
  static constexpr unsigned is_long = 255;

  // A record is its length in bytes, the part of the key, and hits. If the length is `is_long`, two
  // bytes before the hits say how long they are.
  struct alignas(64) page {
    std::vector<std::byte, hooked<std::byte>> bytes;  // as many as are allocated
    std::uint64_t epoch = 0;
    std::array<std::uint32_t, groups> ends{};

    std::uint32_t used() const noexcept { return ends[groups - 1]; }
    std::uint32_t begin_of(unsigned group) const noexcept {
      return group == 0 ? 0 : ends[group - 1];
    }
    std::span<const std::byte> group(unsigned g) const noexcept {
      return {bytes.data() + begin_of(g), bytes.data() + ends[g]};
    }
  };
  using chunk = std::vector<page, hooked<page>>;

  struct record {
    std::uint64_t rest;
    std::span<const std::byte> hits;
  };
  struct place {
    std::uint64_t page;
    unsigned level;
    unsigned group;
    std::uint64_t rest;
  };
  struct found {
    std::uint64_t at;  // where the record is, or would be
    bool there;
  };

  unsigned rest_bits(unsigned level) const noexcept { return key_bits_ - level - group_bits; }
  unsigned width(unsigned level) const noexcept { return (rest_bits(level) + 7) / 8; }
  unsigned level_of(std::uint64_t index) const noexcept {
    const std::uint64_t round = std::uint64_t{1} << level_;
    return level_ + (index < split_ || index >= round ? 1 : 0);
  }
  place place_of(std::uint64_t key) const noexcept;
  page& page_at(std::uint64_t i) noexcept {
    return chunks_[i >> chunk_shift][i & ((1 << chunk_shift) - 1)];
  }
  const page& page_at(std::uint64_t i) const noexcept {
    return chunks_[i >> chunk_shift][i & ((1 << chunk_shift) - 1)];
  }
  static record read_record(const std::byte*& at, unsigned width) noexcept;
  static std::uint64_t size_of(const record& r, unsigned width) noexcept;
  static std::byte* write_record(std::byte* at, const record& r, unsigned width) noexcept;
  static found find(const page& p, const place& where, unsigned width) noexcept;

  std::uint64_t room_for(std::uint64_t count, unsigned level) const noexcept;
  static std::uint64_t allocated_for(std::uint64_t used) noexcept;
  bool within_limit(std::uint64_t more, std::uint64_t less = 0) const noexcept;
  void reallocate(page& p, std::uint64_t bytes);
  void tighten(page& p) noexcept;
  void splice(page& p, unsigned group, std::uint64_t at, std::uint64_t gone,
              std::span<const std::byte> put) noexcept;
  void add_to_page(page& p, const place& where, std::uint64_t tick, std::uint64_t count) noexcept;
  void add_to_record(page& p, const place& where, std::uint64_t at, std::uint64_t tick,
                     std::uint64_t count) noexcept;
  void refresh(page& p, unsigned level, std::uint64_t now) noexcept;
  std::span<const std::byte> alive(const record& r, std::uint64_t epoch,
                                   std::uint64_t behind) const noexcept;

  template <class Each>
  page packed(Each&& each, unsigned width, std::uint64_t epoch) const;
  template <class Use>
  static void for_both(const page& first, const page& second, unsigned width, Use&& use);
  bool split_one(std::uint64_t now);
  bool join_one(std::uint64_t now);
  void open_page();
  std::uint64_t bytes_of_opening() const noexcept;
  void put(page& old, page made) noexcept;
  bool count_records(const page& p, unsigned level, std::uint64_t now);

  window_hits form_;
  unsigned key_bits_ = 0;
  unsigned level_ = 0;
  std::uint64_t split_ = 0;
  std::uint64_t next_ = 0;
  std::uint64_t reserved_ = 0;
  std::uint64_t least_pages_ = 1;
  std::uint64_t least_allocated_ = 0;  // of a page
  std::uint64_t records_ = 0;
  std::uint64_t used_ = 0;
  std::uint64_t allocated_ = 0;  // by pages
  std::uint64_t work_ = 0;
  std::optional<std::uint64_t> limit_;
  std::vector<chunk, hooked<chunk>> chunks_;
};

inline window_pages::record window_pages::read_record(const std::byte*& at,
                                                      unsigned width) noexcept {
  std::uint64_t length = std::to_integer<std::uint64_t>(*at);
  const std::uint64_t rest = load_le64(at + 1) & ((std::uint64_t{1} << 8 * width) - 1);
  at += 1 + width;
  if (length == is_long) {
    length = load_le16(at);
    at += 2;
  }
  const std::span<const std::byte> hits(at, length);
  at += length;
  return {rest, hits};
}

template <class Use>
void window_pages::for_each(Use&& use) const {
  for (std::uint64_t i = 0; !empty() && i < pages(); ++i) {
    const page& p = page_at(i);
    const unsigned level = level_of(i);
    for (unsigned g = 0; g < groups; ++g) {
      const std::span<const std::byte> all = p.group(g);
      for (const std::byte* at = all.data(); at != all.data() + all.size();) {
        const record r = read_record(at, width(level));
        use((r.rest << group_bits | g) << level | i, p.epoch, r.hits);
      }
    }
  }
}

}  // namespace bloomtime::detail
