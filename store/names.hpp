#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

// The names of the files in a store. Files with other names do not belong to it.
namespace bloomtime::store {

inline constexpr const char* manifest_name = "manifest.json";
inline constexpr const char* lock_name = "lock";

// A container: the checkpoint it was first part of, and its number among those written for it.
std::string part_name(std::uint64_t generation, std::uint64_t number);
bool is_part_name(std::string_view name);

// The names of the files in a directory, sorted. `problem` is set if it cannot be read to its end.
std::vector<std::string> file_names(const std::filesystem::path& directory,
                                    std::error_code& problem);

// Files that only a writer creates: parts, and temporary files of parts and of the manifest.
bool is_disposable_name(std::string_view name);

}  // namespace bloomtime::store
