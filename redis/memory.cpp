#include "memory.hpp"

#include <limits>

#include <bloomtime/allocator.hpp>

#include "api.hpp"

namespace bloomtime::redis {
namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

// Filters are made in the main thread and in the thread that loads a replica's data; they are freed
// in others as well, which does not touch this.
thread_local std::uint64_t left = unlimited;

void* allocate(std::size_t bytes) {
  if (left != unlimited) {
    if (bytes > left) return nullptr;
    left -= bytes;
  }
  return rm::TryAlloc(bytes);
}

void release(void* block) { rm::Free(block); }

}  // namespace

void use_server_memory() { set_allocator({allocate, release}); }

memory_budget::memory_budget(std::uint64_t bytes) noexcept { left = bytes; }
memory_budget::~memory_budget() { left = unlimited; }

}  // namespace bloomtime::redis
