#include <bloomtime/detail/buffer.hpp>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <bloomtime/detail/hooked.hpp>
#include <bloomtime/error.hpp>

namespace bloomtime {
namespace {

void* plain_allocate(std::size_t bytes) { return std::malloc(bytes); }
void plain_release(void* block) { std::free(block); }

constinit allocator_hook hook{plain_allocate, plain_release};

}  // namespace

void set_allocator(allocator_hook replacement) noexcept { hook = replacement; }

namespace detail {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

std::byte* align_up(void* block, std::size_t alignment) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  return static_cast<std::byte*>(block) + (alignment - address % alignment) % alignment;
}

// Random access to a large array is limited by address translation as much as by memory: request
// huge pages where the system supports that.
void advise_huge([[maybe_unused]] std::byte* data, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(__linux__)
  (void)madvise(data, bytes / huge_page * huge_page, MADV_HUGEPAGE);
#endif
}

// A block for `bytes` of data and `extra` bytes around them.
void* allocate_from_hook(std::uint64_t bytes, std::size_t extra) {
  void* const block = bytes > SIZE_MAX - extra ? nullptr : hook.allocate(bytes + extra);
  if (block != nullptr) return block;
  throw error(errc::out_of_memory,
              "there is no memory for an array of " + std::to_string(bytes) + " bytes");
}

}  // namespace

// The hook guarantees no alignment, so the allocated pointer is stored before the aligned data.
void* hooked_allocate(std::size_t bytes, std::size_t alignment) {
  const bool plain = alignment <= 1;
  void* const block = allocate_from_hook(bytes, plain ? 0 : alignment + sizeof(void*));
  if (plain) return block;
  std::byte* const data = align_up(static_cast<std::byte*>(block) + sizeof(void*), alignment);
  std::memcpy(data - sizeof(void*), &block, sizeof(void*));
  return data;
}

void hooked_release(void* data, std::size_t alignment) noexcept {
  void* block = data;
  if (alignment > 1)
    std::memcpy(&block, static_cast<std::byte*>(data) - sizeof(void*), sizeof(void*));
  hook.release(block);
}

buffer::buffer(std::uint64_t bytes) {
  allocate(bytes);
  if (bytes != 0) std::memset(data_, 0, size_ + readable_past_end);
}

buffer buffer::unset(std::uint64_t bytes) {
  buffer made;
  made.allocate(bytes);
  if (bytes != 0) std::memset(made.data_ + bytes, 0, readable_past_end);
  return made;
}

void buffer::truncate(std::size_t bytes) noexcept {
  if (bytes >= size_) return;
  size_ = bytes;
  std::memset(data_ + bytes, 0, readable_past_end);
}

// In units that the system can take: huge pages are split by less.
std::size_t buffer::discard([[maybe_unused]] std::size_t from,
                            [[maybe_unused]] std::size_t upto) const noexcept {
#if defined(__linux__)
  constexpr std::size_t least = std::size_t{64} << 10;
  const std::size_t unit = size_ >= 2 * huge_page ? huge_page : least;
  if (!owning() || upto < from + unit) return from;
  std::byte* const begin = align_up(data_ + from, unit);
  const std::size_t skipped = static_cast<std::size_t>(begin - data_);
  if (upto < skipped + unit) return from;
  const std::size_t bytes = (upto - skipped) / unit * unit;
  (void)madvise(begin, bytes, MADV_DONTNEED);
  return skipped + bytes;
#else
  return from;
#endif
}

void buffer::allocate(std::uint64_t bytes) {
  if (bytes == 0) return;
  if (bytes > max_buffer_bytes) {
    throw error(errc::too_large, "a filter's array can have at most " +
                                     std::to_string(max_buffer_bytes) + " bytes, got " +
                                     std::to_string(bytes));
  }
  const bool large = bytes >= 2 * huge_page;
  const std::size_t alignment = large ? huge_page : line_bytes;
  block_ = allocate_from_hook(bytes, readable_past_end + alignment - 1);
  data_ = align_up(block_, alignment);
  size_ = bytes;
  if (large) advise_huge(data_, bytes + readable_past_end);
}

buffer buffer::borrow(std::span<const std::byte> bytes,
                      std::shared_ptr<const void> lender) noexcept {
  buffer borrowed;
  // A borrowed buffer is only accessed through const filters.
  borrowed.data_ = const_cast<std::byte*>(bytes.data());
  borrowed.size_ = bytes.size();
  borrowed.lender_ = std::move(lender);
  return borrowed;
}

buffer buffer::copy_of(std::span<const std::byte> bytes) {
  buffer copy = unset(bytes.size());
  if (!bytes.empty()) std::memcpy(copy.data_, bytes.data(), bytes.size());
  return copy;
}

buffer::buffer(const buffer& other) : buffer(copy_of(other.bytes())) {}

buffer& buffer::operator=(const buffer& other) {
  if (this != &other) buffer(other).swap(*this);
  return *this;
}

buffer::buffer(buffer&& other) noexcept { swap(other); }

buffer& buffer::operator=(buffer&& other) noexcept {
  buffer(std::move(other)).swap(*this);
  return *this;
}

buffer::~buffer() {
  if (block_ != nullptr) hook.release(block_);
}

void buffer::swap(buffer& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(block_, other.block_);
  std::swap(lender_, other.lender_);
}

}  // namespace detail
}  // namespace bloomtime
