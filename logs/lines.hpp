#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "logs/block.hpp"
#include "logs/byte_source.hpp"
#include "logs/formats/json_array.hpp"
#include "logs/workers.hpp"

namespace bloomtime::logs {

// The beginning of an input without the UTF-8 byte order mark.
std::string_view without_mark(std::string_view text);

// Splits bytes into lines without copying them. It reads blocks, and hands out their lines one by
// one. With several threads it reads further blocks ahead, as far as that needs no waiting, and
// they are split and parsed while the lines before them are used. Lines come in the order of the
// input, with the same events, whatever the number of threads.
//
// Views are valid until the next call of next().
class line_reader {
 public:
  static constexpr std::size_t longest = std::size_t{1} << 20;
  static constexpr std::size_t padding = 64;  // readable bytes behind every line
  static constexpr std::size_t kept = 1024;   // bytes of head() and before()

  explicit line_reader(byte_source& from, workers& by);
  // Splits in the calling thread.
  explicit line_reader(byte_source& from);

  // If the input is a JSON array of objects, its elements become the lines. Call it first, and then
  // look_ahead().
  void split_json_arrays() { array_answer_ = json_array_splitter::answer::unclear; }
  bool is_array() const { return array_answer_ == json_array_splitter::answer::yes; }

  // Who reads the lines that follow; also those of this block from the last one on, which was
  // handed out. Without a parser events have `raw` only.
  void parse_with(std::shared_ptr<block_parser> parser);

  // Null at the end. Waits for input only if no complete line was read.
  event* next();
  // The next complete line of this block; null if there is none. Does not wait, and views of lines
  // returned before stay valid.
  event* next_buffered();
  // The next complete line that was read; null if there is none. Does not wait.
  event* next_received();

  // The buffered input before the first line is taken: at least one line, unless the input is
  // shorter or the line too long.
  std::string_view look_ahead();

  // The input from the beginning of the line on that was returned last, as far as its block has it.
  std::string_view from_last() const;

  // The bytes before the next line: how many the file has, its first ones, and the last ones.
  std::uint64_t position() const { return position_; }
  std::string_view head() const { return std::string_view(head_).substr(0, position_); }
  std::string_view before() const;

  // Goes on at this byte, which is not before position(). False if the input ends before it. Before
  // the first line is taken.
  bool skip_to(std::uint64_t offset);
  // The line that was returned last is the next one again.
  void put_back();

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

  // From now on the beginning of a line at the end of a followed file is dropped if the file is
  // truncated: whoever copied it before (copytruncate) has the whole line.
  void leave_torn_lines() { leaves_torn_ = true; }

  // Drops what is buffered of a followed file that was replaced, and goes on with its successor.
  // False, and nothing is dropped, unless the file has ended so. Before the first line is taken.
  bool skip_replaced();

 private:
  // A block with the job that parses it; without one it is parsed when it is taken.
  struct pending {
    std::shared_ptr<block> what;
    workers::handle job;
  };

  std::string_view waiting() const { return filling_->all_bytes(); }
  event* take();
  bool go_on();
  void read_ahead();
  void start_or_keep(std::shared_ptr<block> b);
  void take_block();
  void drop_waiting();
  void pass_break();
  std::shared_ptr<block> next_block();
  std::shared_ptr<block> cut();
  std::shared_ptr<block> cut_off(block::part what, std::size_t size);
  std::shared_ptr<block> empty_block();
  bool fill();
  std::size_t split_elements(std::size_t got);

  byte_source& from_;
  std::unique_ptr<workers> own_;
  workers& by_;
  std::shared_ptr<block_parser> parser_;

  // What is handed out.
  std::shared_ptr<block> current_;
  std::size_t number_ = 0;      // of the next event of it
  std::uint64_t position_ = 0;  // of the next line, in the file
  std::deque<pending> ahead_;
  std::optional<place>
      ended_;  // of a file that was replaced, until a line of the next one is there
  std::optional<place> replaced_;

  // What is read.
  std::vector<std::shared_ptr<block>> spare_;
  std::shared_ptr<block> filling_;
  std::size_t scanned_ = 0;  // bytes waiting that hold no line end
  std::string head_;
  bool at_end_ = false;
  bool at_break_ = false;  // what is buffered belongs to a file that has ended
  bool leaves_torn_ = false;
  bool at_begin_ = true;
  bool in_pieces_ = false;
  std::exception_ptr problem_;  // met while reading ahead
  json_array_splitter::answer array_answer_ = json_array_splitter::answer::no;
  json_array_splitter array_;
  std::uint64_t received_ = 0;  // bytes of the file
  std::string tail_;            // the last of them, if it may be an array
};

}  // namespace bloomtime::logs
