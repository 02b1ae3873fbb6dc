#include <cerrno>
#include <csignal>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

#include "cli/app.hpp"

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

// A closed pipe ends the process silently, as it ends cat; a file size limit becomes an error of
// write(); a mapped file that shrinks becomes an error message. Closed standard descriptors are
// filled so that no file takes their numbers; writing to them still fails.
void settle_process() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    fill_closed_descriptor(descriptor);
  }
  (void)std::signal(SIGPIPE, SIG_DFL);
  (void)std::signal(SIGXFSZ, SIG_IGN);
  (void)std::signal(SIGBUS, bloomtime_on_bus_error);
}

}  // namespace

int main(int argc, char** argv) {
  settle_process();
  return bloomtime::cli::run(argc, argv);
}
