#include "support/allocated.hpp"

#include <algorithm>
#include <atomic>

#if defined(BLOOMTIME_SANITIZED)
#include <sanitizer/allocator_interface.h>
#else
#include <malloc.h>
extern "C" void* __libc_malloc(std::size_t bytes);
extern "C" void __libc_free(void* block);
#endif

namespace bloomtime::support {
namespace {

std::atomic<bool> counting = false;
std::atomic<std::int64_t> total_bytes = 0;
std::atomic<std::int64_t> live_bytes = 0;  // less than none if older blocks are given back
std::atomic<std::int64_t> most_bytes = 0;

void count_block(std::size_t bytes) noexcept {
  if (!counting) return;
  const auto more = static_cast<std::int64_t>(bytes);
  total_bytes += more;
  const std::int64_t live = live_bytes += more;
  if (live > most_bytes) most_bytes = live;
}

void count_release(std::size_t bytes) noexcept {
  if (counting) live_bytes -= static_cast<std::int64_t>(bytes);
}

}  // namespace

#if defined(BLOOMTIME_SANITIZED)

namespace {

void on_malloc(const volatile void*, std::size_t bytes) { count_block(bytes); }
void on_free(const volatile void* block) {
  const void* const plain = const_cast<const void*>(block);
  if (plain != nullptr) count_release(__sanitizer_get_allocated_size(plain));
}

}  // namespace

allocated::allocated() noexcept {
  static const int installed = __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
  (void)installed;
  total_bytes = live_bytes = most_bytes = 0;
  counting = true;
}

#else

void* counted_malloc(std::size_t bytes) noexcept {
  void* const block = __libc_malloc(bytes);
  if (block != nullptr) count_block(malloc_usable_size(block));
  return block;
}

void counted_free(void* block) noexcept {
  if (block != nullptr) count_release(malloc_usable_size(block));
  __libc_free(block);
}

allocated::allocated() noexcept {
  total_bytes = live_bytes = most_bytes = 0;
  counting = true;
}

#endif

allocated::~allocated() { counting = false; }
std::uint64_t allocated::total() const noexcept {
  return static_cast<std::uint64_t>(total_bytes.load());
}
std::uint64_t allocated::most() const noexcept {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, most_bytes));
}

}  // namespace bloomtime::support

#if !defined(BLOOMTIME_SANITIZED)

extern "C" void* malloc(std::size_t bytes) { return bloomtime::support::counted_malloc(bytes); }
extern "C" void free(void* block) { bloomtime::support::counted_free(block); }

#endif
