#pragma once

#include <filesystem>
#include <memory>
#include <utility>

#include <bloomtime/detail/file.hpp>
#include <bloomtime/detail/moved.hpp>

namespace bloomtime {

// A filter that answers from a memory-mapped file without reading it first. Only the head has been
// checked; verify() checks the rest. Read-only by type: copy the filter to change it.
template <class Filter>
class mapped {
 public:
  mapped(std::shared_ptr<const detail::mapped_file> file, Filter filter)
      : file_(std::move(file)), filter_(std::move(filter)) {}

  // A run-time handle in place of its engine.
  template <class Engine>
  explicit mapped(mapped<Engine>&& engine)
      : file_(std::move(engine.file_)), filter_(std::move(engine.filter_)) {}

  const Filter& operator*() const noexcept { return filter_; }
  const Filter* operator->() const noexcept { return &filter_; }

  // Throws unless load() would accept the file.
  void verify() const {
    if (!file_) detail::refuse_moved_from("a mapped filter");
    Filter::verify(file_->bytes());
  }

 private:
  template <class Other>
  friend class mapped;

  std::shared_ptr<const detail::mapped_file> file_;
  Filter filter_;
};

}  // namespace bloomtime
