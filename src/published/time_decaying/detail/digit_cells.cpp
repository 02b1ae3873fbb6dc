#include <bloomtime/published/time_decaying/detail/digit_cells.hpp>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

namespace bloomtime::detail {
namespace {

constexpr std::size_t bytes_per_chain = 16;

// Throws, before anything is allocated, unless the cells are in order and the nodes suffice.
std::uint64_t count_nodes(std::span<const std::byte> chains, std::uint64_t cells,
                          std::uint64_t most_nodes) {
  if (chains.size() % bytes_per_chain != 0) {
    throw error(errc::corrupt, "expected 16 bytes per chain of digits, found " +
                                   std::to_string(chains.size()) + " bytes");
  }
  std::uint64_t next = 0;
  std::uint64_t nodes = 0;
  for (byte_reader in(chains); in.remaining() > 0;) {
    const std::uint64_t cell = in.u64();
    const std::uint64_t above = in.u64();
    if (cell < next || cell >= cells || above == 0 || above >> 60 != 0) {
      throw error(errc::corrupt, "cell " + std::to_string(cell) + " with digits " +
                                     std::to_string(above) +
                                     " above its lowest cannot follow cell " +
                                     std::to_string(next) + " of " + std::to_string(cells));
    }
    next = cell + 1;
    nodes += (static_cast<unsigned>(std::bit_width(above)) + 3) / 4;
  }
  if (nodes > most_nodes) {
    throw error(errc::corrupt, "chains of digits take " + std::to_string(nodes) +
                                   " nodes, and the pool may have " + std::to_string(most_nodes));
  }
  return nodes;
}

}  // namespace

std::uint64_t digit_cells::setting_of(const published::decaying_config& config) {
  if (!config.pool_memory) return digit_pool::most_nodes;
  return std::min(*config.pool_memory / digit_pool::bits_per_node * 8, digit_pool::most_nodes);
}

digit_cells::digit_cells(std::uint64_t cells, std::uint64_t most_nodes, std::uint64_t nodes)
    : digits_(cells), nonzero_(cells), pins_(0), pool_(nodes), most_nodes_(most_nodes) {}

digit_cells digit_cells::read(const container_view& stored, std::uint64_t cells,
                              std::uint64_t most_nodes) {
  const auto digits = stored.section(1, packed_cells<4>::bytes_for(cells));
  const auto chains = stored.section(2);
  const auto pins = stored.section(3);
  const std::uint64_t nodes = count_nodes(chains, cells, most_nodes);
  // Read in place: nothing is allocated before everything is checked.
  const packed_cells<4> lowest(buffer::borrow(digits, nullptr), cells);
  const packed_cells<1> pinned(buffer::borrow(pins, nullptr), pins.empty() ? 0 : cells);
  std::uint64_t pinned_cells = 0;
  for (std::uint64_t cell = 0; cell < pinned.size(); ++cell) pinned_cells += pinned.get(cell);
  if (!lowest.padding_is_zero() || !pinned.padding_is_zero() ||
      pins.empty() != (pinned_cells == 0)) {
    throw error(errc::corrupt,
                "expected zeros behind the last cell, and pins only if there are any");
  }

  digit_cells read(cells, most_nodes, nodes);
  for (std::uint64_t cell = 0; cell < cells; ++cell) read.write({cell, 0, lowest.get(cell)});
  for (byte_reader in(chains); in.remaining() > 0;) {
    const std::uint64_t cell = in.u64();
    read.write({cell, lowest.get(cell), in.u64() << 4 | lowest.get(cell)});
  }
  read.pins_ = pinned;
  read.pinned_ = pinned_cells;
  return read;
}

void digit_cells::write(container_writer& out) const {
  byte_writer chains;
  for (std::uint64_t cell = 0; cell < size(); ++cell) {
    if (const std::uint64_t above = get(cell) >> 4) {
      chains.u64(cell);
      chains.u64(above);
    }
  }
  out.section(1, digits_.bytes());
  out.section(2, std::move(chains).written());
  out.section(3, pinned_ != 0 ? pins_.bytes() : std::span<const std::byte>());
}

std::uint64_t digit_cells::get(std::uint64_t cell) const noexcept {
  if (nonzero_.get(cell) == 0) return 0;
  std::uint64_t value = digits_.get(cell);
  unsigned shift = 4;
  for (auto node = pool_.find(static_cast<std::uint32_t>(cell)); node;
       node = pool_.find(digit_pool::as_holder(*node))) {
    value |= std::uint64_t{pool_.digit(*node)} << shift;
    shift += 4;
  }
  return value;
}

// Reserves all nodes that an event may need. Decay can only free nodes until they are used.
void digit_cells::prepare(std::span<const raise> raises) {
  std::uint64_t nodes = pool_.used();
  bool may_pin = false;
  for (const raise& r : raises) {
    nodes += chain_of(r.to) - chain_of(r.from);
    may_pin = may_pin || r.to == too_large;
  }
  const std::uint64_t wanted = std::min(nodes, most_nodes_);
  if ((may_pin || nodes > most_nodes_) && pins_.size() == 0) pins_ = packed_cells<1>(size());
  if (wanted > pool_.capacity()) {
    pool_.grow(std::min(std::max(wanted, 2 * pool_.capacity()), most_nodes_));
  }
}

bool digit_cells::set(const raise& r) noexcept {
  const unsigned have = chain_of(r.from);
  const unsigned want = chain_of(r.to);
  if (r.to == too_large || (want > have && want - have > pool_.capacity() - pool_.used())) {
    pin(r.cell);
    return false;
  }
  write(r);
  return true;
}

void digit_cells::pin(std::uint64_t cell) noexcept {
  if (pinned(cell)) return;
  const std::uint64_t value = get(cell);
  write({cell, value, ~std::uint64_t{0} >> (60 - 4 * chain_of(value))});
  pins_.set(cell, 1);
  ++pinned_;
}

void digit_cells::sweep(const fade& by) noexcept {
  for (std::uint64_t cell = 0; cell < size(); ++cell) {
    if (nonzero_.get(cell) == 0 || pinned(cell)) continue;
    const std::uint64_t value = get(cell);
    write({cell, value, by(value, cell)});
  }
}

// There must be enough free nodes. Only a carry changes the chain.
void digit_cells::write(const raise& r) noexcept {
  if (r.from == r.to) return;
  nonzero_.set(r.cell, r.to != 0);
  digits_.set(r.cell, r.to & 15);
  if (r.from >> 4 == r.to >> 4) return;
  for (unsigned nodes = chain_of(r.from); nodes > chain_of(r.to); --nodes) shorten(r.cell);
  auto holder = static_cast<std::uint32_t>(r.cell);
  for (std::uint64_t above = r.to >> 4; above != 0; above >>= 4) {
    const auto found = pool_.find(holder);
    const std::uint32_t node = found ? *found : pool_.add(holder);
    pool_.set_digit(node, above & 15);
    holder = digit_pool::as_holder(node);
  }
}

// Removes the last node of a chain. That may renumber other nodes, so the end is searched each
// time.
void digit_cells::shorten(std::uint64_t cell) noexcept {
  std::uint32_t end = 0;
  for (auto node = pool_.find(static_cast<std::uint32_t>(cell)); node;
       node = pool_.find(digit_pool::as_holder(*node))) {
    end = *node;
  }
  pool_.remove(end);
}

}  // namespace bloomtime::detail
