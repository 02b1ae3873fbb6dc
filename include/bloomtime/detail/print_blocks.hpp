#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <bloomtime/detail/buffer.hpp>
#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/cpu.hpp>
#include <bloomtime/detail/hooked.hpp>
#include <bloomtime/detail/moved.hpp>
#include <bloomtime/detail/print_block.hpp>
#include <bloomtime/detail/probes.hpp>
#include <bloomtime/digest.hpp>

namespace bloomtime::detail {

// What a table of prints is made with.
struct print_shape {
  std::uint64_t homes = 0;    // blocks at first, 1 to 2^32
  unsigned print_bits = 0;    // tag and rest, before growth
  unsigned payload_bits = 0;  // of a slot
  unsigned mark_bits = 0;     // of a block

  friend bool operator==(const print_shape&, const print_shape&) = default;
};

// Throws error(invalid_argument) unless blocks of this shape hold at least four slots.
void check(const print_shape& shape);

// The blocks of a table of prints: memory that grows by one block at a time and never moves what it
// has (linear hashing). In round `level`, blocks split in the order of their homes: the lowest bit
// of `rest` that is not part of the address yet decides which of the two blocks a print is in, and
// is no longer stored, so prints become shorter and blocks hold more of them.
//
// A segment of 64 blocks has an epoch, a number that belongs to the user: what has to happen to
// all blocks from time to time happens to a segment when it is next written.
class print_blocks {
 public:
  static constexpr unsigned segment_shift = 6;
  static constexpr unsigned most_levels = 32;

  // Where a print is. The spot is valid until blocks are opened or closed.
  struct spot {
    std::byte* block;
    std::uint64_t* epoch;  // of its segment
    unsigned level;
    unsigned region;
    std::uint64_t offset;  // in the region
  };

  print_blocks() noexcept = default;
  explicit print_blocks(const print_shape& shape);

  const print_shape& shape() const noexcept { return shape_; }
  unsigned level() const noexcept { return level_; }
  std::uint64_t split() const noexcept { return split_; }  // blocks of this round so far
  bool empty() const noexcept { return chunks_.empty(); }
  std::uint64_t blocks() const noexcept { return blocks_; }
  // Splitting ends there, because each doubling takes a bit of the prints.
  std::uint64_t most_blocks() const noexcept {
    return shape_.homes << std::min(most_levels, shape_.print_bits - tag_bits);
  }
  // Differs after blocks were opened or closed.
  std::uint64_t changes() const noexcept { return changes_; }
  bool large() const noexcept { return blocks() >= many_blocks; }
  std::uint64_t slots() const noexcept {
    return (std::uint64_t{forms_[level_].slots} * ((shape_.homes << level_) - split_)) +
           std::uint64_t{forms_[level_ + 1].slots} * 2 * split_;
  }
  std::uint64_t block_memory() const noexcept { return memory_; }  // with epochs
  std::uint64_t memory() const noexcept {
    return memory_ + hooked_bytes<chunk>(chunks_.capacity());
  }
  const print_form& form(unsigned level) const noexcept { return forms_[level]; }
  // Bits of a print that distinguish it from others in its block.
  unsigned print_bits(unsigned level) const noexcept { return shape_.print_bits - level; }

  BLOOMTIME_INLINE print print_of(digest d) const noexcept {
    return {reduce(d.hi, shape_.homes), d.lo & rest_mask_,
            static_cast<std::uint32_t>(d.lo >> (64 - tag_bits))};
  }
  // The other place of a print; other(other(p)) is p.
  BLOOMTIME_INLINE print other(const print& p) const noexcept {
    const std::uint64_t sum = reduce((p.tag + 1) * golden, shape_.homes);
    const std::uint64_t wrap = shape_.homes & (0 - std::uint64_t{sum < p.home});  // no branch
    return {sum - p.home + wrap, p.rest ^ ((p.tag + 1) * hop >> 13 & rest_mask_), p.tag};
  }
  // The part of `rest` that a block of this level stores.
  static std::uint64_t stored(const print& p, unsigned level) noexcept { return p.rest >> level; }

