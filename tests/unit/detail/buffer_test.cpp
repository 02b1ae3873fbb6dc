#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bloomtime/bloomtime.hpp>
#include <bloomtime/detail/buffer.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/allocations.hpp"
#include "support/expect_error.hpp"
#include "support/files.hpp"
#include "support/without_memory.hpp"

namespace bloomtime::detail {
namespace buffer_test {

using support::allocations;
using support::expect_error;
using support::expect_no_change_without_memory;

constexpr std::uint64_t huge_page = std::uint64_t{2} << 20;

std::vector<std::byte> bytes_of(const buffer& b) { return {b.bytes().begin(), b.bytes().end()}; }

buffer pattern(std::size_t size) {
  buffer b(size);
  for (std::size_t i = 0; i < size; ++i) b.data()[i] = static_cast<std::byte>(i * 37 + 1);
  return b;
}

// -- memory ------------------------------------------------------------------------------------

TEST(buffer, is_aligned_zeroed_and_accessible_past_its_end) {
  for (const std::uint64_t size :
       {std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{63}, std::uint64_t{64}, std::uint64_t{65},
        std::uint64_t{4096}, 2 * huge_page - 1, 2 * huge_page, 2 * huge_page + 1}) {
    buffer b(size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b.data()) % 64, 0u) << size;
    EXPECT_EQ(b.size(), size);
    EXPECT_TRUE(b.owning());
    const std::span<std::byte> all(b.data(), size + readable_past_end);
    EXPECT_TRUE(std::all_of(all.begin(), all.end(), [](std::byte x) { return x == std::byte{0}; }))
        << size;
    // The address sanitizer watches these.
    all.front() = std::byte{1};
    all.back() = std::byte{1};
  }
}

// Memory that was used before must be cleared too.
TEST(buffer, is_zeroed_even_if_the_allocator_gives_dirty_memory) {
  const auto dirty = [](std::size_t bytes) {
    void* block = std::malloc(bytes);
    if (block != nullptr) std::fill_n(static_cast<unsigned char*>(block), bytes, 0xee);
    return block;
  };
  set_allocator({dirty, [](void* block) { std::free(block); }});
  {
    const buffer b(1000);
    for (std::size_t i = 0; i < 1000 + readable_past_end; ++i) {
      ASSERT_EQ(b.data()[i], std::byte{0}) << i;
    }
  }
  set_allocator({[](std::size_t bytes) { return std::malloc(bytes); },
                 [](void* block) { std::free(block); }});
}

// The hook may return any alignment, even an odd address.
TEST(buffer, aligns_whatever_the_allocator_gives) {
  const auto odd = [](std::size_t bytes) -> void* {
    return static_cast<char*>(std::malloc(bytes + 1)) + 1;
  };
  set_allocator({odd, [](void* block) { std::free(static_cast<char*>(block) - 1); }});
  {
    for (const std::uint64_t size : {std::uint64_t{1}, std::uint64_t{640}, 2 * huge_page}) {
      buffer b(size);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b.data()) % 64, 0u);
      b.data()[0] = b.data()[size + readable_past_end - 1] = std::byte{1};
    }
  }
  set_allocator({[](std::size_t bytes) { return std::malloc(bytes); },
                 [](void* block) { std::free(block); }});
}

TEST(buffer, of_no_bytes_needs_no_memory) {
  allocations watch;
  const buffer none;
  const buffer zero(0);
  const buffer copy(zero);
  EXPECT_EQ(zero.size(), 0u);
  EXPECT_TRUE(zero.bytes().empty() && none.bytes().empty() && copy.bytes().empty());
  EXPECT_EQ(buffer::copy_of({}).size(), 0u);
  EXPECT_EQ(watch.asked(), 0u);
}

TEST(buffer, has_a_stated_limit) {
  allocations watch;
  expect_error(
      errc::too_large, [] { buffer b(max_buffer_bytes + 1); }, "1099511627776");
  expect_error(errc::too_large, [] { buffer b(std::numeric_limits<std::uint64_t>::max()); });
  EXPECT_EQ(watch.asked(), 0u);
  watch.refuse_after(0);  // the limit itself is legal, if there were the memory
  expect_error(
      errc::out_of_memory, [] { buffer b(max_buffer_bytes); }, "1099511627776 bytes");
  EXPECT_EQ(watch.asked(), 1u);
}

TEST(buffer, says_when_memory_is_out) {
  allocations watch;
  watch.refuse_after(0);
  expect_error(
      errc::out_of_memory, [] { buffer b(100); }, "100 bytes");
  watch.refuse_none();
  EXPECT_NO_THROW(buffer b(100));
  EXPECT_EQ(watch.live(), 0u);
}

