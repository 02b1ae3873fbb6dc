#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <utility>

#include <pybind11/pybind11.h>

#include <bloomtime/digest.hpp>
#include <bloomtime/mapped.hpp>

#include "errors.hpp"

namespace bloomtime::python {

// A filter that threads share: one lock per object. Nobody waits for the lock while holding the
// GIL, so a thread may wait for the GIL while it holds the lock. What runs under the lock must
// therefore not call Python.
template <class Filter>
class guarded {
 public:
  explicit guarded(Filter&& filter) : own_(std::move(filter)), seed_(own_->seed()) {}
  // Read-only: answers from the file.
  explicit guarded(mapped<Filter>&& file) : file_(std::move(file)), seed_((*file_)->seed()) {}

  // Nothing changes it, so it needs no lock.
  const hash_seed& seed() const noexcept { return seed_; }
  bool read_only() const noexcept { return file_.has_value(); }
  void expect_writable() const {
    if (read_only()) {
      refuse_value("the file was opened read-only; use load() in place of open() to change it");
    }
  }

  // use(filter) for a short call, with the GIL held.
  template <class Use>
  auto read(Use&& use) const {
    const auto held = locked<std::shared_lock<std::shared_mutex>>();
    return use(filter());
  }
  template <class Use>
  auto write(Use&& use) {
    expect_writable();
    const auto held = locked<std::unique_lock<std::shared_mutex>>();
    return use(*own_);
  }

  // The same for a long call, with the GIL released.
  template <class Use>
  auto read_long(Use&& use) const {
    const py::gil_scoped_release released;
    const std::shared_lock held(mutex_);
    return use(filter());
  }
  template <class Use>
  auto write_long(Use&& use) {
    expect_writable();
    const py::gil_scoped_release released;
    const std::unique_lock held(mutex_);
    return use(*own_);
  }

  // work(filter, first, count) for pieces of a bulk call. An interrupt ends the call between two
  // pieces; those before have been done.
  template <class Work>
  void read_pieces(std::size_t size, Work&& work) const {
    in_pieces<std::shared_lock<std::shared_mutex>>(filter(), size, work);
  }
  template <class Work>
  void write_pieces(std::size_t size, Work&& work) {
    expect_writable();
    in_pieces<std::unique_lock<std::shared_mutex>>(*own_, size, work);
  }

 private:
  const Filter& filter() const noexcept { return own_ ? *own_ : **file_; }

  template <class Lock>
  Lock locked() const {
    Lock lock(mutex_, std::try_to_lock);
    if (!lock) {
      const py::gil_scoped_release released;
      lock.lock();
    }
    return lock;
  }

  template <class Lock, class Any, class Work>
  void in_pieces(Any& filter, std::size_t size, Work& work) const;

  std::optional<Filter> own_;
  std::optional<mapped<Filter>> file_;
  hash_seed seed_;
  mutable std::shared_mutex mutex_;
};

inline constexpr std::size_t piece_size = 2048;  // items; their digests fit into the second cache

inline void expect_no_interrupt() {
  const py::gil_scoped_acquire acquired;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

template <class Filter>
template <class Lock, class Any, class Work>
void guarded<Filter>::in_pieces(Any& filter, std::size_t size, Work& work) const {
  using clock = std::chrono::steady_clock;
  constexpr auto patience = std::chrono::milliseconds(50);
  const py::gil_scoped_release released;
  Lock held(mutex_);
  auto checked = clock::now();
  for (std::size_t first = 0; first < size; first += piece_size) {
    work(filter, first, std::min(piece_size, size - first));
    if (clock::now() - checked < patience) continue;
    held.unlock();  // the handler of a signal may use the filter
    expect_no_interrupt();
    held.lock();
    checked = clock::now();
  }
}

}  // namespace bloomtime::python
