#include <bloomtime/detail/file.hpp>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <bloomtime/error.hpp>

namespace bloomtime::detail {
namespace {

[[noreturn]] void fail(const char* deed, const std::filesystem::path& path, int reason) {
  throw error(errc::io, std::string("cannot ") + deed + " " + path.string() + ": " +
                            std::generic_category().message(reason));
}

class descriptor {
 public:
  explicit descriptor(int fd) noexcept : fd_(fd) {}
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const noexcept { return fd_; }

  // Some file systems report a failed write only here.
  bool close() noexcept {
    const int fd = fd_;
    fd_ = -1;
    return ::close(fd) == 0;
  }

 private:
  int fd_;
};

bool write_all(int fd, std::span<const std::byte> bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

void expect_regular(const struct stat& status, const std::filesystem::path& path) {
  if (S_ISREG(status.st_mode)) return;
  throw error(errc::io, "expected a regular file, but " + path.string() + " is not one");
}

// -- what is written to ------------------------------------------------------------------------

bool in_proc(const std::filesystem::path& directory) noexcept {
  struct statfs about {};
  return ::statfs(directory.c_str(), &about) == 0 && about.f_type == PROC_SUPER_MAGIC;
}

std::filesystem::path parent_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

bool is_link(const std::filesystem::path& path) noexcept {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
}

// The number of the open descriptor of this process that `link`, a link in /proc, refers to.
std::optional<int> own_descriptor(const std::filesystem::path& link) {
  std::error_code problem;
  const auto directory = std::filesystem::canonical(parent_of(link), problem);
  for (const char* mine : {"/proc/self/fd", "/proc/thread-self/fd"}) {
    if (problem || directory != std::filesystem::canonical(mine, problem)) continue;
    const std::string name = link.filename().string();
    int number = -1;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), number);
    if (read.ec == std::errc() && read.ptr == name.data() + name.size()) return number;
  }
  return std::nullopt;
}

// Nothing if there is no such file. Links are followed; the system refuses some, such as those of
// other users in /tmp.
std::optional<struct stat> status_of(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return status;
  if (errno != ENOENT) fail("replace", path, errno);
  return std::nullopt;
}

// A new descriptor for a target that must not be replaced, or -1 for a regular file or none. A
// descriptor of this process is written at its position: a file opened again would be overwritten
// from its beginning. Renaming a file over a device, such as /dev/null, would harm the whole
// system.
int open_stream(const std::filesystem::path& target) {
  const bool descriptor_link = is_link(target);
  const auto status = status_of(target);
  if (status && S_ISDIR(status->st_mode)) fail("replace", target, EISDIR);
  if (!descriptor_link && (!status || S_ISREG(status->st_mode))) return -1;
  const auto own = descriptor_link ? own_descriptor(target) : std::nullopt;
  const int stream = own ? ::fcntl(*own, F_DUPFD_CLOEXEC, 0)
                         : ::open(target.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
  if (stream < 0) fail("write to", target, errno);
  return stream;
}

// The permissions of the file to be replaced; none if there is none.
std::optional<mode_t> permissions_of(const std::filesystem::path& path) {
  const auto status = status_of(path);
  if (!status) return std::nullopt;
  if (S_ISDIR(status->st_mode)) fail("replace", path, EISDIR);
  expect_regular(*status, path);
  return status->st_mode & 0777;
}

// The new name is durable only after its directory is synced.
void sync_directory(const std::filesystem::path& path) noexcept {
  const descriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() >= 0) ::fsync(directory.get());
}

// -- temporaries -------------------------------------------------------------------------------

bool is_named(int fd, const std::string& path) noexcept {
  struct stat open {};
  struct stat named {};
  return ::fstat(fd, &open) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

// A temporary file in the directory of the target. Its writer holds a lock on it, which the system
// releases when the process dies: a temporary file that can be locked is a leftover. There are few
// names, so leftovers are found without reading the directory. If the file system has no locks,
// leftovers remain.
class temporary {
 public:
  // `name` is the target as the caller named it, for errors.
  temporary(const std::filesystem::path& target, const std::filesystem::path& name)
      : target_(target), name_(name), prefix_(target.string() + ".tmp.0.") {}
  temporary(const temporary&) = delete;
  temporary& operator=(const temporary&) = delete;
  ~temporary() {
    if (created_) ::unlink(path_.c_str());
    if (fd_ >= 0) ::close(fd_);
  }

  int create(mode_t permissions) {
    do {
      for (unsigned i = 0; i < most_writers; ++i) remove_leftover(prefix_ + std::to_string(i));
      for (unsigned i = 0; i < most_writers && fd_ < 0; ++i) {
        path_ = prefix_ + std::to_string(i);
        fd_ = locked(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions));
      }
    } while (fd_ < 0 && another_has_finished());
    if (fd_ < 0) fail("create a file beside", name_, EEXIST);
    created_ = true;
    return fd_;
  }

  // Some file systems report a failed write only when a descriptor is closed. The lock is kept.
  bool close_a_copy() const noexcept {
    const int copy = ::fcntl(fd_, F_DUPFD_CLOEXEC, 0);
    return copy >= 0 && ::close(copy) == 0;
  }

  bool rename_to_target() noexcept {
    if (::rename(path_.c_str(), target_.c_str()) != 0) return false;
    created_ = false;
    return true;
  }

 private:
  static constexpr unsigned most_writers = 16;  // of one file at once; others wait

  static void remove_leftover(const std::string& path) noexcept {
    const descriptor found(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (found.get() < 0 || ::flock(found.get(), LOCK_EX | LOCK_NB) != 0) return;
    struct stat status {};
    // Another process may have created a file of this name in the meantime.
    if (::fstat(found.get(), &status) == 0 && S_ISREG(status.st_mode) &&
        is_named(found.get(), path)) {
      ::unlink(path.c_str());
    }
  }

  // The descriptor of a new file, locked; -1 if another process took it for a leftover.
  int locked(int fd) const {
    if (fd < 0 && errno != EEXIST) fail("create a file beside", name_, errno);
    if (fd < 0) return -1;
    const bool taken = ::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!taken && is_named(fd, path_)) return fd;
    ::close(fd);
    return -1;
  }

  // Waits until one of the writers that hold all the names has finished.
  bool another_has_finished() const noexcept {
    const descriptor other(::open(path_.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (other.get() < 0) return errno == ENOENT;
    while (::flock(other.get(), LOCK_EX) != 0) {
      if (errno != EINTR) return false;
    }
    return true;
  }

  std::filesystem::path target_;
  std::filesystem::path name_;
  std::string prefix_;
  std::string path_;
  int fd_ = -1;
  bool created_ = false;
};

void write_pieces(int fd, std::span<const std::span<const std::byte>> pieces,
                  const std::filesystem::path& path) {
  for (const auto piece : pieces) {
    if (!write_all(fd, piece)) fail("write", path, errno);
  }
}

}  // namespace

std::filesystem::path followed(const std::filesystem::path& path) {
  constexpr int most_links = 40;
  std::filesystem::path target = path;
  for (int i = 0; i < most_links && is_link(target); ++i) {
    const auto directory = parent_of(target);
    if (in_proc(directory)) break;
    std::error_code problem;
    const auto next = std::filesystem::read_symlink(target, problem);
    if (problem) fail("follow the link", target, problem.value());
    target = directory / next;
  }
  return target;
}

void replace_file(const std::filesystem::path& path,
                  std::span<const std::span<const std::byte>> pieces, links policy, unsigned mode) {
  const std::filesystem::path target = policy == links::follow ? followed(path) : path;
  if (policy == links::follow) {
    (void)status_of(path);
    descriptor stream(open_stream(target));
    if (stream.get() >= 0) {
      write_pieces(stream.get(), pieces, path);
      if (!stream.close()) fail("write", path, errno);
      return;
    }
  }
  const std::filesystem::path directory = parent_of(target);
  const std::optional<mode_t> permissions = permissions_of(target);
  temporary file(target, path);
  const int out = file.create(permissions.value_or(mode));
  // The umask may have removed some. File systems without permissions refuse this; ignore that.
  if (permissions) (void)::fchmod(out, *permissions);
  write_pieces(out, pieces, path);
  if (::fsync(out) != 0 || !file.close_a_copy()) fail("write", path, errno);
  if (!file.rename_to_target()) fail("replace", path, errno);
  sync_directory(directory);
}

void expect_replaceable(const std::filesystem::path& path, std::uint64_t bytes) {
  const std::filesystem::path target = followed(path);
  (void)permissions_of(target);
  temporary file(target, path);
  const int out = file.create(0600);
  const int reason = ::posix_fallocate(out, 0, static_cast<off_t>(bytes));
  if (reason == ENOSPC || reason == EFBIG || reason == EDQUOT || reason == EIO) {
    fail("write", path, reason);
  }
}

std::shared_ptr<const mapped_file> mapped_file::open(const std::filesystem::path& path) {
  // Without it, opening a pipe would wait for a writer.
  const descriptor in(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (in.get() < 0) fail("open", path, errno);
  struct stat status {};
  if (::fstat(in.get(), &status) != 0) fail("read", path, errno);
  expect_regular(status, path);
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) throw error(errc::truncated, path.string() + " is empty");
  const std::shared_ptr<mapped_file> file(new mapped_file);
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, in.get(), 0);
  if (memory == MAP_FAILED) fail("map", path, errno);
  file->bytes_ = {static_cast<const std::byte*>(memory), size};
  return file;
}

mapped_file::~mapped_file() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace bloomtime::detail
