#include <cstddef>
#include <cstring>

// Compiled tests call the address sanitizer before every access to memory (tests/gtest.cmake). In a
// build without it they call these functions, which check nothing.
#if !defined(BLOOMTIME_SANITIZED)

extern "C" {

void __asan_init() {}
void __asan_version_mismatch_check_v8() {}
void __asan_handle_no_return() {}

void __asan_load1(std::size_t) {}
void __asan_load2(std::size_t) {}
void __asan_load4(std::size_t) {}
void __asan_load8(std::size_t) {}
void __asan_load16(std::size_t) {}
void __asan_loadN(std::size_t, std::size_t) {}

void __asan_store1(std::size_t) {}
void __asan_store2(std::size_t) {}
void __asan_store4(std::size_t) {}
void __asan_store8(std::size_t) {}
void __asan_store16(std::size_t) {}
void __asan_storeN(std::size_t, std::size_t) {}

void* __asan_memcpy(void* to, const void* from, std::size_t bytes) {
  return std::memcpy(to, from, bytes);
}
void* __asan_memmove(void* to, const void* from, std::size_t bytes) {
  return std::memmove(to, from, bytes);
}
void* __asan_memset(void* to, int value, std::size_t bytes) {
  return std::memset(to, value, bytes);
}
}

#endif
