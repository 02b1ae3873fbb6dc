#pragma once

#include <optional>
#include <string>
#include <vector>

#include <bloomtime/any.hpp>

namespace bloomtime::cli {

// A file that was asked about, a filter or the state of dedupe: what it says of itself, or the
// sentence that says why it cannot.
struct loaded {
  std::string path;
  std::optional<std::vector<fact>> facts;
  std::string sentence;

  std::string sentence_with_path() const;  // for where the path does not stand beside it
};

loaded load_file(const std::string& path);

}  // namespace bloomtime::cli
