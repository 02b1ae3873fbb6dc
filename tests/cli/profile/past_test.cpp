#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <bloomtime/heat/decay_ring.hpp>
#include <bloomtime/heat/heat_filter.hpp>

#include "cli/asking/opened_store.hpp"
#include "cli/logs/input_support.hpp"
#include "cli/profile/profile_samples.hpp"
#include "profile/profiler.hpp"
#include "store/ledger.hpp"
#include "store/writer.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::profile {
namespace past_test {

using namespace cli;
using namespace logs;
using namespace text;

using namespace std::chrono_literals;
using support::temporary_directory;

// Made by a bloomtime that kept no history.
void forget_history(const std::filesystem::path& directory) {
  store::writer w(directory, instant());
  w.remove("history.2");
  w.remove("history.3");
  w.checkpoint();
}

TEST(past, of_a_store_without_one_is_not_made_up) {
  const temporary_directory folder(support::quick_place());
  const auto log = write_text(folder / "log", "1\ta\tb\n2\ta\tb\n3\ta\tb\n4\ta\tb\n");
  const std::string store = folder / "store";
  ASSERT_EQ(run_command(profile_command({log}, store)).status, 0);
  forget_history(store);
  const auto refuses = [&](const std::vector<std::string>& words) {
    const told answer = run_command(words);
    EXPECT_EQ(answer.status, 2) << words.front();
    EXPECT_NE(answer.err.find("has no history"), std::string::npos) << answer.err;
    EXPECT_NE(answer.err.find("with a new --store"), std::string::npos) << answer.err;
  };
  for (int run = 0; run < 2; ++run) {
    refuses({"seen", store, "a", "--field", "2", "--from", "0", "--to", "9"});
    refuses({"timeline", store, "a", "--field", "2"});
    EXPECT_EQ(run_command({"hot", store}).status, 0);
    EXPECT_EQ(run_command({"heat", store, "a", "--field", "2"}).status, 0);
    const told continued = run_command(profile_command({"--again", log}, store));
    EXPECT_EQ(continued.status, 0);
    EXPECT_NE(continued.err.find("has no history; use a new --store"), std::string::npos)
        << continued.err;
  }
  EXPECT_EQ(contents_of(store).containers.count("history.2"), 0U);
  EXPECT_EQ(contents_of(store).records, 12U);
}

// Made by a bloomtime that knew one hash, before its first event.
void use_first_hash(const std::filesystem::path& directory) {
  store::writer w(directory, instant());
  const profiler made = profiler::load(w, w.about(), profiler::wanted::everything);
  profiler old(made.settings(), w.about().items, {0, hash_id::xxh3_128});
  old.save(w);
  w.checkpoint();
}

TEST(past, of_an_older_store_goes_on_with_its_hash) {
  const temporary_directory folder(support::quick_place());
  const auto log = write_text(folder / "log", "1\ta\tb\n2\ta\tb\n3\ta\tb\n4\ta\tb\n");
  const std::string store = folder / "store";
  ASSERT_EQ(run_command(profile_command({log}, store)).status, 0);
  use_first_hash(store);
  const std::vector<std::string> seen{"seen",   store, "a",    "--field", "2",
                                      "--from", "0",   "--to", "9"};
  EXPECT_EQ(run_command(seen).status, 1);
  ASSERT_EQ(run_command(profile_command({"--again", log}, store)).status, 0);
  EXPECT_EQ(run_command(seen).status, 0);
  store::writer w(store, instant());
  const profiler read = profiler::load(w, w.about(), profiler::wanted::everything);
  EXPECT_EQ(read.seed(), (hash_seed{0, hash_id::xxh3_128}));
  EXPECT_GT(read.fields()[0].at("a", instant::from_seconds(4)).lower, 0);
}

// Made by a bloomtime that knew no tables of heat, before its first event.
void use_heat_filters(const std::filesystem::path& directory) {
  store::writer w(directory, instant());
  for (const std::string& item : w.about().items) {
    w.put(store::heat_role(item), heat_filter({.memory = 4000, .half_life = 1h}));
  }
  w.put(store::ledger_role,
        store::ledger{.settings = {.memory = 8000}, .fields = {{}, {}}, .held = {}}.serialize());
  w.checkpoint();
}

TEST(past, of_an_older_store_goes_on_with_its_heat_filters) {
  const temporary_directory folder(support::quick_place());
  const auto log = write_text(folder / "log", "1\ta\tb\n2\ta\tb\n3\ta\tb\n4\ta\tb\n");
  const std::string store = folder / "store";
  ASSERT_EQ(run_command(profile_command({log}, store)).status, 0);
  for (const std::string role : {"heat.2", "heat.3"}) {
    EXPECT_EQ(any_heat::load(contents_of(store).containers[role]).engine(), "heat_table");
  }
  use_heat_filters(store);
  ASSERT_EQ(run_command(profile_command({log}, store)).status, 0);
  for (const std::string role : {"heat.2", "heat.3"}) {
    const any_heat kept = any_heat::load(contents_of(store).containers[role]);
    EXPECT_EQ(kept.engine(), "heat_filter");
    EXPECT_EQ(kept.memory(), 3840U);  // 60 lines in four rows
  }
  EXPECT_EQ(run_command({"verify", store}).status, 0);
  EXPECT_EQ(run_command({"hot", store}).status, 0);
  const told answer = run_command({"heat", store, "a", "--field", "2", "--json"});
  EXPECT_NE(answer.out.find("\"hits\":"), std::string::npos) << answer.out;
}

TEST(past, of_a_store_with_another_engine_of_heat_is_refused) {
  const temporary_directory folder(support::quick_place());
  const auto log = write_text(folder / "log", "1\ta\tb\n2\ta\tb\n3\ta\tb\n4\ta\tb\n");
  const std::string store = folder / "store";
  ASSERT_EQ(run_command(profile_command({log}, store)).status, 0);
  {
    store::writer w(store, instant());
    w.put("heat.2", decay_ring({.memory = 4000, .window = 1h}));
    w.checkpoint();
  }
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"hot", store}, {"verify", store}, profile_command({log}, store)}) {
    const told answer = run_command(words);
    EXPECT_NE(answer.status, 0) << words.front();
    EXPECT_NE((answer.out + answer.err).find("found a decay_ring"), std::string::npos)
        << answer.out << answer.err;
  }
}

