#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace bloomtime::detail {

// Replaces a file as a whole: whatever happens, `path` holds the old bytes or all of the new ones.
// Written to a temporary name beside it, synced, renamed; the temporary is removed on failure. The
// new file has the permissions of the old one. A link is replaced, never written through; what is
// no file is refused.
void replace_file(const std::filesystem::path& path,
                  std::span<const std::span<const std::byte>> pieces);

// A file as read-only memory, for as long as the object lives. The file must not shrink meanwhile.
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
