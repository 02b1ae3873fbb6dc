#pragma once

#include <cstdint>
#include <optional>

#include <bloomtime/detail/buffer.hpp>
#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/packed_cells.hpp>
#include <bloomtime/detail/process_key.hpp>

namespace bloomtime::detail {

// The free counter pool and the lookup table of the published filter: nodes of one hexadecimal
// digit, each linked to its holder (a cell, or the node of the digit below) and found from it. The
// link to the holder is stored with the node; a hash table maps holders to their nodes. Nodes in
// use are always 0 .. used() - 1: the last one moves into a gap.
class digit_pool {
 public:
  static constexpr std::uint64_t most_nodes = (std::uint64_t{1} << 31) - 1;
  static constexpr std::uint64_t bits_per_node = 4 + 32 + 48;  // digit, link to the holder, slots

  digit_pool() noexcept : digits_(0) {}
  explicit digit_pool(std::uint64_t capacity);

  std::uint64_t used() const noexcept { return used_; }
  std::uint64_t capacity() const noexcept { return digits_.size(); }
  std::uint64_t memory() const noexcept {
    return digits_.bytes().size() + holders_.size() + slots_.size();
  }

  // The numbers of holders: cells are 0 to 2^31 - 1, nodes follow them.
  static std::uint32_t as_holder(std::uint32_t node) noexcept { return node | node_bit; }

  std::optional<std::uint32_t> find(std::uint32_t holder) const noexcept;
  unsigned digit(std::uint32_t node) const noexcept { return digits_.get(node); }
  void set_digit(std::uint32_t node, unsigned digit) noexcept { digits_.set(node, digit); }
  std::uint32_t holder(std::uint32_t node) const noexcept {
    return load_le32(holders_.data() + std::uint64_t{4} * node);
  }

  // Adds a node for a holder that has none. There must be a free node.
  std::uint32_t add(std::uint32_t holder) noexcept;
  // The node must not be a holder itself. Other nodes may change their numbers.
  void remove(std::uint32_t node) noexcept;

  void grow(std::uint64_t capacity);

 private:
  static constexpr std::uint32_t node_bit = std::uint32_t{1} << 31;

  std::uint64_t slots() const noexcept { return slots_.size() / 4; }
  std::uint32_t slot(std::uint64_t i) const noexcept { return load_le32(slots_.data() + 4 * i); }
  void set_slot(std::uint64_t i, std::uint32_t content) noexcept {
    store_le32(slots_.data() + 4 * i, content);
  }
  void set_holder(std::uint32_t node, std::uint32_t holder) noexcept {
    store_le32(holders_.data() + std::uint64_t{4} * node, holder);
  }
  std::uint64_t home(std::uint32_t holder) const noexcept {
    return reduce(mix(holder ^ key_), slots());
  }
  std::uint64_t after(std::uint64_t i) const noexcept { return i + 1 == slots() ? 0 : i + 1; }
  std::uint64_t locate(std::uint32_t holder) const noexcept;
  void link(std::uint32_t holder, std::uint32_t node) noexcept;
  void unlink(std::uint32_t holder) noexcept;

  packed_cells<4> digits_;
  buffer holders_;
  buffer slots_;  // node + 1, or 0 if free; 1.5 per node, so that searches end
  std::uint64_t used_ = 0;
  std::uint64_t key_ = process_key();  // random, so crafted holders do not cluster
};

}  // namespace bloomtime::detail
