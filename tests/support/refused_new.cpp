#include "support/refused_new.hpp"

#include <cstdlib>
#include <limits>
#include <new>

namespace bloomtime::support {
namespace {

constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
thread_local std::size_t successes_left = all;

}  // namespace

refused_new::refused_new(std::size_t successes) noexcept { successes_left = successes; }
refused_new::~refused_new() { successes_left = all; }

// Not in the unnamed namespace: without operator new below nobody calls it.
bool refuses_now() noexcept {
  if (successes_left == all) return false;
  if (successes_left == 0) return true;
  --successes_left;
  return false;
}

}  // namespace bloomtime::support

#if !defined(BLOOMTIME_SANITIZED)

void* operator new(std::size_t bytes) {
  void* const p = bloomtime::support::refuses_now() ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

#endif