// -- owners and lenders ------------------------------------------------------------------------

TEST(buffer, copies_are_deep_and_own) {
  const buffer original = pattern(100);
  buffer copy(original);
  EXPECT_EQ(bytes_of(copy), bytes_of(original));
  copy.data()[3] = std::byte{99};
  EXPECT_NE(bytes_of(copy), bytes_of(original));
  copy = original;
  EXPECT_EQ(bytes_of(copy), bytes_of(original));
  EXPECT_NE(copy.data(), original.data());
  EXPECT_TRUE(copy.owning());
}

TEST(buffer, a_copy_has_zeros_past_its_end) {
  buffer original = pattern(5);
  for (std::size_t i = 5; i < 5 + readable_past_end; ++i) original.data()[i] = std::byte{0xff};
  const buffer copy(original);
  for (std::size_t i = 5; i < 5 + readable_past_end; ++i) EXPECT_EQ(copy.data()[i], std::byte{0});
}

TEST(buffer, moves_steal) {
  static_assert(std::is_nothrow_move_constructible_v<buffer>);
  static_assert(std::is_nothrow_move_assignable_v<buffer>);
  allocations watch;
  {
    buffer a = pattern(100);
    const std::byte* const data = a.data();
    buffer b(std::move(a));
    EXPECT_EQ(b.data(), data);
    EXPECT_EQ(a.size(), 0u);  // NOLINT: what a moved-from buffer is like
    a = std::move(b);
    EXPECT_EQ(a.data(), data);
    EXPECT_EQ(b.size(), 0u);  // NOLINT
    buffer& self = a;
    a = std::move(self);
    EXPECT_EQ(a.data(), data);
    a = self;
    EXPECT_EQ(a.data(), data);
    EXPECT_EQ(bytes_of(a), bytes_of(pattern(100)));
  }
  EXPECT_EQ(watch.live(), 0u);
}

TEST(buffer, assignment_releases_what_was_there) {
  allocations watch;
  buffer a = pattern(100);
  buffer b = pattern(200);
  a = b;
  EXPECT_EQ(watch.live(), 2u);
  a = std::move(b);
  EXPECT_EQ(watch.live(), 1u);
  a = buffer();
  EXPECT_EQ(watch.live(), 0u);
}

TEST(buffer, a_failed_copy_assignment_changes_nothing) {
  allocations watch;
  buffer a = pattern(100);
  const buffer b = pattern(200);
  const std::vector<std::byte> before = bytes_of(a);
  watch.refuse_after(0);
  expect_error(errc::out_of_memory, [&] { a = b; });
  EXPECT_TRUE(bytes_of(a) == before);
}

TEST(buffer, keeps_its_lender_alive_as_long_as_it_borrows) {
  auto lender = std::make_shared<std::vector<std::byte>>(128, std::byte{5});
  const std::weak_ptr<std::vector<std::byte>> watched = lender;
  allocations watch;
  {
    const buffer borrowed = buffer::borrow(std::span(*lender).first(100), lender);
    const std::byte* const data = lender->data();
    lender.reset();
    EXPECT_FALSE(watched.expired());
    EXPECT_FALSE(borrowed.owning());
    EXPECT_EQ(borrowed.data(), data);
    EXPECT_EQ(borrowed.size(), 100u);
    EXPECT_EQ(watch.asked(), 0u);

    const buffer copy(borrowed);
    EXPECT_TRUE(copy.owning());
    EXPECT_NE(copy.data(), data);
    EXPECT_EQ(bytes_of(copy), std::vector<std::byte>(100, std::byte{5}));
  }
  EXPECT_TRUE(watched.expired());
}

TEST(buffer, a_copy_outlives_the_lender) {
  auto lender = std::make_shared<std::vector<std::byte>>(64, std::byte{5});
  std::optional<buffer> borrowed = buffer::borrow(std::span(*lender).first(56), lender);
  lender.reset();
  const buffer copy(*borrowed);
  borrowed.reset();
  EXPECT_EQ(bytes_of(copy), std::vector<std::byte>(56, std::byte{5}));
}

TEST(buffer, borrowing_can_be_moved_and_swapped) {
  const auto lender = std::make_shared<std::vector<std::byte>>(64, std::byte{5});
  buffer borrowed = buffer::borrow(std::span(*lender).first(50), lender);
  buffer owned = pattern(10);
  owned.swap(borrowed);
  EXPECT_FALSE(owned.owning());
  EXPECT_TRUE(borrowed.owning());
  borrowed = std::move(owned);
  EXPECT_EQ(borrowed.data(), lender->data());
  EXPECT_EQ(lender.use_count(), 2);
  borrowed = buffer();
  EXPECT_EQ(lender.use_count(), 1);
}

