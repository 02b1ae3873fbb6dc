#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "logs/byte_source.hpp"

namespace bloomtime::cli {

// A line as it stands in the input: `ending` is what follows `text` there, "\n", "\r\n", or nothing
// at the end of a file. A line longer than the limit comes in pieces.
struct line {
  enum class part { whole, piece, last_piece };

  std::string_view text;
  std::string_view ending;
  part what = part::whole;
  bool first = false;  // of the input, or of a file that took the place of one that is followed

  std::string_view bytes() const { return {text.data(), text.size() + ending.size()}; }
};

// The beginning of an input without the mark that some programs put there to say that it is UTF-8.
std::string_view without_mark(std::string_view text);

// Cuts bytes into lines without copying them. Views hold until the next call.
class line_reader {
 public:
  static constexpr std::size_t longest = std::size_t{1} << 20;
  static constexpr std::size_t padding = 64;  // readable bytes behind every line

  explicit line_reader(byte_source& from);

  // False at the end. Waits for more input only if no line is left of what came.
  bool next(line& found);

  // The same for what came already, without waiting: false if it has no further line end. What was
  // handed out before stays valid.
  bool next_buffered(line& found);

  // What is buffered: at least one line, unless the input is shorter or that line too long.
  std::string_view look_ahead();

 private:
  std::string_view waiting() const { return {buffer_.get() + begin_, end_ - begin_}; }
  void take(line& found, std::size_t size, std::size_t ending);
  bool fill();

  byte_source& from_;
  std::unique_ptr<char[]> buffer_;
  std::size_t begin_ = 0;
  std::size_t scanned_ = 0;  // bytes from begin_ on that hold no line end
  std::size_t end_ = 0;
  bool at_end_ = false;
  bool at_break_ = false;  // what waits belongs to a file that has ended
  bool at_begin_ = true;
  bool in_pieces_ = false;
};

}  // namespace bloomtime::cli
