#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string>

#include "cli/logs/input_support.hpp"

// Logs of real servers, which are not part of the repository, against counts that awk makes of
// them.
namespace bloomtime::profile {
namespace real_logs_test {

using namespace logs;

std::string path_of(const std::string& name) {
  return BLOOMTIME_TESTS_DIR "/../../shared/data/" + name;
}

// What a shell prints for the uncompressed file on its standard input.
std::string counted(const std::string& path, const std::string& script) {
  const std::string command = "xz -dc '" + path + "' | " + script;
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  std::string out;
  std::array<char, 100> some;
  while (pipe != nullptr && std::fgets(some.data(), some.size(), pipe) != nullptr)
    out += some.data();
  if (pipe != nullptr) ::pclose(pipe);
  return out.substr(0, out.find('\n'));
}

struct totals {
  std::uint64_t events = 0;
  std::uint64_t bad = 0;
  std::array<std::set<std::string>, 2> distinct;
  std::int64_t seconds = 0;
};

totals totals_of(const std::string& path, const std::vector<std::string>& items) {
  totals all;
  event_reader reader({.items = items}, {path});
  while (const event* e = reader.next()) {
    for (std::size_t i = 0; i < 2; ++i) all.distinct[i].emplace(e->items[i]);
    all.seconds += e->at->micros / 1'000'000;
  }
  all.events = reader.counts().events;
  all.bad = reader.counts().bad_lines();
  return all;
}

class real_tsv : public testing::TestWithParam<const char*> {};

TEST_P(real_tsv, gives_what_awk_counts) {
  const std::string path = path_of(GetParam());
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const totals got = totals_of(path, {"2", "3"});
  EXPECT_EQ(got.bad, 0U);
  EXPECT_EQ(std::to_string(got.events) + " " + std::to_string(got.distinct[0].size()) + " " +
                std::to_string(got.distinct[1].size()) + " " + std::to_string(got.seconds),
            counted(path, R"(awk -F'\t' '!a[$2]++ { m++ } !b[$3]++ { n++ } { s += $1 }
                                       END { printf "%d %d %d %.0f\n", NR, m, n, s }')"));
}

INSTANTIATE_TEST_SUITE_P(data, real_tsv,
                         testing::Values("almhuette_2015-16.tsv.xz", "wpblog_2016.tsv.xz",
                                         "asa_honeypot_2025.tsv.xz"));

TEST(real_logs, a_combined_log_gives_what_awk_counts) {
  const std::string path = path_of("apache_combined_10k.log.xz");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const totals got = totals_of(path, {"host", "path"});
  EXPECT_EQ(got.bad, 0U);
  EXPECT_EQ(std::to_string(got.events), counted(path, "wc -l"));
  EXPECT_EQ(std::to_string(got.distinct[0].size()),
            counted(path, "awk '{ print $1 }' | sort -u | wc -l"));
  EXPECT_EQ(std::to_string(got.distinct[1].size()),
            counted(path,
                    "awk -F'\"' '{ sub(/^[^ ]* /, \"\", $2); sub(/ HTTP.[^ ]*$/, \"\", $2); "
                    "print $2 }' | LC_ALL=C sort -u | wc -l"));
}

}  // namespace real_logs_test
}  // namespace bloomtime::profile
