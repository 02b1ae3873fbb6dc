#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

namespace bloomtime::detail {

// A number that is computed when somebody asks for it and kept up to date from then on. Until then
// it costs nothing. Concurrent calls of const members may set it, all to the same value.
class kept_when_asked {
 public:
  kept_when_asked() noexcept = default;
  kept_when_asked(const kept_when_asked& other) noexcept : value_(other.value()) {}
  kept_when_asked& operator=(const kept_when_asked& other) noexcept {
    value_.store(other.value(), std::memory_order_relaxed);
    return *this;
  }
  ~kept_when_asked() = default;

  bool is_kept() const noexcept { return value() != unknown; }
  std::uint64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }
  void keep(std::uint64_t value) const noexcept { value_.store(value, std::memory_order_relaxed); }
  // Does nothing if it is not kept.
  void raise(std::uint64_t by) noexcept {
    if (is_kept()) keep(value() + by);
  }
  void forget() noexcept { keep(unknown); }

 private:
  static constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();

  mutable std::atomic<std::uint64_t> value_{unknown};
};

}  // namespace bloomtime::detail
