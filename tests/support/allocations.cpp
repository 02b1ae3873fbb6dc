#include "support/allocations.hpp"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>

#include <bloomtime/detail/buffer.hpp>

namespace bloomtime::support {
namespace {

constexpr std::size_t size_bytes = alignof(std::max_align_t);  // before each block
constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

struct state {
  std::size_t asked = 0;
  std::size_t live = 0;
  std::size_t live_bytes = 0;
  std::size_t last_size = 0;
  std::size_t allowed = unlimited;
};
state now;

void* watched_allocate(std::size_t bytes) {
  ++now.asked;
  now.last_size = bytes;
  if (now.allowed == 0) return nullptr;
  if (now.allowed != unlimited) --now.allowed;
  void* block = std::malloc(size_bytes + bytes);
  if (block == nullptr) return nullptr;
  ++now.live;
  now.live_bytes += bytes;
  std::memcpy(block, &bytes, sizeof bytes);
  return static_cast<std::byte*>(block) + size_bytes;
}

void watched_release(void* data) {
  void* const block = static_cast<std::byte*>(data) - size_bytes;
  std::size_t bytes = 0;
  std::memcpy(&bytes, block, sizeof bytes);
  --now.live;
  now.live_bytes -= bytes;
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

}  // namespace bloomtime::support
