#pragma once

#include <csignal>

#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/child.hpp"
#include "support/sanitized.hpp"

// A child that can be killed at every moment that matters.
namespace bloomtime::support {

enum class fate { killed, finished, untraceable };

// A killed child has nothing to tell to a sanitizer: there it is enough to see that the tests work.
inline const int call_step = sanitized() ? 7 : 1;

// Lets the child come as far as its system call number `calls`, and kills it before that is done.
inline fate kill_at_call(pid_t child, int calls) {
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!WIFSTOPPED(status)) return fate::untraceable;
  ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
  for (int stops = 0;; ++stops) {
    // Each call stops twice, before and after.
    if (stops == 2 * calls + 1) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      return fate::killed;
    }
    ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status)) return WEXITSTATUS(status) == 0 ? fate::finished : fate::untraceable;
  }
}

template <class Work>
pid_t traced(Work&& work) {
  return in_child([&] {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) return 7;
    ::raise(SIGSTOP);
    return work();
  });
}

}  // namespace bloomtime::support
