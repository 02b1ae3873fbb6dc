#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "cli/live/keys.hpp"
#include "text/text.hpp"

namespace bloomtime::cli::live {
namespace keys_test {

std::vector<key> all_of(key_decoder& decoder) {
  std::vector<key> keys;
  while (const auto k = decoder.next()) keys.push_back(*k);
  return keys;
}

std::vector<key> keys_of(std::string_view bytes) {
  key_decoder decoder;
  decoder.feed(bytes);
  return all_of(decoder);
}

key typed(const std::string& text) { return {key_name::text, text}; }

TEST(live_keys, have_names) {
  using enum key_name;
  const std::vector<std::pair<std::string, key_name>> known{
      {"\r", enter},         {"\n", enter},     {"\x7f", backspace}, {"\b", backspace},
      {"\x15", erase_line},  {"\x0c", redraw},  {"\x1b[A", up},      {"\x1bOA", up},
      {"\x1b[B", down},      {"\x1b[C", right}, {"\x1b[D", left},    {"\x1b[H", home},
      {"\x1b[1~", home},     {"\x1bOF", end},   {"\x1b[4~", end},    {"\x1b[5~", page_up},
      {"\x1b[6~", page_down}};
  for (const auto& [bytes, name] : known) {
    EXPECT_EQ(keys_of(bytes), std::vector<key>{{name}}) << bytes;
  }
  EXPECT_EQ(keys_of("q/"), (std::vector{typed("q"), typed("/")}));
}

TEST(live_keys, unknown_ones_are_skipped) {
  EXPECT_TRUE(keys_of("\x1b[1;5A\x1b[200~\x1b[?25h\x1bOP\x01\x02").empty());
  EXPECT_EQ(keys_of("\x1b[1;5Aq"), std::vector{typed("q")});
  // A sequence that is broken off gives way to what follows it.
  EXPECT_EQ(keys_of("\x1b[1\x1b[A"), std::vector<key>{{key_name::up}});
  EXPECT_EQ(keys_of("\x1b[" + std::string(100, '1') + "q").back(), typed("q"));
}

TEST(live_keys, characters_are_utf8) {
  EXPECT_EQ(keys_of("ä日😀"), (std::vector{typed("ä"), typed("日"), typed("😀")}));
  EXPECT_EQ(keys_of("\xff\xc3q"), std::vector{typed("q")});
  EXPECT_EQ(keys_of("\xed\xa0\x80q"), std::vector{typed("q")});  // a surrogate
  EXPECT_TRUE(keys_of("\xe2\x80\xae").empty());                  // turns the text around
}

TEST(live_keys, wait_for_the_rest) {
  key_decoder decoder;
  for (const std::string_view piece : {"\x1b", "[", "1"}) {
    decoder.feed(piece);
    EXPECT_EQ(decoder.next(), std::nullopt);
    EXPECT_TRUE(decoder.waits());
  }
  decoder.feed("~\xc3");
  EXPECT_EQ(decoder.next(), key{key_name::home});
  EXPECT_EQ(decoder.next(), std::nullopt);
  EXPECT_TRUE(decoder.waits());
  decoder.feed("\xa4");
  EXPECT_EQ(decoder.next(), typed("ä"));
  EXPECT_FALSE(decoder.waits());
}

TEST(live_keys, an_escape_is_one_when_nothing_follows) {
  key_decoder decoder;
  decoder.feed("\x1b");
  EXPECT_EQ(decoder.next(), std::nullopt);
  EXPECT_EQ(decoder.give_up(), key{key_name::escape});
  EXPECT_FALSE(decoder.waits());
  decoder.feed("\x1b[");
  EXPECT_EQ(decoder.next(), std::nullopt);
  EXPECT_EQ(decoder.give_up(), std::nullopt);
  EXPECT_FALSE(decoder.waits());
  EXPECT_EQ(keys_of("\x1bq"), (std::vector{key{key_name::escape}, typed("q")}));
  EXPECT_EQ(keys_of("\x1b\x1b[A"), (std::vector{key{key_name::escape}, key{key_name::up}}));
}

// The twin is the same input at once.
RC_GTEST_PROP(live_keys, do_not_depend_on_the_pieces, ()) {
  const auto part = rc::gen::weightedOneOf<std::string>(
      {{3, rc::gen::elementOf(std::vector<std::string>{"\x1b[A", "\x1bOB", "\x1b[6~", "\x1b", "ä",
                                                       "日", "😀", "q", "\r", "\x1b["})},
       {1, rc::gen::arbitrary<std::string>()}});
  std::string bytes;
  for (const std::string& p : *rc::gen::container<std::vector<std::string>>(part)) bytes += p;
  key_decoder whole;
  key_decoder pieces;
  whole.feed(bytes);
  const std::vector<key> expected = all_of(whole);
  std::vector<key> found;
  for (std::string_view rest = bytes; !rest.empty();) {
    const auto size = std::min(rest.size(), *rc::gen::inRange<std::size_t>(1, 5));
    pieces.feed(rest.substr(0, size));
    rest.remove_prefix(size);
    for (key& k : all_of(pieces)) found.push_back(std::move(k));
  }
  RC_ASSERT(found == expected);
  RC_ASSERT(pieces.give_up() == whole.give_up());
  for (const key& k : found) {
    RC_ASSERT((k.name == key_name::text) == !k.text.empty());
    RC_ASSERT(text::printable(k.text) == k.text);
  }
}

}  // namespace keys_test
}  // namespace bloomtime::cli::live
