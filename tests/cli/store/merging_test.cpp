#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <bloomtime/bloom/bloom_filter.hpp>

#include "cli/asking/opened_store.hpp"
#include "cli/logs/input_support.hpp"
#include "cli/profile/profile_samples.hpp"
#include "cli/run_command.hpp"
#include "store/inspect.hpp"
#include "support/files.hpp"

// Several stores become one whose answers cover the events of all.
namespace bloomtime::profile {
namespace merging_test {

namespace fs = std::filesystem;
using cli::contents_of;
using cli::run_command;
using logs::write_text;
using support::temporary_directory;

struct seen_event {
  int at;
  std::string item;
  std::string host;
};

std::string line_of(const seen_event& e) {
  return fmt::format("{}\t{}\t{}\n", e.at, e.item, e.host);
}

std::vector<seen_event> some_events(unsigned seed, int n) {
  std::mt19937 random(seed);
  std::vector<seen_event> all;
  for (int i = 0; i < n; ++i) {
    all.push_back({1'400'000'000 + 60 * i + static_cast<int>(random() % 50),
                   fmt::format("item{}", random() % 40 * (random() % 9)),
                   fmt::format("host{}", random() % 7)});
  }
  return all;
}

class merging : public testing::Test {
 protected:
  std::string store(const char* name, const std::string& lines,
                    const std::vector<std::string>& more = {}) {
    const std::string log = write_text(folder_ / fmt::format("{}.tsv", name).c_str(), lines);
    std::vector<std::string> words{"profile", log,      "--item", "2",       "--item",
                                   "3",       "--time", "1",      "--store", folder_ / name};
    words.insert(words.end(), more.begin(), more.end());
    const cli::told made = run_command(words);
    EXPECT_EQ(made.status, 0) << made.err;
    return folder_ / name;
  }

  temporary_directory folder_{support::quick_place()};
  std::string into_ = folder_ / "merged";
};

TEST_F(merging, answers_cover_the_events_of_all) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const std::vector<seen_event> events = some_events(seed, 600);
    std::array<std::string, 3> lines;
    std::mt19937 random(seed);
    for (const seen_event& e : events) lines[random() % lines.size()] += line_of(e);
    lines[2] += "no line\n";
    for (const char* name : {"a", "b", "c", "merged"}) fs::remove_all(folder_ / name);
    const std::vector<std::string> from{store("a", lines[0]), store("b", lines[1]),
                                        store("c", lines[2])};
    const auto before = contents_of(from[0]);
    const cli::told done = run_command({"merge", from[0], from[1], from[2], "-o", into_});
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_TRUE(contents_of(from[0]) == before);
    for (const store::finding& f : store::inspect(into_)) EXPECT_EQ(f.problem, "") << f.file;

    const cli::opened_store opened(into_);
    EXPECT_EQ(opened.read().records, events.size());
    EXPECT_EQ(opened.read().bad_lines, 1U);
    EXPECT_EQ(opened.parts().totals().events(), events.size());
    const cli::opened_heat heat = opened.heat("");
    EXPECT_EQ(heat.when(), instant::from_seconds(events.back().at));
    const cli::opened_history past = opened.past("2");
    std::map<std::string, double> exact;
    std::set<std::string> hosts;
    for (const seen_event& e : events) {
      exact[e.item] += std::exp2((e.at - events.back().at) / 3600.0);
      hosts.insert(e.host);
      const instant at = instant::from_seconds(e.at);
      ASSERT_NE(past.past.seen(e.item, at, at), sighting::no) << e.item;
    }
    for (const auto& [item, hits] : exact) {
      const estimate found = heat.profile.fields()[0].at(item, heat.when());
      EXPECT_GE(found.upper, hits * (1 - 1e-9)) << item;
      EXPECT_LE(found.lower, hits * (1 + 1e-9)) << item;
    }
    EXPECT_EQ(heat.profile.fields()[1].items.different(), hosts.size());
    const auto top = heat.profile.fields()[1].top(hosts.size(), heat.when());
    EXPECT_EQ(top.size(), hosts.size());
    // The merged store knows what was read, and goes on.
    const cli::told again = run_command({"profile", folder_ / "a.tsv", "--store", into_, "--json"});
    EXPECT_EQ(nlohmann::json::parse(again.out)["new_records"].get<int>(), 0) << again.err;
  }
}

