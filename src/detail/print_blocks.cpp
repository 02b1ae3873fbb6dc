#include <bloomtime/detail/print_blocks.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include <bloomtime/error.hpp>

#include "detail/refuse.hpp"

namespace bloomtime::detail {
namespace {

constexpr unsigned least_slots = 4;

std::uint64_t segments_in(std::uint64_t blocks) noexcept {
  return (blocks + (1 << print_blocks::segment_shift) - 1) >> print_blocks::segment_shift;
}

}  // namespace

void check(const print_shape& s) {
  if (s.homes < 1 || s.homes > std::uint64_t{1} << 32) {
    refuse("a table of prints starts with 1 to 2^32 blocks; got " + std::to_string(s.homes));
  }
  const unsigned rest = s.print_bits - tag_bits;
  const auto home_bits = static_cast<unsigned>(std::bit_width(s.homes - 1));
  if (home_bits + s.print_bits > most_key_bits || s.print_bits < tag_bits || s.payload_bits < 1 ||
      rest + s.payload_bits > most_entry_bits || s.mark_bits > most_mark_bits ||
      print_form::of(rest, s.payload_bits, s.mark_bits).slots < least_slots) {
    refuse("a block of prints has no room for prints of " + std::to_string(s.print_bits) +
           " bits, payloads of " + std::to_string(s.payload_bits) + " and a mark of " +
           std::to_string(s.mark_bits));
  }
}

// -- memory ------------------------------------------------------------------------------------

std::uint64_t print_blocks::chunk::bytes_for(std::uint64_t count) noexcept {
  return count * line_bytes + segments_in(count) * sizeof(std::uint64_t);
}

// Its memory is cleared as blocks are opened: a chunk grows with the table, and to clear all of it
// would be a pause that does, too.
print_blocks::chunk::chunk(std::uint64_t count)
    : memory(buffer::unset(bytes_for(count))),
      blocks(memory.data()),
      epochs(reinterpret_cast<std::uint64_t*>(memory.data() + count * line_bytes)) {}

print_blocks::chunk::chunk(const chunk& other) : memory(other.memory) {
  if (other.blocks == nullptr) return;
  blocks = memory.data();
  const auto* const first = reinterpret_cast<const std::byte*>(other.epochs);
  epochs = reinterpret_cast<std::uint64_t*>(blocks + (first - other.blocks));
}

print_blocks::print_blocks(const print_shape& shape) : shape_(shape) {
  check(shape);
  rest_mask_ = print_block::ones(shape.print_bits - tag_bits);
  blocks_ = shape.homes;
  const auto home_bits = static_cast<unsigned>(std::bit_width(shape.homes - 1));
  for (unsigned level = 0; level < forms_.size(); ++level) {
    const unsigned rest = shape.print_bits - tag_bits;
    forms_[level] =
        print_form::of(rest - std::min(rest, level), shape.payload_bits, shape.mark_bits);
    regions_[level] = shifts_of(level, home_bits);
  }
  allocate(0, 0);
  std::memset(chunks_.front().memory.data(), 0, chunks_.front().memory.size());
}

print_blocks::region_shifts print_blocks::shifts_of(unsigned region, unsigned home_bits) noexcept {
  if (region == 0) return {0, static_cast<std::uint8_t>(home_bits)};
  const unsigned bits = std::max(home_bits + region - 1, segment_shift + 4);
  return {static_cast<std::uint8_t>(region - 1), static_cast<std::uint8_t>(bits - 4)};
}

std::uint64_t print_blocks::chunk_blocks(unsigned region, std::uint64_t offset) const noexcept {
  return std::min(std::uint64_t{1} << regions_[region].chunk_shift, region_blocks(region) - offset);
}

void print_blocks::allocate(unsigned region, std::uint64_t offset) {
  const std::size_t index = region * chunks_of_region + (offset >> regions_[region].chunk_shift);
  chunk made(chunk_blocks(region, offset));
  if (chunks_.size() < (region + 1) * chunks_of_region) {
    chunks_.resize((region + 1) * chunks_of_region);
  }
  memory_ += made.memory.size();
  chunks_[index] = std::move(made);
}

// -- splitting and joining ---------------------------------------------------------------------

bool print_blocks::can_split() const noexcept {
  return !empty() && level_ < most_levels && level_ + tag_bits < shape_.print_bits;
}

std::uint64_t print_blocks::bytes_of_next_split() const noexcept {
  const unsigned region = level_ + 1;
  const std::uint64_t inside = split_ & ((std::uint64_t{1} << regions_[region].chunk_shift) - 1);
  return inside != 0 ? 0 : chunk::bytes_for(chunk_blocks(region, split_));
}

print_blocks::pair print_blocks::pair_of(unsigned level, std::uint64_t index) const noexcept {
  const std::uint64_t low = index & ((std::uint64_t{1} << level) - 1);
  return {spot_at(index >> level, low, level), in_region(level + 1, index, level + 1)};
}

print_blocks::pair print_blocks::open() {
  if (bytes_of_next_split() != 0) allocate(level_ + 1, split_);
  const pair opened = pair_of(level_, split_);
  std::memset(opened.child.block, 0, line_bytes);
  if (opened.child.offset % (1 << segment_shift) == 0) *opened.child.epoch = 0;
  blocks_ += 1;
  ++changes_;
  if (++split_ == shape_.homes << level_) {
    split_ = 0;
    ++level_;
  }
  return opened;
}

print_blocks::pair print_blocks::last() const noexcept {
  if (split_ != 0) return pair_of(level_, split_ - 1);
  return pair_of(level_ - 1, (shape_.homes << (level_ - 1)) - 1);
}

void print_blocks::close() noexcept {
  if (split_ == 0) {
    --level_;
    split_ = shape_.homes << level_;
  }
  --split_;
  blocks_ -= 1;
  ++changes_;
  if (bytes_of_next_split() == 0) return;
  chunk& gone =
      chunks_[(level_ + 1) * chunks_of_region + (split_ >> regions_[level_ + 1].chunk_shift)];
  memory_ -= gone.memory.size();
  gone = chunk();
  if (split_ != 0) return;
  chunks_.resize((level_ + 1) * chunks_of_region);
  chunks_.shrink_to_fit();
}

// -- storage -----------------------------------------------------------------------------------

template <class Use>
void print_blocks::for_each_chunk(Use&& use) const {
  for (unsigned region = 0; region <= level_ + 1; ++region) {
    const std::uint64_t all = existing(region);
    for (std::uint64_t offset = 0; offset < all;) {
      const std::uint64_t here = std::min(chunk_blocks(region, offset), all - offset);
      use(chunks_[region * chunks_of_region + (offset >> regions_[region].chunk_shift)], here);
      offset += here;
    }
  }
}

byte_pieces print_blocks::block_pieces() const {
  byte_pieces pieces;
  for_each_chunk([&](const chunk& c, std::uint64_t count) {
    pieces.emplace_back(c.blocks, count * line_bytes);
  });
  return pieces;
}

std::vector<std::byte> print_blocks::epoch_bytes() const {
  byte_writer out;
  for_each_chunk([&](const chunk& c, std::uint64_t count) {
    for (std::uint64_t i = 0; i < segments_in(count); ++i) out.u64(c.epochs[i]);
  });
  return std::move(out).written();
}

print_blocks print_blocks::read(const print_shape& shape, unsigned level, std::uint64_t split,
                                std::span<const std::byte> blocks,
                                std::span<const std::byte> epochs) {
  print_blocks made = read(shape, level, split, blocks);
  byte_reader numbers(epochs);
  made.for_each_chunk([&](const chunk& c, std::uint64_t count) {
    for (std::uint64_t i = 0; i < segments_in(count); ++i) c.epochs[i] = numbers.u64();
  });
  numbers.expect_end();
  return made;
}

print_blocks print_blocks::read(const print_shape& shape, unsigned level, std::uint64_t split,
                                std::span<const std::byte> blocks) {
  check(shape);
  const unsigned most = std::min(most_levels, shape.print_bits - tag_bits);
  const bool fits = level <= most && (split == 0 || level < most) && split < shape.homes << level &&
                    shape.homes << level < 1ULL << 40;
  if (!fits || blocks.size() != ((shape.homes << level) + split) * line_bytes) {
    throw error(errc::corrupt, "expected the blocks of level " + std::to_string(level) + " and " +
                                   std::to_string(split) + " more, found " +
                                   std::to_string(blocks.size()) + " bytes");
  }
  print_blocks made(shape);
  made.level_ = level;
  made.split_ = split;
  made.blocks_ = (shape.homes << level) + split;
  for (unsigned region = 1; region <= level + 1; ++region) {
    for (std::uint64_t at = 0; at < made.existing(region);) {
      made.allocate(region, at);
      at += made.chunk_blocks(region, at);
    }
  }
  byte_reader rest(blocks);
  made.for_each_chunk([&](const chunk& c, std::uint64_t count) {
    std::memcpy(c.blocks, rest.bytes(count * line_bytes).data(), count * line_bytes);
    std::fill_n(c.epochs, segments_in(count), std::uint64_t{0});
  });
  return made;
}

}  // namespace bloomtime::detail
