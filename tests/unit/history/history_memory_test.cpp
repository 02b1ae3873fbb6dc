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
#include "support/allocations.hpp"
#include "support/growth.hpp"

// memory() against the bytes that the allocator hook gave.
namespace bloomtime::history_memory_test {

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

// These two count what the allocator adds to a block; a finished stream may keep a sixteenth more
// than it uses.
bool counts_overhead(std::string_view engine) {
  return engine == "history" || engine == "timeline_history";
}

void expect_counted(const any_history& h, const support::allocations& hook) {
  if (!counts_overhead(h.engine())) return support::expect_counted(h.memory(), hook);
  constexpr std::uint64_t slack = 64 + 8 + 32;
  const std::uint64_t most = hook.live() * slack + hook.live_bytes() / 16;
  EXPECT_LE(h.memory(), hook.live_bytes() + most);
  EXPECT_GE(h.memory() + most, hook.live_bytes());
}

TEST_P(history_memory, is_what_the_allocator_hook_gave) {
  const support::allocations hook;
  {
    any_history h = made(GetParam());
    expect_counted(h, hook);
    math::random_source random(3);
    for (std::int64_t t = 0; t < 3000; ++t) {
      h.add(h.digest_of(random.below(500)), instant::from_seconds(t));
    }
    expect_counted(h, hook);
    const std::uint64_t few = hook.live_bytes();
    for (std::int64_t t = 3000; t < 60'000; ++t) {
      h.add(h.digest_of(random.below(5000)), instant::from_seconds(t));
    }
    expect_counted(h, hook);
    h.relocate();
    expect_counted(h, hook);
    if (counts_overhead(GetParam())) {
      EXPECT_GT(hook.live_bytes(), 2 * few);
    }
  }
  EXPECT_EQ(hook.live(), 0u);
}

// Nodes are small, so the lists of nodes matter.
template <class Engine>
void expect_growth_counted(Engine h, const support::allocations& hook) {
  for (std::int64_t t = 0; t < 5000; ++t) {
    ASSERT_EQ(h.add(t, instant::from_seconds(t)), outcome::added);
    if (t % 97 == 0) support::expect_counted(h.memory(), hook);
  }
  const Engine copy = h;
  support::expect_counted(h.memory() + copy.memory(), hook);
  h.merge(copy);
  support::expect_counted(h.memory() + copy.memory(), hook);
  const Engine loaded = Engine::load(h.serialize());
  support::expect_counted(h.memory() + copy.memory() + loaded.memory(), hook);
}

TEST(grown_history_memory, is_what_the_allocator_hook_gave) {
  const support::allocations hook;
  const published::filter_size tiny{64, 2};
  expect_growth_counted(published::tree_history({.sizes = {{{tiny}}, tiny}}), hook);
  expect_growth_counted(published::level_history({.levels = {tiny}, .learns = true}), hook);
  EXPECT_EQ(hook.live(), 0u);
}

TEST(grown_history_memory, stays_within_its_limit) {
  const support::allocations hook;
  const published::filter_size tiny{64, 2};
  for (const std::uint64_t limit : {2000u, 5000u, 20'000u, 100'000u}) {
    published::tree_history h({.sizes = {{{tiny}}, tiny}, .most_memory = limit});
    std::int64_t t = 0;
    while (h.add(t, instant::from_seconds(t)) == outcome::added) ++t;
    EXPECT_LE(h.memory(), limit);
    EXPECT_GT(h.memory(), limit / 2);
    support::expect_counted(h.memory(), hook);
  }
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
    set_allocator({std::malloc, std::free});
    munmap(begin_, size);
  }

 private:
  static constexpr std::size_t size = std::size_t{1} << 34;

  static void* take(std::size_t bytes) {
    constexpr std::size_t aligned = alignof(std::max_align_t);
    return std::exchange(next_, next_ + (bytes + aligned - 1) / aligned * aligned);
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
