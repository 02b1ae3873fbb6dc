#pragma once

#include <filesystem>

namespace bloomtime::cli::store {

// The right to write into a store, for as long as the object lives; the system takes it back from a
// process that dies. Throws with the number of the process that has it. Readers need none.
class writer_lock {
 public:
  explicit writer_lock(const std::filesystem::path& directory);
  writer_lock(const writer_lock&) = delete;
  writer_lock& operator=(const writer_lock&) = delete;
  ~writer_lock();

  // False when the store was removed or another one stands in its place.
  bool holds() const noexcept;

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

}  // namespace bloomtime::cli::store
