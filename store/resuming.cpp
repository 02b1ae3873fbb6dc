#include "store/resuming.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <sys/stat.h>

#include <fmt/format.h>

#include "logs/lines.hpp"
#include "text/number.hpp"
#include "text/text.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::store {
namespace {

namespace fs = std::filesystem;

static_assert(source::excerpt == logs::line_reader::kept);

std::string known_name(const std::string& path) {
  std::error_code ignored;
  const fs::path whole = fs::absolute(path, ignored);
  return text::printable(ignored ? path : whole.lexically_normal().string());
}

std::uint64_t excerpt_size(const source& s) {
  return std::min<std::uint64_t>(s.offset, source::excerpt);
}

void describe(source& s, const std::string& path, const logs::stored_file& file) {
  s.path = known_name(path);
  s.inode = file.inode;
  s.size = file.size;
  s.modified = file.modified;
}

bool is_as_stored(const source& s, const logs::stored_file& file) {
  return s.inode == file.inode && s.size == file.size && s.modified == file.modified;
}

// The decompressed bytes of a file, read from the beginning to the end. A damaged file ends where
// the damage begins.
class contents {
 public:
  explicit contents(const std::string& path) : from_(path) { (void)advance(source::excerpt); }

  logs::stored_file stored() const { return from_.stored(); }
  bool compressed() const { return from_.compressed(); }

  bool begins_like(const source& s) const {
    const std::uint64_t size = excerpt_size(s);
    return size <= head_.size() &&
           excerpt_checksum(std::string_view(head_).substr(0, size)) == s.head;
  }

  // Whether the bytes before the offset are the same. Offsets must not decrease.
  bool goes_on_like(const source& s) {
    if (!advance(s.offset)) return false;
    const std::uint64_t size = excerpt_size(s);
    if (s.offset <= head_.size()) {
      const auto tail = std::string_view(head_).substr(s.offset - size, size);
      return excerpt_checksum(tail) == s.tail;
    }
    return excerpt_checksum(std::string_view(recent_).substr(recent_.size() - size)) == s.tail;
  }

  bool ends_at(std::uint64_t offset) { return !advance(offset + 1); }

 private:
  // Reads up to this offset and keeps the bytes before it. False if the file ends before.
  bool advance(std::uint64_t offset) {
    try {
      if (offset > position_ + source::excerpt) {
        const std::uint64_t skipped = offset - position_ - source::excerpt;
        if (!from_.skip(skipped)) return false;
        position_ += skipped;
        recent_.clear();
      }
      while (position_ < offset) {
        std::string more(static_cast<std::size_t>(offset - position_), '\0');
        const std::size_t got = from_.read(more);
        if (got == 0) return false;
        recent_.append(more, 0, got);
        if (head_.size() < source::excerpt) head_.append(more, 0, got);
        position_ += got;
      }
    } catch (const error&) {
      return false;
    }
    if (recent_.size() > 2 * source::excerpt) recent_.erase(0, recent_.size() - source::excerpt);
    return true;
  }

  logs::byte_source from_;
  std::uint64_t position_ = 0;
  std::string head_;    // the first bytes
  std::string recent_;  // those before the position
};

// Whether what was read is still in the file of this name, which was not moved.
bool is_in_place(const source& s) {
  struct stat there {};
  if (::stat(s.path.c_str(), &there) != 0 || !S_ISREG(there.st_mode)) return false;
  if (there.st_ino != s.inode) return false;
  try {
    contents now(s.path);
    return now.begins_like(s) && now.goes_on_like(s);
  } catch (const error&) {
    return false;
  }
}

}  // namespace

resumption::resumption(std::vector<source>& known, instant now, bool again, teller note,
                       std::function<std::string(instant)> time_text)
    : known_(known),
      now_(now),
      again_(again),
      note_(std::move(note)),
      time_text_(std::move(time_text)) {}

// A small file may be like another one by coincidence, as long as that is where it was.
bool resumption::is_another(const source& s, const logs::stored_file& file) const {
  return s.offset < source::excerpt && s.inode != file.inode && is_in_place(s);
}

std::optional<resumption::match> resumption::find(const std::string& path) const {
  contents now(path);
  const logs::stored_file file = now.stored();
  if (!file.regular) return std::nullopt;
  std::vector<std::size_t> alike;
  for (std::size_t i = 0; i < known_.size(); ++i) {
    if (!now.begins_like(known_[i])) continue;
    // Decompressing all of it would take long.
    if (now.compressed() && is_as_stored(known_[i], file)) return match{i, file, true};
    alike.push_back(i);
  }
  std::stable_sort(alike.begin(), alike.end(), [this](std::size_t a, std::size_t b) {
    return known_[a].offset < known_[b].offset;
  });
  std::optional<match> longest;
  for (const std::size_t i : alike) {
    if (now.goes_on_like(known_[i]) && !is_another(known_[i], file)) longest = match{i, file};
  }
  if (!longest) return std::nullopt;
  const source& s = known_[longest->number];
  longest->nothing_new = is_as_stored(s, file) || now.ends_at(s.offset);
  return longest;
}

