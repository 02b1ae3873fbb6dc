#include <gtest/gtest.h>

#include <bloomtime/allocator.hpp>
#include <bloomtime/history/any_history.hpp>
#include <bloomtime/math/random.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include <sys/mman.h>

#include "support/allocated.hpp"

// memory() against the bytes that the allocator hook was asked for.
namespace bloomtime::history_memory_test {

struct counts {
  std::uint64_t bytes = 0;  // asked for and not released
  std::uint64_t blocks = 0;
};
counts held;

constexpr std::size_t prefix = alignof(std::max_align_t);

void* counted_allocate(std::size_t bytes) {
  auto* const block = static_cast<std::byte*>(std::malloc(bytes + prefix));
  if (block == nullptr) return nullptr;
  *reinterpret_cast<std::size_t*>(block) = bytes;
  held.bytes += bytes;
  ++held.blocks;
  return block + prefix;
}
void counted_release(void* given) {
  std::byte* const block = static_cast<std::byte*>(given) - prefix;
  held.bytes -= *reinterpret_cast<std::size_t*>(block);
  --held.blocks;
  std::free(block);
}
void* plain_allocate(std::size_t bytes) { return std::malloc(bytes); }
void plain_release(void* block) { std::free(block); }

class counted_hook {
 public:
  counted_hook() {
    held = {};
    set_allocator({counted_allocate, counted_release});
  }
  counted_hook(const counted_hook&) = delete;
  counted_hook& operator=(const counted_hook&) = delete;
  ~counted_hook() { set_allocator({plain_allocate, plain_release}); }
};

any_history made(std::string_view engine) {
  any_history_config c;
  if (engine == "history") {
    c.partition = std::chrono::seconds(1000);
  } else {
    c.ticks = 1 << 16;
    if (engine != "timeline_history") {
      c.pairs = 100'000;
      c.memory = 1 << 20;
      if (engine != "single_history") c.items = 5000;
      if (engine == "tree_history") c.granularity = 1024;
    }
  }
  return any_history::make(c, engine);
}

class history_memory : public testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(of, history_memory,
                         testing::ValuesIn(any_history::engines().begin(),
                                           any_history::engines().end()),
                         [](const auto& p) { return std::string(p.param); });

// A block is aligned to a line, has 8 bytes behind its end, and is counted with what the allocator
// adds to it; a finished stream may keep a sixteenth more than it uses.
void expect_counted(const any_history& h) {
  constexpr std::uint64_t slack = 64 + 8 + 32;
  const std::uint64_t most = held.blocks * slack + held.bytes / 16;
  EXPECT_LE(h.memory(), held.bytes + most);
  EXPECT_GE(h.memory() + most, held.bytes);
}

TEST_P(history_memory, is_what_the_hook_was_asked_for) {
  const counted_hook hook;
  {
    any_history h = made(GetParam());
    expect_counted(h);
    math::random_source random(3);
    for (std::int64_t t = 0; t < 3000; ++t) {
      h.add(h.digest_of(random.below(500)), instant::from_seconds(t));
    }
    expect_counted(h);
    const std::uint64_t few = held.bytes;
    for (std::int64_t t = 3000; t < 60'000; ++t) {
      h.add(h.digest_of(random.below(5000)), instant::from_seconds(t));
    }
    expect_counted(h);
    h.relocate();
    expect_counted(h);
    if (GetParam() == "history" || GetParam() == "timeline_history") {
      EXPECT_GT(held.bytes, 2 * few);
    }
  }
  EXPECT_EQ(held.blocks, 0u);
}

// Memory that operator new and malloc never see, and that is not used again.
class arena_hook {
 public:
  arena_hook() {
    next_ = static_cast<std::byte*>(mmap(nullptr, size, PROT_READ | PROT_WRITE,
                                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    begin_ = next_;
    set_allocator({take, [](void*) {}});
  }
  arena_hook(const arena_hook&) = delete;
  arena_hook& operator=(const arena_hook&) = delete;
  ~arena_hook() {
    set_allocator({plain_allocate, plain_release});
    munmap(begin_, size);
  }

 private:
  static constexpr std::size_t size = std::size_t{1} << 34;

  static void* take(std::size_t bytes) {
    return std::exchange(next_, next_ + (bytes + prefix - 1) / prefix * prefix);
  }

  static inline std::byte* next_ = nullptr;
  std::byte* begin_;
};

// 20 times the events, and 20 partitions more: what is not from the hook stays the same.
TEST_P(history_memory, from_elsewhere_does_not_grow_with_the_data) {
  const auto most_elsewhere = [&](std::int64_t events) {
    const arena_hook hook;
    any_history h = made(GetParam());
    math::random_source random(3);
    const support::allocated elsewhere;
    for (std::int64_t t = 0; t < events; ++t) {
      const std::uint64_t item = random.below(static_cast<std::uint64_t>(events) / 4);
      h.add(h.digest_of(item), instant::from_seconds(t));
    }
    return elsewhere.most();
  };
  EXPECT_LE(most_elsewhere(40'000), most_elsewhere(2000) + 1024);
}

}  // namespace bloomtime::history_memory_test
