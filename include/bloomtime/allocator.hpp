#pragma once

#include <cstddef>

namespace bloomtime {

// The source of all memory that grows with the data: malloc and free by default. Set it once,
// before the first filter is made. A server sets it to account for the memory.
struct allocator_hook {
  void* (*allocate)(std::size_t bytes);  // any alignment; null if memory is exhausted
  void (*release)(void* block);
};
void set_allocator(allocator_hook hook) noexcept;

}  // namespace bloomtime
