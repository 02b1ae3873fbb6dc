#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "logs/byte_source.hpp"
#include "logs/formats/json_array.hpp"

namespace bloomtime::logs {

// A line of the input. `ending` follows `text` there: "\n", "\r\n", or nothing at the end of a
// file. A line longer than the limit comes in pieces.
struct line {
  enum class part { whole, piece, last_piece };

  std::string_view text;
  std::string_view ending;
  part what = part::whole;
  bool first = false;  // of the input, or of a file that replaced one that is followed

  std::string_view bytes() const { return {text.data(), text.size() + ending.size()}; }
};

// The beginning of an input without the UTF-8 byte order mark.
std::string_view without_mark(std::string_view text);

// Splits bytes into lines without copying them. Views are valid until the next call.
class line_reader {
 public:
  static constexpr std::size_t longest = std::size_t{1} << 20;
  static constexpr std::size_t padding = 64;  // readable bytes behind every line
  static constexpr std::size_t kept = 1024;   // bytes of head() and before()

  explicit line_reader(byte_source& from);

  // If the input is a JSON array of objects, its elements become the lines. Call it first, and then
  // look_ahead().
  void split_json_arrays() { array_answer_ = json_array_splitter::answer::unclear; }
  bool is_array() const { return array_answer_ == json_array_splitter::answer::yes; }

  // False at the end. Waits for input only if no complete line is buffered.
  bool next(line& found);

  // The next complete line that is buffered; false if there is none. Does not wait, and views of
  // lines returned before stay valid.
  bool next_buffered(line& found);

  // The buffered input: at least one line, unless the input is shorter or the line too long.
  std::string_view look_ahead();

  // The buffered input from the beginning of this line on, which was returned last.
  std::string_view from(const line& last) const {
    return {last.text.data(), last.bytes().size() + waiting().size()};
  }

  // The bytes before the next line: how many the file has, its first ones, and the last ones.
  std::uint64_t position() const { return position_; }
  std::string_view head() const { return std::string_view(head_).substr(0, position_); }
  std::string_view before() const;

  // Goes on at this byte, which is not before position(). False if the input ends before it.
  bool skip_to(std::uint64_t offset);
  // The line that was returned last is the next one again.
  void put_back(const line& last);

  // How far a file was read.
  struct place {
    std::uint64_t position;
    std::string head;
    std::string before;
  };
  // In an array, whose elements have other places than its lines: the end of what was received.
  place reached() const;
  // Of a followed file that another one has replaced since the last call.
  std::optional<place> take_replaced() { return std::exchange(replaced_, std::nullopt); }

  // Drops what is buffered of a followed file that was replaced, and goes on with its successor.
  // False, and nothing is dropped, unless the file has ended so.
  bool skip_replaced();

 private:
  std::string_view waiting() const { return {buffer_.get() + begin_, end_ - begin_}; }
  void take(line& found, std::size_t size, std::size_t ending);
  bool fill();
  std::size_t split_elements(std::size_t got);
  void begin_anew();

  byte_source& from_;
  std::unique_ptr<char[]> buffer_;
  std::size_t begin_ = 0;
  std::size_t scanned_ = 0;  // bytes from begin_ on that hold no line end
  std::size_t end_ = 0;
  std::uint64_t position_ = 0;  // of begin_, in the file
  std::string head_;
  bool at_end_ = false;
  bool at_break_ = false;  // what is buffered belongs to a file that has ended
  bool at_begin_ = true;
  bool in_pieces_ = false;
  json_array_splitter::answer array_answer_ = json_array_splitter::answer::no;
  json_array_splitter array_;
  std::uint64_t received_ = 0;  // bytes of the file
  std::string tail_;            // the last of them, if it may be an array
  std::optional<place> replaced_;
};

}  // namespace bloomtime::logs
