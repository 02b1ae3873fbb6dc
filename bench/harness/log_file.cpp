#include "bench/harness/log_file.hpp"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>
#include <system_error>

#include <unistd.h>

#include "traffic/visits.hpp"

namespace bench {

namespace fs = std::filesystem;
namespace traffic = bloomtime::traffic;

temporary_file::temporary_file(const char* name)
    : path_(fs::temp_directory_path() / fmt::format("bloomtime-bench-{}-{}", ::getpid(), name)) {}

temporary_file::~temporary_file() {
  std::error_code ignored;
  fs::remove(path_, ignored);
}

std::uint64_t write_lines(const std::string& path, std::uint64_t size, traffic::line_form form) {
  constexpr std::uint64_t bytes_of_a_line = 210;
  std::ofstream out(path, std::ios::binary);
  traffic::visits day({.records = size / bytes_of_a_line, .clients = 100'000}, 1);
  traffic::line_writer writer(form);
  std::uint64_t written = 0;
  std::string text;
  while (const auto visit = day()) {
    text.clear();
    writer.write(*visit, text);
    out << text;
    written += text.size();
  }
  out.close();
  if (!out) throw std::runtime_error("cannot write " + path);
  return written;
}

}  // namespace bench
