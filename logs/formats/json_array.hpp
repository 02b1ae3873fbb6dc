#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace bloomtime::logs {

// Turns an array of JSON objects into one object per line, while the bytes pass by: the commas
// between elements become line ends, line ends within elements become blanks.
class json_array_splitter {
 public:
  enum class answer { no, yes, unclear };
  // Whether an input that begins so is an array of objects.
  static answer recognises(std::string_view beginning);

  // Changes the next bytes in place and returns how many of them are left.
  std::size_t run(std::span<char> bytes);

 private:
  std::size_t depth_ = 0;  // of braces and brackets within the element
  bool outside_ = true;    // before the array and behind it
  bool ended_ = true;      // outside: no line is open
  bool quoted_ = false;
  bool escaped_ = false;
};

}  // namespace bloomtime::logs
