#include "cli/process.hpp"

#include <cerrno>
#include <csignal>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

namespace bloomtime::cli {
namespace {

extern "C" void bloomtime_on_bus_error(int) {
  constexpr std::string_view sentence =
      "bloomtime: a mapped file could not be read: it was truncated, or its disk fails\n";
  (void)!::write(STDERR_FILENO, sentence.data(), sentence.size());
  ::_exit(2);
}

void fill_closed_descriptor(int descriptor) {
  if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) return;
  // In the opposite mode, so that reading 0 and writing 1 and 2 still fail.
  (void)::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

}  // namespace

void settle_process() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    fill_closed_descriptor(descriptor);
  }
  (void)std::signal(SIGPIPE, SIG_DFL);
  (void)std::signal(SIGXFSZ, SIG_IGN);
  (void)std::signal(SIGBUS, bloomtime_on_bus_error);
}

}  // namespace bloomtime::cli
