#include "cli/commands/files.hpp"

#include <bloomtime/error.hpp>

namespace bloomtime::cli {

std::string loaded::sentence_with_path() const {
  return sentence.find(path) == std::string::npos ? path + ": " + sentence : sentence;
}

loaded load_file(const std::string& path) {
  try {
    return {path, load_any(std::filesystem::path(path)), ""};
  } catch (const error& e) {
    return {path, std::nullopt, e.what()};
  }
}

}  // namespace bloomtime::cli
