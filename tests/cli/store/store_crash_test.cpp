#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>

#include <sys/resource.h>
#include <unistd.h>

#include "cli/store/store_samples.hpp"
#include "store/inspect.hpp"
#include "support/child.hpp"
#include "support/files.hpp"
#include "support/traced.hpp"

// A writer dies or runs out of disk at every moment there is. The store is the old or the new one,
// and the next writer finds its way and cleans up.
namespace bloomtime::store {
namespace store_crash_test {

using support::fate;
using support::in_child;
using support::kill_at_call;
using support::quick_place;
using support::status_of;
using support::temporary_directory;
using support::traced;

int continue_store(const std::filesystem::path& directory, int n) {
  writer w(directory, sample_creation);
  bring_to(w, n);
  return 0;
}

void expect_old_or_new(const std::filesystem::path& directory, int before, int after) {
  const int found = state_of(directory);
  ASSERT_TRUE(found == before || found == after) << found;
  for (const finding& f : inspect(directory)) ASSERT_EQ(f.problem, "") << f.file;
  make_store(directory, after + 1);
  ASSERT_EQ(state_of(directory), after + 1);
  ASSERT_TRUE(is_tidy(directory));
}

TEST(store_crash, at_every_system_call_of_a_checkpoint_leaves_the_old_or_the_new_store) {
  const temporary_directory directory(quick_place());
  int state = 1;
  make_store(directory / "s", state);
  int calls = 0;
  for (;; calls += support::call_step, state += 2) {
    const pid_t child = traced([&] { return continue_store(directory / "s", state + 1); });
    const fate end = kill_at_call(child, calls);
    if (end == fate::untraceable) GTEST_SKIP() << "skipped: this system does not allow ptrace";
    if (end == fate::finished) break;
    expect_old_or_new(directory / "s", state, state + 1);
    if (HasFatalFailure()) FAIL() << "killed at system call " << calls;
  }
  EXPECT_EQ(state_of(directory / "s"), state + 1);
  EXPECT_GT(calls, 40);  // opens, writes, syncs, renames and removals of four files
}

TEST(store_crash, at_every_system_call_of_the_first_checkpoint_leaves_a_store_or_none) {
  const temporary_directory directory(quick_place());
  for (int calls = 0;; calls += support::call_step) {
    const auto where = directory / std::to_string(calls).c_str();
    const fate end = kill_at_call(traced([&] { return continue_store(where, 3); }), calls);
    if (end == fate::untraceable) GTEST_SKIP() << "skipped: this system does not allow ptrace";
    const bool made = std::filesystem::exists(where / "manifest.json");
    ASSERT_EQ(made ? state_of(where) : 3, 3) << "killed at system call " << calls;
    make_store(where, 4);
    ASSERT_EQ(state_of(where), 4) << "killed at system call " << calls;
    ASSERT_TRUE(is_tidy(where));
    if (end == fate::finished) break;
  }
}

// At whatever moment, inside of a system call as well.
TEST(store_crash, at_any_time_leaves_one_of_the_stores_there_were) {
  const temporary_directory directory(quick_place());
  make_store(directory / "s", 1);
  for (int round = 0; round < 30; ++round) {
    const int before = state_of(directory / "s");
    int started[2];
    ASSERT_EQ(::pipe(started), 0);
    const pid_t child = in_child([&] {
      if (::write(started[1], "", 1) != 1) return 2;
      writer w(directory / "s", sample_creation);
      for (int n = before + 1;; ++n) bring_to(w, n);
    });
    char ignored = 0;
    ASSERT_EQ(::read(started[0], &ignored, 1), 1);
    ::close(started[0]);
    ::close(started[1]);
    std::this_thread::sleep_for(std::chrono::microseconds(311 * round));
    ::kill(child, SIGKILL);
    ASSERT_EQ(status_of(child), 128 + SIGKILL);
    ASSERT_GE(state_of(directory / "s"), before) << "round " << round;
  }
  const int last = state_of(directory / "s");
  expect_old_or_new(directory / "s", last, last);
}

// -- a full disk ---------------------------------------------------------------------------------

// The child may write files of so many bytes and no more: 0 if it was refused and the rest holds.
int refused_with_limit(const std::filesystem::path& directory, rlim_t limit) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit most{limit, limit};
  if (::setrlimit(RLIMIT_FSIZE, &most) != 0) return 2;
  try {
    writer w(directory, sample_creation);
    w.about().items = {std::string(2000, 'x')};
    bring_to(w, 2);
  } catch (const error& e) {
    return e.code() == errc::io ? 0 : 3;
  }
  return 4;
}

TEST(store_crash, on_a_full_disk_is_refused_and_leaves_the_old_store_alone) {
  const temporary_directory directory(quick_place());
  make_store(directory / "s", 1);
  const auto names = names_in(directory / "s");
  // Nothing fits; the containers do not; they do, and the manifest does not.
  for (const rlim_t limit : {0, 1, 100, 300, 1500}) {
    const pid_t child = in_child([&] { return refused_with_limit(directory / "s", limit); });
    EXPECT_EQ(status_of(child), 0) << "limit " << limit;
    EXPECT_EQ(state_of(directory / "s"), 1) << "limit " << limit;
    EXPECT_EQ(names_in(directory / "s"), names) << "limit " << limit;
    const pid_t first = in_child([&] { return refused_with_limit(directory / "new", limit); });
    EXPECT_EQ(status_of(first), 0) << "limit " << limit;
    EXPECT_FALSE(std::filesystem::exists(directory / "new")) << "limit " << limit;
  }
}

}  // namespace store_crash_test
}  // namespace bloomtime::store
