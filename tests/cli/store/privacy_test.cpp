#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/logs/input_support.hpp"
#include "cli/run_command.hpp"
#include "store/pseudonyms.hpp"
#include "support/files.hpp"

// Who can read a store, and what it says about the names of items.
namespace bloomtime::store {
namespace privacy_test {

namespace fs = std::filesystem;
using cli::run_command;
using cli::told;
using logs::write_text;
using support::temporary_directory;

std::string some_lines() {
  std::string text = "2020-01-01T00:00:00Z\talice\n";
  for (int i = 0; i < 40; ++i) {
    text += fmt::format("2014-01-01T00:00:{:02}Z\tuser{}\n", i, i % 4);
  }
  return text;
}

unsigned permissions(const fs::path& path) {
  struct stat about {};
  EXPECT_EQ(::lstat(path.c_str(), &about), 0) << path;
  return about.st_mode & 0777;
}

class privacy : public testing::Test {
 protected:
  told profile(const std::vector<std::string>& more) {
    std::vector<std::string> words{"profile", log_, "--item", "2", "--time", "1", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return run_command(words);
  }

  temporary_directory folder_{support::quick_place()};
  std::string log_ = write_text(folder_ / "log.tsv", some_lines());
  std::string store_ = folder_ / "store";
  std::string key_ = write_text(folder_ / "key", "000102030405060708090a0b0c0d0e0f\n");
};

TEST_F(privacy, stores_and_states_belong_to_their_owner_alone) {
  const mode_t before = ::umask(0);
  EXPECT_EQ(profile({"--store", store_}).status, 0);
  const std::string state = folder_ / "state";
  EXPECT_EQ(run_command({"dedupe", log_, "--item", "2", "--state", state, "--window", "1h"}).status,
            0);
  ::umask(before);
  EXPECT_EQ(permissions(store_), 0700U);
  for (const auto& entry : fs::directory_iterator(store_)) {
    EXPECT_EQ(permissions(entry.path()), 0600U) << entry.path();
  }
  EXPECT_EQ(permissions(state), 0600U);
}

// The vectors of the reference implementation, for the key 00 01 .. 0f.
TEST_F(privacy, pseudonyms_are_siphash_with_128_bits) {
  const auto key = pseudonyms::parse("000102030405060708090a0b0c0d0e0f");
  ASSERT_TRUE(key.has_value());
  EXPECT_EQ((*key)(""), "a3817f04ba25a8e66df67214c7550293");
  EXPECT_EQ((*key)(std::string(1, '\0')), "da87c1d86b99af44347659119b22fc45");
  EXPECT_EQ(key->text(), "000102030405060708090a0b0c0d0e0f");
  EXPECT_FALSE(pseudonyms::parse("000102030405060708090a0b0c0d0e0").has_value());
  EXPECT_FALSE(pseudonyms::parse("000102030405060708090a0b0c0d0e0g").has_value());
  EXPECT_NE(pseudonyms::random(), pseudonyms::random());
}

TEST_F(privacy, no_file_of_the_store_has_a_name) {
  for (const std::vector<std::string>& how :
       {std::vector<std::string>{"--pseudonymise"}, {"--key-file", key_}}) {
    fs::remove_all(store_);
    std::vector<std::string> words{"--store", store_};
    words.insert(words.end(), how.begin(), how.end());
    const told made = profile(words);
    ASSERT_EQ(made.status, 0) << made.err;
    EXPECT_EQ(made.out.find("user1"), std::string::npos);
    for (const auto& entry : fs::directory_iterator(store_)) {
      const std::string bytes = fs::file_size(entry) == 0 ? "" : cli::text_in(entry.path());
      EXPECT_EQ(bytes.find("user"), std::string::npos) << entry.path();
      EXPECT_EQ(bytes.find("alice"), std::string::npos) << entry.path();  // an event that waits
      EXPECT_EQ(bytes.find("000102030405060708"), std::string::npos) << entry.path();
    }
  }
}

TEST_F(privacy, real_names_are_asked) {
  ASSERT_EQ(profile({"--store", store_, "--pseudonymise"}).status, 0);
  const std::vector<std::string> when{"--from", "2014-01-01", "--to", "2014-01-01"};
  const auto seen = [&](const std::string& item, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"seen", store_, item};
    words.insert(words.end(), when.begin(), when.end());
    words.insert(words.end(), more.begin(), more.end());
    return run_command(words).status;
  };
  EXPECT_EQ(seen("user1"), 0);
  EXPECT_EQ(seen("user9"), 1);
  EXPECT_EQ(seen("user1", {"--key-file", key_}), 2);
  EXPECT_EQ(run_command({"timeline", store_, "user1"}).status, 0);
  const auto heat = nlohmann::json::parse(run_command({"heat", store_, "user1", "--json"}).out);
  EXPECT_GT(heat["items"][0]["lower"].get<double>(), 9);
  EXPECT_EQ(profile({"--store", store_, "--again"}).status, 0);  // goes on with its key
  EXPECT_EQ(profile({"--store", store_, "--key-file", key_}).status, 2);
}

TEST_F(privacy, a_key_that_is_not_in_the_store_has_to_be_given) {
  ASSERT_EQ(profile({"--store", store_, "--key-file", key_}).status, 0);
  EXPECT_EQ(run_command({"timeline", store_, "user1", "--key-file", key_}).status, 0);
  const told without = run_command({"timeline", store_, "user1"});
  EXPECT_EQ(without.status, 2);
  EXPECT_NE(without.err.find("--key-file"), std::string::npos) << without.err;
  EXPECT_EQ(run_command({"hot", store_}).status, 0);
  EXPECT_EQ(profile({"--store", store_, "--again"}).status, 2);
  EXPECT_EQ(profile({"--store", store_, "--again", "--key-file", key_}).status, 0);
  const std::string other = write_text(folder_ / "other", "100102030405060708090a0b0c0d0e0f");
  EXPECT_EQ(run_command({"timeline", store_, "user1", "--key-file", other}).status, 2);
}

TEST_F(privacy, a_store_with_names_stays_one) {
  ASSERT_EQ(profile({"--store", store_}).status, 0);
  EXPECT_EQ(profile({"--store", store_, "--pseudonymise"}).status, 2);
  EXPECT_EQ(run_command({"timeline", store_, "user1", "--key-file", key_}).status, 2);
}

}  // namespace privacy_test
}  // namespace bloomtime::store
