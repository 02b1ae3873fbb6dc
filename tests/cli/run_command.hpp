#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "cli/app.hpp"
#include "support/child.hpp"
#include "support/files.hpp"

// The whole command, in a child.
namespace bloomtime::cli {

struct told {
  int status;
  std::string out;
  std::string err;
};

inline std::string text_in(const std::filesystem::path& path) {
  const auto bytes = support::read_file(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline told run_command(const std::vector<std::string>& words) {
  const support::temporary_directory directory;
  std::vector<const char*> argv{"bloomtime"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  const pid_t child = support::in_child([&] {
    for (const auto& [number, name] : {std::pair{1, "out"}, std::pair{2, "err"}}) {
      const int file = ::open((directory / name).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
      if (::dup2(file, number) < 0) return 98;
    }
    return run(static_cast<int>(argv.size()), argv.data());
  });
  const int status = support::status_of(child);
  return {status, text_in(directory / "out"), text_in(directory / "err")};
}

// The same in this process, without its output.
inline int quiet_run(const std::vector<std::string>& words) {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ::dup2(nowhere, 1);
  ::dup2(nowhere, 2);
  std::vector<const char*> argv{"bloomtime"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  return run(static_cast<int>(argv.size()), argv.data());
}

}  // namespace bloomtime::cli
