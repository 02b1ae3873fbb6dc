#include "store/reader.hpp"

#include <utility>

#include <fmt/format.h>

#include <bloomtime/detail/container.hpp>

#include "text/text.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::store {
namespace {

void expect_as_described(const part& p, std::span<const std::byte> bytes) {
  if (bytes.size() != p.bytes) {
    text::corrupt("the manifest says that this file has {} bytes; it has {}", p.bytes,
                  bytes.size());
  }
  if (detail::container_view::parse(bytes).identity() != p.checksum) {
    text::corrupt("the file is intact, but not the one whose checksum is in the manifest");
  }
}

}  // namespace

bool is_folder(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

part_bytes open_part(const std::filesystem::path& directory, const part& p) {
  const auto path = directory / p.file;
  auto mapped = detail::mapped_file::open(path);
  try {
    expect_as_described(p, mapped->bytes());
  } catch (const error& e) {
    throw error(e.code(), path.string() + ": " + e.what());
  }
  return std::make_shared<const part_file>(part_file{path, std::move(mapped)});
}

error advised(const std::filesystem::path& directory, errc code, const std::string& problem) {
  if (code == errc::newer_version || code == errc::out_of_memory) return {code, problem};
  return {code, fmt::format("{}; bloomtime verify {} checks every file of the store", problem,
                            directory.string())};
}

part_bytes need_part(const std::filesystem::path& directory, const part& p) {
  try {
    return open_part(directory, p);
  } catch (const error& e) {
    throw advised(directory, e.code(), e.what());
  }
}

const part& expect_part(const manifest& m, const std::filesystem::path& directory,
                        std::string_view role) {
  const part* found = m.find(role);
  if (found != nullptr) return *found;
  text::throw_error(errc::invalid_argument,
                    "the store {} has no container {}; see bloomtime info {}", directory.string(),
                    text::shown(role), directory.string());
}

reader::reader(const std::filesystem::path& directory) : directory_(directory) {
  while_it_changes(directory, [&](const manifest& m) {
    containers_.clear();
    for (const part& p : m.containers) containers_[p.role] = need_part(directory, p);
    totals_ = load_part<minute_totals>(need_part(directory, m.totals));
    about_ = m;
  });
}

part_bytes reader::container(std::string_view role) const {
  return containers_.find(expect_part(about_, directory_, role).role)->second;
}

}  // namespace bloomtime::store
