#include <gtest/gtest.h>

#include <bloomtime/detail/hooked.hpp>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <vector>

#include "support/expect_error.hpp"

namespace bloomtime {
namespace hooked_test {

int live = 0;

// Blocks at odd addresses: the hook promises no alignment.
void* odd_allocate(std::size_t bytes) {
  if (bytes > 1 << 20) return nullptr;
  ++live;
  return static_cast<char*>(std::malloc(bytes + 1)) + 1;
}
void odd_release(void* block) {
  --live;
  std::free(static_cast<char*>(block) - 1);
}

class hooked_memory : public ::testing::Test {
 protected:
  hooked_memory() { set_allocator({odd_allocate, odd_release}); }
  ~hooked_memory() override { set_allocator({std::malloc, std::free}); }
};

struct alignas(64) line {
  std::uint64_t words[8];
};

TEST_F(hooked_memory, is_aligned_and_given_back) {
  {
    std::vector<line, detail::hooked<line>> lines(100);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(lines.data()) % 64, 0u);
    std::vector<std::uint8_t, detail::hooked<std::uint8_t>> bytes(1000, 7);
    std::map<int, double, std::less<>, detail::hooked<std::pair<const int, double>>> map;
    for (int i = 0; i < 100; ++i) map[i] = i;
    EXPECT_EQ(live, 102);
    EXPECT_EQ(bytes[999], 7);
    EXPECT_EQ(map[99], 99.);
  }
  EXPECT_EQ(live, 0);
}

TEST_F(hooked_memory, throws_when_there_is_none) {
  std::vector<line, detail::hooked<line>> lines;
  support::expect_error(
      errc::out_of_memory, [&] { lines.resize(1 << 20); }, "67108864 bytes");
  EXPECT_EQ(live, 0);
}

}  // namespace hooked_test
}  // namespace bloomtime
