#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace bloomtime::store {

// The result of checking one file of a store.
struct finding {
  std::filesystem::path file;
  std::string problem;  // empty if there is none
  bool leftover = false;
};

// Checks every byte of a store: the manifest, each container, the totals. Throws if the manifest
// cannot be used. Files that are being written or were left by a crash come last.
std::vector<finding> inspect(const std::filesystem::path& directory);

}  // namespace bloomtime::store
