#pragma once

#include <filesystem>
#include <string>

namespace bloomtime::cli::store {

// The right to write into a store or a state, for as long as the object lives; the system takes it
// back from a process that dies. Throws with the number of the process that has it. Readers need
// none.
class writer_lock {
 public:
  explicit writer_lock(const std::filesystem::path& directory);
  // `file` is locked; `what` is the name of what it guards, for errors: "the store s".
  writer_lock(const std::filesystem::path& file, const std::string& what);
  writer_lock(const writer_lock&) = delete;
  writer_lock& operator=(const writer_lock&) = delete;
  ~writer_lock();

  // False when the store was removed or another one stands in its place.
  bool holds() const noexcept;
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

}  // namespace bloomtime::cli::store
