#pragma once

#include <csignal>
#include <filesystem>
#include <string>

namespace bloomtime::store {

// Exclusive right to write a store or a state while the object lives; a process that dies loses it.
// The constructor throws and names the process that holds the lock. Readers need no lock.
class writer_lock {
 public:
  explicit writer_lock(const std::filesystem::path& directory);
  // Locks `file`; `what` names what it guards in errors: "the store s".
  writer_lock(const std::filesystem::path& file, const std::string& what);
  writer_lock(const writer_lock&) = delete;
  writer_lock& operator=(const writer_lock&) = delete;
  ~writer_lock();

  // False if the store was removed or replaced by another one.
  bool holds() const noexcept;
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

// Blocks SIGINT, SIGTERM and SIGHUP while it lives, so that a file is replaced as a whole.
class signals_held {
 public:
  signals_held();
  signals_held(const signals_held&) = delete;
  signals_held& operator=(const signals_held&) = delete;
  ~signals_held();

 private:
  sigset_t before_{};
};

}  // namespace bloomtime::store
