#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>
#include <nlohmann/json.hpp>

#include "cli/profile/profile_samples.hpp"
#include "cli/run_command.hpp"
#include "store/manifest.hpp"
#include "support/files.hpp"
#include "support/traced.hpp"

// A store remembers what it has read of each file, whatever happens to the file between two runs.
namespace bloomtime::store {
namespace resuming_test {

namespace fs = std::filesystem;
using cli::contents_of;
using cli::run_command;
using support::temporary_directory;

std::string text_of_lines(int from, int to) {
  std::string text;
  for (int i = from; i < to; ++i) {
    text += fmt::format("{{\"time\":{},\"id\":\"item{}\",\"host\":\"host{}\"}}\n",
                        1'400'000'000 + 7 * i, i * i % 31, i % 5);
  }
  return text;
}

void append(const fs::path& path, std::string_view text) {
  std::ofstream(path, std::ios::app | std::ios::binary) << text;
}

void compress(const fs::path& from, const fs::path& to) {
  const std::string text = cli::text_in(from);
  const gzFile out = gzopen(to.c_str(), "wb");
  gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  gzclose(out);
  fs::remove(from);
}

class resuming : public testing::Test {
 protected:
  std::vector<std::string> command(const std::vector<fs::path>& files,
                                   const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"profile", "--item", "id",     "--item",      "host",
                                   "--store", store_,   "--json", "--half-life", "10m"};
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), files.begin(), files.end());
    return words;
  }

  // Returns the number of new records.
  std::uint64_t profile(const std::vector<fs::path>& files,
                        const std::vector<std::string>& more = {}) {
    const cli::told done = run_command(command(files, more));
    EXPECT_EQ(done.status, 0) << done.err;
    notes_ = done.err;
    if (done.status != 0) return 0;
    return nlohmann::json::parse(done.out)["new_records"].get<std::uint64_t>();
  }

  std::vector<source> sources() const { return *read_manifest(store_).read.sources; }

  bool noted(std::string_view text) const { return notes_.find(text) != std::string::npos; }

  temporary_directory folder_{support::quick_place()};
  fs::path store_ = folder_ / "store";
  fs::path log_ = folder_ / "access.log";
  fs::path old_ = folder_ / "access.log.1";
  std::string notes_;
};

TEST_F(resuming, the_same_command_counts_no_line_twice) {
  append(log_, text_of_lines(0, 100));
  EXPECT_EQ(profile({log_}), 100U);
  const auto before = contents_of(store_);
  const auto generation = read_manifest(store_).generation;
  EXPECT_EQ(profile({log_}), 0U);
  EXPECT_TRUE(noted("nothing new in ")) << notes_;
  EXPECT_EQ(read_manifest(store_).generation, generation);
  EXPECT_EQ(profile({log_, log_}), 0U);
  EXPECT_TRUE(contents_of(store_) == before);
  EXPECT_EQ(profile({log_}, {"--again"}), 100U);
  EXPECT_EQ(profile({log_}), 0U);
  EXPECT_EQ(sources().size(), 1U);
}

TEST_F(resuming, what_is_remembered_of_a_file) {
  append(log_, text_of_lines(0, 3) + "no line\n" + text_of_lines(3, 5));
  EXPECT_EQ(profile({log_}), 5U);
  append(log_, "another\n");
  EXPECT_EQ(profile({log_}), 0U);
  const source s = sources().at(0);
  EXPECT_EQ(s.path, log_.string());
  EXPECT_EQ(s.size, fs::file_size(log_));
  EXPECT_EQ(s.offset, s.size);
  EXPECT_EQ(s.lines, 7U);
  EXPECT_EQ(s.records, 5U);
  std::uint64_t rejected = 0;
  for (const auto& [reason, lines] : s.rejected) rejected += lines;
  EXPECT_EQ(rejected, 2U);
  EXPECT_TRUE(noted("line 7 ")) << notes_;
}

TEST_F(resuming, an_unfinished_line_waits_for_its_end) {
  const std::string next = text_of_lines(10, 11);
  for (const std::size_t cut : {std::size_t{1}, next.size() / 2, next.size() - 2}) {
    fs::remove_all(store_);
    fs::remove(log_);
    append(log_, text_of_lines(0, 10) + next.substr(0, cut));
    EXPECT_EQ(profile({log_}), 10U);
    EXPECT_EQ(profile({log_}), 0U);
    append(log_, next.substr(cut));
    EXPECT_EQ(profile({log_}), 1U);
    EXPECT_EQ(read_manifest(store_).read.bad_lines, 0U);
  }
}

