#pragma once

#include <string>

#include <bloomtime/error.hpp>

// Errors are one sentence that states what is expected and what was given.
namespace bloomtime::detail {

[[noreturn]] inline void refuse(const std::string& sentence) {
  throw error(errc::invalid_argument, sentence);
}

[[noreturn]] inline void refuse_merge(const std::string& sentence) {
  throw error(errc::incompatible, sentence);
}

[[noreturn]] inline void refuse_merge(const std::string& rule, const std::string& mine,
                                      const std::string& theirs) {
  refuse_merge(rule + "; here they are (" + mine + ") and (" + theirs + ")");
}

}  // namespace bloomtime::detail
