#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/output/status_line.hpp"

namespace bloomtime::cli {

struct reading {
  std::uint64_t bytes = 0;
  std::optional<std::uint64_t> total;  // nothing for a pipe
  std::uint64_t lines = 0;
  double seconds = 0;
};

// "███░░░  63 %   412 MB/s   2.1 M lines/s   2 s left"
std::string reading_text(const reading& so_far);

// Progress of reading files.
class reading_progress {
 public:
  reading_progress(std::string label, std::optional<std::uint64_t> total);

  void at(std::uint64_t bytes, std::uint64_t lines);
  void clear() { line_.clear(); }

 private:
  std::string label_;
  std::optional<std::uint64_t> total_;
  status_line line_;
};

}  // namespace bloomtime::cli
