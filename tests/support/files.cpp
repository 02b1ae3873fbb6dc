#include "support/files.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include <unistd.h>

namespace bloomtime::support {
namespace fs = std::filesystem;

temporary_directory::temporary_directory(const fs::path& parent) {
  std::string name = (parent / "bloomtime-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
  path_ = name;
}

temporary_directory::~temporary_directory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::size_t temporary_directory::entries() const {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
}

fs::path quick_place() {
  return ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : fs::temp_directory_path();
}

std::vector<std::byte> read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot open " + path.string());
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

void write_file(const fs::path& path, std::span<const std::byte> bytes) {
  fs::remove(path);  // ext4 writes a file that is truncated and closed to the disk at once
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace bloomtime::support
