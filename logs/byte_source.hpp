#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <bloomtime/time.hpp>

#include "logs/decompress.hpp"

namespace bloomtime::logs {

// A file as it is on the disk, compressed or not.
struct stored_file {
  bool regular = false;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t modified = 0;  // nanoseconds since 1970
};

// The bytes of a file or of standard input ("-"), decompressed if they begin like gzip, bzip2,
// zstd, xz or zip.
// Errors are thrown as bloomtime::error after all bytes before them have been returned.
class byte_source {
 public:
  explicit byte_source(const std::string& path);
  byte_source(const byte_source&) = delete;
  byte_source& operator=(const byte_source&) = delete;
  ~byte_source();

  // Waits for more at the end of the file, as `tail -F` does, also if the file is replaced or
  // truncated. Standard input ends with its pipe.
  void follow();
  // `stop` is called ten times a second while waiting for input; true ends the input.
  void stop_if(std::function<bool()> stop) { stop_ = std::move(stop); }
  // Waits in place of poll(); see listener::wait.
  void wait_with(std::function<bool(int)> wait) { wait_ = std::move(wait); }

  // Limit for decompression; data that needs more is an error.
  void allow_memory(std::uint64_t bytes) { most_memory_ = bytes; }

  // Returns what is available and waits only if nothing is. 0 at the end, and where a file that is
  // followed was truncated or replaced.
  std::size_t read(std::span<char> into);
  // Whether read() certainly returns bytes at once. It may also when this is false: what a pipe has
  // of compressed data is not known.
  bool ready() const;
  // Leaves out so many bytes, decompressed. False if there are fewer.
  bool skip(std::uint64_t bytes);
  // Whether such a place was reached since the last call; more input follows it.
  bool take_break() { return std::exchange(broken_, false); }
  // Whether the file was truncated at the last such place. Its end is in no other file, unless it
  // was copied before.
  bool was_truncated() const { return truncated_; }

  // When a regular file was written last; nothing for other input.
  std::optional<instant> modified() const;

  const std::string& name() const { return name_; }
  std::uint64_t position() const { return position_; }  // bytes of the file, as stored
  stored_file stored() const;
  bool compressed() const { return decompressor_ != nullptr; }  // known after the first read

 private:
  std::size_t read_raw(std::span<char> into);
  std::size_t read_plain(std::span<char> into);
  bool stopped() const { return stop_ && stop_(); }
  bool wait(int descriptor) const;
  bool wait_for_more();
  bool begin_anew();
  std::size_t decompress(std::span<char> into);
  void recognise();
  void fill();
  [[noreturn]] void fail(const std::string& what) const;

  std::string name_;
  std::string path_;
  int descriptor_;
  bool following_ = false;
  bool replaced_ = false;  // another file has the name now; this one may still grow
  bool broken_ = false;
  bool truncated_ = false;
  std::function<bool()> stop_;
  std::function<bool(int)> wait_;
  std::uint64_t position_ = 0;
  bool recognised_ = false;
  bool at_end_ = false;  // of the file
  std::uint64_t most_memory_ = default_unpack_memory;
  std::unique_ptr<decompressor> decompressor_;
  std::vector<char> held_;  // read, and not yet returned or decompressed
  std::size_t held_begin_ = 0;
  std::size_t held_end_ = 0;
};

// "standard input" for "-".
std::string source_name(const std::string& path);

// Throws if `path` cannot be opened. Returns its size if it is a regular file.
std::optional<std::uint64_t> expect_readable(const std::string& path);

}  // namespace bloomtime::logs
