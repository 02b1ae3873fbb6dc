#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <bloomtime/time.hpp>

#include "logs/resuming.hpp"
#include "store/sources.hpp"

namespace bloomtime::store {

// Recognises the files that a store has read, so that no line of them is counted twice.
//
// A file counts as read before if it begins with the bytes that were read then; the first and the
// last kilobyte of them are compared. So a file is recognised under another name, as a copy, and
// compressed. A file that was truncated or replaced is another file. Two logs may have the same
// first bytes: if less than a kilobyte was read, a file is recognised only by its inode, or if the
// file that was read is no longer there.
class resumption {
 public:
  using teller = std::function<void(const std::string&)>;

  // `again`: read all files from their beginning. `now` is remembered as the time of reading.
  resumption(std::vector<source>& known, instant now, bool again, teller note,
             std::function<std::string(instant)> time_text);

  // These files, and before each of them a file beside it with the rest of what was read under its
  // name: a log that was rotated since, if its name begins with that of the log.
  std::vector<std::string> with_rotated(const std::vector<std::string>& files) const;

  // For logs::listener. finished() may be called several times for a file, with what has been read
  // of it since start().
  logs::file_start start(const std::string& path);
  void finished(const logs::file_reading& read);

  bool changed() const { return changed_; }      // what is known of the files
  bool continued() const { return continued_; }  // some file was read before

 private:
  struct match {
    std::size_t number;        // in known_
    logs::stored_file file;    // before it was read
    bool nothing_new = false;  // the file has not grown
  };

  std::optional<match> find(const std::string& path) const;
  bool is_another(const source& s, const logs::stored_file& file) const;
  void tell_start(const std::string& path, const std::optional<match>& found) const;
  std::optional<std::string> rotated(const std::string& path) const;

  std::vector<source>& known_;
  instant now_;
  bool again_;
  teller note_;
  std::function<std::string(instant)> time_text_;
  std::optional<std::size_t> reading_;  // which of the known files is being read
  source before_;                       // what was known of it when its reading began
  bool changed_ = false;
  bool continued_ = false;
};

}  // namespace bloomtime::store
