#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace bloomtime::logs {

// Runs jobs on several threads. One thread owns it and calls all functions; while it waits for a
// job it runs others, so `threads` counts it as well. With one thread no other is made, and every
// job runs as soon as it is started.
//
// What a job throws is kept until finish() asks for it. So the owner meets errors in an order that
// does not depend on the number of threads.
class workers {
 public:
  struct job;
  using handle = std::shared_ptr<job>;

  explicit workers(unsigned threads = 1);
  workers(const workers&) = delete;
  workers& operator=(const workers&) = delete;
  // Waits for the jobs that run. Jobs that have not begun never run.
  ~workers();

  unsigned threads() const { return static_cast<unsigned>(others_.size()) + 1; }

  // Runs `work` once. If there is a job `after`, it runs first; if that one fails, `work` does not
  // run, and fails alike.
  handle start(std::function<void()> work, const handle& after = {});
  // Returns when the job is done; finish() throws what it threw.
  void wait(const handle& wanted);
  void finish(const handle& wanted);

 private:
  void run(std::unique_lock<std::mutex>& lock);
  void work_until_closed();

  std::mutex mutex_;
  std::condition_variable work_there_;  // for the other threads
  std::condition_variable progress_;    // for the owner
  std::deque<handle> ready_;
  bool closed_ = false;
  std::vector<std::thread> others_;
};

// Jobs that run one after the other, in the order in which they were started. Its end waits for
// them.
class lane {
 public:
  lane() = default;
  lane(lane&&) = default;
  lane& operator=(lane&&) = default;
  ~lane() {
    if (last_) by_->wait(last_);
  }

  workers::handle start(const std::shared_ptr<workers>& by, std::function<void()> work) {
    by_ = by;
    return last_ = by->start(std::move(work), last_);
  }

 private:
  std::shared_ptr<workers> by_;
  workers::handle last_;
};

// The processor cores that this process may use.
unsigned cores();

}  // namespace bloomtime::logs
