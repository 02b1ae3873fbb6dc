#include "support/allocations.hpp"

#include <cstdlib>
#include <limits>

#include <bloomtime/detail/buffer.hpp>

namespace bloomtime::support {
namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

struct state {
  std::size_t asked = 0;
  std::size_t live = 0;
  std::size_t last_size = 0;
  std::size_t allowed = unlimited;
};
state now;

void* watched_allocate(std::size_t bytes) {
  ++now.asked;
  now.last_size = bytes;
  if (now.allowed == 0) return nullptr;
  if (now.allowed != unlimited) --now.allowed;
  void* block = std::malloc(bytes);
  if (block != nullptr) ++now.live;
  return block;
}

void watched_release(void* block) {
  --now.live;
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
std::size_t allocations::last_size() const noexcept { return now.last_size; }

}  // namespace bloomtime::support
