#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <bloomtime/allocator.hpp>

namespace bloomtime::detail {

inline constexpr std::size_t line_bytes = 64;
// Cells are read by unaligned 64-bit accesses that may start at the last byte.
inline constexpr std::size_t readable_past_end = 8;
inline constexpr std::uint64_t max_buffer_bytes = std::uint64_t{1} << 40;

// The memory of cells: 64-byte aligned, zeroed, with 8 accessible bytes past the end. A buffer owns
// its memory, or borrows it (from a mapped file) and keeps the lender alive. A copy always owns.
class buffer {
 public:
  buffer() noexcept = default;
  explicit buffer(std::uint64_t bytes);

  // `lender` keeps `bytes` valid, and readable for 8 bytes past their end; they are never written.
  static buffer borrow(std::span<const std::byte> bytes,
                       std::shared_ptr<const void> lender) noexcept;
  static buffer copy_of(std::span<const std::byte> bytes);
  // Not zeroed: the caller must write every byte before it is read.
  static buffer unset(std::uint64_t bytes);

  buffer(const buffer& other);
  buffer& operator=(const buffer& other);
  buffer(buffer&& other) noexcept;
  buffer& operator=(buffer&& other) noexcept;
  ~buffer();

  std::byte* data() noexcept { return data_; }
  const std::byte* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  std::span<std::byte> bytes() noexcept { return {data_, size_}; }
  std::span<const std::byte> bytes() const noexcept { return {data_, size_}; }
  bool owning() const noexcept { return block_ != nullptr; }

  void swap(buffer& other) noexcept;

  // Gives back to the system what lies before this byte, if the buffer owns it and the system can
  // take it: nobody may read it any more. `from` is what an earlier call returned, or 0. Returns
  // where the rest begins.
  std::size_t discard(std::size_t from, std::size_t upto) const noexcept;
  // Makes an owning buffer shorter and keeps its memory.
  void truncate(std::size_t bytes) noexcept;

 private:
  void allocate(std::uint64_t bytes);

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  void* block_ = nullptr;  // as allocated; data_ points into it
  std::shared_ptr<const void> lender_;
};

}  // namespace bloomtime::detail
