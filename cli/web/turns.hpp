#pragma once

#include <mutex>
#include <shared_mutex>

namespace bloomtime::cli {

// A lock for many readers and a writer that none of them can starve: whoever comes waits in one
// line.
class turns {
 public:
  void lock() {
    const std::scoped_lock line(line_);
    data_.lock();
  }
  void unlock() { data_.unlock(); }
  void lock_shared() {
    const std::scoped_lock line(line_);
    data_.lock_shared();
  }
  void unlock_shared() { data_.unlock_shared(); }

 private:
  std::mutex line_;
  std::shared_mutex data_;
};

}  // namespace bloomtime::cli