void resumption::tell_start(const std::string& path, const std::optional<match>& found) const {
  if (!found) {
    const std::string name = known_name(path);
    const bool replaced =
        std::any_of(known_.begin(), known_.end(), [&](const source& s) { return s.path == name; });
    if (replaced) note_(path + ": another file than before, or truncated; read from its beginning");
    return;
  }
  const source& s = known_[found->number];
  const std::string was = s.path == known_name(path) ? "" : ", which was read as " + s.path;
  if (again_) {
    note_(fmt::format("{}{}: read again, as --again says", path, was));
  } else if (found->nothing_new) {
    note_(fmt::format("nothing new in {} since {}{}", path, time_text_(s.last_new), was));
  } else {
    note_(fmt::format("{}{}: continued after line {}", path, was, text::count_text(s.lines)));
  }
}

logs::file_start resumption::start(const std::string& path) {
  reading_.reset();
  before_ = {};
  if (path == "-") return {};
  const std::optional<match> found = find(path);
  tell_start(path, found);
  if (!found) return {};
  reading_ = found->number;
  if (again_) return {};
  continued_ = true;
  source& s = known_[found->number];
  before_ = s;
  if (found->nothing_new) {
    describe(s, path, found->file);
    changed_ = changed_ || !(s == before_);
  }
  return {.nothing_new = found->nothing_new,
          .offset = s.offset,
          .lines = s.lines,
          .inside_line = s.inside_line,
          .follows = [tail = s.tail](std::string_view bytes) {
            return excerpt_checksum(bytes) == tail;
          }};
}

void resumption::finished(const logs::file_reading& read) {
  if (!read.stored.regular || read.path == "-" || read.offset == 0) return;
  source s = before_;
  describe(s, read.path, read.stored);
  s.offset = read.offset;
  s.inside_line = read.inside_line;
  s.head = excerpt_checksum(read.head);
  s.tail = excerpt_checksum(read.tail);
  if (read.counts.lines != 0) s.last_new = now_;
  s.lines += read.counts.lines;
  s.records += read.counts.events;
  for (std::size_t i = 0; i < read.counts.bad.size(); ++i) {
    if (read.counts.bad[i] == 0) continue;
    s.rejected[std::string(logs::described(static_cast<logs::bad_line>(i)))] += read.counts.bad[i];
  }
  if (!reading_) {
    known_.push_back(std::move(s));
    changed_ = true;
    keep_newest(known_);
    reading_ = known_.size() - 1;
    return;
  }
  changed_ = changed_ || !(s == known_[*reading_]);
  known_[*reading_] = std::move(s);
}

std::vector<std::string> resumption::with_rotated(const std::vector<std::string>& files) const {
  std::vector<std::string> all;
  for (const std::string& file : files) {
    if (file != "-" && !again_) {
      const auto rest = rotated(file);
      if (rest && std::find(files.begin(), files.end(), *rest) == files.end()) all.push_back(*rest);
    }
    all.push_back(file);
  }
  return all;
}

// A file in the same folder that begins with what was last read under this name, and has more.
std::optional<std::string> resumption::rotated(const std::string& path) const {
  const std::string name = known_name(path);
  const source* last = nullptr;
  for (const source& s : known_) {
    if (s.path == name && (last == nullptr || last->last_new <= s.last_new)) last = &s;
  }
  std::error_code problem;
  if (last == nullptr || !fs::is_regular_file(path, problem)) return std::nullopt;
  const auto number = static_cast<std::size_t>(last - known_.data());
  if (const auto same = find(path); same && same->number == number) return std::nullopt;
  const fs::path log(path);
  const fs::path folder = log.has_parent_path() ? log.parent_path() : fs::path(".");
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    const std::string beside = entry->path().filename().string();
    std::error_code ignored;
    if (beside == log.filename().string() || !beside.starts_with(log.filename().string())) continue;
    if (!entry->is_regular_file(ignored) || ignored) continue;
    const std::string candidate = (log.parent_path() / beside).string();
    try {
      const auto found = find(candidate);
      if (found && found->number == number && !found->nothing_new) return candidate;
    } catch (const error&) {
      continue;  // it cannot be read, or has vanished
    }
  }
  return std::nullopt;
}

}  // namespace bloomtime::store