// It is a valid line, and the file may never grow.
TEST_F(resuming, a_file_without_a_last_line_end_is_read_to_its_end_once) {
  std::string text = text_of_lines(0, 10);
  text.pop_back();
  append(log_, text);
  EXPECT_EQ(profile({log_}), 10U);
  EXPECT_EQ(profile({log_}), 0U);
  append(log_, "\n");
  EXPECT_EQ(profile({log_}), 0U);
  append(log_, text_of_lines(10, 12));
  EXPECT_EQ(profile({log_}), 2U);
  // A file that is continued waits for the line end.
  append(log_, text_of_lines(12, 13).substr(0, text_of_lines(12, 13).size() - 1));
  EXPECT_EQ(profile({log_}), 0U);
  append(log_, "\n");
  EXPECT_EQ(profile({log_}), 1U);
}

TEST_F(resuming, what_a_counted_line_gets_later_is_not_another_line) {
  append(log_, "time,id,host\n1400000000,a,b\n1400000000,a,b\n1400000001,c,d");
  EXPECT_EQ(profile({log_}), 3U);
  append(log_, "dd");
  EXPECT_EQ(profile({log_}), 0U);
  append(log_, "d\n1400000002,e,f\n");
  EXPECT_EQ(profile({log_}), 1U);
  EXPECT_EQ(read_manifest(store_).read.bad_lines, 0U);
}

