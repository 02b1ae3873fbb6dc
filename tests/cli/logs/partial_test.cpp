#include <gtest/gtest.h>

#include <string>

#include <nlohmann/json.hpp>

#include "cli/logs/input_support.hpp"
#include "cli/profile/profile_samples.hpp"

// Lines that lack one of several items.
namespace bloomtime::logs::partial_test {
using namespace cli;

namespace partial_test {

using support::temporary_directory;

std::vector<std::string> profile_of(const std::string& log, const std::string& store) {
  return {"profile", log, "--item", "a", "--item", "b", "--memory", "8000", "--store", store};
}

TEST(partial_lines, count_for_the_items_they_have) {
  const temporary_directory folder(support::quick_place());
  std::string log;
  for (int i = 0; i < 30; ++i) {
    const std::string time = std::to_string(1'400'000'000 + i);
    log += i % 2 == 0 ? "{\"time\":" + time + ",\"a\":\"x\"}\n"
                      : "{\"time\":" + time + ",\"b\":\"y\"}\n";
  }
  const std::string store = folder / "store";
  const told made = run_command(profile_of(write_text(folder / "log", log), store));
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_NE(made.err.find("15 of 30 lines lack a"), std::string::npos) << made.err;
  EXPECT_NE(made.err.find("15 of 30 lines lack b"), std::string::npos) << made.err;
  const auto rows = nlohmann::json::parse(run_command({"hot", store, "--json"}).out)["items"];
  ASSERT_EQ(rows.size(), 2U) << rows;
  for (const auto& row : rows) {
    EXPECT_EQ(row["item"], row["field"] == "a" ? "x" : "y");
    EXPECT_NEAR(row["hits"].get<double>(), 15, 0.1);
  }
}

TEST(partial_lines, that_all_lack_an_item_are_an_error) {
  const temporary_directory folder(support::quick_place());
  std::string log;
  for (int i = 0; i < 30; ++i) {
    log += "{\"time\":" + std::to_string(1'400'000'000 + i) + ",\"a\":\"x\"}\n";
  }
  const std::string store = folder / "store";
  const told made = run_command(profile_of(write_text(folder / "log", log), store));
  EXPECT_EQ(made.status, 2);
  EXPECT_NE(made.err.find("no line has the item b; the fields are time, a."), std::string::npos)
      << made.err;
  EXPECT_FALSE(std::filesystem::exists(store));
}

}  // namespace partial_test
}  // namespace bloomtime::logs::partial_test
