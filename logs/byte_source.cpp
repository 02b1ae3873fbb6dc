#include "logs/byte_source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "text/number.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::logs {
namespace {

constexpr std::size_t held_capacity = 1 << 16;
constexpr int pause = 100;  // milliseconds
constexpr std::string_view standard_input = "-";

std::string reason(int number) { return std::system_category().message(number); }

[[noreturn]] void cannot_open(const std::string& name, int number) {
  text::throw_error(errc::io, "cannot open {}: {}", name, reason(number));
}

void refuse_folder(const std::string& name, const struct stat& about) {
  if (!S_ISDIR(about.st_mode)) return;
  text::throw_error(errc::io, "{} is a directory; name the files in it instead", name);
}

}  // namespace

std::string source_name(const std::string& path) {
  return path == standard_input ? "standard input" : path;
}

std::optional<std::uint64_t> expect_readable(const std::string& path) {
  struct stat about {};
  if (path == standard_input) {
    if (::fstat(STDIN_FILENO, &about) != 0) return std::nullopt;
  } else if (::stat(path.c_str(), &about) != 0 || ::access(path.c_str(), R_OK) != 0) {
    cannot_open(path, errno);
  }
  refuse_folder(source_name(path), about);
  if (!S_ISREG(about.st_mode)) return std::nullopt;
  return static_cast<std::uint64_t>(about.st_size);
}

byte_source::byte_source(const std::string& path)
    : name_(source_name(path)),
      path_(path),
      descriptor_(path == standard_input ? STDIN_FILENO
                                         : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) cannot_open(name_, errno);
  (void)::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
}

byte_source::~byte_source() {
  if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
}

void byte_source::follow() {
  struct stat about {};
  following_ =
      path_ != standard_input || (::fstat(descriptor_, &about) == 0 && S_ISREG(about.st_mode));
}

std::optional<instant> byte_source::modified() const {
  struct stat about {};
  if (::fstat(descriptor_, &about) != 0 || !S_ISREG(about.st_mode)) return std::nullopt;
  return instant::from_seconds(about.st_mtim.tv_sec);
}

std::size_t byte_source::read(std::span<char> into) {
  if (!recognised_) recognise();
  return decompressor_ ? decompress(into) : read_plain(into);
}

bool byte_source::ready() const {
  if (!recognised_ || at_end_) return false;
  if (const stored_file file = stored(); file.regular) return file.size > position_;
  if (decompressor_) return false;
  pollfd asked{.fd = descriptor_, .events = POLLIN, .revents = 0};
  return held_begin_ != held_end_ || ::poll(&asked, 1, 0) > 0;
}

bool byte_source::skip(std::uint64_t bytes) {
  if (!recognised_) recognise();
  if (!decompressor_) {
    const auto held = std::min<std::uint64_t>(bytes, held_end_ - held_begin_);
    held_begin_ += held;
    bytes -= held;
    if (const stored_file file = stored(); file.regular) {
      if (file.size < position_ || file.size - position_ < bytes) return false;
      if (::lseek(descriptor_, static_cast<off_t>(bytes), SEEK_CUR) < 0) return false;
      position_ += bytes;
      return true;
    }
  }
  std::vector<char> scratch(std::min<std::uint64_t>(bytes, held_capacity));
  while (bytes != 0) {
    const auto wanted = std::min<std::uint64_t>(bytes, scratch.size());
    const std::size_t got = read(std::span(scratch).first(wanted));
    if (got == 0) return false;
    bytes -= got;
  }
  return true;
}

