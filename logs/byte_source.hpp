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

#include "logs/decompress.hpp"
#include "logs/options.hpp"

namespace bloomtime::cli {

// The bytes of a file or of standard input ("-"), decompressed if they begin like gzip, zstd or xz.
// What goes wrong is thrown as bloomtime::error once everything before it has been handed out.
class byte_source {
 public:
  explicit byte_source(const std::string& path);
  byte_source(const byte_source&) = delete;
  byte_source& operator=(const byte_source&) = delete;
  ~byte_source();

  // At the end of the file waits for more, as `tail -F` does: also in the file that takes its
  // place, or from the beginning if it was cut off. `stop` is asked all the while.
  void follow() { following_ = true; }
  // Asked while waiting for input, ten times a second; what it says yes to is the end.
  void stop_if(std::function<bool()> stop) { stop_ = std::move(stop); }

  // That compressed input may ask for; more is an error.
  void allow_memory(std::uint64_t bytes) { most_memory_ = bytes; }

  // As much as there is without waiting for more; 0 at the end, and where a file that is followed
  // was cut off or replaced.
  std::size_t read(std::span<char> into);
  // Whether such a place was reached since the last time; there is more behind it.
  bool take_break() { return std::exchange(broken_, false); }

  const std::string& name() const { return name_; }
  std::uint64_t position() const { return position_; }  // in the file, compressed or not

 private:
  std::size_t read_raw(std::span<char> into);
  std::size_t read_plain(std::span<char> into);
  bool stopped() const { return stop_ && stop_(); }
  bool ready() const;
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
  bool replaced_ = false;  // another file stands there now; this one may have grown meanwhile
  bool broken_ = false;
  std::function<bool()> stop_;
  std::uint64_t position_ = 0;
  bool recognised_ = false;
  bool at_end_ = false;  // of the file
  std::uint64_t most_memory_ = default_unpack_memory;
  std::unique_ptr<decompressor> decompressor_;
  std::vector<char> held_;  // read, and not yet handed out or decompressed
  std::size_t held_begin_ = 0;
  std::size_t held_end_ = 0;
};

// What --unpack-memory allows. Throws usage_error unless it is a size.
std::uint64_t unpack_memory_of(const input_options& asked);

// "standard input" for "-".
std::string source_name(const std::string& path);

// Throws if `path` is certain not to be readable; the bytes it holds now, if that is known.
std::optional<std::uint64_t> expect_readable(const std::string& path);

}  // namespace bloomtime::cli
