#pragma once

#include <stdexcept>
#include <string>

namespace bloomtime {

enum class errc {
  invalid_argument,  // a parameter outside its range
  too_large,         // a size beyond a documented limit
  out_of_memory,     // an allocation failed; nothing was changed
  truncated,         // fewer bytes than the format needs
  corrupt,           // bytes that contradict the format or a checksum
  newer_version,     // written by a later bloomtime
  unknown_kind,      // a family, engine, layout or hash this build does not know
  incompatible,      // a merge of filters whose parameters differ
  unsupported,       // an operation that this engine does not have
  io,                // a call of the operating system failed
};

// Thrown by constructors, loading and incompatible merges. what() is a full sentence that states
// what was expected and what was given.
class error : public std::runtime_error {
 public:
  error(errc code, const std::string& sentence) : std::runtime_error(sentence), code_(code) {}
  errc code() const noexcept { return code_; }

 private:
  errc code_;
};

}  // namespace bloomtime
