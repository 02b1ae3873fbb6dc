#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "traffic/lines.hpp"

namespace bench {

class temporary_file {
 public:
  explicit temporary_file(const char* name);
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file();

  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

// A day at a web site, so that neighbouring lines share their second as often as in a real log.
// Returns the bytes written.
std::uint64_t write_lines(const std::string& path, std::uint64_t size,
                          bloomtime::traffic::line_form form);

}  // namespace bench
