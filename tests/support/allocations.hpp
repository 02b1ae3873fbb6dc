#pragma once

#include <cstddef>
#include <span>

namespace bloomtime::support {

// While it lives, counts what the allocator hook is asked for, and refuses on request. Memory that
// it gives has `dirt` in every byte. One at a time.
class allocations {
 public:
  static constexpr std::byte dirt{0xa5};

  allocations() noexcept;
  allocations(const allocations&) = delete;
  allocations& operator=(const allocations&) = delete;
  ~allocations();

  // The allocation after `successes` more is refused, and all that follow.
  void refuse_after(std::size_t successes) noexcept;
  void refuse_none() noexcept;

  std::size_t asked() const noexcept;       // allocations asked for, granted or not
  std::size_t live() const noexcept;        // granted and not yet released
  std::size_t live_bytes() const noexcept;  // of those, of blocks given while it lives
  std::size_t last_size() const noexcept;   // bytes asked for last
  // The memory given last, which must not have been released.
  std::span<const std::byte> last_given() const noexcept;
};

}  // namespace bloomtime::support
