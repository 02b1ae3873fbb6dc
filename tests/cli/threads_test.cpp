#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <zlib.h>

#include <fmt/format.h>

#include <bloomtime/math/random.hpp>

#include "cli/logs/input_support.hpp"
#include "cli/profile/profile_samples.hpp"
#include "cli/run_command.hpp"
#include "support/files.hpp"

// --threads changes nothing but the time: stores, output, messages and rejected lines are those of
// one thread, on logs that are as bad as logs can be.
namespace bloomtime::cli {
namespace threads_test {

namespace fs = std::filesystem;
using logs::write_text;
using support::temporary_directory;

constexpr std::array numbers{"1", "2", "3", "8"};

std::string time_text(std::int64_t seconds) {
  const std::int64_t of_day = seconds % 86400;
  return fmt::format("{:02}/Mar/2024:{:02}:{:02}:{:02} +0{}00", 1 + seconds / 86400 % 31,
                     of_day / 3600, of_day / 60 % 60, of_day % 60, seconds % 3);
}

// Visits with late events, times far ahead that are confirmed or not, lines of all bad kinds, lines
// without one of the items, and lines longer than a block and longer than the limit.
std::string hostile_log(std::uint64_t seed, int lines) {
  math::random_source random(seed);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  std::string text;
  std::int64_t now = 3600;
  for (int i = 0; i < lines; ++i) {
    now += static_cast<std::int64_t>(below(3));
    std::int64_t at = now;
    if (below(50) == 0) at -= static_cast<std::int64_t>(below(3000));
    if (below(2000) == 0) at += 2 * 86400 + static_cast<std::int64_t>(below(86400));
    if (below(40'000) == 0) now += 3 * 86400;
    now %= 25 * 86400;
    const std::string path = below(300) == 0 ? std::string(below(400), 'p') : "x";
    std::string line =
        fmt::format("10.0.{}.{} - u [{}] \"GET /{}/{} HTTP/1.1\" {} {} \"-\" \"agent {}\"",
                    below(9), below(below(250) + 1), time_text(at), path, below(below(900) + 1),
                    200 + below(4) * 100, below(9000), below(20));
    switch (below(400)) {
      case 0: line = ""; break;
      case 1: line.resize(below(line.size())); break;
      case 2: line = "no log line"; break;
      case 3: line[line.find('[') + 2] = 'x'; break;
      case 4: line.replace(line.find("/Mar"), 4, "/Foo"); break;
      case 5: line += std::string(1, '\xff') + "\\\""; break;
      case 6: line += "\r"; break;
      default: break;
    }
    if (below(20'000) == 0) line += std::string(300'000, 'l');
    if (below(20'000) == 1) line += std::string((std::size_t{1} << 20) + below(400'000), 'L');
    text += line;
    text += '\n';
  }
  return text +
         "10.0.0.1 - - [01/Mar/2024:05:00:00 +0000] \"GET /last HTTP/1.1\" 200 1 \"-\" \"a\"";
}

std::string gzipped(const fs::path& path, const std::string& text) {
  gzFile out = ::gzopen(path.c_str(), "wb1");
  EXPECT_EQ(::gzwrite(out, text.data(), static_cast<unsigned>(text.size())),
            static_cast<int>(text.size()));
  EXPECT_EQ(::gzclose(out), Z_OK);
  return path.string();
}

// What a run left.
struct left {
  told run;
  store_contents store;
  std::string rejects;
  std::vector<store::source> sources;  // what the store remembers of its files
};

std::vector<store::source> sources_of(const fs::path& directory) {
  std::vector<store::source> all = store::reader(directory).about().read.sources.value();
  for (store::source& s : all) s.last_new = {};
  return all;
}

std::vector<std::string> with(std::vector<std::string> words,
                              const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Runs the same command for every number of threads. `store` is empty for none.
void expect_alike(const temporary_directory& folder, const std::vector<std::string>& words,
                  const fs::path& begun = {}, bool stores = true) {
  std::vector<left> all;
  for (const char* number : numbers) {
    const fs::path store = folder / "store";
    const fs::path rejects = folder / "rejects";
    fs::remove_all(store);
    fs::remove(rejects);
    if (!begun.empty()) fs::copy(begun, store, fs::copy_options::recursive);
    left& l = all.emplace_back();
    l.run = run_command(with(words, {"--store", store, "--rejects", rejects, "--threads", number}));
    if (stores) {
      ASSERT_EQ(l.run.status, 0) << l.run.err;
      l.store = contents_of(store);
      l.sources = sources_of(store);
    } else {
      ASSERT_EQ(l.run.status, 2) << l.run.err;
      EXPECT_FALSE(fs::exists(store / "manifest.json") && begun.empty());
    }
    l.rejects = text_in(rejects);
    EXPECT_EQ(l.run.err, all.front().run.err) << number;
    EXPECT_EQ(l.run.out, all.front().run.out) << number;
    EXPECT_TRUE(l.rejects == all.front().rejects) << number;
    EXPECT_TRUE(l.store == all.front().store) << number;
    EXPECT_TRUE(l.sources == all.front().sources) << number;
  }
}

TEST(threads, several_hostile_logs_plain_and_compressed) {
  const temporary_directory folder;
  const std::string first = hostile_log(1, 15'000);
  const std::string second = hostile_log(2, 9'000);
  expect_alike(
      folder, {"profile", "--json", write_text(folder / "a", first),
               gzipped(folder / "b.gz", second), write_text(folder / "c", hostile_log(10, 3'000))});
}

TEST(threads, a_store_goes_on_where_it_was) {
  const temporary_directory folder;
  const std::string whole = hostile_log(3, 12'000);
  const std::size_t half = whole.find('\n', whole.size() / 2) - 30;
  const std::string path = write_text(folder / "log", whole.substr(0, half));
  const fs::path begun = folder / "begun";
  ASSERT_EQ(run_command({"profile", path, "--store", begun, "--threads", "3"}).status, 0);
  write_text(folder / "log", whole);
  expect_alike(folder, {"profile", "--json", path}, begun);
}

TEST(threads, other_formats_and_shapes) {
  const temporary_directory folder;
  std::string json;
  std::string w3c = "#Version: 1.0\n#Fields: date time c-ip cs-uri-stem sc-status\n";
  math::random_source random(7);
  for (int i = 0; i < 12'000; ++i) {
    const auto n = random() % 1000;
    json += n == 0 ? "{\"time\": 1, \n"
                   : fmt::format("{{\"time\":{},\"id\":\"\\u00f6{}\",\"in\":{{\"k\":{}}}}}\n",
                                 1'700'000'000 + i, n, n % 9);
    if (n == 1) w3c += "#Fields: date time cs-uri-stem c-ip sc-status\n";
    if (n == 2) w3c += "#Fields: date time c-ip cs-uri-stem sc-status\n";
    w3c += fmt::format("2024-03-01 {:02}:{:02}:{:02} 10.0.0.{} /p{} 200\n", i / 3600, i / 60 % 60,
                       i % 60, n % 250, n % 77);
  }
  expect_alike(folder, {"profile", "--item", "id", "--item", "in.k,id", "--json",
                        write_text(folder / "json", json)});
  expect_alike(folder, {"profile", "--item", "c-ip", "--item", "path", "--json",
                        write_text(folder / "w3c", w3c)});
  expect_alike(folder, {"profile", "--pseudonymise", "--key-file",
                        write_text(folder / "key", "000102030405060708090a0b0c0d0e0f"), "--item",
                        "id", "--where", "in.k!=3", "--json", write_text(folder / "json", json)});
}

TEST(threads, errors_come_at_the_same_line) {
  const temporary_directory folder;
  const std::string log = write_text(folder / "log", hostile_log(4, 12'000));
  expect_alike(folder, {"profile", "--strict", log}, {}, false);
  std::string cut = text_in(gzipped(folder / "whole.gz", hostile_log(5, 20'000)));
  cut.resize(cut.size() / 2);
  expect_alike(folder, {"profile", write_text(folder / "cut.gz", cut)}, {}, false);
}

TEST(threads, memory_limits) {
  const temporary_directory folder;
  const std::string log = write_text(folder / "log", hostile_log(6, 15'000));
  expect_alike(folder, {"profile", log, "--memory", "12000", "--json"});
}

TEST(threads, dedupe_passes_the_same_lines) {
  const temporary_directory folder;
  const std::string log = write_text(folder / "log", hostile_log(8, 12'000));
  const std::string plain = write_text(folder / "plain", hostile_log(9, 3'000));
  const std::vector<std::vector<std::string>> commands{
      {"dedupe", "--window", "10m", "--item", "host,path", log, plain},
      {"dedupe", "--last", "5000", log, plain},
      {"dedupe", "--window", "1h", "--item", "agent", "--count", "--cost-duplicate", "1",
       "--cost-loss", "9", log},
  };
  for (const auto& words : commands) {
    std::vector<told> all;
    for (const char* number : numbers) {
      const fs::path rejects = folder / "rejects";
      fs::remove(rejects);
      all.push_back(run_command(
          with(words, {"--seed", "5", "--json", "--rejects", rejects, "--threads", number})));
      EXPECT_EQ(all.back().status, all.front().status);
      EXPECT_TRUE(all.back().out == all.front().out) << number;
      EXPECT_EQ(all.back().err, all.front().err) << number;
    }
  }
}

TEST(threads, a_number_that_is_none) {
  EXPECT_NE(run_command({"profile", "--threads", "0", "-"}).status, 0);
  const told much = run_command({"profile", "--threads", "257", "-"});
  EXPECT_NE(much.err.find("--threads can be at most 256, got 257"), std::string::npos) << much.err;
}

}  // namespace threads_test
}  // namespace bloomtime::cli
