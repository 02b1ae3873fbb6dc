#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace bloomtime::cli::live {

// A key of a terminal. `text` is the character of `key_name::text`, in UTF-8.
enum class key_name {
  text,
  enter,
  escape,
  backspace,
  erase_line,
  redraw,
  up,
  down,
  left,
  right,
  page_up,
  page_down,
  home,
  end
};

struct key {
  key_name name = key_name::text;
  std::string text = {};

  friend bool operator==(const key&, const key&) = default;
};

// Decodes the bytes that a terminal sends. They may come in any pieces: the beginning of an escape
// sequence or of a character waits for the rest. Sequences and control characters without a meaning
// here are skipped, and so are bytes that are not UTF-8.
class key_decoder {
 public:
  void feed(std::string_view bytes) { waiting_ += bytes; }

  // The next key; nothing if more bytes are needed.
  std::optional<key> next();

  // Whether an incomplete sequence is buffered.
  bool waits() const { return !waiting_.empty(); }
  // No byte follows soon: a buffered escape is the Escape key, other buffered bytes are dropped.
  std::optional<key> give_up();

 private:
  std::optional<key> take_escape();
  std::optional<key> take_sequence(std::size_t introducer);
  std::optional<key> take_character();

  std::string waiting_;
  bool incomplete_ = false;
};

}  // namespace bloomtime::cli::live
