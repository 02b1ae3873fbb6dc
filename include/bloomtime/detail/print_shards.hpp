#pragma once

#include <cstdint>

#include <bloomtime/detail/print_block.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/shard.hpp>

// Shards of a table of prints. The first bits of a tag are the shard: a print has the same tag in
// both of its blocks, and no block is addressed by it.
namespace bloomtime::detail {

constexpr std::uint32_t shard_of_tag(std::uint32_t tag, const shard& s) noexcept {
  return tag >> (tag_bits - s.bits());
}

constexpr std::uint32_t tag_shard(digest d, const shard& s) noexcept {
  return shard_of_tag(static_cast<std::uint32_t>(d.lo >> (64 - tag_bits)), s);
}

}  // namespace bloomtime::detail