// -- no memory, anywhere -----------------------------------------------------------------------

bloom_filter small_filter(layout kind, std::uint64_t items = 100) {
  bloom_filter f({.items = items, .error = 0.01, .layout = kind, .seed = 7});
  for (std::uint64_t i = 0; i < items; ++i) f.add(i);
  return f;
}

class no_memory : public ::testing::TestWithParam<layout> {};
INSTANTIATE_TEST_SUITE_P(layouts, no_memory, ::testing::Values(layout::flat, layout::line),
                         [](const auto& p) { return std::string(name_of(p.param)); });

TEST_P(no_memory, to_construct) {
  const bloom_filter bystander = small_filter(GetParam());
  expect_no_change_without_memory(
      bystander, [&] { bloom_filter({.items = 100, .error = 0.01, .layout = GetParam()}); });
}

TEST_P(no_memory, to_copy) {
  const bloom_filter f = small_filter(GetParam());
  expect_no_change_without_memory(f, [&] { const bloom_filter copy(f); });
}

TEST_P(no_memory, to_assign) {
  const bloom_filter larger = small_filter(GetParam(), 500);
  bloom_filter f = small_filter(GetParam());
  expect_no_change_without_memory(f, [&] { f = larger; });
  EXPECT_TRUE(f.serialize() == larger.serialize());
}

TEST_P(no_memory, to_fold) {
  bloom_filter f({.items = 400, .memory = 512, .layout = GetParam()});
  for (int i = 0; i < 400; ++i) f.add(i);
  expect_no_change_without_memory(f, [&] { f.fold(2); });
  EXPECT_EQ(f.memory(), 256u);
}

TEST_P(no_memory, to_load) {
  const bloom_filter f = small_filter(GetParam());
  const std::vector<std::byte> stored = f.serialize();
  expect_no_change_without_memory(f, [&] { (void)bloom_filter::load(stored); });
  expect_no_change_without_memory(f, [&] { (void)load_any(stored); });
}

TEST_P(no_memory, is_needed_to_merge_move_map_or_ask) {
  const support::temporary_directory directory;
  const bloom_filter other = small_filter(GetParam());
  bloom_filter f = small_filter(GetParam());
  f.save(directory / "f");
  const std::vector<std::byte> twice = [&] {
    bloom_filter copy(f);
    copy.merge(other);
    return copy.serialize();
  }();
  std::vector<std::uint64_t> items(100, 1);
  const auto answers = std::make_unique<bool[]>(items.size());

  allocations watch;
  watch.refuse_after(0);
  f.merge(other);
  bloom_filter moved(std::move(f));
  f = std::move(moved);
  EXPECT_TRUE(f.serialize() == twice);
  const auto mapped = bloom_filter::map(directory / "f");
  EXPECT_TRUE(mapped->may_contain(std::uint64_t{1}));
  f.add(1000);
  f.add_bulk(items);
  f.may_contain_bulk(items, {answers.get(), items.size()});
  EXPECT_EQ(watch.asked(), 0u);
}

}  // namespace buffer_test
#if defined(__linux__)
TEST(buffer, what_is_discarded_goes_back_to_the_system) {
  constexpr std::byte filled{0x5a};
  for (const std::size_t size : {std::size_t{1'000'003}, std::size_t{9'000'001}}) {
    buffer b = buffer::unset(size);
    std::fill(b.bytes().begin(), b.bytes().end(), filled);
    EXPECT_EQ(b.discard(0, 1000), 0u);  // too little
    std::size_t at = 0;
    for (std::size_t upto = 0; upto < size; upto += size / 7) {
      const std::size_t now = b.discard(at, upto);
      ASSERT_LE(at, now);
      ASSERT_LE(now, upto);
      at = now;
    }
    EXPECT_GT(at, size / 4);
    const auto bytes = std::as_const(b).bytes();
    EXPECT_TRUE(std::all_of(bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.end(),
                            [](std::byte x) { return x == filled; }));
    // The system gives new memory in its place, which is zero.
    const auto gone =
        std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(at), std::byte{0});
    EXPECT_GT(gone, static_cast<std::ptrdiff_t>(size / 5));
  }
}

TEST(buffer, lent_bytes_are_not_discarded) {
  const std::vector<std::byte> bytes(200'000, std::byte{1});
  const buffer b = buffer::borrow(bytes, nullptr);
  EXPECT_EQ(b.discard(0, bytes.size()), 0u);
  EXPECT_TRUE(
      std::all_of(bytes.begin(), bytes.end(), [](std::byte x) { return x != std::byte{}; }));
}
#endif

}  // namespace bloomtime::detail
