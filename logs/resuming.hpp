#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "logs/bad_line.hpp"
#include "logs/byte_source.hpp"

// How a reader continues a file that an earlier run has read.
namespace bloomtime::logs {

// Where the reading of a file begins. Offsets are those of the decompressed data.
struct file_start {
  bool nothing_new = false;  // the file is not opened at all
  std::uint64_t offset = 0;
  std::uint64_t lines = 0;   // before it, so that messages name the right line
  bool inside_line = false;  // the last of them had no line end; what it gets now was counted
  // Whether these are the bytes that were read before the offset, up to line_reader::kept of them.
  std::function<bool(std::string_view)> follows = {};
};

// What has been read of a file.
struct file_reading {
  const std::string& path;
  stored_file stored;
  std::uint64_t offset = 0;  // the end of the last line that was read
  bool inside_line = false;  // it has no line end
  std::string_view head;     // the first bytes of the file, up to line_reader::kept
  std::string_view tail;     // those before the offset, likewise
  line_counts counts;        // since file_start
};

}  // namespace bloomtime::logs