TEST(past, takes_every_time_that_can_be_read) {
  constexpr std::int64_t earliest = -99'999'999'999;
  constexpr std::int64_t latest = 99'999'999'999;
  for (const std::chrono::microseconds resolution :
       {std::chrono::microseconds(1s), std::chrono::microseconds(7s),
        std::chrono::microseconds(24h), std::chrono::microseconds(100'000h),
        std::chrono::microseconds::max()}) {
    history past = new_history({.half_life = resolution, .resolution = resolution}, 0);
    const digest d = digest_of("x", 0);
    for (const std::int64_t second : {earliest, std::int64_t{-1}, std::int64_t{0}, latest}) {
      const instant when = instant::from_seconds(second);
      remember(past, {&d, 1}, {&when, 1});
      EXPECT_EQ(past.seen(d, when, when), sighting::maybe);
    }
    // The ticks are those of heat.
    const tick_clock heat(resolution);
    const instant some = instant::from_seconds(1'400'000'123);
    EXPECT_EQ(past.clock().start_of(past.clock().tick_of(some)), heat.start_of(heat.tick_of(some)));
  }
}

TEST(past, has_partitions_of_a_day_at_midnight) {
  const history past = new_history({}, 0);
  EXPECT_EQ(past.partition_ticks(), 86'400U);
  EXPECT_EQ(past.clock().tick_of(instant()).number % 86'400, 0);
  EXPECT_EQ(new_history({.half_life = 48h, .resolution = 48h}, 0).partition_ticks(), 1U);
}

TEST(past, refuses_to_forget) {
  history past = new_history({}, 0);
  const digest d = digest_of("x", 0);
  const instant when(std::numeric_limits<std::int64_t>::min());
  EXPECT_THROW(remember(past, {&d, 1}, {&when, 1}), error);
}

TEST(chosen_field, is_the_only_one_or_named) {
  EXPECT_EQ(chosen_field({"path"}, ""), 0U);
  EXPECT_EQ(chosen_field({"path", "host"}, "host"), 1U);
  EXPECT_THROW((void)chosen_field({"path", "host"}, ""), usage_error);
  EXPECT_THROW((void)chosen_field({"path", "host"}, "hots"), usage_error);
}

}  // namespace past_test
}  // namespace bloomtime::profile
