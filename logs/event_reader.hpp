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

#include "cli/output/reading_progress.hpp"
#include "logs/bad_line.hpp"
#include "logs/byte_source.hpp"
#include "logs/lines.hpp"
#include "logs/options.hpp"
#include "logs/record.hpp"

namespace bloomtime::cli {

// What a line says. Views hold until the next one is asked for.
struct event {
  std::span<const std::string_view> items;  // one for each --item
  std::span<const char> present;            // whether the line has it
  std::optional<instant> at;                // nothing if the lines have no time
  std::int32_t offset = 0;                  // that it was written with, seconds east of UTC
  line raw;                                 // byte for byte
};

// The events of files, one file after the other. What people should know of them (the format found,
// the first bad lines, their number) is told on standard error, or to `tell`.
class event_reader {
 public:
  using listener = std::function<void(std::string_view)>;

  // No files means standard input. `label` stands before the progress bar.
  event_reader(const input_options& asked, const std::vector<std::string>& files,
               const std::string& label, listener tell = {});

  // Null at the end. Throws bloomtime::error or usage_error if there is no going on.
  const event* next();

  // For the event that was handed out last, if it turns out to be none.
  void reject_last(bad_line reason);
  // For an event that was handed out, in this run or an earlier one, and turns out to be none.
  void reject_earlier(bad_line reason, std::string_view raw);

  const line_counts& counts() const { return counts_; }
  // As asked for, or by default of the first file: all files have the same.
  const std::vector<std::string>& item_names() const { return asked_.items; }
  std::int32_t zone() const { return zone_; }  // offset of the last time, in seconds
  // Throws usage_error: no line has this item. Names the fields of the last file.
  [[noreturn]] void refuse_item(const std::string& item) const;

 private:
  bool open_next();
  void finish_file();
  bool next_line();
  bool read_line();
  void reject(bad_line reason);
  void reject_line(bad_line reason);
  void reject(bad_line reason, const std::string& which, std::string_view text);
  void reject_piece();
  void show_progress();
  void tell(const std::string& what);
  bool count_missing();
  std::string reason_text(bad_line reason) const;

  input_options asked_;
  std::vector<std::string> files_;
  listener tell_;
  reading_progress progress_;
  std::unique_ptr<rejects_file> rejects_;

  std::uint64_t unpack_memory_ = default_unpack_memory;
  std::size_t next_file_ = 0;
  std::unique_ptr<byte_source> source_;
  std::unique_ptr<line_reader> lines_;
  std::unique_ptr<record_reader> record_;
  line_counts in_file_;
  std::vector<std::uint64_t> missing_;  // events of this file that lack each item
  std::vector<std::string> names_;      // fields of this file
  stretch_watch stretches_;
  std::uint64_t position_before_ = 0;  // bytes of the files that are done
  bool inside_long_line_ = false;

  event event_;
  line_counts counts_;
  std::size_t samples_ = 0;
  std::int32_t zone_ = 0;
};

}  // namespace bloomtime::cli
