#pragma once

#include <cstddef>

namespace bloomtime::support {

// While it lives, counts what the allocator hook is asked for, and refuses on request. One at a
// time.
class allocations {
 public:
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
};

}  // namespace bloomtime::support
