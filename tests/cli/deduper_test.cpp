#include <array>

#include <gtest/gtest.h>

#include "cli/dedupe/deduper.hpp"

namespace bloomtime::cli {
namespace {

using namespace std::chrono_literals;

TEST(deduper, remembers_when_the_clock_on_the_wall_is_set_back) {
  deduper work({.key = "line", .time = time_source::wall, .window = 10min, .expect = 1000});
  const auto drops = [&](std::uint64_t key, std::int64_t second) {
    const instant now = instant::from_seconds(second);
    const std::array<judged_line, 1> lines{{{digest_of(key), now}}};
    std::array<line_verdict, 1> verdicts{};
    work.judge(lines, now, verdicts);
    return verdicts[0].drop;
  };
  EXPECT_FALSE(drops(1, 1'000'000));
  EXPECT_FALSE(drops(2, 1'000'000 - 7200));
  EXPECT_TRUE(drops(2, 1'000'000 - 7200));
  EXPECT_TRUE(drops(1, 1'000'000 - 7199));
  EXPECT_FALSE(drops(1, 1'000'000 + 1300));
}

}  // namespace
}  // namespace bloomtime::cli