  // Whether the block of this print was divided in this round.
  BLOOMTIME_INLINE bool is_divided(const print& p) const noexcept {
    return (p.home << level_ | (p.rest & ((std::uint64_t{1} << level_) - 1))) < split_;
  }
  // at() while the table has not grown.
  BLOOMTIME_INLINE spot at_first(const print& p) const noexcept {
    const chunk& c = chunks_.front();
    return {c.blocks + p.home * line_bytes, c.epochs + (p.home >> segment_shift), 0, 0, p.home};
  }
  BLOOMTIME_INLINE spot at(const print& p) const noexcept {
    return can_join() ? at_grown(p) : at_first(p);
  }
  // at() of any table, slower than at_first() if it has not grown.
  BLOOMTIME_INLINE spot at_grown(const print& p) const noexcept {
    const unsigned level = level_ + (is_divided(p) ? 1 : 0);
    const std::uint64_t path = p.rest & ((std::uint64_t{1} << level) - 1);
    return spot_at(p.home, path, level);
  }
  BLOOMTIME_INLINE void prefetch(const print& p) const noexcept { prefetch(at(p)); }
  BLOOMTIME_INLINE static void prefetch(const spot& s) noexcept { prefetch(s.block); }
  BLOOMTIME_INLINE static void prefetch(const std::byte* block) noexcept {
    asm volatile("" : : "r"(block));  // g++ 12 removes calls that only prefetch
    __builtin_prefetch(block, 1);
  }
  print_block block(const spot& s) const noexcept { return {s.block, forms_[s.level]}; }

  // The two blocks of the next split: the one to divide, and a new, empty one. close() takes the
  // split back if nothing was moved.
  struct pair {
    spot parent;
    spot child;
  };
  bool can_split() const noexcept;
  // A print of the block that is divided next, with a stored rest of 0.
  print next_split() const noexcept {
    return {split_ >> level_, split_ & ((std::uint64_t{1} << level_) - 1), 0};
  }
  std::uint64_t bytes_of_next_split() const noexcept;  // 0 if there is memory already
  pair open();  // throws error(out_of_memory), and nothing changed
  // The two blocks of the last split. With close() the second one is gone.
  bool can_join() const noexcept { return blocks_ != shape_.homes; }  // true if moved from
  pair last() const noexcept;
  void close() noexcept;

  // use(spot, print) for every block; the print is that of a slot whose stored rest is 0.
  template <class Use>
  void for_each(Use&& use) const {
    for (std::uint64_t home = 0; home < shape_.homes; ++home) {
      for (std::uint64_t low = 0; low < std::uint64_t{1} << level_; ++low) {
        const bool divided = (home << level_ | low) < split_;
        const unsigned level = level_ + (divided ? 1 : 0);
        use(spot_at(home, low, level), print{home, low, 0});
        if (!divided) continue;
        const std::uint64_t path = low | std::uint64_t{1} << level_;
        use(spot_at(home, path, level), print{home, path, 0});
      }
    }
  }

  // use(first block, count, form) for all blocks of a segment: those that were divided in this
  // round come before the others.
  template <class Use>
  void for_segment(const spot& s, Use&& use) const {
    const std::uint64_t size = std::uint64_t{1} << segment_shift;
    const std::uint64_t first = s.offset / size * size;
    const std::uint64_t end = std::min(first + size, existing(s.region));
    std::byte* const at = s.block - (s.offset - first) * line_bytes;
    std::uint64_t divided = first;
    while (divided < end && level_of(s.region, divided) != level_) ++divided;
    use(at, divided - first, forms_[level_ + 1]);
    use(at + (divided - first) * line_bytes, end - divided, forms_[level_]);
  }

