#pragma once

#include <cstddef>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/measure.hpp"

namespace bench {

// An aligned table: words to the left, numbers to the right.
class table {
 public:
  table(std::vector<std::string> head, std::size_t word_columns);

  void row(std::vector<std::string> cells);
  bool empty() const noexcept { return rows_.size() == 1; }
  void print(std::FILE* out) const;

 private:
  std::vector<std::vector<std::string>> rows_;  // the head first
  std::size_t word_columns_;
};

// Writes one line per number, independent of the printed tables; nothing if it has no path.
class csv_file {
 public:
  explicit csv_file(const std::string& path);

  void line(std::string_view part, std::string_view size, std::string_view subject,
            std::string_view measure, const summary& value);
  void close();

 private:
  std::ofstream out_;
};

// Prints a number that must not exceed its limit, and whether it does.
void print_target(std::string_view what, double limit, const summary& figure);

}  // namespace bench
