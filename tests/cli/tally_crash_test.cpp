#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <bloomtime/tally/any_tally.hpp>
#include <bloomtime/tally/tally_table.hpp>

#include <fmt/format.h>

#include "cli/logs/input_support.hpp"
#include "cli/run_command.hpp"
#include "store/inspect.hpp"
#include "store/reader.hpp"
#include "support/child.hpp"
#include "support/files.hpp"
#include "support/traced.hpp"

// `tally` with a table dies at every moment there is: the store is what it was before, or what it
// would have become.
namespace bloomtime::cli {
namespace tally_crash_test {

namespace fs = std::filesystem;
using support::fate;

// The table grows with these.
std::string some_items(int from, int to) {
  std::string text;
  for (int i = from; i < to; ++i) text += fmt::format("item{}\n", i % 3000);
  return text;
}

// Everything in the store but the names of its files and when it was made.
struct kept {
  std::map<std::string, std::vector<std::byte>> containers;
  std::uint64_t records = 0;

  friend bool operator==(const kept&, const kept&) = default;
};

kept contents(const fs::path& directory) {
  const store::reader from(directory);
  kept all{.containers = {}, .records = from.about().read.records};
  for (const store::part& p : from.about().containers) {
    const auto bytes = from.container(p.role)->bytes();
    all.containers[p.role].assign(bytes.begin(), bytes.end());
  }
  return all;
}

class tally_crash : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(run_command(command(first_, old_)).status, 0);
    before_ = contents(old_);
    restore();
    ASSERT_EQ(run_command(command(second_, store_)).status, 0);
    after_ = contents(store_);
    ASSERT_NE(before_.containers, after_.containers);
  }

  static std::vector<std::string> command(const std::string& file, const fs::path& store) {
    return {"tally", "--format", "plain", "--item", "1", "--store", store, file};
  }
  void restore() const {
    fs::remove_all(store_);
    fs::copy(old_, store_, fs::copy_options::recursive);
  }
  // Whatever is left, it is sound, and goes on to what it should become.
  void expect_before_or_after() const {
    const kept found = contents(store_);
    ASSERT_TRUE(found == before_ || found == after_);
    for (const store::finding& f : store::inspect(store_)) ASSERT_EQ(f.problem, "") << f.file;
    if (found == after_) return;
    ASSERT_EQ(quietly(second_), 0);
    ASSERT_TRUE(contents(store_) == after_);
  }
  int quietly(const std::string& file) const {
    return support::status_of(support::in_child([&] { return quiet_run(command(file, store_)); }));
  }

  support::temporary_directory folder_{support::quick_place()};
  std::string first_ = logs::write_text(folder_ / "first", some_items(0, 1000));
  std::string second_ = logs::write_text(folder_ / "second", some_items(1000, 6000));
  fs::path old_ = folder_ / "old";
  fs::path store_ = folder_ / "store";
  kept before_;
  kept after_;
};

TEST_F(tally_crash, keeps_a_table) {
  const std::string role = "tally.1";
  const std::vector<std::byte>& bytes = after_.containers.at(role);
  EXPECT_EQ(any_tally::load(bytes).engine(), tally_table::name);
  EXPECT_GT(bytes.size(), before_.containers.at(role).size());
  EXPECT_TRUE(after_.containers.contains("largest.1"));
}

TEST_F(tally_crash, at_every_system_call_leaves_the_old_or_the_new_store) {
  int calls = 0;
  for (;; calls += support::call_step) {
    restore();
    const pid_t child = support::traced([&] { return quiet_run(command(second_, store_)); });
    const fate end = support::kill_at_call(child, calls);
    if (end == fate::untraceable) GTEST_SKIP() << "skipped: this system does not allow ptrace";
    if (end == fate::finished) break;
    expect_before_or_after();
    if (HasFatalFailure()) FAIL() << "killed at system call " << calls;
  }
  EXPECT_TRUE(contents(store_) == after_);
  EXPECT_GT(calls, 20);
}

// At whatever moment, inside of a system call as well.
TEST_F(tally_crash, at_any_time_leaves_the_old_or_the_new_store) {
  for (int round = 0; round < 40; round += support::call_step) {
    restore();
    const pid_t child = support::in_child([&] { return quiet_run(command(second_, store_)); });
    std::this_thread::sleep_for(std::chrono::microseconds(173 * round));
    ::kill(child, SIGKILL);
    (void)support::status_of(child);
    expect_before_or_after();
    if (HasFatalFailure()) FAIL() << "round " << round;
  }
}

}  // namespace tally_crash_test
}  // namespace bloomtime::cli
