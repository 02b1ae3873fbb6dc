#include "support/allocations.hpp"

#include <malloc.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <span>

#include <bloomtime/detail/buffer.hpp>

namespace bloomtime::support {
namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

struct state {
  std::size_t asked = 0;
  std::size_t live = 0;
  std::size_t live_bytes = 0;
  std::size_t last_size = 0;
  std::size_t allowed = unlimited;
  std::span<const std::byte> last_given;
};
state now;

// At the end of each block that was given while watching. Others may be given back as well.
struct mark {
  std::uintptr_t address;
  std::size_t bytes;
};

std::byte* mark_of(void* block) noexcept {
  return static_cast<std::byte*>(block) + malloc_usable_size(block) - sizeof(mark);
}

void* watched_allocate(std::size_t bytes) {
  ++now.asked;
  now.last_size = bytes;
  if (now.allowed == 0) return nullptr;
  if (now.allowed != unlimited) --now.allowed;
  void* const block = std::malloc(bytes + sizeof(mark));
  if (block == nullptr) return nullptr;
  std::memset(block, std::to_integer<int>(allocations::dirt), bytes);
  now.last_given = {static_cast<const std::byte*>(block), bytes};
  ++now.live;
  now.live_bytes += bytes;
  const mark own{~reinterpret_cast<std::uintptr_t>(block), bytes};
  std::memcpy(mark_of(block), &own, sizeof own);
  return block;
}

void watched_release(void* block) {
  mark own{};
  if (malloc_usable_size(block) >= sizeof own) std::memcpy(&own, mark_of(block), sizeof own);
  --now.live;
  if (own.address == ~reinterpret_cast<std::uintptr_t>(block)) now.live_bytes -= own.bytes;
  std::free(block);
}

void* plain_allocate(std::size_t bytes) { return std::malloc(bytes); }
void plain_release(void* block) { std::free(block); }

}  // namespace

allocations::allocations() noexcept {
  now = {};
  set_allocator({watched_allocate, watched_release});
}
allocations::~allocations() { set_allocator({plain_allocate, plain_release}); }

void allocations::refuse_after(std::size_t successes) noexcept { now.allowed = successes; }
void allocations::refuse_none() noexcept { now.allowed = unlimited; }
std::size_t allocations::asked() const noexcept { return now.asked; }
std::size_t allocations::live() const noexcept { return now.live; }
std::size_t allocations::live_bytes() const noexcept { return now.live_bytes; }
std::size_t allocations::last_size() const noexcept { return now.last_size; }
std::span<const std::byte> allocations::last_given() const noexcept { return now.last_given; }

}  // namespace bloomtime::support
