#pragma once

#include <cstddef>
#include <cstdint>

namespace bloomtime::support {

// Counts all that is allocated from when it is made: by malloc, operator new and detail::buffer, in
// all threads. One at a time.
class allocated {
 public:
  allocated() noexcept;
  allocated(const allocated&) = delete;
  allocated& operator=(const allocated&) = delete;
  ~allocated();

  std::uint64_t total() const noexcept;  // bytes, those that were given back among them
  std::uint64_t most() const noexcept;   // bytes at a time
};

}  // namespace bloomtime::support
