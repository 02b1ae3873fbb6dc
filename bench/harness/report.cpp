#include "bench/harness/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace bench {

table::table(std::vector<std::string> head, std::size_t word_columns)
    : rows_{std::move(head)}, word_columns_(word_columns) {}

void table::row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

void table::print(std::FILE* out) const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += i < word_columns_ ? fmt::format("{:<{}}  ", row[i], widths[i])
                                : fmt::format("{:>{}}  ", row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    fmt::print(out, "{}\n", line);
  }
}

csv_file::csv_file(const std::string& path) {
  if (path.empty()) return;
  out_.open(path);
  if (!out_) throw std::runtime_error("cannot write " + path);
  out_ << "part,size,subject,measure,median,lower_quartile,upper_quartile\n";
}

void csv_file::line(std::string_view part, std::string_view size, std::string_view subject,
                    std::string_view measure, const summary& value) {
  if (!out_.is_open()) return;
  out_ << fmt::format("{},{},{},{},{:.6g},{:.6g},{:.6g}\n", part, size, subject, measure,
                      value.median, value.lower, value.upper);
}

void csv_file::close() {
  if (!out_.is_open()) return;
  out_.close();
  if (!out_) throw std::runtime_error("the CSV file is incomplete: writing it failed");
}

void print_target(std::string_view what, double limit, const summary& figure) {
  fmt::print("  {:<11}  {:.2f} ({:.2f} to {:.2f}), at most {:.2f}: {}\n",
             figure.median <= limit ? "reached" : "NOT REACHED", figure.median, figure.lower,
             figure.upper, limit, what);
}

}  // namespace bench
