#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace bloomtime::detail {

// What replace_file does if `path` is a symbolic link.
enum class links {
  follow,   // replaces the file that the link names; the link stays
  replace,  // replaces the link itself; the file that it names is not changed
};

// Replaces a file atomically: after a failure or a crash `path` holds the old bytes or all of the
// new ones. The bytes are written to a temporary file in the same directory, synced and renamed.
// The temporary file is removed on failure; one that a killed process left is removed by the next
// call for this file. The new file has the permissions of the old one, or `mode` without one.
// A device, a pipe or a descriptor (/dev/stdout, /proc/self/fd/1) is written to, never replaced;
// with links::replace it is refused.
void replace_file(const std::filesystem::path& path,
                  std::span<const std::span<const std::byte>> pieces, links policy = links::follow,
                  unsigned mode = 0666);

// Throws unless replace_file could write a file of this size there now.
void expect_replaceable(const std::filesystem::path& path, std::uint64_t bytes);

// The path to which replace_file renames its temporary file: `path` with symbolic links followed.
// Links to descriptors, in /proc, are not followed.
std::filesystem::path followed(const std::filesystem::path& path);

// A memory-mapped, read-only file. It must not shrink while it is mapped.
class mapped_file {
 public:
  static std::shared_ptr<const mapped_file> open(const std::filesystem::path& path);

  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;
  ~mapped_file();

  std::span<const std::byte> bytes() const noexcept { return bytes_; }

 private:
  mapped_file() noexcept = default;

  std::span<const std::byte> bytes_;
};

}  // namespace bloomtime::detail
