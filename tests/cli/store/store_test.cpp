#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include "cli/store/store_samples.hpp"
#include "store/inspect.hpp"
#include "store/names.hpp"
#include "support/child.hpp"
#include "support/expect_error.hpp"
#include "support/files.hpp"

namespace bloomtime::store {
namespace store_test {

using support::expect_error;
using support::in_child;
using support::read_file;
using support::status_of;
using support::temporary_directory;
using support::write_file;

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

// -- making and continuing -----------------------------------------------------------------------

TEST(store, keeps_what_was_put_in) {
  const temporary_directory directory;
  {
    writer w(directory / "s", sample_creation);
    EXPECT_FALSE(w.continues());
    w.about().zone = "+0100";
    w.about().bad_lines = 3;
    w.about().items = {"host", "host,path"};
    bring_to(w, 5);
  }
  EXPECT_EQ(state_of(directory / "s"), 5);
  const reader r(directory / "s");
  EXPECT_EQ(r.about().created, sample_creation);
  EXPECT_EQ(r.about().generation, 1u);
  EXPECT_EQ(r.about().read.zone, "+0100");
  EXPECT_EQ(r.about().read.bad_lines, 3u);
  EXPECT_EQ(r.about().read.items, (std::vector<std::string>{"host", "host,path"}));
  EXPECT_EQ(r.about().read.first_event, instant::from_seconds(0));
  EXPECT_EQ(r.about().read.last_event, instant::from_seconds(160));
  EXPECT_TRUE(is_tidy(directory / "s"));
}

TEST(store, continued_in_two_halves_is_as_if_made_at_once) {
  const temporary_directory directory;
  make_store(directory / "once", 9);
  make_store(directory / "twice", 4);
  {
    writer w(directory / "twice", instant(1));
    EXPECT_TRUE(w.continues());
    EXPECT_EQ(w.about().records, 4u);
    const auto kept = w.container("one");
    EXPECT_TRUE(bloom_filter::load(kept->bytes()).may_contain(3));
    bring_to(w, 9);
  }
  EXPECT_EQ(state_of(directory / "twice"), 9);
  manifest once = reader(directory / "once").about();
  manifest twice = reader(directory / "twice").about();
  const auto bytes_in = [&](const char* name, const part& p) {
    return read_file(directory / name / p.file);
  };
  EXPECT_TRUE(bytes_in("once", once.totals) == bytes_in("twice", twice.totals));
  for (const std::size_t i : {0, 1}) {
    EXPECT_TRUE(bytes_in("once", once.containers[i]) == bytes_in("twice", twice.containers[i]));
  }
  EXPECT_EQ(twice.generation, 2u);
  EXPECT_TRUE(is_tidy(directory / "twice"));
  twice.generation = once.generation;
  twice.totals.file = once.totals.file;
  for (std::size_t i = 0; i < 2; ++i) twice.containers[i].file = once.containers[i].file;
  EXPECT_EQ(to_text(twice), to_text(once));
}

TEST(store, keeps_containers_that_were_not_put_again_and_drops_removed_ones) {
  const temporary_directory directory;
  make_store(directory / "s", 2);
  {
    writer w(directory / "s", sample_creation);
    w.put("three", sample_filter(1));
    w.put("three", sample_filter(3));
    w.remove("one");
    EXPECT_FALSE(w.has("one"));
    w.checkpoint();
    w.checkpoint();
  }
  const reader r(directory / "s");
  EXPECT_EQ(r.about().generation, 3u);
  EXPECT_TRUE(bloom_filter::load(r.container("two")->bytes()).may_contain(1));
  EXPECT_TRUE(bloom_filter::load(r.container("three")->bytes()).may_contain(2));
  expect_error(
      errc::invalid_argument, [&] { r.container("one"); }, "no container one");
  EXPECT_TRUE(is_tidy(directory / "s"));
}

TEST(store, without_a_checkpoint_is_as_it_was) {
  const temporary_directory directory;
  { const writer w(directory / "new", sample_creation); }
  EXPECT_FALSE(std::filesystem::exists(directory / "new"));
  make_store(directory / "s", 2);
  const auto names = names_in(directory / "s");
  {
    writer w(directory / "s", sample_creation);
    w.count(instant(0));
    w.put("one", sample_filter(7));
    EXPECT_EQ(state_of(directory / "s"), 2);
  }
  EXPECT_EQ(state_of(directory / "s"), 2);
  EXPECT_EQ(names_in(directory / "s"), names);
}

TEST(store, keeps_manifest_keys_of_the_same_schema_that_it_does_not_know) {
  const temporary_directory directory;
  make_store(directory / "s", 2);
  manifest m = read_manifest(directory / "s");
  m.others = R"({"later":{"x":[1,2.5]}})";
  m.containers[0].others = R"({"note":"kept"})";
  write_file(directory / "s/manifest.json", bytes_of(to_text(m)));
  {
    writer w(directory / "s", sample_creation);
    w.put("two", sample_filter(2));
    w.checkpoint();
  }
  m = read_manifest(directory / "s");
  EXPECT_EQ(m.others, R"({"later":{"x":[1,2.5]}})");
  EXPECT_EQ(m.containers[0].others, R"({"note":"kept"})");
}

TEST(store, refuses_what_its_reader_would_refuse) {
  const temporary_directory directory;
  writer w(directory / "s", sample_creation);
  expect_error(
      errc::invalid_argument, [&] { w.put("", sample_filter(1)); }, "needs a role");
  expect_error(
      errc::corrupt, [&] { w.put("x", std::vector<std::byte>(100)); }, "container");
  w.about().items = {"\xff"};
  expect_error(
      errc::invalid_argument, [&] { w.checkpoint(); }, "UTF-8");
  w.about().items.clear();
  bring_to(w, 1);
  EXPECT_EQ(state_of(directory / "s"), 1);
}

// -- two at once ---------------------------------------------------------------------------------

TEST(store, has_one_writer_at_a_time_and_says_which) {
  const temporary_directory directory;
  make_store(directory / "s", 1);
  const std::string mine = "process " + std::to_string(::getpid()) + " is writing";
  {
    const writer w(directory / "s", sample_creation);
    const int status = status_of(in_child([&] {
      try {
        const writer second(directory / "s", sample_creation);
      } catch (const error& e) {
        const bool named = std::string(e.what()).find(mine) != std::string::npos;
        return named && state_of(directory / "s") == 1 ? 0 : 3;
      }
      return 4;
    }));
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(status_of(in_child([&] {
              writer w(directory / "s", sample_creation);
              bring_to(w, 2);
              return 0;
            })),
            0);
  EXPECT_EQ(state_of(directory / "s"), 2);
}

TEST(store, is_one_checkpoint_or_another_for_whoever_reads_meanwhile) {
  const temporary_directory directory;
  make_store(directory / "s", 1);
  bool done = false;
  const pid_t child = in_child([&] {
    writer w(directory / "s", sample_creation);
    for (int n = 2; n <= 40; ++n) bring_to(w, n);
    return 0;
  });
  int reads = 0;
  while (!done || reads < 10) {
    int status = 0;
    done = done || ::waitpid(child, &status, WNOHANG) == child;
    ASSERT_GE(state_of(directory / "s"), 1);
    for (const finding& f : inspect(directory / "s")) ASSERT_EQ(f.problem, "");
    ++reads;
  }
  EXPECT_EQ(state_of(directory / "s"), 40);
}

// -- places that are no store --------------------------------------------------------------------

void expect_untouched(const std::filesystem::path& directory, errc code, const char* mention) {
  const auto before = names_in(directory);
  expect_error(
      code, [&] { writer(directory, sample_creation); }, mention);
  EXPECT_EQ(names_in(directory), before);
}

TEST(store, is_not_made_beside_files_of_somebody_else) {
  const temporary_directory directory;
  write_file(directory / "letter.txt", bytes_of("dear"));
  expect_untouched(directory.path(), errc::invalid_argument, "there is letter.txt in it");
  expect_error(
      errc::io, [&] { reader(directory.path()); }, "is not a store");
  expect_error(
      errc::io, [&] { writer(directory / "letter.txt", sample_creation); },
      "a store is a directory");
  expect_error(
      errc::io, [&] { writer(directory / "no/where", sample_creation); },
      "No such file or directory");
  write_file(directory / "manifest.json", bytes_of(R"({"name": "an extension"})"));
  expect_untouched(directory.path(), errc::corrupt, "lacks the key schema");
}

TEST(store, can_be_made_in_an_empty_directory_or_after_a_crash_before_the_first_checkpoint) {
  const temporary_directory directory;
  make_store(directory.path(), 1);
  EXPECT_EQ(state_of(directory.path()), 1);
  std::filesystem::remove(directory / "manifest.json");
  write_file(directory / "manifest.json.tmp.12.0", bytes_of("{"));
  make_store(directory.path(), 2);
  EXPECT_EQ(state_of(directory.path()), 2);
  EXPECT_TRUE(is_tidy(directory.path()));
}

TEST(store, removes_only_what_a_store_writes) {
  const temporary_directory directory;
  make_store(directory.path(), 1);
  const std::vector<const char*> foreign{"part-1-2.bloomtime.bak",
                                         "part-x-1.bloomtime",
                                         "part-1.bloomtime",
                                         "notes",
                                         "part--1-1.bloomtime",
                                         "manifest.json.tmp",
                                         "my.tmp.1.1",
                                         "part-1-1.bloomtime.tmp.1",
                                         "manifest.json.tmp.1.1x",
                                         "Part-1-1.bloomtime",
                                         "part-1-.bloomtime"};
  for (const char* name : foreign) write_file(directory / name, bytes_of("mine"));
  std::filesystem::create_directory(directory / "part-9-9.bloomtime");
  std::filesystem::create_symlink("notes", directory / "part-9-8.bloomtime");
  for (const char* name : {"part-9-7.bloomtime", "part-2-1.bloomtime.tmp.77.0"}) {
    write_file(directory / name, bytes_of("left over"));
  }
  make_store(directory.path(), 2);
  EXPECT_EQ(names_in(directory.path()).size(), 5 + foreign.size() + 2);
  for (const char* name : foreign) EXPECT_TRUE(read_file(directory / name) == bytes_of("mine"));
}

TEST(store, of_a_directory_that_forbids_writing_can_be_read) {
  const temporary_directory directory;
  make_store(directory / "s", 1);
  if (::geteuid() == 0) {
    // Root may write anywhere: become somebody else, in a child.
    ::chmod(directory.path().c_str(), 0755);
  }
  ::chmod((directory / "s").c_str(), 0555);
  for (const auto& entry : std::filesystem::directory_iterator(directory / "s")) {
    ::chmod(entry.path().c_str(), 0444);
  }
  const int status = status_of(in_child([&] {
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) return 5;
    if (state_of(directory / "s") != 1) return 2;
    try {
      const writer w(directory / "s", sample_creation);
    } catch (const error& e) {
      return std::string(e.what()).find("Permission denied") != std::string::npos ? 0 : 3;
    }
    return 4;
  }));
  EXPECT_EQ(status, 0);
  ::chmod((directory / "s").c_str(), 0755);
}

// -- damage --------------------------------------------------------------------------------------

std::vector<std::string> problems(const std::filesystem::path& directory) {
  std::vector<std::string> found;
  for (const finding& f : inspect(directory)) {
    if (!f.problem.empty()) found.push_back(f.problem);
  }
  return found;
}

TEST(store, with_a_part_missing_swapped_or_damaged_is_refused_and_kept) {
  const temporary_directory directory;
  make_store(directory / "s", 3);
  const reader r(directory / "s");
  const auto path = [&](const char* role) { return directory / "s" / r.about().find(role)->file; };
  const auto good = read_file(path("one"));
  const auto expect_refused = [&](errc code, const char* mention) {
    expect_untouched(directory / "s", code, mention);
    expect_error(
        code, [&] { reader(directory / "s"); }, mention);
    EXPECT_EQ(problems(directory / "s").size(), 1u);
  };
  EXPECT_TRUE(problems(directory / "s").empty());
  std::filesystem::remove(path("one"));
  expect_refused(errc::io, "No such file");
  write_file(path("one"), std::span(good).first(good.size() - 1));
  expect_refused(errc::corrupt, "it has");
  write_file(path("one"), sample_filter(1).serialize());
  expect_refused(errc::corrupt, "not the one whose checksum is in the manifest");

  auto damaged = good;  // only verify looks at every byte
  damaged[damaged.size() - 65] ^= std::byte{1};
  write_file(path("one"), damaged);
  EXPECT_EQ(problems(directory / "s").size(), 1u);
  write_file(path("one"), good);
  EXPECT_TRUE(problems(directory / "s").empty());
}

TEST(store, says_what_was_left_over) {
  const temporary_directory directory;
  make_store(directory / "s", 3);
  write_file(directory / "s/part-7-1.bloomtime", bytes_of("half"));
  const auto found = inspect(directory / "s");
  ASSERT_EQ(found.size(), 5u);
  EXPECT_TRUE(found.back().leftover);
  EXPECT_EQ(found.back().file.filename(), "part-7-1.bloomtime");
}

}  // namespace store_test
}  // namespace bloomtime::store
