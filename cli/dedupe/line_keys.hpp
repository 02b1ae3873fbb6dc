#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <bloomtime/digest.hpp>
#include <bloomtime/time.hpp>

#include "logs/bad_line.hpp"
#include "logs/options.hpp"
#include "logs/record.hpp"

namespace bloomtime::cli {

// How many lines lack a field of the key, or the time.
struct lacking_field {
  std::string name;
  std::uint64_t lines = 0;
};

// Finds the key of lines, and their time if that is wanted. Without --item the whole line is the
// key; several are one key together.
class line_keys {
 public:
  enum class times { none, if_any, needed };

  line_keys(const input_options& asked, times wanted);

  // The next file begins with these lines. Returns what people should know of it.
  std::string begin(const std::string& file, const std::vector<std::string_view>& lines);

  // Whether the first file had times decides for those after it: they need them too, or the clock
  // on the wall counts, as if that had been asked for.
  void keep_source_of_time();

  const std::string& key() const { return key_; }  // "host,path"
  bool has_times() const { return wanted_ != times::none && record_ && record_->has_time(); }
  bool header() const { return record_ && record_->layout().header; }

  // Of the digests from now on.
  void use_seed(std::uint64_t seed) { seed_ = seed; }

  // Why the line cannot be judged, or nothing. Views and padding as for record_reader.
  std::optional<bad_line> read(std::string_view text, digest& key, instant& at);

  // By the first field that is not there, in all files.
  const std::vector<lacking_field>& lacking() const { return lacking_; }
  // That of the last line, if it was without an item or a time.
  const lacking_field& lacking_now() const { return lacking_[last_lacking_]; }
  // "; it has a, b" for a line of NDJSON; nothing for others.
  std::string fields_of(std::string_view text) const;

 private:
  void count_lacking();

  input_options asked_;
  times wanted_;
  bool whole_line_;
  std::string key_;
  std::uint64_t seed_ = 0;
  std::optional<record_reader> record_;
  std::vector<lacking_field> lacking_;
  std::size_t last_lacking_ = 0;
};

}  // namespace bloomtime::cli
