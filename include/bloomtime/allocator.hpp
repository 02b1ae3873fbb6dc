#pragma once

#include <cstddef>

namespace bloomtime {

// Where all memory that grows with the data comes from: malloc and free unless set. Set it once,
// before the first filter is made; a server does, so that it can account for the memory.
struct allocator_hook {
  void* (*allocate)(std::size_t bytes);  // any alignment; null when there is no memory
  void (*release)(void* block);
};
void set_allocator(allocator_hook hook) noexcept;

}  // namespace bloomtime
