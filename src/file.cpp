#include <bloomtime/detail/file.hpp>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
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

// Who may do what with the file that is to be replaced; none if there is none. To rename a file
// over a device or a pipe would harm everybody who uses it: over /dev/null, the whole system.
std::optional<mode_t> permissions_of(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  if (S_ISDIR(status.st_mode)) fail("replace", path, EISDIR);
  expect_regular(status, path);
  return status.st_mode & 0777;
}

// The new name is durable only when the directory that holds it is.
void sync_directory(const std::filesystem::path& path) noexcept {
  const descriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() >= 0) ::fsync(directory.get());
}

class temporary {
 public:
  explicit temporary(const std::filesystem::path& target)
      : prefix_(target.string() + ".tmp." + std::to_string(::getpid()) + ".") {}
  temporary(const temporary&) = delete;
  temporary& operator=(const temporary&) = delete;
  ~temporary() {
    if (created_) ::unlink(path_.c_str());
  }

  // A name that nobody else has: not another thread, not a process with the same number in another
  // container, not one that crashed.
  int create(mode_t permissions) {
    static std::atomic<std::uint64_t> serial{0};
    int fd = -1;
    do {
      path_ = prefix_ + std::to_string(serial++);
      fd = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions);
    } while (fd < 0 && errno == EEXIST);
    created_ = fd >= 0;
    return fd;
  }
  bool rename_to(const std::filesystem::path& target) noexcept {
    if (::rename(path_.c_str(), target.c_str()) != 0) return false;
    created_ = false;
    return true;
  }

 private:
  std::string prefix_;
  std::string path_;
  bool created_ = false;
};

}  // namespace

void replace_file(const std::filesystem::path& path,
                  std::span<const std::span<const std::byte>> pieces) {
  const auto parent = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  const std::optional<mode_t> permissions = permissions_of(path);
  temporary file(path);
  descriptor out(file.create(permissions.value_or(0666)));
  if (out.get() < 0) fail("create a file beside", path, errno);
  // The umask took some away. Some file systems have none to give back.
  if (permissions) (void)::fchmod(out.get(), *permissions);
  for (const auto piece : pieces) {
    if (!write_all(out.get(), piece)) fail("write", path, errno);
  }
  if (::fsync(out.get()) != 0) fail("write", path, errno);
  if (!out.close()) fail("write", path, errno);
  if (!file.rename_to(path)) fail("replace", path, errno);
  sync_directory(parent);
}

std::shared_ptr<const mapped_file> mapped_file::open(const std::filesystem::path& path) {
  // Opening a pipe would otherwise wait for somebody to write into it.
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
