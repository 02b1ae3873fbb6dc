#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <bloomtime/time.hpp>

namespace bloomtime::store {

// What a store has read of one file. Offsets are those of the decompressed data.
struct source {
  static constexpr std::size_t excerpt = 1024;  // bytes of head and tail

  std::string path;         // absolute, as it was when the file was read last
  std::uint64_t inode = 0;  // the same three facts of the file as it is stored
  std::uint64_t size = 0;
  std::int64_t modified = 0;  // nanoseconds since 1970
  std::uint64_t offset = 0;   // the end of the last line that was counted
  bool inside_line = false;   // it had no line end
  std::uint64_t head = 0;     // checksum of the first `excerpt` bytes, or of all up to the offset
  std::uint64_t tail = 0;     // the same of the last ones before the offset
  instant last_new;           // when lines were last read from it
  std::uint64_t lines = 0;
  std::uint64_t records = 0;                      // events among them, including those that wait
  std::map<std::string, std::uint64_t> rejected;  // lines, by logs::described() of the reason

  friend bool operator==(const source&, const source&) = default;
};

std::uint64_t excerpt_checksum(std::string_view bytes);

// Removes the files that were read least recently, beyond 2000 or 1 MiB of names.
void keep_newest(std::vector<source>& sources);

}  // namespace bloomtime::store
