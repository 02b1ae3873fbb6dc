#include "cli/output/printer.hpp"

#include <cerrno>
#include <string>
#include <system_error>

#include <unistd.h>

#include "cli/output/render.hpp"
#include "cli/text.hpp"

namespace bloomtime::cli {

void printer::fail(int reason) {
  throw error(errc::io,
              "cannot write to standard output: " + std::system_category().message(reason));
}

write_result printer::try_print(std::string_view text) const noexcept {
  return write_most(STDOUT_FILENO, text);
}

void printer::print(std::string_view text) const {
  if (const int reason = try_print(text).reason; reason != 0) fail(reason);
}

void printer::print(const report& what) const { print(render(what, how_)); }

void printer::finish() const {
  if (::close(STDOUT_FILENO) != 0) fail(errno);
}

void complain(std::string_view sentence) {
  // A failure here cannot be reported.
  (void)write_all(STDERR_FILENO, "bloomtime: " + printable(sentence) + "\n");
}

void note(std::string_view line) { (void)write_all(STDERR_FILENO, printable(line) + "\n"); }

void complain_of_memory() noexcept {
  (void)write_all(STDERR_FILENO, "bloomtime: out of memory; try fewer items or a smaller filter\n");
}

}  // namespace bloomtime::cli
