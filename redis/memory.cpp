#include "memory.hpp"

#include <atomic>
#include <limits>

#include <bloomtime/allocator.hpp>

#include "api.hpp"

namespace bloomtime::redis {
namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

// Filters are made in the main thread and in the thread that loads a replica's data; they are freed
// in others as well, which does not touch this.
thread_local std::uint64_t left = unlimited;

std::atomic<std::uint64_t> allocated = 0;

void* allocate(std::size_t bytes) {
  if (left != unlimited) {
    if (bytes > left) return nullptr;
    left -= bytes;
  }
  void* const block = rm::TryAlloc(bytes);
  if (block != nullptr) allocated += rm::MallocSize(block);
  return block;
}

void release(void* block) {
  if (block != nullptr) allocated -= rm::MallocSize(block);
  rm::Free(block);
}

}  // namespace

void use_server_memory() { set_allocator({allocate, release}); }
std::uint64_t memory_of_filters() noexcept { return allocated; }

memory_budget::memory_budget(std::uint64_t bytes) noexcept { left = bytes; }
memory_budget::~memory_budget() { left = unlimited; }

}  // namespace bloomtime::redis
