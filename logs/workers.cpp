#include "logs/workers.hpp"

#include <algorithm>
#include <csignal>
#include <exception>
#include <utility>

#include <sched.h>

namespace bloomtime::logs {

struct workers::job {
  std::function<void()> work;
  std::exception_ptr problem;
  bool done = false;
  handle next;  // waits for this one; a lane has no more than one that does

  // What the work holds on to is freed before the job counts as done.
  void run() noexcept {
    try {
      if (!problem) work();
    } catch (...) {
      problem = std::current_exception();
    }
    work = nullptr;
  }
};

// Signals are for the thread of the owner: only its waits are ended by them.
workers::workers(unsigned threads) {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  others_.reserve(threads);
  try {
    while (others_.size() + 1 < threads) others_.emplace_back([this] { work_until_closed(); });
  } catch (const std::exception&) {
    // There is no memory for more threads, or they are not allowed: those that are there do all.
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

workers::~workers() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    ready_.clear();
  }
  work_there_.notify_all();
  for (std::thread& other : others_) other.join();
}

workers::handle workers::start(std::function<void()> work, const handle& after) {
  const auto made = std::make_shared<job>();
  made->work = std::move(work);
  if (others_.empty()) {
    if (after) made->problem = after->problem;
    made->run();
    made->done = true;
    return made;
  }
  const std::lock_guard lock(mutex_);
  if (after && !after->done) {
    after->next = made;
    return made;
  }
  if (after) made->problem = after->problem;
  ready_.push_back(made);
  work_there_.notify_one();
  return made;
}

void workers::finish(const handle& wanted) {
  wait(wanted);
  if (wanted->problem) std::rethrow_exception(wanted->problem);
}

void workers::wait(const handle& wanted) {
  if (others_.empty()) return;
  std::unique_lock lock(mutex_);
  while (!wanted->done) {
    if (ready_.empty()) {
      progress_.wait(lock);
    } else {
      run(lock);
    }
  }
}

// Runs the first ready job without the lock, and those that waited for it, whose structure is in
// this core's cache. Allocates nothing.
void workers::run(std::unique_lock<std::mutex>& lock) {
  handle mine = std::move(ready_.front());
  ready_.pop_front();
  while (mine) {
    lock.unlock();
    mine->run();
    lock.lock();
    mine->done = true;
    handle next = std::move(mine->next);
    if (next) next->problem = mine->problem;
    mine = std::move(next);
    progress_.notify_one();
  }
}

void workers::work_until_closed() {
  std::unique_lock lock(mutex_);
  while (!closed_) {
    if (ready_.empty()) {
      work_there_.wait(lock);
    } else {
      run(lock);
    }
  }
}

unsigned cores() {
  cpu_set_t usable;
  if (::sched_getaffinity(0, sizeof usable, &usable) != 0) {
    return std::max(1U, std::thread::hardware_concurrency());
  }
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&usable)));
}

}  // namespace bloomtime::logs
