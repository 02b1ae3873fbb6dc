#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <bloomtime/time.hpp>

#include "logs/bad_line.hpp"
#include "logs/block.hpp"
#include "logs/byte_source.hpp"
#include "logs/event.hpp"
#include "logs/lines.hpp"
#include "logs/resuming.hpp"
#include "logs/workers.hpp"

namespace bloomtime::logs {

// How many lines lack a field. A line that lacks several counts for the first of them.
struct lacking_field {
  std::string name;
  std::uint64_t lines = 0;
};

// How far the reading of all files is.
struct reading {
  std::uint64_t bytes = 0;             // as stored: compressed or not
  std::optional<std::uint64_t> total;  // unknown for a pipe
  std::uint64_t lines = 0;
  bool finished = false;
};

// Receives what a reader reports. A function that is not set is not called.
struct listener {
  // One line of text for people: the format found, the first bad lines, how many there were.
  std::function<void(std::string_view)> note = {};
  // Every few thousand lines, and once at the end.
  std::function<void(const reading&)> advance = {};
  // Before the first line of each file that has one, with its name.
  std::function<void(const std::string&, const line_layout&)> opened = {};
  // Called between batches of lines and ten times a second while waiting for input. Once it returns
  // true, the complete lines that have been read are handed out, and that is the end.
  std::function<bool()> stop = {};
  // Waits for input in place of the reader, if `stop` is set as well. Returns true once the
  // descriptor can be read, and false after a tenth of a second or earlier. Descriptor -1 is that
  // of a file that has ended and may grow: nothing can be read.
  std::function<bool(int descriptor)> wait = {};
  // Asked before a file is opened: where to begin. If it is set, a last line without a line end is
  // not read from a file that is continued, nor one that is no event from any other: it may be
  // unfinished. Compressed files are finished.
  std::function<file_start(const std::string& file)> start = {};
  // After the last line of a file, and by tell_reached().
  std::function<void(const file_reading&)> finished = {};
};

// Reads files of lines, one after the other: decompresses them, finds their format, and yields
// events and bad lines. If the first file has no timestamps, none are looked for in the others.
class event_reader {
 public:
  // Without files it reads standard input. With `by` several threads parse the lines; events, notes
  // and errors are the same, and all functions are called by the thread that reads.
  event_reader(const input_options& asked, const std::vector<std::string>& files,
               listener told = {}, std::shared_ptr<workers> by = std::make_shared<workers>());

  // From now on events have digests: of their items, or with input_options::whole_line of `text`.
  void hash_with(const hash_seed& seed);

  // The next event; null at the end. Throws bloomtime::error or usage_error if input cannot be
  // read.
  const event* next();
  // The next line, whatever it is; null at the end.
  const event* next_line();
  // The next line that has been read already; null if there is none. Does not wait, and `raw` of
  // the lines before stays valid.
  const event* next_buffered();

  // Calls listener::finished for what has been read of a file that is followed.
  void tell_reached() const;

  // For the event that was handed out last, if it turns out to be none.
  void reject_last(bad_line reason);
  // For an event that was handed out, in this run or an earlier one, and turns out to be none.
  void reject_earlier(bad_line reason, std::string_view raw);

  line_counts counts() const;  // so far
  const std::vector<lacking_field>& lacking() const { return lacking_; }
  // As asked for, or by default of the first file: all files have the same.
  const std::vector<std::string>& item_names() const { return asked_.items; }
  // The fields of the last file, as far as they are known.
  const std::vector<std::string>& field_names() const { return names_; }
  std::int32_t zone() const { return zone_; }  // offset of the last timestamp, in seconds
  // Throws usage_error: no line has this item. Names the fields of the last file.
  [[noreturn]] void refuse_item(const std::string& item) const;
  // Throws usage_error: `who` needs timestamps, and there are none. Names the fields as well.
  [[noreturn]] void refuse_untimed(std::string_view who) const;

 private:
  bool open_next();
  line_layout find_layout(std::string_view beginning, std::optional<input_format> format = {});
  void begin_file();
  void follow_directive();
  void finish_file();
  void go_to_start();
  void tell_reached(const line_reader::place& reached) const;
  void change_file();
  bool is_unfinished();
  bool stopped() const { return told_.stop && told_.stop(); }
  bool fetch();
  void use(line_layout layout);
  const line_layout& layout() const { return parser_->layout(); }
  event::kind read_line();
  event::kind read_piece();
  void count_lacking();
  void reject(bad_line reason);
  event::kind reject_line(bad_line reason);
  void reject(bad_line reason, const std::string& which, std::string_view text);
  void show_progress(bool finished);
  void tell(const std::string& what) const;
  bool count_missing();
  std::string problem_text(bad_line reason, std::string_view text) const;

  input_options asked_;
  std::vector<std::string> files_;
  listener told_;
  std::shared_ptr<workers> by_;
  std::optional<hash_seed> seed_;
  std::optional<std::uint64_t> total_bytes_;
  std::unique_ptr<rejects_file> rejects_;

  std::uint64_t unpack_memory_ = default_unpack_memory;
  std::size_t next_file_ = 0;
  std::unique_ptr<byte_source> source_;
  std::unique_ptr<line_reader> lines_;
  std::shared_ptr<block_parser> parser_;
  file_start start_;
  stored_file stored_;  // before the first line was read: it may grow meanwhile
  line_counts in_file_;
  line_counts before_replaced_;         // of in_file_, the part in files that were replaced
  std::vector<std::uint64_t> missing_;  // events of this file that lack each item
  std::vector<std::string> names_;      // fields of this file
  input_format format_ = input_format::plain;
  std::string fields_line_;  // the last #Fields line of this file
  stretch_watch stretches_;
  std::uint64_t position_before_ = 0;  // bytes of the files that are done
  bool times_decided_ = false;         // whether files have timestamps
  bool header_due_ = false;
  bool inside_long_line_ = false;
  bool inside_line_ = false;  // what was read last had no line end
  bool undecided_ = false;    // whether the line that was read last is finished

  event* event_ = nullptr;  // the last line
  line_counts counts_;
  std::vector<lacking_field> lacking_;
  std::size_t samples_ = 0;
  std::int32_t zone_ = 0;
};

}  // namespace bloomtime::logs
