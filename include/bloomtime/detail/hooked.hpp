#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <bloomtime/allocator.hpp>

// Standard containers whose memory comes from the allocator hook.
namespace bloomtime::detail {

// Throws error(out_of_memory), as a buffer does.
void* hooked_allocate(std::size_t bytes, std::size_t alignment);
void hooked_release(void* block, std::size_t alignment) noexcept;

// The bytes that are allocated besides the elements, because the hook promises no alignment.
template <class T>
inline constexpr std::size_t hooked_extra = alignof(T) <= 1 ? 0 : alignof(T) + sizeof(void*);

// The bytes that a container with this capacity has from the hook.
template <class T>
constexpr std::uint64_t hooked_bytes(std::size_t capacity) noexcept {
  return capacity == 0 ? 0 : capacity * sizeof(T) + hooked_extra<T>;
}

// The allocator of std::vector<T, hooked<T>> and similar containers.
template <class T>
struct hooked {
  using value_type = T;

  hooked() noexcept = default;
  template <class U>
  hooked(const hooked<U>&) noexcept {}

  T* allocate(std::size_t count) {
    return static_cast<T*>(hooked_allocate(count * sizeof(T), alignof(T)));
  }
  void deallocate(T* block, std::size_t) noexcept { hooked_release(block, alignof(T)); }

  friend bool operator==(const hooked&, const hooked&) noexcept { return true; }
};

}  // namespace bloomtime::detail
