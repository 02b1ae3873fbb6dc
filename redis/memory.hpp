#pragma once

#include <cstddef>
#include <cstdint>

// Memory of filters, which all comes from the server's allocator.
namespace bloomtime::redis {

void use_server_memory();
std::uint64_t memory_of_filters() noexcept;  // bytes, of all keys

// While one exists, everything that is allocated counts against `bytes`, and what exceeds them
// fails as if memory had run out, before any is allocated. For making filters.
class memory_budget {
 public:
  explicit memory_budget(std::uint64_t bytes) noexcept;
  ~memory_budget();
  memory_budget(const memory_budget&) = delete;
  memory_budget& operator=(const memory_budget&) = delete;
};

}  // namespace bloomtime::redis
