// A crawler fetches each page again after a week, and not before. Its memory of pages is a file.

#include <cstdio>
#include <filesystem>
#include <string>

#include <bloomtime/bloomtime.hpp>

using namespace bloomtime;
using namespace std::chrono_literals;

int main() {
  const auto file = std::filesystem::temp_directory_path() / "bloomtime-example.crawled";
  const auto page = [](int number) { return "https://example.org/" + std::to_string(number); };
  const auto day = [](int number) {
    return instant::from_seconds(1'700'006'400 + 86'400 * number);
  };

  // `refresh = false`: a link that is found again does not postpone the next visit. 56 ticks of
  // three hours: a page is due at most three hours late.
  recency_table crawled({.window = 7 * 24h, .error = 1e-4, .ticks = 56, .refresh = false});
  int fetched_on_monday = 0;
  for (int i = 0; i < 100'000; ++i) {
    fetched_on_monday += crawled.add_if_new(page(i), day(0)).fresh;
  }
  crawled.save(file);  // as a whole or not at all

  recency_table tomorrow = recency_table::load(file);  // another process
  int too_early = 0, fresh = 0, due = 0;
  for (int i = 0; i < 100'000; ++i) too_early += tomorrow.add_if_new(page(i), day(1)).fresh;
  for (int i = 100'000; i < 150'000; ++i) fresh += tomorrow.add_if_new(page(i), day(1)).fresh;
  for (int i = 0; i < 100'000; ++i) due += tomorrow.add_if_new(page(i), day(8)).fresh;
  std::filesystem::remove(file);

  std::printf(
      "fetched %d, then %d again too early, %d new ones, and %d again after a week; %.0f kB\n",
      fetched_on_monday, too_early, fresh, due, static_cast<double>(tomorrow.memory()) / 1000);
  // What was fetched within the week is certain. A new page is skipped with probability 1e-4.
  return too_early == 0 && fetched_on_monday > 99'900 && fresh > 49'900 && due > 99'900 ? 0 : 1;
}
