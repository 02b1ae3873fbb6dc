// Loads every golden file and makes every one that has a recipe: the bytes must be those that
// x86-64 wrote. usage: program FOLDER, where FOLDER contains v1/ and command/
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <bloomtime/any.hpp>
#include <bloomtime/detail/container.hpp>

#include "format/golden_files.hpp"
#include "format/golden_recipes.hpp"

namespace {

namespace fs = std::filesystem;
using bytes = std::vector<std::byte>;

int passed = 0;
int failed = 0;

bytes read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  bytes out(text.size());
  std::transform(text.begin(), text.end(), out.begin(), [](char c) { return std::byte(c); });
  return out;
}

template <class Make>
void expect_bytes(const fs::path& path, const char* how, Make&& make) {
  std::string problem;
  try {
    if (make() != read(path)) problem = "other bytes";
  } catch (const std::exception& e) {
    problem = e.what();
  }
  ++(problem.empty() ? passed : failed);
  if (!problem.empty()) std::printf("FAILED: %s %s: %s\n", path.c_str(), how, problem.c_str());
}

bytes written_back(const fs::path& path) {
  return bloomtime::golden::bytes_of(bloomtime::load_any(read(path)));
}

// States of the command: what they hold is not the library's, but their container is.
bytes verified(const fs::path& path) {
  const bytes stored = read(path);
  bloomtime::detail::container_view::parse(stored).verify();
  return stored;
}

}  // namespace

int main(int, char** arguments) {
  const fs::path folder = arguments[1];
  const auto path_of = [&](const char* name) {
    return folder / "v1" / (std::string(name) + ".bloomtime");
  };
  for (const auto& file : fs::directory_iterator(folder / "v1")) {
    expect_bytes(file.path(), "written back", [&] { return written_back(file.path()); });
  }
  for (const auto& file : fs::directory_iterator(folder / "command")) {
    expect_bytes(file.path(), "verified", [&] { return verified(file.path()); });
  }
  for (const bloomtime::golden::file& f : bloomtime::golden::v1) {
    expect_bytes(path_of(f.name), "made", [&] { return bloomtime::golden::make(f).serialize(); });
  }
  for (const bloomtime::golden::recipe& r : bloomtime::golden::recipes) {
    expect_bytes(path_of(r.name), "made", [&] { return bloomtime::golden::bytes_of(r.make()); });
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
