#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace bloomtime::support {

// A directory of its own for one test, removed with all it holds.
class temporary_directory {
 public:
  explicit temporary_directory(
      const std::filesystem::path& parent = std::filesystem::temp_directory_path());
  temporary_directory(const temporary_directory&) = delete;
  temporary_directory& operator=(const temporary_directory&) = delete;
  ~temporary_directory();

  const std::filesystem::path& path() const noexcept { return path_; }
  std::filesystem::path operator/(const char* name) const { return path_ / name; }
  std::size_t entries() const;

 private:
  std::filesystem::path path_;
};

// Thousands of syncs cost nothing where there is no disk.
std::filesystem::path quick_place();

inline std::vector<std::byte> filled(std::size_t size, int value) {
  return std::vector<std::byte>(size, static_cast<std::byte>(value));
}
std::vector<std::byte> read_file(const std::filesystem::path& path);
// Plain and quick, without the care of detail::replace_file.
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);

}  // namespace bloomtime::support
