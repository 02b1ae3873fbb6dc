#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/store/store_samples.hpp"
#include "support/child.hpp"
#include "support/expect_error.hpp"
#include "support/files.hpp"
#include "support/sealed_manifest.hpp"

// What somebody else does to the directory of a store, and numbers at their ends.
namespace bloomtime::store {
namespace store_attack_test {

using support::expect_error;
using support::in_child;
using support::read_file;
using support::status_of;
using support::temporary_directory;
using support::write_file;

namespace fs = std::filesystem;

std::string text_in(const fs::path& path) {
  const auto bytes = read_file(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void write_text(const fs::path& path, std::string_view text) {
  write_file(path, std::as_bytes(std::span(text)));
}

// -- links ---------------------------------------------------------------------------------------

TEST(store_attack, a_lock_that_is_a_link_is_not_written_through) {
  const temporary_directory directory;
  make_store(directory / "s", 1);
  write_text(directory / "precious", "keep");
  fs::remove(directory / "s/lock");
  fs::create_symlink(directory / "precious", directory / "s/lock");
  expect_error(
      errc::io, [&] { writer(directory / "s", sample_creation); }, "is a link");
  EXPECT_EQ(text_in(directory / "precious"), "keep");
  EXPECT_EQ(state_of(directory / "s"), 1);
}

TEST(store_attack, files_behind_links_are_read_and_never_changed) {
  const temporary_directory directory;
  make_store(directory / "s", 1);
  const std::string part = read_manifest(directory / "s").find("one")->file;
  std::vector<std::string> before;
  for (const std::string& name : {std::string("manifest.json"), part}) {
    fs::rename(directory / "s" / name, directory.path() / name);
    fs::create_symlink(directory.path() / name, directory / "s" / name);
    before.push_back(text_in(directory.path() / name));
  }
  make_store(directory / "s", 2);
  EXPECT_EQ(state_of(directory / "s"), 2);
  EXPECT_EQ(text_in(directory / "manifest.json"), before[0]);
  EXPECT_EQ(text_in(directory.path() / part), before[1]);
}

// -- a directory that changes --------------------------------------------------------------------

TEST(store_attack, a_store_put_in_the_place_of_another_is_left_alone_by_the_writer_of_that) {
  const temporary_directory directory;
  make_store(directory / "s", 1);
  {
    writer w(directory / "s", sample_creation);
    w.put("one", sample_filter(2));
    fs::rename(directory / "s", directory / "moved");
    make_store(directory / "s", 7);
    make_store(directory / "s", 8);
    expect_error(
        errc::io, [&] { w.put("two", sample_filter(2)); }, "removed or replaced");
    expect_error(
        errc::io, [&] { w.checkpoint(); }, "removed or replaced");
  }
  EXPECT_EQ(state_of(directory / "s"), 8);
  EXPECT_TRUE(is_tidy(directory / "s"));
  EXPECT_EQ(state_of(directory / "moved"), 1);
}

TEST(store_attack, a_store_removed_under_its_writer_stays_removed) {
  const temporary_directory directory;
  make_store(directory / "s", 1);
  {
    writer w(directory / "s", sample_creation);
    fs::remove_all(directory / "s");
    expect_error(
        errc::io, [&] { bring_to(w, 2); }, "removed or replaced");
  }
  EXPECT_FALSE(fs::exists(directory / "s"));
}

// Whoever comes second waits for nobody and says so; whoever comes later continues.
TEST(store_attack, writers_that_start_at_once_make_one_store) {
  for (int round = 0; round < 25; ++round) {
    const temporary_directory directory;
    int start[2];
    ASSERT_EQ(::pipe(start), 0);
    std::vector<pid_t> children;
    for (int i = 0; i < 4; ++i) {
      children.push_back(in_child([&] {
        char ignored = 0;
        ::close(start[1]);
        (void)!::read(start[0], &ignored, 1);
        try {
          make_store(directory / "s", 3);
        } catch (const error& e) {
          return std::string(e.what()).find("is writing into the store") != std::string::npos ? 1
                                                                                              : 3;
        }
        return 0;
      }));
    }
    ::close(start[0]);
    ::close(start[1]);
    int made = 0;
    for (const pid_t child : children) {
      const int status = status_of(child);
      EXPECT_LE(status, 1);
      made += status == 0 ? 1 : 0;
    }
    ASSERT_GE(made, 1);
    ASSERT_EQ(state_of(directory / "s"), 3);
    ASSERT_TRUE(is_tidy(directory / "s"));
  }
}

// -- checkpoints that fail -----------------------------------------------------------------------

TEST(store_attack, a_checkpoint_that_failed_can_be_tried_again) {
  const temporary_directory directory;
  make_store(directory / "s", 1);
  EXPECT_EQ(status_of(in_child([&] {
              std::signal(SIGXFSZ, SIG_IGN);
              rlimit limit{};
              ::getrlimit(RLIMIT_FSIZE, &limit);
              writer w(directory / "s", sample_creation);
              w.count(instant::from_seconds(40));
              w.put("one", sample_filter(2));
              w.put("two", sample_filter(2));
              // Neither the totals fit, nor, the next time, the manifest.
              for (const rlim_t most : {10, 500}) {
                const rlimit little{most, limit.rlim_max};
                ::setrlimit(RLIMIT_FSIZE, &little);
                try {
                  w.checkpoint();
                  return 2;
                } catch (const error&) {
                  if (state_of(directory / "s") != 1) return 3;
                }
              }
              ::setrlimit(RLIMIT_FSIZE, &limit);
              w.checkpoint();
              return state_of(directory / "s") == 2 ? 0 : 4;
            })),
            0);
  EXPECT_EQ(state_of(directory / "s"), 2);
  EXPECT_TRUE(is_tidy(directory / "s"));
}

// A disk of 64 kB, in a process that alone sees it. 77 if the system does not allow one.
int fill_a_small_disk(const fs::path& place) {
  if (::unshare(CLONE_NEWNS) != 0 ||
      ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("tmpfs", place.c_str(), "tmpfs", 0, "size=64k") != 0) {
    return 77;
  }
  const fs::path directory = place / "s";
  make_store(directory, 1);
  try {
    writer w(directory, sample_creation);
    for (int i = 0;; ++i) w.put("more " + std::to_string(i), sample_filter(1));
  } catch (const error& e) {
    if (e.code() != errc::io || state_of(directory) != 1 || !is_tidy(directory)) return 2;
  }
  make_store(directory, 2);
  return state_of(directory) == 2 ? 0 : 3;
}

TEST(store_attack, a_disk_that_is_full_leaves_the_old_store_and_no_leftovers) {
  const temporary_directory directory;
  const int status = status_of(in_child([&] { return fill_a_small_disk(directory.path()); }));
  if (status == 77) GTEST_SKIP() << "skipped: this system does not allow to mount a small disk";
  EXPECT_EQ(status, 0);
}

// -- numbers at their ends -----------------------------------------------------------------------

void expect_last_checkpoint(std::string_view key, std::string_view mention) {
  const temporary_directory directory;
  make_store(directory / "s", 1);
  const fs::path path = directory / "s/manifest.json";
  auto document = nlohmann::ordered_json::parse(text_in(path));
  document[std::string(key)] = std::uint64_t{1} << 63;
  const std::string full = support::sealed(document.dump());
  write_text(path, full);
  {
    writer w(directory / "s", sample_creation);
    w.count(instant(0));
    expect_error(
        errc::corrupt, [&] { w.checkpoint(); }, mention);
  }
  EXPECT_EQ(text_in(path), full);
  EXPECT_EQ(reader(directory / "s").totals().events(), 1u);
}

TEST(store_attack, counts_that_are_full_end_in_an_error_and_not_in_a_store_nobody_reads) {
  expect_last_checkpoint("records", "key records should be");
  expect_last_checkpoint("generation", "key generation should be");
}

}  // namespace store_attack_test
}  // namespace bloomtime::store
