#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace bloomtime::cli::store {

// What there is to say about one file of a store.
struct finding {
  std::filesystem::path file;
  std::string problem;  // empty if every byte is as it was written
  bool leftover = false;
};

// Checks every byte of a store: the manifest, which throws if it cannot be used, each container,
// the totals. Files that are being written or were left by a crash come last.
std::vector<finding> inspect(const std::filesystem::path& directory);

}  // namespace bloomtime::cli::store
