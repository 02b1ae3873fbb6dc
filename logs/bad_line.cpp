#include "logs/bad_line.hpp"

#include <cerrno>
#include <numeric>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "text/number.hpp"
#include "text/usage_error.hpp"
#include "text/write_all.hpp"

namespace bloomtime::logs {
namespace {

constexpr std::array<std::string_view, bad_line_reasons> descriptions{
    "of another format",
    "without the item",
    "without a time",
    "stamped with a time that cannot be read",
    "stamped with a time that does not exist",
    "too long",
    "empty",
    "stamped more than 24 hours ahead of the rest",
    "without an operation (+, -, add or remove)",
    "without an amount (a whole number)",
    "stamped in a zone whose name stands for several offsets",
};

constexpr std::uint64_t stretch = 100;  // lines
constexpr std::size_t most_waiting = std::size_t{1} << 16;

}  // namespace

std::string_view described(bad_line reason) {
  return descriptions[static_cast<std::size_t>(reason)];
}

std::uint64_t line_counts::bad_lines() const {
  return std::accumulate(bad.begin(), bad.end(), std::uint64_t{0});
}

std::string line_counts::summary(std::string_view became) const {
  std::vector<std::string> reasons;
  for (std::size_t i = 0; i < bad.size(); ++i) {
    if (bad[i] != 0)
      reasons.push_back(fmt::format("{} {}", text::count_text(bad[i]), descriptions[i]));
  }
  return fmt::format("{} of {} lines {}: {}", text::count_text(bad_lines()),
                     text::count_text(lines), became, fmt::join(reasons, ", "));
}

void stretch_watch::next(bool bad) {
  ++line_;
  if (bad) ++bad_;
  if (line_ % stretch != 0) return;
  if (begin_ == 0 && 2 * bad_ > stretch) begin_ = line_ - stretch + 1;
  bad_ = 0;
}

rejects_file::rejects_file(const std::string& path)
    : path_(path),
      descriptor_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) fail(errno);
}

rejects_file::~rejects_file() {
  if (descriptor_ < 0) return;
  // Whatever ends the reading early, the lines rejected so far are there.
  (void)text::write_all(descriptor_, waiting_);
  ::close(descriptor_);
}

void rejects_file::add(std::string_view bytes, bool begins_line) {
  if (begins_line && line_open_) waiting_ += '\n';
  waiting_ += bytes;
  line_open_ = !bytes.ends_with('\n');
  if (waiting_.size() >= most_waiting) flush();
}

void rejects_file::close() {
  flush();
  if (::close(std::exchange(descriptor_, -1)) != 0) fail(errno);
}

void rejects_file::flush() {
  // Cleared first, or the destructor would try again.
  const std::string bytes = std::exchange(waiting_, {});
  if (const int reason = text::write_all(descriptor_, bytes); reason != 0) fail(reason);
}

void rejects_file::fail(int reason) const {
  text::throw_error(errc::io, "cannot write rejected lines to {}: {}", path_,
                    std::system_category().message(reason));
}

void expect_other_file(const std::string& rejects, const std::string& input) {
  struct stat a {};
  struct stat b {};
  const bool standard = input == "-";
  if (::stat(rejects.c_str(), &a) != 0 || !S_ISREG(a.st_mode)) return;
  if ((standard ? ::fstat(STDIN_FILENO, &b) : ::stat(input.c_str(), &b)) != 0) return;
  if (a.st_dev != b.st_dev || a.st_ino != b.st_ino) return;
  text::refuse("--rejects would overwrite {}, which is to be read; give another file",
               standard ? "standard input" : input);
}

}  // namespace bloomtime::logs
