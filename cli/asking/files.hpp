#pragma once

#include <optional>
#include <string>
#include <vector>

#include <bloomtime/any.hpp>

namespace bloomtime::cli {

// A filter file or a state of dedupe: its facts, or the error if it cannot be loaded.
struct loaded {
  std::string path;
  std::optional<std::vector<fact>> facts;
  std::string sentence;

  std::string sentence_with_path() const;  // for output that does not show the path
};

loaded load_file(const std::string& path);

}  // namespace bloomtime::cli
