#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <bloomtime/detail/file.hpp>
#include <bloomtime/error.hpp>

#include "store/manifest.hpp"
#include "store/totals.hpp"

namespace bloomtime::store {

struct part_file {
  std::filesystem::path path;
  std::shared_ptr<const detail::mapped_file> mapped;

  std::span<const std::byte> bytes() const noexcept { return mapped->bytes(); }
};

using part_bytes = std::shared_ptr<const part_file>;

// Whether this path is a directory, as stores are.
bool is_folder(const std::filesystem::path& path);

// Opens a part and checks its length and head against the manifest; loading checks the body.
part_bytes open_part(const std::filesystem::path& directory, const part& p);

// The same, with errors that say what to do.
part_bytes need_part(const std::filesystem::path& directory, const part& p);

// An error about a file of a store, with what to do about it.
error advised(const std::filesystem::path& directory, errc code, const std::string& problem);

// Loads a part. Errors name its file and say what to do.
template <class Kept>
auto load_part(const part_bytes& file) {
  try {
    return Kept::load(file->bytes());
  } catch (const error& e) {
    throw advised(file->path.parent_path(), e.code(), file->path.string() + ": " + e.what());
  }
}

// The part with this role; throws if the store has none.
const part& expect_part(const manifest& m, const std::filesystem::path& directory,
                        std::string_view role);

// Repeats attempt(manifest) until it succeeds, or fails on a store that did not change meanwhile: a
// writer may remove the parts of a checkpoint before they are opened.
template <class Attempt>
auto while_it_changes(const std::filesystem::path& directory, Attempt&& attempt) {
  for (;;) {
    const manifest m = read_manifest(directory);
    try {
      return attempt(m);
    } catch (const error&) {
      if (read_manifest(directory).generation == m.generation) throw;
    }
  }
}

// One checkpoint of a store. Later checkpoints do not change it.
class reader {
 public:
  explicit reader(const std::filesystem::path& directory);

  const manifest& about() const noexcept { return about_; }
  const minute_totals& totals() const noexcept { return totals_; }
  bool has(std::string_view role) const { return about_.find(role) != nullptr; }
  part_bytes container(std::string_view role) const;

 private:
  std::filesystem::path directory_;
  manifest about_;
  minute_totals totals_;
  std::map<std::string, part_bytes, std::less<>> containers_;
};

}  // namespace bloomtime::store
