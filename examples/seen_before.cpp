// Remembers which pages were fetched, in about 1.2 bytes per page, across runs of the program.

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <bloomtime/bloomtime.hpp>

int main() {
  bloomtime::bloom_filter fetched({.items = 1'000'000, .error = 0.01});

  for (int page = 0; page < 250'000; ++page) {
    fetched.add("https://example.org/" + std::to_string(page));
  }
  if (fetched.add("https://example.org/new")) std::puts("new: certainly not fetched before");

  // Written as a whole or not at all, and answered straight from the file afterwards.
  const auto file = std::filesystem::temp_directory_path() / "bloomtime-example.fetched";
  fetched.save(file);
  const auto stored = bloomtime::bloom_filter::map(file);

  const std::vector<std::string> queue{"https://example.org/1", "https://example.org/249999",
                                       "https://example.org/250000"};
  for (const std::string& url : queue) {
    std::printf("%-28s %s\n", url.c_str(), stored->may_contain(url) ? "perhaps" : "no");
  }
  std::printf(
      "%zu pages or so in %zu KiB; a new one is called seen with probability %.1e now, %.2f full\n",
      static_cast<std::size_t>(stored->distinct() + 0.5),
      static_cast<std::size_t>(stored->memory() / 1024), stored->current_error(),
      stored->predicted_error(stored->capacity()));
  std::filesystem::remove(file);
}
