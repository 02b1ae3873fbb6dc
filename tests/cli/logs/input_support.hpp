#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "logs/event_reader.hpp"
#include "support/files.hpp"

namespace bloomtime::logs {

// Everything that came out of a reader.
struct heard {
  std::vector<std::vector<std::string>> items;
  std::vector<std::optional<instant>> times;
  std::string raw;  // of all events
  std::vector<std::string> notes;
  line_counts counts;
  std::int32_t zone = 0;

  std::uint64_t bad(bad_line reason) const { return counts.bad[static_cast<std::size_t>(reason)]; }
};

inline void listen(event_reader& reader, heard& all) {
  while (const event* e = reader.next()) {
    all.items.emplace_back(e->items.begin(), e->items.end());
    all.times.push_back(e->at);
    all.raw += e->raw.bytes();
  }
  all.counts = reader.counts();
  all.zone = reader.zone();
}

inline heard read_files(const std::vector<std::string>& files, const input_options& asked) {
  heard all;
  event_reader reader(asked, files,
                      {.note = [&](std::string_view what) { all.notes.emplace_back(what); }});
  listen(reader, all);
  return all;
}

inline std::string write_text(const std::filesystem::path& path, std::string_view text) {
  support::write_file(path, std::as_bytes(std::span(text)));
  return path.string();
}

inline heard read_text(std::string_view text, const input_options& asked = {}) {
  const support::temporary_directory folder;
  return read_files({write_text(folder / "input", text)}, asked);
}

}  // namespace bloomtime::logs
