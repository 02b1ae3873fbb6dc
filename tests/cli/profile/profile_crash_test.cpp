#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>

#include "cli/logs/input_support.hpp"
#include "cli/profile/profile_samples.hpp"
#include "store/inspect.hpp"
#include "support/child.hpp"
#include "support/files.hpp"
#include "support/traced.hpp"

// `profile` dies at every moment there is: the store is what it was before, or what it would have
// become.
namespace bloomtime::profile {
namespace profile_crash_test {

using namespace cli;
using namespace logs;

namespace fs = std::filesystem;
using support::fate;
using support::temporary_directory;

std::string some_lines(int from, int to) {
  std::string text;
  for (int i = from; i < to; ++i) {
    text += fmt::format("{}\titem{}\thost{}\n", 1'400'000'000 + 60 * i, i % 7, i % 3);
  }
  return text;
}

// A store of the first half of a log, and what the second half makes of it.
class profile_crash : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(run_command(profile_command({first_}, old_)).status, 0);
    before_ = contents_of(old_);
    restore();
    ASSERT_EQ(run_command(profile_command({second_}, store_)).status, 0);
    after_ = contents_of(store_);
    ASSERT_NE(before_.containers, after_.containers);
  }

  void restore() const {
    fs::remove_all(store_);
    fs::copy(old_, store_, fs::copy_options::recursive);
  }

  // Whatever is left, it is sound, and goes on to what it should become.
  void expect_before_or_after() const {
    const store_contents found = contents_of(store_);
    ASSERT_TRUE(found == before_ || found == after_);
    for (const store::finding& f : store::inspect(store_)) ASSERT_EQ(f.problem, "") << f.file;
    if (found == after_) return;
    ASSERT_EQ(run_command(profile_command({second_}, store_)).status, 0);
    ASSERT_TRUE(contents_of(store_) == after_);
  }

  temporary_directory folder_{support::quick_place()};
  std::string first_ = write_text(folder_ / "first", some_lines(0, 200));
  std::string second_ = write_text(folder_ / "second", some_lines(200, 400));
  fs::path old_ = folder_ / "old";
  fs::path store_ = folder_ / "store";
  store_contents before_;
  store_contents after_;
};

TEST_F(profile_crash, at_every_system_call_leaves_the_old_or_the_new_store) {
  int calls = 0;
  for (;; calls += support::call_step) {
    restore();
    const pid_t child =
        support::traced([&] { return quiet_run(profile_command({second_}, store_)); });
    const fate end = support::kill_at_call(child, calls);
    if (end == fate::untraceable) GTEST_SKIP() << "skipped: this system does not allow ptrace";
    if (end == fate::finished) break;
    expect_before_or_after();
    if (HasFatalFailure()) FAIL() << "killed at system call " << calls;
  }
  EXPECT_TRUE(contents_of(store_) == after_);
  EXPECT_GT(calls, 60);  // six files are written, synced and renamed
}

// At whatever moment, inside of a system call as well.
TEST_F(profile_crash, at_any_time_leaves_the_old_or_the_new_store) {
  for (int round = 0; round < 40; round += support::call_step) {
    restore();
    const pid_t child =
        support::in_child([&] { return quiet_run(profile_command({second_}, store_)); });
    std::this_thread::sleep_for(std::chrono::microseconds(173 * round));
    ::kill(child, SIGKILL);
    (void)support::status_of(child);
    expect_before_or_after();
    if (HasFatalFailure()) FAIL() << "round " << round;
  }
}

}  // namespace profile_crash_test
}  // namespace bloomtime::profile
