#include "store/lock.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <initializer_list>
#include <string>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "store/names.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::store {
namespace {

std::string signature(int descriptor) {
  std::array<char, 21> text{};
  const ssize_t size = ::pread(descriptor, text.data(), text.size() - 1, 0);
  return {text.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
}

// Whoever has just got the lock is about to sign it.
std::string holder(int descriptor) {
  constexpr int patience = 100;
  constexpr auto pause = std::chrono::milliseconds(10);
  std::string signed_by = signature(descriptor);
  for (int i = 0; i < patience && signed_by.empty(); ++i) {
    std::this_thread::sleep_for(pause);
    signed_by = signature(descriptor);
  }
  const bool number =
      !signed_by.empty() && signed_by.find_first_not_of("0123456789") == std::string::npos;
  return number ? "process " + signed_by : "another process";
}

void sign(int descriptor) {
  const std::string pid = fmt::format("{}", ::getpid());
  // Who has the lock is only for the sentence: a full disk may keep it a secret.
  if (::ftruncate(descriptor, 0) == 0) (void)!::pwrite(descriptor, pid.data(), pid.size(), 0);
}

// Or the next one would be taken for this process until it has signed.
void unsign(int descriptor) { (void)!::ftruncate(descriptor, 0); }

bool is_named(int descriptor, const std::filesystem::path& path) {
  struct stat locked {};
  struct stat named {};
  return ::fstat(descriptor, &locked) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         locked.st_dev == named.st_dev && locked.st_ino == named.st_ino;
}

}  // namespace

writer_lock::writer_lock(const std::filesystem::path& directory)
    : writer_lock(directory / lock_name, "the store " + directory.string()) {}

writer_lock::writer_lock(const std::filesystem::path& file, const std::string& what) : path_(file) {
  for (;;) {
    // What a link points to is not ours to write into.
    constexpr int how = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    const int opened = ::open(path_.c_str(), how, 0600);
    if (opened < 0 && errno == ELOOP) {
      text::throw_error(errc::io, "{} is a link; remove it to write into {}", path_.string(), what);
    }
    if (opened < 0) {
      text::throw_error(errc::io, "cannot write into {}: {}", what,
                        std::system_category().message(errno));
    }
    if (::flock(opened, LOCK_EX | LOCK_NB) != 0) {
      const int reason = errno;
      const std::string who = holder(opened);
      ::close(opened);
      throw error(
          errc::io,
          reason == EWOULDBLOCK
              ? fmt::format("{} is writing into {}; wait until it has finished", who, what)
              : fmt::format("cannot lock {}: {}", what, std::system_category().message(reason)));
    }
    descriptor_ = opened;
    // A writer that gave up a new store removes the file it had locked.
    if (holds()) break;
    ::close(opened);
  }
  sign(descriptor_);
}

bool writer_lock::holds() const noexcept { return is_named(descriptor_, path_); }

writer_lock::~writer_lock() {
  unsign(descriptor_);
  ::close(descriptor_);
}

signals_held::signals_held() {
  sigset_t held;
  sigemptyset(&held);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&held, number);
  pthread_sigmask(SIG_BLOCK, &held, &before_);
}

signals_held::~signals_held() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace bloomtime::store
