#pragma once

#include <cerrno>

#include <sys/wait.h>
#include <unistd.h>

// Work in another process, for what only a process can do: run out of disk, be killed, hold a lock.
namespace bloomtime::support {

// Starts a child that does `work` and exits with what that returns.
template <class Work>
pid_t in_child(Work&& work) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  int status = 1;
  try {
    status = work();
  } catch (...) {
    status = 99;
  }
  ::_exit(status);
}

// The child's exit status, or 128 plus the signal that ended it.
inline int status_of(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace bloomtime::support
