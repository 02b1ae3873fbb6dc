#pragma once

#include <optional>
#include <string>

#include <bloomtime/any.hpp>

namespace bloomtime::cli {

// A file that was asked about: the filter in it, or the sentence that says why there is none.
struct loaded {
  std::string path;
  std::optional<any_filter> filter;
  std::string sentence;

  std::string sentence_with_path() const;  // for where the path does not stand beside it
};

loaded load_file(const std::string& path);

}  // namespace bloomtime::cli
