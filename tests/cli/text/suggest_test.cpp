#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>

#include "text/suggest.hpp"

namespace bloomtime::text {
namespace suggest_test {

TEST(suggest, edit_distance) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("plan", "pln"), 1U);
  EXPECT_EQ(edit_distance("items", "itmes"), 1U);  // neighbours exchanged
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

RC_GTEST_PROP(suggest, the_distance_is_symmetric_and_bounded,
              (const std::string& a, const std::string& b)) {
  const std::size_t distance = edit_distance(a, b);
  RC_ASSERT(distance == edit_distance(b, a));
  RC_ASSERT(distance <= std::max(a.size(), b.size()));
  RC_ASSERT((distance == 0) == (a == b));
}

TEST(suggest, nearest) {
  const std::vector<std::string> options{"--items", "--error", "--memory", "--measure"};
  EXPECT_EQ(nearest("--itmes", options), "--items");
  EXPECT_EQ(nearest("--mem", options), "--memory");
  EXPECT_EQ(nearest("--measur", options), "--measure");
  EXPECT_EQ(nearest("--window", options), std::nullopt);
  EXPECT_EQ(nearest("", options), std::nullopt);
  EXPECT_EQ(nearest("x", {}), std::nullopt);
  EXPECT_EQ(nearest(std::string(1'000'000, 'x'), options), std::nullopt);
}

}  // namespace suggest_test
}  // namespace bloomtime::text
