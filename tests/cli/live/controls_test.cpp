#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "cli/live/controls.hpp"

namespace bloomtime::cli::live {
namespace controls_test {

constexpr choices two{.fields = 2, .orders = 3};

void type(controls& chosen, const std::string& letters) {
  for (const char c : letters) (void)press(chosen, {key_name::text, std::string(1, c)}, two);
}

void hit(controls& chosen, key_name name) { (void)press(chosen, {name}, two); }

TEST(live_controls, letters_choose) {
  controls chosen;
  type(chosen, "f");
  EXPECT_EQ(chosen.field, 1U);
  type(chosen, "f");
  EXPECT_EQ(chosen.field, 0U);
  type(chosen, "F");
  EXPECT_EQ(chosen.field, 1U);
  type(chosen, "oo");
  EXPECT_EQ(chosen.order, 2U);
  type(chosen, "O");
  EXPECT_EQ(chosen.order, 1U);
  type(chosen, "p");
  EXPECT_TRUE(chosen.paused);
  type(chosen, "p");
  EXPECT_FALSE(chosen.paused);
  EXPECT_FALSE(press(chosen, {key_name::text, "x"}, two));
  type(chosen, "q");
  EXPECT_TRUE(chosen.quit);
}

TEST(live_controls, what_is_looked_for_is_typed) {
  controls chosen;
  type(chosen, "/fq");
  (void)press(chosen, {key_name::text, "ä"}, two);
  EXPECT_TRUE(chosen.typing);
  EXPECT_EQ(chosen.find, "fqä");
  EXPECT_EQ(chosen.field, 0U);
  EXPECT_FALSE(chosen.quit);
  hit(chosen, key_name::backspace);
  EXPECT_EQ(chosen.find, "fq");
  hit(chosen, key_name::enter);
  EXPECT_FALSE(chosen.typing);
  EXPECT_EQ(chosen.find, "fq");
  hit(chosen, key_name::escape);
  EXPECT_EQ(chosen.find, "");
  type(chosen, "/abc");
  hit(chosen, key_name::erase_line);
  hit(chosen, key_name::backspace);
  EXPECT_EQ(chosen.find, "");
  type(chosen, std::string(5'000, 'x'));
  EXPECT_EQ(chosen.find.size(), 200U);
  hit(chosen, key_name::escape);
  EXPECT_FALSE(chosen.typing);
  EXPECT_EQ(chosen.find, "");
}

TEST(live_controls, the_selection_stays_with_its_item) {
  controls chosen;
  settle(chosen, {"a", "b", "c"}, 10);
  EXPECT_EQ(chosen.selected, "a");
  settle(chosen, {"b", "a", "c"}, 10);
  EXPECT_EQ(chosen.selected, "b");  // the first row is the hottest, whatever that is
  hit(chosen, key_name::down);
  settle(chosen, {"b", "a", "c"}, 10);
  EXPECT_EQ(chosen.selected, "a");
  settle(chosen, {"x", "b", "c", "a"}, 10);
  EXPECT_EQ(chosen.row, 3U);
  settle(chosen, {"x", "b"}, 10);  // it is gone
  EXPECT_EQ(chosen.selected, "b");
  settle(chosen, {}, 10);
  EXPECT_EQ(chosen.selected, std::nullopt);
  EXPECT_FALSE(press(chosen, {key_name::enter}, two));
  EXPECT_EQ(chosen.opened, std::nullopt);
}

TEST(live_controls, a_timeline_is_opened_and_closed) {
  controls chosen;
  settle(chosen, {"a", "b"}, 10);
  hit(chosen, key_name::down);
  settle(chosen, {"a", "b"}, 10);
  hit(chosen, key_name::enter);
  EXPECT_EQ(chosen.opened, "b");
  type(chosen, "fo/");  // these are for lists
  EXPECT_EQ(chosen.field, 0U);
  EXPECT_FALSE(chosen.typing);
  for (const key_name back : {key_name::escape, key_name::enter, key_name::backspace}) {
    chosen.opened = "b";
    hit(chosen, back);
    EXPECT_EQ(chosen.opened, std::nullopt);
  }
}

RC_GTEST_PROP(live_controls, the_selected_row_is_on_the_screen, ()) {
  controls chosen;
  const auto keys = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 14));
  for (const int k : keys) {
    hit(chosen, static_cast<key_name>(k));
    if (*rc::gen::inRange(0, 4) == 0)
      type(chosen,
           *rc::gen::elementOf(std::vector<std::string>{"f", "o", "/", "jj", "k", "G", "g"}));
    const auto items = *rc::gen::container<std::vector<std::string>>(
        rc::gen::elementOf(std::vector<std::string>{"a", "b", "c", "d"}));
    const auto page = *rc::gen::inRange<std::size_t>(0, 6);
    settle(chosen, items, page);
    RC_ASSERT(chosen.page >= 1U);
    RC_ASSERT(chosen.selected.has_value() == !items.empty());
    if (items.empty()) continue;
    RC_ASSERT(chosen.row < items.size());
    RC_ASSERT(*chosen.selected == items[chosen.row]);
    RC_ASSERT(chosen.first <= chosen.row);
    RC_ASSERT(chosen.row < chosen.first + chosen.page);
    RC_ASSERT(chosen.first == 0U || chosen.first + chosen.page <= items.size());
  }
}

}  // namespace controls_test
}  // namespace bloomtime::cli::live