stored_file byte_source::stored() const {
  struct stat about {};
  if (::fstat(descriptor_, &about) != 0) return {};
  return {.regular = S_ISREG(about.st_mode),
          .inode = about.st_ino,
          .size = static_cast<std::uint64_t>(about.st_size),
          .modified = std::int64_t{about.st_mtim.tv_sec} * 1'000'000'000 + about.st_mtim.tv_nsec};
}

std::size_t byte_source::read_raw(std::span<char> into) {
  while (!at_end_) {
    if (stop_ && !wait(descriptor_)) {
      at_end_ = stopped();
      continue;
    }
    const ssize_t got = ::read(descriptor_, into.data(), into.size());
    if (got > 0) {
      position_ += static_cast<std::uint64_t>(got);
      return static_cast<std::size_t>(got);
    }
    if (got < 0 && errno != EINTR) {
      fail(fmt::format("cannot be read beyond byte {}: {}", text::count_text(position_),
                       reason(errno)));
    }
    if (got == 0 && following_ && wait_for_more()) return 0;
    if ((got == 0 && !following_) || stopped()) at_end_ = true;
  }
  return 0;
}

// Whether a read of this descriptor would not wait; -1 is never ready.
bool byte_source::wait(int descriptor) const {
  if (wait_) return wait_(descriptor);
  pollfd asked{.fd = descriptor, .events = POLLIN, .revents = 0};
  const int found = ::poll(&asked, 1, pause);
  return found > 0 || (found < 0 && errno != EINTR);
}

// Once a file was replaced it is read to its end again before the next one is opened: its writer
// may have been slower. Returns whether what comes next belongs to another file than what came.
bool byte_source::wait_for_more() {
  struct stat mine {};
  struct stat there {};
  if (::fstat(descriptor_, &mine) == 0 && S_ISREG(mine.st_mode) &&
      static_cast<std::uint64_t>(mine.st_size) < position_) {
    (void)::lseek(descriptor_, 0, SEEK_SET);
    truncated_ = true;
    return begin_anew();
  }
  const bool found = ::stat(path_.c_str(), &there) == 0;
  const bool other = found && (there.st_ino != mine.st_ino || there.st_dev != mine.st_dev);
  if (other && replaced_) {
    const int next = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    if (next >= 0) {
      ::close(descriptor_);
      descriptor_ = next;
      replaced_ = truncated_ = false;
      return begin_anew();
    }
  }
  replaced_ = other;
  (void)wait(-1);
  return false;
}

bool byte_source::begin_anew() {
  broken_ = position_ != 0;
  position_ = 0;
  return broken_;
}

// As few reads as it takes: a line that came through a pipe must not wait for the next one.
void byte_source::recognise() {
  held_.resize(held_capacity);
  const auto beginning = [&] { return std::string_view(held_.data(), held_end_); };
  while (magic_unclear(beginning()) && !at_end_ && !broken_) fill();
  decompressor_ = decompressor_for(beginning(), most_memory_);
  recognised_ = true;
}

void byte_source::fill() {
  std::memmove(held_.data(), held_.data() + held_begin_, held_end_ - held_begin_);
  held_end_ -= held_begin_;
  held_begin_ = 0;
  held_end_ += read_raw(std::span(held_).subspan(held_end_));
}

std::size_t byte_source::read_plain(std::span<char> into) {
  if (held_begin_ == held_end_) return read_raw(into);
  const std::size_t count = std::min(into.size(), held_end_ - held_begin_);
  std::memcpy(into.data(), held_.data() + held_begin_, count);
  held_begin_ += count;
  return count;
}

std::size_t byte_source::decompress(std::span<char> into) {
  for (;;) {
    const std::span<const char> in(held_.data() + held_begin_, held_end_ - held_begin_);
    const auto done = decompressor_->run(in, into, at_end_);
    held_begin_ += done.consumed;
    if (done.produced != 0) return done.produced;
    const std::uint64_t at = position_ - (held_end_ - held_begin_);
    if (done.too_large) {
      fail(
          fmt::format("the {} data needs more than {} of memory; decompress it beforehand, or "
                      "allow more with --unpack-memory 1GiB",
                      decompressor_->name(), fmt::format("{} MiB", most_memory_ >> 20)));
    }
    if (!done.problem.empty())
      fail(fmt::format("the {} data {}", decompressor_->name(), done.problem));
    if (done.damaged) {
      fail(fmt::format("the {} data is damaged at byte {}; everything before it was read",
                       decompressor_->name(), text::count_text(at)));
    }
    if (done.consumed != 0) continue;
    if (at_end_) {
      if (decompressor_->complete()) return 0;
      fail(fmt::format("the {} data ends in the middle, at byte {}; everything before it was read",
                       decompressor_->name(), text::count_text(at)));
    }
    fill();
  }
}

void byte_source::fail(const std::string& what) const {
  throw error(errc::io, name_ + ": " + what);
}

}  // namespace bloomtime::logs
