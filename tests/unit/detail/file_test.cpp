#include <gtest/gtest.h>

#include <bloomtime/bloomtime.hpp>
#include <bloomtime/detail/file.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <new>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/child.hpp"
#include "support/expect_error.hpp"
#include "support/files.hpp"
#include "support/refused_new.hpp"

namespace bloomtime::detail {
namespace file_test {

using support::expect_error;
using support::in_child;
using support::read_file;
using support::status_of;
using support::temporary_directory;
using support::write_file;
using bytes_type = std::vector<std::byte>;

void replace(const std::filesystem::path& path, const bytes_type& bytes) {
  const std::array<std::span<const std::byte>, 1> pieces{bytes};
  replace_file(path, pieces);
}

// -- replacing ---------------------------------------------------------------------------------

TEST(file, is_made_or_replaced_as_a_whole) {
  const temporary_directory directory;
  replace(directory / "f", support::filled(10'000, 1));
  EXPECT_TRUE(read_file(directory / "f") == support::filled(10'000, 1));
  replace(directory / "f", support::filled(10, 2));
  EXPECT_TRUE(read_file(directory / "f") == support::filled(10, 2));
  replace(directory / "f", {});
  EXPECT_TRUE(read_file(directory / "f").empty());
  EXPECT_EQ(directory.entries(), 1u);
}

TEST(file, is_its_pieces_in_order) {
  const temporary_directory directory;
  const bytes_type one = support::filled(5, 1);
  const bytes_type two = support::filled(7, 2);
  const std::array<std::span<const std::byte>, 4> pieces{one, {}, two, one};
  replace_file(directory / "f", pieces);
  bytes_type expected = one;
  expected.insert(expected.end(), two.begin(), two.end());
  expected.insert(expected.end(), one.begin(), one.end());
  EXPECT_TRUE(read_file(directory / "f") == expected);
}

TEST(file, in_the_working_directory_needs_no_folder_in_its_name) {
  const temporary_directory directory;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(directory.path());
  replace("plain", support::filled(3, 1));
  std::filesystem::current_path(before);
  EXPECT_TRUE(read_file(directory / "plain") == support::filled(3, 1));
}

TEST(file, that_cannot_be_made_is_an_error_that_names_it) {
  const temporary_directory directory;
  expect_error(
      errc::io, [&] { replace(directory / "missing/f", support::filled(3, 1)); }, "missing/f");
  EXPECT_EQ(directory.entries(), 0u);
}

TEST(file, is_old_or_new_when_memory_is_out) {
  if (!support::refused_new::works) GTEST_SKIP() << "sanitizers bring an operator new of their own";
  const temporary_directory directory;
  const auto path = directory / "a name that is too long to be kept inside of a string";
  replace(path, support::filled(3, 1));
  const bytes_type next = support::filled(3, 2);
  const std::array<std::span<const std::byte>, 1> pieces{next};
  for (std::size_t granted = 0;; ++granted) {
    try {
      const support::refused_new refused(granted);
      replace_file(path, pieces);
      EXPECT_GT(granted, 0u);
      break;
    } catch (const std::bad_alloc&) {
      ASSERT_TRUE(read_file(path) == support::filled(3, 1)) << granted;
      ASSERT_EQ(directory.entries(), 1u);
    }
  }
  EXPECT_TRUE(read_file(path) == next);
}

TEST(file, never_takes_the_place_of_a_folder) {
  const temporary_directory directory;
  std::filesystem::create_directory(directory / "folder");
  write_file(directory / "folder/inside", support::filled(1, 1));
  expect_error(
      errc::io, [&] { replace(directory / "folder", support::filled(3, 1)); }, "folder");
  EXPECT_EQ(directory.entries(), 1u);
  EXPECT_TRUE(std::filesystem::exists(directory / "folder/inside"));
}

// Who could not read the old bytes may not read the new ones; and the other way round.
TEST(file, keeps_its_permissions) {
  const temporary_directory directory;
  const auto permissions = [&] {
    struct stat status {};
    EXPECT_EQ(::stat((directory / "f").c_str(), &status), 0);
    return status.st_mode & 0777;
  };
  const mode_t before = ::umask(022);
  replace(directory / "f", support::filled(3, 1));
  EXPECT_EQ(permissions(), 0644u);
  for (const mode_t wanted : {0600u, 0640u, 0666u}) {
    ASSERT_EQ(::chmod((directory / "f").c_str(), wanted), 0);
    replace(directory / "f", support::filled(3, 2));
    EXPECT_EQ(permissions(), wanted);
  }
  ::umask(before);
}

TEST(file, behind_a_link_is_replaced_and_the_link_stays) {
  const temporary_directory directory;
  std::filesystem::create_directory(directory / "elsewhere");
  write_file(directory / "elsewhere/f", support::filled(3, 1));
  std::filesystem::create_symlink("elsewhere/f", directory / "link");
  std::filesystem::create_symlink(directory / "link", directory / "second link");
  replace(directory / "second link", support::filled(3, 2));
  EXPECT_TRUE(read_file(directory / "elsewhere/f") == support::filled(3, 2));
  EXPECT_TRUE(std::filesystem::is_symlink(directory / "link"));
  EXPECT_TRUE(std::filesystem::is_symlink(directory / "second link"));
  std::filesystem::remove(directory / "elsewhere/f");
  replace(directory / "link", support::filled(3, 3));  // to a file that is not there yet
  EXPECT_TRUE(read_file(directory / "elsewhere/f") == support::filled(3, 3));
  std::filesystem::create_symlink("loop", directory / "loop");
  expect_error(
      errc::io, [&] { replace(directory / "loop", support::filled(3, 1)); }, "loop");
  EXPECT_EQ(directory.entries(), 4u);
}

TEST(file, replaces_a_link_if_what_is_behind_it_is_not_ours) {
  const temporary_directory directory;
  write_file(directory / "f", support::filled(3, 1));
  std::filesystem::create_symlink("f", directory / "link");
  ASSERT_EQ(::mkfifo((directory / "pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink("pipe", directory / "link to a pipe");
  const bytes_type next = support::filled(3, 2);
  const std::array<std::span<const std::byte>, 1> pieces{next};
  replace_file(directory / "link", pieces, links::replace);
  EXPECT_TRUE(read_file(directory / "f") == support::filled(3, 1));
  EXPECT_TRUE(read_file(directory / "link") == next);
  for (const char* name : {"pipe", "link to a pipe"}) {
    expect_error(
        errc::io, [&] { replace_file(directory / name, pieces, links::replace); }, "regular file");
  }
}

std::string text_from(int fd, std::size_t most) {
  std::string text(most, ' ');
  const ssize_t got = ::read(fd, text.data(), most);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

// As root the rename would succeed, and every program that opens the device would meet a file.
TEST(file, writes_to_pipes_and_descriptors_and_never_takes_their_place) {
  const temporary_directory directory;
  ASSERT_EQ(::mkfifo((directory / "pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink("pipe", directory / "link to a pipe");
  const int reader = ::open((directory / "pipe").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  for (const char* name : {"pipe", "link to a pipe"}) {
    replace(directory / name, support::filled(3, 'x'));
    EXPECT_EQ(text_from(reader, 10), "xxx") << name;
  }
  ::close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(directory / "pipe"));
  EXPECT_TRUE(std::filesystem::is_symlink(directory / "link to a pipe"));

  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const std::string number = std::to_string(ends[1]);
  std::filesystem::create_symlink("/proc/self/fd/" + number, directory / "stdout");
  for (const std::string& name :
       {(directory / "stdout").string(), "/dev/fd/" + number, "/proc/thread-self/fd/" + number}) {
    replace(name, support::filled(2, 'y'));
    EXPECT_EQ(text_from(ends[0], 10), "yy") << name;
  }
  EXPECT_TRUE(std::filesystem::is_symlink(directory / "stdout"));
  ::close(ends[0]);
  ::close(ends[1]);
  expect_error(
      errc::io, [&] { replace(directory / "stdout", support::filled(3, 1)); }, "stdout");

  // Redirected to a file: after what stands there, into the same file.
  const int file = ::open((directory / "f").c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_EQ(::write(file, "before ", 7), 7);
  std::filesystem::create_symlink("/dev/fd/" + std::to_string(file), directory / "redirected");
  replace(directory / "redirected", support::filled(3, 'z'));
  ASSERT_EQ(::lseek(file, 0, SEEK_SET), 0);
  EXPECT_EQ(text_from(file, 100), "before zzz");
  ::close(file);
  EXPECT_EQ(directory.entries(), 5u);
}

TEST(file, tells_beforehand_whether_it_could_be_replaced) {
  const temporary_directory directory;
  expect_replaceable(directory / "f", 10'000);
  EXPECT_EQ(directory.entries(), 0u);
  expect_error(
      errc::io, [&] { expect_replaceable(directory / "missing/f", 1); }, "missing/f");
  expect_error(
      errc::io, [&] { expect_replaceable(directory.path(), 1); }, "directory");
  const pid_t child = in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit most{5000, 5000};
    if (::setrlimit(RLIMIT_FSIZE, &most) != 0) return 2;
    expect_replaceable(directory / "f", 4000);
    try {
      expect_replaceable(directory / "f", 6000);
    } catch (const error&) {
      return 0;
    }
    return 4;
  });
  EXPECT_EQ(status_of(child), 0);
  EXPECT_EQ(directory.entries(), 0u);
}

// -- in another process ------------------------------------------------------------------------

// What a full disk does: some of the bytes go in, then no more.
int save_with_limit(const std::filesystem::path& path, std::size_t limit, std::size_t size) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit most{limit, limit};
  if (::setrlimit(RLIMIT_FSIZE, &most) != 0) return 2;
  try {
    replace(path, support::filled(size, 2));
  } catch (const error& e) {
    const bool named = std::string_view(e.what()).find(path.string()) != std::string_view::npos;
    return e.code() == errc::io && named ? 0 : 3;
  }
  return 4;
}

TEST(file, keeps_its_old_bytes_when_the_disk_is_full) {
  const temporary_directory directory;
  const bytes_type old = support::filled(1000, 1);
  write_file(directory / "f", old);
  for (const std::size_t limit :
       {std::size_t{0}, std::size_t{1}, std::size_t{4096}, std::size_t{99'999}}) {
    const pid_t child = in_child([&] { return save_with_limit(directory / "f", limit, 100'000); });
    EXPECT_EQ(status_of(child), 0) << "limit " << limit;
    EXPECT_TRUE(read_file(directory / "f") == old) << "limit " << limit;
    EXPECT_EQ(directory.entries(), 1u) << "limit " << limit;
  }
}

TEST(file, of_a_filter_is_old_or_new_when_the_disk_is_full) {
  const temporary_directory directory;
  bloom_filter f({.items = 10'000, .error = 0.01});
  f.add(1);
  f.save(directory / "f");
  const bytes_type old = f.serialize();
  f.add(2);
  const pid_t child = in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit most{300, 300};
    if (::setrlimit(RLIMIT_FSIZE, &most) != 0) return 2;
    try {
      f.save(directory / "f");
    } catch (const error& e) {
      return e.code() == errc::io ? 0 : 3;
    }
    return 4;
  });
  EXPECT_EQ(status_of(child), 0);
  EXPECT_TRUE(bloom_filter::load(directory / "f").serialize() == old);
}

bool is_one_of(const bytes_type& bytes, int values) {
  for (int v = 1; v <= values; ++v) {
    if (bytes == support::filled(bytes.size(), v) && !bytes.empty()) return true;
  }
  return false;
}

// Killed at a different moment each time. What is left is removed when the file is next written.
TEST(file, is_old_or_new_when_its_writer_is_killed_and_leftovers_go) {
  constexpr std::size_t size = 200'000;
  const temporary_directory directory;
  write_file(directory / "f", support::filled(size, 1));
  std::size_t left = 0;
  for (int round = 0; round < 50; ++round) {
    int started[2];
    ASSERT_EQ(::pipe(started), 0);
    const pid_t child = in_child([&] {
      const bytes_type one = support::filled(size, 1);
      const bytes_type two = support::filled(size, 2);
      if (::write(started[1], "", 1) != 1) return 2;
      for (;;) {
        replace(directory / "f", two);
        replace(directory / "f", one);
      }
    });
    char ignored = 0;
    ASSERT_EQ(::read(started[0], &ignored, 1), 1);
    ::close(started[0]);
    ::close(started[1]);
    std::this_thread::sleep_for(std::chrono::microseconds(37 * round));
    ::kill(child, SIGKILL);
    ASSERT_EQ(status_of(child), 128 + SIGKILL);
    const bytes_type found = read_file(directory / "f");
    ASSERT_EQ(found.size(), size);
    ASSERT_TRUE(is_one_of(found, 2)) << "round " << round;
    ASSERT_LE(directory.entries(), 2u) << "round " << round;
    left += directory.entries() - 1;
  }
  EXPECT_GT(left, 0u);
  replace(directory / "f", support::filled(size, 1));
  EXPECT_EQ(directory.entries(), 1u);
}

// Killed while several write at once, each under a name of its own.
TEST(file, has_no_leftovers_of_many_writers_that_were_killed) {
  constexpr std::size_t size = 200'000;
  const temporary_directory directory;
  for (int round = 0; round < 5; ++round) {
    std::vector<pid_t> children;
    for (int w = 0; w < 20; ++w) {
      children.push_back(in_child([&] {
        for (;;) replace(directory / "f", support::filled(size, w + 1));
        return 0;
      }));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    for (const pid_t child : children) ::kill(child, SIGKILL);
    for (const pid_t child : children) ASSERT_EQ(status_of(child), 128 + SIGKILL);
    replace(directory / "f", support::filled(size, 1));
    ASSERT_EQ(directory.entries(), 1u) << "round " << round;
  }
}

// A temporary whose writer lives is left alone by everybody else.
TEST(file, is_written_beside_the_temporary_of_another_writer) {
  const temporary_directory directory;
  const auto other = directory / "f.tmp.0.0";
  write_file(other, support::filled(3, 7));
  const int held = ::open(other.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::flock(held, LOCK_EX), 0);
  replace(directory / "f", support::filled(3, 1));
  EXPECT_TRUE(read_file(other) == support::filled(3, 7));
  EXPECT_EQ(directory.entries(), 2u);
  ::close(held);
  replace(directory / "f", support::filled(3, 2));
  EXPECT_EQ(directory.entries(), 1u);
  // What is no regular file, or a link, was not left by a writer.
  ASSERT_EQ(::mkfifo(other.c_str(), 0600), 0);
  std::filesystem::create_symlink("f", directory / "f.tmp.0.1");
  replace(directory / "f", support::filled(3, 3));
  EXPECT_EQ(directory.entries(), 3u);
}

// -- in other threads --------------------------------------------------------------------------

TEST(file, is_old_or_new_for_whoever_reads_meanwhile) {
  const temporary_directory directory;
  bloom_filter f({.items = 20'000, .error = 0.01});
  f.add(1);
  const bytes_type one = f.serialize();
  f.add(2);
  const bytes_type two = f.serialize();
  replace(directory / "f", one);

  std::atomic<bool> done{false};
  std::atomic<int> reads{0};
  std::atomic<int> broken{0};
  std::thread reader([&] {
    while (!done || reads < 10) {
      try {
        const bytes_type found = bloom_filter::load(directory / "f").serialize();
        if (found != one && found != two) ++broken;
      } catch (const error&) {
        ++broken;
      }
      ++reads;
    }
  });
  for (int i = 0; i < 40; ++i) replace(directory / "f", i % 2 == 0 ? two : one);
  done = true;
  reader.join();
  EXPECT_EQ(broken, 0);
  EXPECT_GE(reads, 10);
}

// Two that save at once must not write into each other's temporary file.
TEST(file, is_whole_if_several_threads_write_it) {
  constexpr std::size_t size = 300'000;
  const temporary_directory directory;
  write_file(directory / "f", support::filled(size, 1));
  std::atomic<bool> done{false};
  std::atomic<int> refused{0};
  std::vector<std::thread> writers;
  for (int w = 1; w <= 3; ++w) {
    writers.emplace_back([&, w] {
      const bytes_type mine = support::filled(size, w);
      for (int i = 0; i < 25; ++i) {
        try {
          replace(directory / "f", mine);
        } catch (const error&) {
          ++refused;
        }
      }
    });
  }
  int broken = 0;
  std::thread reader([&] {
    while (!done) {
      const bytes_type found = read_file(directory / "f");
      broken += found.size() != size || !is_one_of(found, 3);
    }
  });
  for (std::thread& w : writers) w.join();
  done = true;
  reader.join();
  EXPECT_EQ(broken, 0);
  EXPECT_EQ(refused, 0);
  EXPECT_EQ(directory.entries(), 1u);
}

// -- mapping -----------------------------------------------------------------------------------

TEST(mapped_file, shows_the_bytes_of_the_file) {
  const temporary_directory directory;
  write_file(directory / "f", support::filled(5000, 7));
  const auto file = mapped_file::open(directory / "f");
  EXPECT_TRUE(bytes_type(file->bytes().begin(), file->bytes().end()) == support::filled(5000, 7));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(file->bytes().data()) % 64, 0u);
}

TEST(mapped_file, keeps_the_old_bytes_of_a_file_that_is_replaced_or_removed) {
  const temporary_directory directory;
  replace(directory / "f", support::filled(5000, 1));
  const auto file = mapped_file::open(directory / "f");
  replace(directory / "f", support::filled(10, 2));
  EXPECT_TRUE(bytes_type(file->bytes().begin(), file->bytes().end()) == support::filled(5000, 1));
  std::filesystem::remove(directory / "f");
  EXPECT_TRUE(bytes_type(file->bytes().begin(), file->bytes().end()) == support::filled(5000, 1));
}

TEST(mapped_file, of_what_is_no_file_is_an_error_that_names_it) {
  const temporary_directory directory;
  expect_error(
      errc::io, [&] { mapped_file::open(directory / "missing"); }, "missing");
  expect_error(
      errc::io, [&] { mapped_file::open(directory.path()); }, "regular file");
  write_file(directory / "empty", {});
  expect_error(
      errc::truncated, [&] { mapped_file::open(directory / "empty"); }, "is empty");
}

// A pipe without a writer must not hang whoever names it by mistake.
TEST(mapped_file, of_a_pipe_is_an_error_and_does_not_wait) {
  const temporary_directory directory;
  const auto pipe = directory / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const pid_t child = in_child([&] {
    ::alarm(10);  // ends the child, and with it the test, if opening waits
    try {
      mapped_file::open(pipe);
    } catch (const error& e) {
      return e.code() == errc::io ? 0 : 3;
    }
    return 4;
  });
  EXPECT_EQ(status_of(child), 0);
}

TEST(mapped_file, of_a_filter_answers_and_outlives_the_file) {
  const temporary_directory directory;
  for (const layout kind : {layout::flat, layout::line}) {
    bloom_filter f({.items = 100, .error = 0.01, .layout = kind});
    for (int i = 0; i < 100; ++i) f.add(i);
    f.save(directory / "f");
    const auto mapped = bloom_filter::map(directory / "f");
    mapped.verify();
    std::filesystem::remove(directory / "f");
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(mapped->may_contain(i), f.may_contain(i)) << i;
    EXPECT_TRUE(mapped->serialize() == f.serialize());

    bloom_filter copy = *mapped;
    copy.add(5000);
    EXPECT_TRUE(copy.may_contain(5000));
    EXPECT_TRUE(mapped->serialize() == f.serialize());
  }
}

}  // namespace file_test
}  // namespace bloomtime::detail
