#include <gtest/gtest.h>

#include <bloomtime/heat/detail/kept_texts.hpp>

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/allocations.hpp"

namespace bloomtime::detail::kept_texts_test {

// A new block as an owner of texts makes it.
void make_room(kept_texts& texts, std::vector<std::uint32_t>& numbers, std::size_t size) {
  if (texts.has_room_for(size)) return;
  kept_texts block(texts.words_with(size));
  for (std::uint32_t& number : numbers) number = block.add(texts[number]);
  texts = std::move(block);
}

TEST(kept_texts, keep_every_text_through_replacements) {
  kept_texts texts;
  std::vector<std::uint32_t> numbers;
  std::vector<std::string> plain;
  std::mt19937_64 random(2);
  for (int i = 0; i < 20'000; ++i) {
    const std::size_t size = random() % (i % 2000 < 1000 ? 30 : 1025);
    const std::string text(size, static_cast<char>('a' + random() % 26));
    make_room(texts, numbers, size);
    if (plain.size() < 50) {
      numbers.push_back(texts.add(text));
      plain.push_back(text);
    } else {
      const std::size_t which = random() % plain.size();
      numbers[which] = texts.replace(numbers[which], text);
      plain[which] = text;
    }
    for (std::size_t n = 0; n < plain.size(); ++n) ASSERT_EQ(texts[numbers[n]], plain[n]) << i;
  }
}

TEST(kept_texts, use_a_place_again_if_it_fits) {
  kept_texts texts(1000);
  const std::uint32_t first = texts.add(std::string(40, 'a'));
  EXPECT_EQ(texts.replace(first, std::string(44, 'b')), first);  // 48 bytes with the head
  EXPECT_EQ(texts.replace(first, std::string(28, 'c')), first);
  EXPECT_EQ(texts[first], std::string(28, 'c'));
  EXPECT_EQ(texts.replace(first, std::string(40, 'd')), first);  // the place has not shrunk
  const std::uint32_t second = texts.replace(first, std::string(45, 'e'));
  EXPECT_NE(second, first);
  EXPECT_EQ(texts[second], std::string(45, 'e'));
  EXPECT_NE(texts.replace(second, "short"), second);
}

// A block is at most a quarter and 8 words larger than its texts when it is made, and half of it is
// in use at any time.
TEST(kept_texts, take_no_more_than_twice_what_they_hold) {
  support::allocations hook;
  kept_texts texts;
  std::vector<std::uint32_t> numbers;
  EXPECT_EQ(texts.memory(), 0u);
  std::vector<std::size_t> sizes;
  std::mt19937_64 random(3);
  for (int i = 0; i < 5000; ++i) {
    const std::size_t size = i < 3000 ? 200 + random() % 800 : random() % 10;
    make_room(texts, numbers, size);
    std::size_t words = 0;
    if (sizes.size() < 100) {
      numbers.push_back(texts.add(std::string(size, 'x')));
      sizes.push_back(size);
    } else {
      const std::size_t which = random() % sizes.size();
      numbers[which] = texts.replace(numbers[which], std::string(size, 'x'));
      sizes[which] = size;
    }
    for (const std::size_t each : sizes) words += kept_texts::words_for(each);
    ASSERT_EQ(texts.memory(), hook.live_bytes());
    // The longest text may have come or gone after the block was measured.
    ASSERT_LE(texts.memory(), 8 * 2 * (words + 2 * sizes.size() + 129 + 8)) << i;
  }
}

TEST(kept_texts, ask_for_no_memory_after_has_room_for) {
  support::allocations hook;
  kept_texts texts(30);
  const std::size_t asked = hook.asked();
  std::uint32_t number = texts.add(std::string(80, 'a'));
  int replaced = 0;
  for (std::size_t size = 60; texts.has_room_for(size); size = 140 - size) {
    number = texts.replace(number, std::string(size, 'b'));
    ++replaced;
  }
  EXPECT_GE(replaced, 2);
  EXPECT_EQ(hook.asked(), asked);
}

}  // namespace bloomtime::detail::kept_texts_test
