#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cli/run_command.hpp"
#include "store/reader.hpp"
#include "support/files.hpp"

// Profiles of small logs, made by the command as anybody would make them.
namespace bloomtime::cli {

// Lines `epoch <TAB> item <TAB> item`, in small filters.
inline std::vector<std::string> profile_command(const std::vector<std::string>& files,
                                                const std::filesystem::path& store) {
  std::vector<std::string> words{"profile", "--format", "tsv",    "--time", "1",
                                 "--item",  "2",        "--item", "3",      "--store",
                                 store,     "--memory", "8000"};
  words.insert(words.end(), files.begin(), files.end());
  return words;
}

// Everything a store holds but the names of its files and when it was made.
struct store_contents {
  std::map<std::string, std::vector<std::byte>> containers;
  std::vector<std::byte> totals;
  std::uint64_t records = 0;
  std::uint64_t bad_lines = 0;
  std::optional<instant> first_event;
  std::optional<instant> last_event;
  std::string zone;
  std::optional<store::offset_spans> offsets;
  std::vector<std::string> items;

  friend bool operator==(const store_contents&, const store_contents&) = default;
};

inline store_contents contents_of(const std::filesystem::path& directory) {
  const store::reader from(directory);
  const store::facts& read = from.about().read;
  store_contents all{.containers = {},
                     .totals = from.totals().serialize(),
                     .records = read.records,
                     .bad_lines = read.bad_lines,
                     .first_event = read.first_event,
                     .last_event = read.last_event,
                     .zone = read.zone,
                     .offsets = read.offsets,
                     .items = read.items};
  for (const store::part& p : from.about().containers) {
    const auto bytes = from.container(p.role)->bytes();
    all.containers[p.role].assign(bytes.begin(), bytes.end());
  }
  return all;
}

}  // namespace bloomtime::cli
