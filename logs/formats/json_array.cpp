#include "logs/formats/json_array.hpp"

namespace bloomtime::logs {
namespace {

constexpr std::string_view blanks = " \t\r\n";

}  // namespace

json_array_splitter::answer json_array_splitter::recognises(std::string_view beginning) {
  std::size_t at = beginning.find_first_not_of(blanks);
  if (at == beginning.npos) return answer::unclear;
  if (beginning[at] != '[') return answer::no;
  at = beginning.find_first_not_of(blanks, at + 1);
  if (at == beginning.npos) return answer::unclear;
  return beginning[at] == '{' ? answer::yes : answer::no;
}

std::size_t json_array_splitter::run(std::span<char> bytes) {
  std::size_t kept = 0;
  for (char c : bytes) {
    const bool line_end = c == '\n' || c == '\r';
    if (quoted_) {
      quoted_ = escaped_ || c != '"';
      escaped_ = !escaped_ && c == '\\';
      if (line_end) c = ' ';
    } else if (outside_) {
      // What follows the array is the end of its last line, or another array.
      outside_ = c != '[';
      if (outside_ && blanks.find(c) != blanks.npos) {
        if (c != '\n' || ended_) continue;
        ended_ = true;
      } else if (!outside_) {
        c = ended_ ? ' ' : '\n';
        ended_ = false;
      }
    } else if (depth_ == 0 && (c == ',' || c == ']')) {
      outside_ = c == ']';
      c = outside_ ? ' ' : '\n';
    } else {
      quoted_ = c == '"';
      if (c == '{' || c == '[') ++depth_;
      if ((c == '}' || c == ']') && depth_ != 0) --depth_;
      if (line_end) c = ' ';
    }
    bytes[kept++] = c;
  }
  return kept;
}

}  // namespace bloomtime::logs