TEST_F(resuming, a_header_is_known_in_the_middle_of_a_file) {
  append(log_, "host,id,time\nb,a,1400000000\nb,a,1400000000\nb,a,1400000000\n");
  EXPECT_EQ(profile({log_}), 3U);
  append(log_, "d,c,1400000001\n");
  EXPECT_EQ(profile({log_}), 1U);
  EXPECT_EQ(read_manifest(store_).read.last_event->micros, 1'400'000'001'000'000);
}

TEST_F(resuming, a_rotated_log_is_recognised_also_compressed) {
  append(log_, text_of_lines(0, 100));
  EXPECT_EQ(profile({log_}), 100U);
  append(log_, text_of_lines(100, 110));
  fs::rename(log_, old_);
  append(log_, text_of_lines(110, 130));
  EXPECT_EQ(profile({log_}), 30U) << notes_;  // what the rotated one has got is read first
  EXPECT_EQ(profile({old_, log_}), 0U);
  compress(old_, folder_ / "access.log.1.gz");
  EXPECT_EQ(profile({folder_ / "access.log.1.gz", log_}), 0U);
  EXPECT_TRUE(noted("which was read as")) << notes_;
  EXPECT_EQ(sources().size(), 2U);
}

TEST_F(resuming, copytruncate_loses_and_repeats_nothing) {
  append(log_, text_of_lines(0, 100));
  EXPECT_EQ(profile({log_}), 100U);
  append(log_, text_of_lines(100, 105));
  fs::copy(log_, old_);
  EXPECT_EQ(profile({log_, old_}), 5U);  // between the copy and the truncation
  fs::resize_file(log_, 0);
  append(log_, text_of_lines(105, 400));  // longer than before
  EXPECT_EQ(profile({log_}), 295U);
  EXPECT_EQ(profile({old_, log_}), 0U);
  fs::resize_file(log_, text_of_lines(105, 110).size());  // it shrank: that is another file
  EXPECT_EQ(profile({log_}), 5U);
}

TEST_F(resuming, files_that_begin_alike_are_told_apart) {
  const std::string header = "time,id,host," + std::string(2000, 'x') + "\n";
  append(log_, header + "1400000000,a,b,1\n1400000000,a,b,1\n1400000000,a,b,1\n");
  append(old_, header + "1400000000,a,c,1\n1400000001,a,c,1\n");
  EXPECT_EQ(profile({log_}), 3U);
  EXPECT_EQ(profile({old_}), 2U);
  EXPECT_EQ(profile({log_, old_}), 0U);
  append(log_, "1400000002,a,b,1\n");
  EXPECT_EQ(profile({old_, log_}), 1U);
}

TEST_F(resuming, small_files_may_be_equal) {
  append(log_, text_of_lines(0, 3));
  append(old_, text_of_lines(0, 3));
  EXPECT_EQ(profile({log_, old_}), 6U);
  EXPECT_EQ(profile({log_, old_}), 0U);
  append(old_, text_of_lines(3, 4));
  EXPECT_EQ(profile({log_, old_}), 1U);
  // A small log that was rotated by copytruncate is not there any more.
  fs::remove_all(store_);
  fs::remove(old_);
  EXPECT_EQ(profile({log_}), 3U);
  fs::copy(log_, old_);
  fs::resize_file(log_, 0);
  append(log_, text_of_lines(7, 8));
  EXPECT_EQ(profile({old_, log_}), 1U);
}

TEST_F(resuming, compressed_files_continue_where_their_data_ended) {
  append(log_, text_of_lines(0, 200));
  const fs::path packed = folder_ / "other.gz";
  compress(log_, packed);
  EXPECT_EQ(profile({packed}), 200U);
  EXPECT_EQ(profile({packed}), 0U);
  append(log_, text_of_lines(0, 220));
  compress(log_, packed);
  EXPECT_EQ(profile({packed}), 20U);
}

TEST_F(resuming, a_file_that_vanished_is_an_error_and_changes_nothing) {
  append(log_, text_of_lines(0, 10));
  EXPECT_EQ(profile({log_}), 10U);
  const auto before = contents_of(store_);
  fs::remove(log_);
  EXPECT_EQ(run_command(command({log_})).status, 2);
  EXPECT_TRUE(contents_of(store_) == before);
}

// Random appends, rotations, compressions and truncations: always what one run would have made.
TEST_F(resuming, is_one_run_over_everything) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    fs::remove_all(store_);
    fs::remove(log_);
    int written = 0;
    std::string unfinished;
    for (int step = 0; step < 8; ++step) {
      const int more = below(step % 3 == 0 ? 60 : 6) + (step == 0 ? 1 : 0);
      append(log_, unfinished + text_of_lines(written, written + more));
      written += more;
      const std::string next = text_of_lines(written, written + 1);
      const auto cut = static_cast<std::size_t>(below(static_cast<int>(next.size()) - 1));
      append(log_, next.substr(0, cut));
      unfinished = next.substr(cut);
      ++written;
      profile({log_});
      if (const int event = below(4); event != 0) {
        append(log_, unfinished);
        unfinished.clear();
        const fs::path rotated = folder_ / fmt::format("access.log.{}.{}", seed, step).c_str();
        if (event == 1) fs::rename(log_, rotated);
        if (event > 1) fs::copy(log_, rotated);
        if (event > 1) fs::resize_file(log_, 0);
        if (event == 3) compress(rotated, rotated.string() + ".gz");
        append(log_, text_of_lines(written, written + 1));
        ++written;
      }
    }
    append(log_, unfinished);
    profile({log_});
    const auto found = contents_of(store_);
    fs::remove_all(store_);
    const fs::path whole = folder_ / "whole";
    fs::remove(whole);
    append(whole, text_of_lines(0, written));
    EXPECT_EQ(profile({whole}), static_cast<std::uint64_t>(written));
    EXPECT_TRUE(found == contents_of(store_)) << "seed " << seed << ": " << found.records;
  }
}

// A run that is killed at any system call has counted its lines and remembers it, or neither.
TEST_F(resuming, a_killed_run_is_repeated_without_counting_twice) {
  append(log_, text_of_lines(0, 40));
  EXPECT_EQ(profile({log_}), 40U);
  append(log_, text_of_lines(40, 60));
  const fs::path saved = folder_ / "saved";
  fs::copy(store_, saved, fs::copy_options::recursive);
  profile({log_});
  const auto after = contents_of(store_);
  int calls = 0;
  for (;; calls += 4 * support::call_step) {
    fs::remove_all(store_);
    fs::copy(saved, store_, fs::copy_options::recursive);
    const pid_t child = support::traced([&] { return cli::quiet_run(command({log_})); });
    const support::fate end = support::kill_at_call(child, calls);
    if (end == support::fate::untraceable) GTEST_SKIP() << "skipped: no ptrace";
    const std::uint64_t counted = contents_of(store_).records;
    EXPECT_EQ(profile({log_}), 60 - counted);
    ASSERT_TRUE(contents_of(store_) == after) << "killed at system call " << calls;
    if (end == support::fate::finished) break;
  }
  EXPECT_GT(calls, 60);
}

}  // namespace resuming_test
}  // namespace bloomtime::store
