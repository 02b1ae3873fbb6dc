#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <bloomtime/history/history.hpp>

#include "cli/profile/profile_samples.hpp"
#include "store/roles.hpp"
#include "store/writer.hpp"

// Memory beyond what was asked for is told.
namespace bloomtime::profile::profile_budget_test {
using namespace cli;

namespace profile_budget_test {

using support::temporary_directory;

// Each of the items comes so many times, in as many seconds.
std::string log_of(int items, int times, int from = 1'400'000'000) {
  std::string log;
  for (int t = 0; t < times; ++t) {
    for (int i = 0; i < items; ++i) {
      log += std::to_string(from + t) + "\titem-" + std::to_string(i) + "\tx\n";
    }
  }
  return log;
}

std::string items_text(int items) {
  std::string text;
  for (int i = 0; i < items; ++i) text += "item-" + std::to_string(i) + "\n";
  return text;
}

std::string written(const std::filesystem::path& path, const std::string& text) {
  support::write_file(path, std::as_bytes(std::span(text)));
  return path.string();
}

struct profiled {
  nlohmann::json document;
  std::string err;
};

profiled profile_of(const std::string& log, const std::filesystem::path& store) {
  auto words = profile_command({log}, store);
  words.emplace_back("--json");
  const told said = run_command(words);
  EXPECT_EQ(said.status, 0) << said.err;
  return {nlohmann::json::parse(said.out), said.err};
}

TEST(profile_budget, tells_how_far_heat_exceeds_its_memory) {
  const temporary_directory folder(support::quick_place());
  const auto [document, err] =
      profile_of(written(folder / "log", log_of(300, 200)), folder / "store");
  std::uint64_t heat = 0;
  for (const auto& field : document["fields"]) heat += field["heat_bytes"].get<std::uint64_t>();
  ASSERT_GT(heat, 16'000U);
  EXPECT_EQ(document.at("heat_asked_bytes"), 8000);
  EXPECT_EQ(document.at("heat_over_bytes"), heat - 8000);
  EXPECT_TRUE(document.at("history_asked_bytes").is_null());
  EXPECT_EQ(document.at("history_over_bytes"), 0);
  EXPECT_NE(err.find("more than the limit of 8.00 kB"), std::string::npos) << err;
  EXPECT_EQ(err.find("history takes"), std::string::npos) << err;
}

TEST(profile_budget, says_nothing_where_it_is_kept) {
  const temporary_directory folder(support::quick_place());
  const auto [document, err] =
      profile_of(written(folder / "log", log_of(300, 20)), folder / "store");
  EXPECT_LE(document.at("heat_over_bytes"), 2 * 1200);  // of tables besides their blocks
  EXPECT_EQ(document.at("heat_given_up"), 0);
  EXPECT_EQ(err.find("limit"), std::string::npos) << err;
}

// Twice as many items as there is room for: some are given up, and the answers are still no lower
// than the truth.
TEST(profile_budget, tells_how_many_items_are_given_up) {
  const temporary_directory folder(support::quick_place());
  const std::string log = written(folder / "log", log_of(2000, 3));
  const auto [document, err] = profile_of(log, folder / "store");
  EXPECT_GT(document.at("heat_given_up").get<std::uint64_t>(), 500U);
  EXPECT_LE(document["fields"][0]["heat_bytes"].get<std::uint64_t>(), 4000U + 1200);
  EXPECT_NE(err.find("heat has reached the memory limit of 8.00 kB"), std::string::npos) << err;
  const told answers = run_command({"heat", folder / "store", "--field", "2", "--batch",
                                    written(folder / "items", items_text(2000))});
  std::istringstream rows(answers.out);
  std::string item;
  double hits = 0;
  double lower = 0;
  double upper = 0;
  int asked = 0;
  for (; rows >> item >> hits >> lower >> upper; ++asked) {
    EXPECT_GE(upper, 2.998) << item;  // 3 hits in 3 seconds
    EXPECT_LE(lower, 3) << item;
  }
  EXPECT_EQ(asked, 2000);
}

TEST(profile_budget, has_no_limit_unless_asked) {
  const temporary_directory folder(support::quick_place());
  const std::string log = written(folder / "log", log_of(2000, 3));
  auto words = profile_command({log}, folder / "store");
  words.erase(std::find(words.begin(), words.end(), "--memory"),
              std::find(words.begin(), words.end(), "8000") + 1);
  words.emplace_back("--json");
  const told said = run_command(words);
  ASSERT_EQ(said.status, 0) << said.err;
  const auto document = nlohmann::json::parse(said.out);
  EXPECT_TRUE(document.at("heat_asked_bytes").is_null());
  EXPECT_EQ(document.at("heat_over_bytes"), 0);
  EXPECT_EQ(document.at("heat_given_up"), 0);
  EXPECT_EQ(said.err.find("memory limit"), std::string::npos) << said.err;
  EXPECT_LE(document["fields"][0]["heat_bytes"].get<std::uint64_t>(), 16U * 2000);
  EXPECT_LE(document["fields"][1]["heat_bytes"].get<std::uint64_t>(), 8192U);  // one item
  const told continued = run_command(profile_command({log}, folder / "store"));
  EXPECT_EQ(continued.status, 2);
  EXPECT_NE(continued.err.find("the memory limit none; got 8000 bytes"), std::string::npos)
      << continued.err;
}

// Items with more hits than a slot can count are given up as well.
TEST(profile_budget, is_kept_where_all_items_are_hot) {
  const temporary_directory folder(support::quick_place());
  std::string log;
  for (int i = 0; i < 300; ++i) {
    for (int t = 0; t < 200; ++t) log += "1400000000\titem-" + std::to_string(i) + "\tx\n";
  }
  auto words = profile_command({written(folder / "log", log)}, folder / "store");
  std::replace(words.begin(), words.end(), std::string("8000"), std::string("2048"));
  const told said = run_command(words);
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_NE(said.err.find("heat has reached the memory limit of 2.05 kB"), std::string::npos)
      << said.err;
  const told answers = run_command({"heat", folder / "store", "--field", "2", "--batch",
                                    written(folder / "items", items_text(300))});
  std::istringstream rows(answers.out);
  std::string item;
  double hits = 0;
  double lower = 0;
  double upper = 0;
  while (rows >> item >> hits >> lower >> upper) {
    EXPECT_GE(upper, 200) << item;
    EXPECT_LE(lower, 200) << item;
  }
  EXPECT_EQ(item, "item-299");
}

// The command asks for no memory of a history; a store that another program made may.
TEST(profile_budget, tells_how_far_a_history_exceeds_its_memory) {
  const temporary_directory folder(support::quick_place());
  const auto store = folder / "store";
  (void)profile_of(written(folder / "first", log_of(1, 20)), store);
  {
    store::writer into(store, instant());
    into.put(store::history_role("2"), history({.memory = 600}));
    into.checkpoint();
  }
  const auto few = profile_of(written(folder / "few", log_of(10, 1)), store);
  EXPECT_EQ(few.document.at("history_asked_bytes"), 600);
  EXPECT_EQ(few.document.at("history_over_bytes"), 0);
  EXPECT_EQ(few.err.find("history takes"), std::string::npos) << few.err;
  const auto many = profile_of(written(folder / "many", log_of(1000, 2)), store);
  const auto taken = many.document["fields"][0]["history_bytes"].get<std::uint64_t>();
  ASSERT_GT(taken, 600U);
  EXPECT_EQ(many.document.at("history_over_bytes"), taken - 600);
  EXPECT_NE(many.err.find("the history takes"), std::string::npos) << many.err;
  EXPECT_NE(many.err.find("more than the limit of 600 B"), std::string::npos) << many.err;
}

}  // namespace profile_budget_test
}  // namespace bloomtime::profile::profile_budget_test
