#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/logs/input_support.hpp"
#include "logs/byte_source.hpp"
#include "support/expect_error.hpp"

namespace bloomtime::logs {
namespace source_test {

std::string many_lines() {
  std::string text;
  for (int i = 0; i < 30'000; ++i) text += "line " + std::to_string(i * 7919) + "\n";
  return text;
}

// The text as a tool of the system compresses it.
std::string compressed(const support::temporary_directory& folder, const std::string& tool,
                       const std::string& text) {
  const std::string plain = write_text(folder / "plain", text);
  const std::string packed = (folder / "packed").string();
  const std::string command =
      "cat '" + plain + "' | " + tool + " -c > '" + packed + "' 2> /dev/null";
  if (std::system(command.c_str()) != 0) return "";
  const auto bytes = support::read_file(packed);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class compressed_source : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    packed_ = compressed(folder_, GetParam(), many_lines());
    if (packed_.empty()) GTEST_SKIP() << GetParam() << " is not installed";
  }

  heard read(const std::string& bytes) {
    return read_files({write_text(folder_ / "log", bytes)}, {.format = "plain"});
  }

  support::temporary_directory folder_;
  std::string packed_;
};

TEST_P(compressed_source, is_recognised_and_may_have_several_parts) {
  // Not EXPECT_EQ: it would look for the shortest difference for minutes.
  EXPECT_TRUE(read(packed_).raw == many_lines());
  EXPECT_TRUE(read(packed_ + packed_).raw == many_lines() + many_lines());
}

TEST_P(compressed_source, what_stands_before_the_cut_is_handed_out) {
  const std::string path = write_text(folder_ / "cut", packed_.substr(0, packed_.size() - 1));
  heard all;
  event_reader reader({.format = "plain"}, {path});
  support::expect_error(
      errc::io, [&] { listen(reader, all); }, "ends in the middle, at byte");
  EXPECT_TRUE(many_lines().starts_with(all.raw));
  EXPECT_TRUE(all.raw.empty() || all.raw.ends_with('\n'));
  EXPECT_GT(all.raw.size(), many_lines().size() / 2);
}

TEST_P(compressed_source, damage_is_told) {
  std::string damaged = packed_ + "no such data";
  support::expect_error(
      errc::io, [&] { (void)read(damaged); }, "is damaged at byte");
  damaged = packed_;
  for (std::size_t i = damaged.size() / 2; i < damaged.size() / 2 + 100; ++i) damaged[i] ^= 0x55;
  EXPECT_THROW((void)read(damaged), error);
}

INSTANTIATE_TEST_SUITE_P(tools, compressed_source,
                         testing::Values("gzip", "bzip2", "zstd", "xz -1", "pzstd -p 2",
                                         "zstd --long=27"));

TEST(byte_source, gzip_may_be_padded_with_zeros) {
  const support::temporary_directory folder;
  const std::string packed = compressed(folder, "gzip", "x\n");
  if (packed.empty()) GTEST_SKIP() << "gzip is not installed";
  const std::string path = write_text(folder / "log", packed + std::string(1000, '\0'));
  EXPECT_EQ(read_files({path}, {}).raw, "x\n");
}

// The head of a frame made with --long=31, and not much else.
TEST(byte_source, a_few_bytes_do_not_get_two_gigabytes) {
  const support::temporary_directory folder;
  const std::string path =
      write_text(folder / "log", std::string("\x28\xb5\x2f\xfd\x00\xa8\x55\x00\x00", 9));
  try {
    (void)read_files({path}, {});
    FAIL();
  } catch (const error& e) {
    EXPECT_NE(std::string(e.what()).find("more than 128 MiB"), std::string::npos) << e.what();
  }
}

TEST(byte_source, short_beginnings_of_magic_are_text) {
  for (const std::string_view text : {"\x1f", "\x28\xb5\x2f", "\xfd",
                                      "\xfd"
                                      "7zX"}) {
    EXPECT_EQ(read_text(text).raw, text);
  }
}

// A line that came is handed out although the writer keeps the pipe open: reading on would wait for
// ever.
TEST(byte_source, a_pipe_is_not_waited_for) {
  const support::temporary_directory folder;
  const std::string path = (folder / "pipe").string();
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::thread opener;
  int writer = -1;
  opener = std::thread([&] { writer = ::open(path.c_str(), O_WRONLY); });
  event_reader reader({.format = "plain"}, {path});
  const auto send = [&](std::string_view text) {
    ASSERT_EQ(::write(writer, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  };
  const int held = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  opener.join();
  for (const std::string_view text : {"a\n", "b\r\n", "c\n"}) {
    send(text);
    const event* e = reader.next();
    ASSERT_NE(e, nullptr);
    EXPECT_EQ(e->raw.bytes(), text);
  }
  send("half");
  ::close(writer);
  const event* last = reader.next();
  ASSERT_NE(last, nullptr);
  EXPECT_EQ(last->raw.bytes(), "half");
  EXPECT_EQ(reader.next(), nullptr);
  ::close(held);
}

TEST(byte_source, a_file_that_shrinks_just_ends) {
  const support::temporary_directory folder;
  const std::string path = write_text(folder / "log", many_lines());
  event_reader reader({.format = "plain"}, {path});
  ASSERT_NE(reader.next(), nullptr);
  ASSERT_EQ(::truncate(path.c_str(), 10), 0);
  while (reader.next() != nullptr) {
  }
  EXPECT_LT(reader.counts().lines, 30'000U);
}

}  // namespace source_test
}  // namespace bloomtime::logs
