#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/logs/input_support.hpp"
#include "cli/profile/profile_samples.hpp"

// What the command says of the past, next to what was.
namespace bloomtime::cli {
namespace seen_test {

using namespace logs;

using support::temporary_directory;

constexpr std::int64_t seconds_per_day = 86'400;
constexpr std::int64_t beginning = 1'400'000'000;

struct sample {
  std::string log;
  std::map<std::string, std::set<std::int64_t>> seconds;  // by item
};

// Few items that come often: their names are kept, so that answers are exact. Some lines are late,
// some days are missing, and the last ones may still wait.
rc::Gen<sample> any_sample() {
  return rc::gen::exec([] {
    sample made;
    std::int64_t now = beginning;
    const int length = *rc::gen::inRange(1, 150);
    for (int i = 0; i < length; ++i) {
      now += *rc::gen::inRange<std::int64_t>(0, 3);
      if (*rc::gen::inRange(0, 12) == 0)
        now += *rc::gen::inRange<std::int64_t>(0, 2 * seconds_per_day);
      const bool late = *rc::gen::inRange(0, 8) == 0;
      const std::int64_t second =
          late ? now - *rc::gen::inRange<std::int64_t>(0, 3 * seconds_per_day) : now;
      const std::string item = fmt::format("item{}", *rc::gen::inRange(0, 4));
      made.log += fmt::format("{}\t{}\tx\n", second, item);
      made.seconds[item].insert(second);
    }
    return made;
  });
}

struct question {
  std::string item;
  std::int64_t from;
  std::int64_t to;
};

std::vector<question> any_questions(const sample& of) {
  std::vector<question> made;
  for (const auto& [item, seconds] : of.seconds) {
    for (const std::int64_t second : seconds) {
      const std::int64_t from = second + *rc::gen::inRange<std::int64_t>(-4, 4);
      const auto length =
          *rc::gen::element<std::int64_t>(0, 1, 2, 5, 100, seconds_per_day, 5 * seconds_per_day);
      made.push_back({item, from, from + length});
      made.push_back(
          {*rc::gen::element<std::string>("item0", "item1", "nobody"), from - length, from});
    }
  }
  return made;
}

bool was_seen(const sample& in, const question& q) {
  const auto found = in.seconds.find(q.item);
  if (found == in.seconds.end()) return false;
  const auto next = found->second.lower_bound(q.from);
  return next != found->second.end() && *next <= q.to;
}

RC_GTEST_PROP(seen, is_right_about_every_question_of_a_batch, ()) {
  const sample some = *any_sample();
  const temporary_directory folder(support::quick_place());
  const std::string store = folder / "store";
  RC_ASSERT(run_command(profile_command({write_text(folder / "log", some.log)}, store)).status ==
            0);
  std::string asked;
  std::string expected;
  for (const question& q : any_questions(some)) {
    const std::string line = fmt::format("{}\t{}\t{}", q.item, q.from, q.to);
    asked += line + "\n";
    expected += line + (was_seen(some, q) ? "\tmaybe\n" : "\tno\n");
  }
  const auto file = write_text(folder / "questions", asked);
  const told answers = run_command({"seen", store, "--field", "2", "--batch", file});
  RC_ASSERT(answers.status == 0);
  RC_ASSERT(answers.out == expected);
}

RC_GTEST_PROP(timeline, has_every_second_and_no_other, ()) {
  const sample some = *any_sample();
  const temporary_directory folder(support::quick_place());
  const std::string store = folder / "store";
  RC_ASSERT(run_command(profile_command({write_text(folder / "log", some.log)}, store)).status ==
            0);
  const std::int64_t from =
      beginning + *rc::gen::inRange<std::int64_t>(-4 * seconds_per_day, 4 * seconds_per_day);
  const std::int64_t to = from + *rc::gen::inRange<std::int64_t>(0, 8 * seconds_per_day);
  const told answer = run_command({"timeline", store, "item0", "--field", "2", "--json", "--from",
                                   std::to_string(from), "--to", std::to_string(to)});
  std::set<std::int64_t> truth;
  if (const auto of = some.seconds.find("item0"); of != some.seconds.end()) {
    truth.insert(of->second.lower_bound(from), of->second.upper_bound(to));
  }
  RC_ASSERT(answer.status == (truth.empty() ? 1 : 0));
  const auto document = nlohmann::json::parse(answer.out);
  std::set<std::int64_t> found;
  for (const auto& row : document["intervals"]) {
    const auto first = row["from"].get<std::int64_t>() / 1'000'000;
    const auto last = row["to"].get<std::int64_t>() / 1'000'000;
    for (std::int64_t second = first; second <= last; ++second) found.insert(second);
  }
  RC_ASSERT(found == truth);
  RC_ASSERT(document["ticks"].get<std::size_t>() == truth.size());
  std::uint64_t bars = 0;
  for (const auto& bar : document["histogram"]) bars += bar.get<std::uint64_t>();
  RC_ASSERT(bars == truth.size());
}

TEST(seen, says_so_by_its_exit_status) {
  const temporary_directory folder(support::quick_place());
  const std::string store = folder / "store";
  const auto log = write_text(folder / "log", "5\ta\tb\n6\ta\tb\n7\ta\tb\n8\ta\tb\n");
  ASSERT_EQ(run_command(profile_command({log}, store)).status, 0);
  const auto status = [&](const char* item, const char* from, const char* to) {
    return run_command({"seen", store, item, "--field", "2", "--from", from, "--to", to}).status;
  };
  EXPECT_EQ(status("a", "0", "5"), 0);
  EXPECT_EQ(status("a", "8", "9"), 0);
  EXPECT_EQ(status("a", "0", "4"), 1);
  EXPECT_EQ(status("a", "9", "99"), 1);
  EXPECT_EQ(status("c", "0", "99"), 1);
  EXPECT_EQ(status("a", "9", "8"), 2);
}

}  // namespace seen_test
}  // namespace bloomtime::cli
