#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <bloomtime/time.hpp>

#include "store/offsets.hpp"
#include "store/pseudonyms.hpp"
#include "store/sources.hpp"

namespace bloomtime::store {

inline constexpr std::uint64_t schema = 1;

// What was read into a store.
struct facts {
  std::uint64_t records = 0;
  std::uint64_t bad_lines = 0;
  std::optional<instant> first_event;
  std::optional<instant> last_event;
  std::string zone;  // of the last line, such as "+0100"; empty if it did not say
  // Of all lines. Nothing if a version that does not record them wrote or continued the store.
  std::optional<offset_spans> offsets = offset_spans();
  std::vector<std::string> items;  // as given with --item: "host", "host,path"
  // The files that were read. Nothing if a version that does not record them wrote the store.
  std::optional<std::vector<source>> sources = std::vector<source>();
  std::optional<pseudonym_facts> pseudonyms = {};  // in place of the names of items
  std::chrono::microseconds keep{};                // older history is dropped; 0: none

  void count(instant t);  // a record of this time
};

struct part {
  std::string role;  // what the container is for, unique in a store; empty for the totals
  std::string file;
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;  // of the container's head, and thereby of all of it
  std::string others = "{}";   // keys that this version does not know, as a JSON object
};

// The contents of manifest.json; docs/store.md lists the keys.
struct manifest {
  std::string version;  // of the bloomtime that wrote it
  instant created;
  std::uint64_t generation = 0;  // counts checkpoints
  facts read;
  std::vector<part> containers;
  part totals;
  std::string others = "{}";

  const part* find(std::string_view role) const;
  bool names(std::string_view file) const;  // whether the file is a part of this store
};

// One JSON document with a checksum. The parser throws bloomtime::error for anything that to_text()
// does not write.
std::string to_text(const manifest& m);
manifest parse_manifest(std::string_view text);

// The manifest of the store in this directory. Errors name the directory.
manifest read_manifest(const std::filesystem::path& directory);

}  // namespace bloomtime::store
