#include "cli/store/reader.hpp"

#include <fmt/format.h>

#include <bloomtime/detail/container.hpp>

#include "cli/output/text.hpp"

namespace bloomtime::cli::store {
namespace {

void expect_as_described(const part& p, std::span<const std::byte> bytes) {
  if (bytes.size() != p.bytes) {
    throw error(errc::corrupt, fmt::format("the manifest says this file has {} bytes, it has {}",
                                           p.bytes, bytes.size()));
  }
  if (detail::container_view::parse(bytes).identity() != p.checksum) {
    throw error(errc::corrupt,
                "this is a sound file, but not the one whose checksum is in the manifest");
  }
}

}  // namespace

bool is_folder(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

part_bytes open_part(const std::filesystem::path& directory, const part& p) {
  const auto path = directory / p.file;
  auto file = detail::mapped_file::open(path);
  try {
    expect_as_described(p, file->bytes());
  } catch (const error& e) {
    throw error(e.code(), path.string() + ": " + e.what());
  }
  return file;
}

const part& expect_part(const manifest& m, const std::filesystem::path& directory,
                        std::string_view role) {
  const part* found = m.find(role);
  if (found != nullptr) return *found;
  throw error(errc::invalid_argument,
              fmt::format("the store {} has no container {}; see bloomtime info {}",
                          directory.string(), shown(role), directory.string()));
}

reader::reader(const std::filesystem::path& directory) : directory_(directory) {
  while_it_changes(directory, [&](const manifest& m) {
    containers_.clear();
    for (const part& p : m.containers) containers_[p.role] = open_part(directory, p);
    totals_ = minute_totals::load(open_part(directory, m.totals)->bytes());
    about_ = m;
  });
}

part_bytes reader::container(std::string_view role) const {
  return containers_.find(expect_part(about_, directory_, role).role)->second;
}

}  // namespace bloomtime::cli::store
