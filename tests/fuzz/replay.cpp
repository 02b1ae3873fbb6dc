// Runs a fuzz target over the files of a folder, without libFuzzer: any compiler, any build.
// Ends with "N passed, M failed" like every test program that is not GoogleTest's.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::exists(folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// The copy ends where its allocation ends, so that the address sanitizer sees the first byte too
// far.
bool survives(const std::string& input) {
  const auto copy = std::make_unique<std::uint8_t[]>(input.size());
  std::memcpy(copy.get(), input.data(), input.size());
  try {
    (void)LLVMFuzzerTestOneInput(copy.get(), input.size());
    return true;
  } catch (const std::exception& e) {
    std::printf("threw: %s\n", e.what());
    return false;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  int passed = 0;
  int failed = 0;
  const auto run = [&](const std::string& name, const std::string& input) {
    std::printf("%s\n", name.c_str());
    std::fflush(stdout);  // the last line printed names the input that killed the program
    ++(survives(input) ? passed : failed);
  };
  run("(no bytes)", "");
  for (const fs::path& file : files_of(argv[1])) run(file.string(), read(file));
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}