// The first event of a store, or one far ahead of the rest.
TEST_F(merging, events_that_wait_are_judged_by_all) {
  const std::string one = store("a", "1400000000\tearly\th\n");
  const std::string ahead = store("b",
                                  "1400000001\tx\th\n1400000002\tx\th\n1400000003\tx\th\n"
                                  "1500000000\tfar\th\n");
  ASSERT_EQ(run_command({"merge", one, ahead, "-o", into_}).status, 0);
  const cli::opened_store opened(into_);
  EXPECT_EQ(opened.read().records, 4U);
  const cli::opened_heat heat = opened.heat("");
  EXPECT_EQ(heat.profile.held().size(), 1U);
  EXPECT_GE(heat.profile.fields()[0].at("early", heat.when()).upper, 0.99);
  const instant then = instant::from_seconds(1'500'000'000);
  EXPECT_EQ(opened.past("2").past.seen(std::string_view("far"), then, then), sighting::maybe);
}

TEST_F(merging, what_differs_is_refused_with_the_reason) {
  const std::string lines = "1400000000\ta\tb\n1400000000\ta\tb\n1400000000\ta\tb\n";
  const std::string first = store("a", lines);
  const auto refused = [&](const std::string& other, const std::string& reason) {
    const cli::told done = run_command({"merge", first, other, "-o", into_});
    EXPECT_EQ(done.status, 2);
    EXPECT_NE(done.err.find(reason), std::string::npos) << done.err;
    EXPECT_FALSE(fs::exists(into_));
  };
  refused(store("h", lines, {"--half-life", "2h"}), "the half-life is 1 h in the first and 2 h");
  refused(store("r", lines, {"--resolution", "2s"}), "the resolution is");
  refused(store("m", lines, {"--memory", "20kB"}), "the memory limit is none");
  refused(store("s", lines, {"--seed", "7"}), "seed");
  refused(store("p", lines, {"--pseudonymise"}), "the key of pseudonyms is none");
  EXPECT_EQ(run_command({"merge", first, "-o", into_}).status, 2);
  EXPECT_EQ(run_command({"merge", first, first}).status, 2);
  const auto before = contents_of(first);
  EXPECT_EQ(run_command({"merge", first, store("b", lines), "-o", first}).status, 2);
  EXPECT_TRUE(contents_of(first) == before);
}

TEST_F(merging, tallies_and_filter_files_as_well) {
  const std::string log = write_text(folder_ / "sales", "a\nb\na\n");
  for (const char* name : {"t1", "t2"}) {
    ASSERT_EQ(run_command({"tally", log, "--item", "line", "--store", folder_ / name}).status, 0);
  }
  ASSERT_EQ(run_command({"merge", folder_ / "t1", folder_ / "t2", "-o", into_}).status, 0);
  const auto counted = nlohmann::json::parse(run_command({"count", into_, "a", "--json"}).out);
  EXPECT_EQ(counted["items"][0]["count"].get<int>(), 4) << counted;

  bloom_filter one({.items = 100, .error = 0.01});
  bloom_filter two({.items = 100, .error = 0.01});
  (void)one.add("x");
  (void)two.add("y");
  one.save(folder_ / "one");
  two.save(folder_ / "two");
  const std::string both = folder_ / "both";
  ASSERT_EQ(run_command({"merge", folder_ / "one", folder_ / "two", "-o", both}).status, 0);
  const bloom_filter read = bloom_filter::load(fs::path(both));
  EXPECT_TRUE(read.may_contain("x") && read.may_contain("y"));
  EXPECT_EQ(run_command({"merge", folder_ / "one", folder_ / "two", "-o", both}).status, 2);
}

}  // namespace merging_test
}  // namespace bloomtime::profile
