#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "cli/logs/input_support.hpp"

// Status, method and bytes of web log lines, for consumers that ask for them.
namespace bloomtime::logs::web_facts_test {

struct fact {
  unsigned status = 0;
  std::string method;
  std::optional<std::uint64_t> bytes;

  friend bool operator==(const fact&, const fact&) = default;
};

std::vector<std::optional<fact>> facts_of(const std::vector<std::string>& files,
                                          const input_options& asked) {
  event_reader reader(asked, files);
  std::vector<std::optional<fact>> all;
  while (const event* e = reader.next()) {
    all.push_back(
        e->web ? std::optional(fact{e->web->status, std::string(e->web->method), e->web->bytes})
               : std::nullopt);
  }
  return all;
}

std::string log_line(const std::string& request, const std::string& rest) {
  return "192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] \"" + request + "\" " + rest + "\n";
}

TEST(web_facts, of_a_log) {
  const support::temporary_directory folder;
  const std::string log = log_line("GET /a HTTP/1.1", "200 512") + log_line("POST /b", "404 -") +
                          log_line("nonsense", "- x") +
                          log_line("GET /cut HTTP/1.0", "99999999999") +
                          log_line("GET / HTTP/1.1", "503 18446744073709551616");
  const std::string file = write_text(folder / "log", log);
  const auto found = facts_of({file}, {.format = "common", .web = true});
  ASSERT_EQ(found.size(), 5U);
  EXPECT_EQ(found[0], (fact{200, "GET", 512}));
  EXPECT_EQ(found[1], (fact{404, "POST", 0}));
  EXPECT_EQ(found[2], (fact{0, "-", std::nullopt}));
  EXPECT_EQ(found[3], (fact{0, "GET", std::nullopt}));
  EXPECT_EQ(found[4], (fact{503, "GET", std::nullopt}));
  for (const auto& none : facts_of({file}, {.format = "common"})) EXPECT_FALSE(none);
}

TEST(web_facts, of_each_file_by_its_format) {
  const support::temporary_directory folder;
  const std::string log = write_text(folder / "log", log_line("GET /a HTTP/1.1", "200 512"));
  const std::string table = write_text(folder / "table", "time\tpath\thost\n971211336\t/a\tb\n");
  const auto found = facts_of({log, table, log}, {.web = true});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_TRUE(found[0]);
  EXPECT_FALSE(found[1]);
  EXPECT_TRUE(found[2]);
}

TEST(web_facts, do_not_make_a_line_bad) {
  const heard read = read_text(log_line("GET /a HTTP/1.1", "200 5") + "192.0.2.1 - - [x] \"GET\n",
                               {.format = "combined", .items = {"agent"}, .web = true});
  EXPECT_EQ(read.bad(bad_line::no_item), 2U);
  EXPECT_NE(read.notes.at(1).find("has no field agent:"), std::string::npos) << read.notes.at(1);
}

TEST(web_facts, status_classes) {
  EXPECT_EQ(web_facts{.status = 200}.status_class(), 2U);
  EXPECT_EQ(web_facts{.status = 599}.status_class(), 5U);
  for (const unsigned none : {0U, 99U, 600U})
    EXPECT_EQ(web_facts{.status = none}.status_class(), 0U);
}

}  // namespace bloomtime::logs::web_facts_test
