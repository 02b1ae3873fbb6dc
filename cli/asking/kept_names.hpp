#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "store/manifest.hpp"
#include "store/pseudonyms.hpp"

namespace bloomtime::cli {

// The names under which a store keeps its items: their own, or pseudonyms.
class kept_names {
 public:
  kept_names() = default;
  // `key_file` is what --key-file names; empty if it was not given. Throws usage_error if the store
  // has another key or no pseudonyms.
  kept_names(const store::facts& read, const std::string& directory, const std::string& key_file);

  // Throws usage_error if the key is neither in the store nor given.
  std::string of(std::string_view item) const;

 private:
  std::optional<store::pseudonyms> by_;
  bool needs_key_ = false;
};

// The key in a file: 32 hexadecimal digits. Throws usage_error for anything else.
store::pseudonyms read_key(const std::string& file);

inline constexpr const char* key_description =
    "file with the key of a store whose pseudonyms were made with --key-file";

}  // namespace bloomtime::cli