  // All blocks and epochs, in the order of their memory, which is that of their creation.
  byte_pieces block_pieces() const;
  std::vector<std::byte> epoch_bytes() const;
  // Of what these gave. The caller checks the contents of blocks and epochs.
  static print_blocks read(const print_shape& shape, unsigned level, std::uint64_t split,
                           std::span<const std::byte> blocks, std::span<const std::byte> epochs);
  // The same without epochs: all of them are 0.
  static print_blocks read(const print_shape& shape, unsigned level, std::uint64_t split,
                           std::span<const std::byte> blocks);

 private:
  static constexpr unsigned chunks_of_region = 16;
  static constexpr std::uint64_t hop = 0xbf58476d1ce4e5b9;

  // Region 0 has the first blocks, region r those that round r - 1 creates. A region is allocated
  // in up to 16 chunks.
  struct chunk {
    buffer memory;  // the blocks, then an epoch per segment
    std::byte* blocks = nullptr;
    std::uint64_t* epochs = nullptr;

    chunk() noexcept = default;
    explicit chunk(std::uint64_t count);
    chunk(const chunk& other);
    chunk(chunk&& other) noexcept = default;
    chunk& operator=(const chunk& other) { return *this = chunk(other); }
    chunk& operator=(chunk&& other) noexcept = default;
    ~chunk() = default;

    static std::uint64_t bytes_for(std::uint64_t count) noexcept;
  };

  // Of an offset in a region: the bits below those of the home, and those inside of a chunk.
  struct region_shifts {
    std::uint8_t home_shift = 0;
    std::uint8_t chunk_shift = 0;
  };
  static region_shifts shifts_of(unsigned region, unsigned home_bits) noexcept;
  // `path`: the bits of `rest` that are part of the address, of which the first split decided the
  // lowest.
  BLOOMTIME_INLINE spot spot_at(std::uint64_t home, std::uint64_t path,
                                unsigned level) const noexcept {
    const unsigned region = 64 - static_cast<unsigned>(std::countl_zero(path));
    const std::uint64_t top = std::uint64_t{1} << region >> 1;
    return in_region(region, home << regions_[region].home_shift | (path ^ top), level);
  }
  BLOOMTIME_INLINE spot in_region(unsigned region, std::uint64_t offset,
                                  unsigned level) const noexcept {
    const unsigned shift = regions_[region].chunk_shift;
    const chunk& c = chunks_[region * chunks_of_region + (offset >> shift)];
    const std::uint64_t inside = offset & ((std::uint64_t{1} << shift) - 1);
    return {c.blocks + inside * line_bytes, c.epochs + (inside >> segment_shift), level, region,
            offset};
  }
  unsigned level_of(unsigned region, std::uint64_t offset) const noexcept {
    if (region == 0) return level_ + ((offset << level_) < split_ ? 1 : 0);
    const std::uint64_t top = std::uint64_t{1} << (region - 1);
    const std::uint64_t low = ((offset & (top - 1)) | top) & ((std::uint64_t{1} << level_) - 1);
    return level_ + (((offset >> (region - 1)) << level_ | low) < split_ ? 1 : 0);
  }
  std::uint64_t existing(unsigned region) const noexcept {
    return region <= level_ ? region_blocks(region) : split_;
  }
  std::uint64_t region_blocks(unsigned region) const noexcept {
    return region == 0 ? shape_.homes : shape_.homes << (region - 1);
  }
  std::uint64_t chunk_blocks(unsigned region, std::uint64_t offset) const noexcept;
  void allocate(unsigned region, std::uint64_t offset);
  pair pair_of(unsigned level, std::uint64_t index) const noexcept;
  // use(chunk, blocks of it that exist) in the order of creation.
  template <class Use>
  void for_each_chunk(Use&& use) const;

  print_shape shape_;
  std::uint64_t rest_mask_ = 0;
  unsigned level_ = 0;
  std::uint64_t split_ = 0;
  zero_when_moved<std::uint64_t> blocks_;
  std::uint64_t memory_ = 0;
  std::uint64_t changes_ = 0;
  std::array<region_shifts, most_levels + 2> regions_{};
  std::array<print_form, most_levels + 2> forms_{};
  std::vector<chunk, hooked<chunk>> chunks_;
};

}  // namespace bloomtime::detail
