#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "cli/logs/input_support.hpp"
#include "cli/profile/profile_samples.hpp"
#include "support/sealed_manifest.hpp"

// Stores of which every file is sound, and which still are not what they say.
namespace bloomtime::cli::verify_test {
using namespace logs;

namespace verify_test {

using support::temporary_directory;

class verify : public testing::Test {
 protected:
  void SetUp() override {
    std::string log;
    for (int i = 0; i < 50; ++i) {
      log += std::to_string(1'400'000'000 + i) + "\tx" + std::to_string(i % 3) + "\ty\n";
    }
    const auto file = write_text(folder_ / "log", log);
    ASSERT_EQ(run_command(profile_command({file}, store())).status, 0);
    ASSERT_EQ(run_command({"verify", store()}).status, 0);
  }

  std::string store() const { return folder_ / "store"; }

  void replace(std::string& text, std::string_view what, std::string_view by) {
    const auto at = text.find(what);
    ASSERT_NE(at, std::string::npos) << what;
    text.replace(at, what.size(), by);
  }

  // Edits the manifest as somebody would who knows its checksum.
  void forge(const std::vector<std::pair<std::string, std::string>>& edits) {
    const auto path = folder_ / "store" / "manifest.json";
    std::string text = text_in(path);
    for (const auto& [what, by] : edits) replace(text, what, by);
    write_text(path, support::sealed(text));
  }

  void expect_problem(std::string_view mention) {
    const told answer = run_command({"verify", store()});
    EXPECT_EQ(answer.status, 2);
    EXPECT_NE(answer.out.find(mention), std::string::npos) << answer.out;
  }

  temporary_directory folder_{support::quick_place()};
};

TEST_F(verify, notices_containers_in_the_place_of_others) {
  forge({{"\"heat.2\"", "\"?\""}, {"\"hot.2\"", "\"heat.2\""}, {"\"?\"", "\"hot.2\""}});
  expect_problem("part-1-1.bloomtime\tfalse");
  expect_problem("part-1-2.bloomtime\tfalse");
}

TEST_F(verify, notices_a_container_that_is_missing) {
  forge({{"\"heat.2\"", "\"heat.7\""}});
  expect_problem("the manifest has no container heat.2");
  expect_problem("a profile of these items has no container heat.7");
}

TEST_F(verify, notices_a_ledger_of_other_items) {
  forge({{"\"items\": [", "\"items\": [\"1\", "}});
  expect_problem("this ledger counts 2 items, and the manifest names 3");
}

TEST_F(verify, notices_totals_of_other_records) {
  forge({{"\"records\": 50", "\"records\": 51"}});
  expect_problem("these totals have 50 events, and the manifest 51 records");
}

}  // namespace verify_test
}  // namespace bloomtime::cli::verify_test
