#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/run_command.hpp"
#include "cli/store/store_samples.hpp"
#include "support/files.hpp"

// `info` and `verify` on stores. No command makes a store of filters for them yet, so it is made
// here and the command runs in a child.
namespace bloomtime::cli {
namespace store_command_test {

using namespace store;

using support::temporary_directory;

TEST(store_command, info_lists_the_store_and_its_containers) {
  const temporary_directory directory;
  make_store(directory / "s", 4);
  const told said = run_command({"info", "--json", directory / "s"});
  ASSERT_EQ(said.status, 0) << said.err;
  const auto document = nlohmann::json::parse(said.out);
  ASSERT_EQ(document["stores"].size(), 1u);
  EXPECT_EQ(document["stores"][0]["records"], 4);
  EXPECT_EQ(document["stores"][0]["last_event"], 120'000'000);
  EXPECT_TRUE(document["files"].empty());
  ASSERT_EQ(document["containers"].size(), 2u);
  EXPECT_EQ(document["containers"][1]["role"], "two");
  EXPECT_EQ(document["containers"][1]["engine"], "bloom_filter");
  EXPECT_EQ(document["containers"][1]["insertions"], 4);
  EXPECT_EQ(document["containers"][1]["bytes"], sample_filter(4).serialize().size());
  const told shown = run_command({"info", "--table", directory / "s"});
  EXPECT_NE(shown.out.find("1970-01-01 00:02:00 UTC"), std::string::npos) << shown.out;
}

TEST(store_command, info_shows_times_in_the_zone_of_the_log_or_in_utc) {
  const temporary_directory directory;
  {
    writer w(directory / "s", sample_creation);
    w.about().zone = "-0330";
    w.about().items = {"host", "user agent"};
    w.count(instant(250'000));
    w.count(instant(253'402'300'800'000'000));
    w.checkpoint();
  }
  const auto shown = [&](const char* option) {
    return run_command({"info", "--table", option, directory / "s"}).out;
  };
  EXPECT_NE(shown("--ascii").find("1969-12-31 20:30:00.25 -0330"), std::string::npos);
  EXPECT_NE(shown("--utc").find("1970-01-01 00:00:00.25 UTC"), std::string::npos);
  EXPECT_NE(shown("--utc").find("host user agent\n"), std::string::npos);
  const auto document = nlohmann::json::parse(run_command({"info", "--json", directory / "s"}).out);
  EXPECT_EQ(document["stores"][0]["items"], nlohmann::json::parse(R"(["host", "user agent"])"));
  EXPECT_NE(shown("--utc").find("@253402300800 UTC"), std::string::npos);
}

TEST(store_command, verify_names_what_is_damaged_and_what_was_left) {
  const temporary_directory directory;
  make_store(directory / "s", 4);
  EXPECT_EQ(run_command({"verify", directory / "s"}).status, 0);
  support::write_file(directory / "s/part-9-1.bloomtime", {});
  told said = run_command({"verify", "--json", directory / "s"});
  EXPECT_EQ(said.status, 0);
  EXPECT_EQ(nlohmann::json::parse(said.out)["files"].back()["leftover"], true);
  said = run_command({"verify", "--table", "--ascii", directory / "s"});
  EXPECT_NE(said.out.find("\n.   "), std::string::npos) << said.out;
  std::filesystem::remove(directory / "s" / reader(directory / "s").about().find("two")->file);
  said = run_command({"verify", "--json", directory / "s"});
  EXPECT_EQ(said.status, 2);
  EXPECT_EQ(said.err.find("bloomtime: 1 of 5 files failed verification"), 0u) << said.err;
  EXPECT_EQ(nlohmann::json::parse(said.out)["files"][2]["ok"], false);
  said = run_command({"info", directory / "s"});
  EXPECT_EQ(said.status, 2);
  EXPECT_EQ(said.out, "");
}

TEST(store_command, refuses_directories_that_are_no_store) {
  const temporary_directory directory;
  for (const char* name : {"info", "verify"}) {
    const told said = run_command({name, directory.path()});
    EXPECT_EQ(said.status, 2);
    EXPECT_NE((said.out + said.err).find("is not a store"), std::string::npos) << said.err;
  }
}

}  // namespace store_command_test
}  // namespace bloomtime::cli
