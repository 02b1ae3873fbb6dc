#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// The names of the files in a store. Whatever is called otherwise belongs to somebody else.
namespace bloomtime::cli::store {

inline constexpr const char* manifest_name = "manifest.json";
inline constexpr const char* lock_name = "lock";

// A container: the checkpoint it was first part of, and its number among those written for it.
std::string part_name(std::uint64_t generation, std::uint64_t number);
bool is_part_name(std::string_view name);

// What only a writer can have left: parts, and the temporaries of parts and of the manifest.
bool is_disposable_name(std::string_view name);

}  // namespace bloomtime::cli::store
