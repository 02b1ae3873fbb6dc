#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <bloomtime/math/random.hpp>

#include "cli/logs/input_support.hpp"
#include "cli/profile/profile_samples.hpp"
#include "profile/field_totals.hpp"
#include "profile/ranking.hpp"

// Totals of items beside an exact map of the same stream.
namespace bloomtime::profile {
namespace totals_test {

using namespace cli;
using namespace logs;

using support::temporary_directory;

using truth = std::map<std::string, std::uint64_t>;

// The order of the items changes in the middle: late ones have to push out early ones.
std::vector<std::string> stream(std::uint64_t seed, int events) {
  math::random_source random(seed);
  std::vector<std::string> items;
  for (int i = 0; i < events; ++i) {
    const double u = static_cast<double>(random() >> 11) * 0x1p-53;
    const auto rank = static_cast<std::uint64_t>(3000 * u * u * u);
    items.push_back(fmt::format("item{}", i < events / 2 ? rank : 2999 - rank));
  }
  return items;
}

truth exact_counts(const std::vector<std::string>& items) {
  truth counts;
  for (const std::string& item : items) ++counts[item];
  return counts;
}

// In batches of so many at most.
void add(field_totals& to, const std::vector<std::string>& items, std::size_t from, std::size_t end,
         std::size_t at_once) {
  for (std::size_t i = from; i < end;) {
    item_batch batch;
    for (; i < end && batch.size() < at_once; ++i) batch.add(digest_of(items[i], 0), items[i]);
    to.add(batch);
  }
}

// Returns how many answers are too high.
std::uint64_t expect_bounds(const field_totals& totals, const truth& exact) {
  std::uint64_t high = 0;
  for (const auto& [item, count] : exact) {
    const counted c = totals.at(digest_of(item, 0));
    EXPECT_GE(c.upper, count) << item;
    EXPECT_GE(c.value, count) << item;
    EXPECT_LE(c.lower, c.value) << item;
    EXPECT_LE(c.value, c.upper) << item;
    high += c.upper != count;
  }
  return high;
}

// Nothing that is missing is larger than it says, and what is guaranteed is one of the n largest.
void expect_top(const field_totals& totals, const truth& exact, std::size_t n) {
  std::vector<std::uint64_t> sizes;
  for (const auto& [item, count] : exact) sizes.push_back(count);
  std::sort(sizes.rbegin(), sizes.rend());
  const std::vector<large_item> top = totals.top(n);
  ASSERT_EQ(top.size(), std::min({n, exact.size(), std::size_t{field_totals::names}}));
  truth missing = exact;
  for (const large_item& l : totals.top(field_totals::names)) {
    EXPECT_GE(l.total.upper, exact.at(l.item)) << l.item;
    missing.erase(l.item);
  }
  for (const auto& [item, count] : missing) EXPECT_LE(count, totals.unlisted()) << item;
  for (const large_item& l : top) {
    EXPECT_GE(exact.at(l.item), l.guaranteed ? sizes[top.size() - 1] : 0) << l.item;
  }
}

TEST(totals, are_never_too_low_and_nearly_all_exact) {
  const auto items = stream(1, 60'000);
  const truth exact = exact_counts(items);
  field_totals totals({}, 0);
  add(totals, items, 0, items.size(), 1000);
  EXPECT_LE(expect_bounds(totals, exact), 1U);
  EXPECT_EQ(totals.different(), exact.size());
  expect_top(totals, exact, 10);
  const std::vector<large_item> top = totals.top(10);
  EXPECT_TRUE(std::all_of(top.begin(), top.end(), [&](const large_item& l) {
    return l.total.value == exact.at(l.item) && !l.cut;
  }));
  EXPECT_TRUE(std::is_sorted(top.begin(), top.end(), [](const auto& a, const auto& b) {
    return a.total.upper > b.total.upper;
  }));
}

// Cells that hold many times more items than they have room for.
TEST(totals, in_too_little_memory_are_never_too_low) {
  const auto items = stream(2, 30'000);
  const truth exact = exact_counts(items);
  field_totals totals(1024, 0);
  add(totals, items, 0, items.size(), 4096);
  EXPECT_GT(expect_bounds(totals, exact), exact.size() / 2);
  EXPECT_FALSE(totals.different());
  expect_top(totals, exact, 10);
}

TEST(totals, do_not_depend_on_batches_or_on_being_stored_between) {
  const auto items = stream(3, 12'000);
  for (const auto memory : {std::optional<std::uint64_t>(), std::optional<std::uint64_t>(1024)}) {
    field_totals whole(memory, 0);
    add(whole, items, 0, items.size(), 4096);
    field_totals parts(memory, 0);
    add(parts, items, 0, 5001, 7);
    field_totals loaded(any_tally::load(parts.counts().serialize()),
                        hot_list::load(parts.largest().serialize()));
    add(loaded, items, 5001, items.size(), 1);
    EXPECT_EQ(loaded.counts().serialize(), whole.counts().serialize());
    EXPECT_EQ(loaded.largest().serialize(), whole.largest().serialize());
  }
}

TEST(totals, of_long_items_are_those_of_the_whole_text) {
  field_totals totals({}, 0);
  const std::string begin(2000, 'x');
  add(totals, {begin + "1", begin + "2", begin + "2"}, 0, 3, 10);
  const auto top = totals.top(2);
  EXPECT_EQ(top[0].total.value, 2U);
  EXPECT_EQ(top[1].total.value, 1U);
  EXPECT_TRUE(top[0].cut && top[0].guaranteed);
}

// -- in a store ----------------------------------------------------------------------------------

std::string web_line(int day, int second, const char* method, int status, const char* bytes) {
  return fmt::format(
      "10.0.0.{} - - [{:02}/Jan/2014:00:00:{:02} +0000] \"{} /p{} HTTP/1.1\" {} {}\n", second % 3,
      day, second, method, second % 5, status, bytes);
}

// An event far ahead, which waits with its status, method and bytes, and is believed later.
TEST(totals, of_web_logs_do_not_notice_where_a_run_ends) {
  const std::vector<std::string> lines{
      web_line(1, 1, "GET", 200, "10"),     web_line(1, 2, "POST", 302, "-"),
      web_line(1, 3, "GET", 404, "7"),      web_line(9, 4, "DELETE", 500, "30"),
      web_line(1, 5, "PROPFIND", 200, "1"), web_line(9, 6, "HEAD", 200, "0"),
      web_line(9, 7, "GET", 99, "5"),       web_line(9, 8, "GET", 200, "5")};
  const temporary_directory folder(support::quick_place());
  const auto text = [&](std::size_t from, std::size_t to) {
    std::string all;
    for (std::size_t i = from; i < to; ++i) all += lines[i];
    return all;
  };
  const auto profiled = [&](const std::string& log, const std::string& store) {
    const told answer = run_command({"profile", log, "--store", store});
    EXPECT_EQ(answer.status, 0) << answer.err;
  };
  profiled(write_text(folder / "all", text(0, lines.size())), folder / "one");
  const store_contents one = contents_of(folder / "one");
  const auto web = store::web_totals::load(one.containers.at("web"));
  EXPECT_EQ(web.records(), 8U);
  EXPECT_EQ(web.bytes().events(), 58U);
  EXPECT_EQ(web.status(2).events(), 4U);
  EXPECT_EQ(web.status(5).events(), 1U);
  EXPECT_EQ(web.status(0).events(), 1U);
  EXPECT_EQ(web.method(1).events(), 4U);
  EXPECT_EQ(web.method(8).events(), 1U);
  for (std::size_t cut = 1; cut < lines.size(); ++cut) {
    const std::string store = folder / fmt::format("two{}", cut).c_str();
    profiled(write_text(folder / "first", text(0, cut)), store);
    profiled(write_text(folder / "second", text(cut, lines.size())), store);
    EXPECT_EQ(contents_of(store), one) << cut;
  }
}

// Made by a version that kept none.
TEST(totals, of_a_store_without_them_are_not_made_up) {
  const temporary_directory folder(support::quick_place());
  const auto log = write_text(folder / "log", "1\ta\tb\n2\ta\tb\n3\ta\tb\n4\ta\tb\n");
  const std::string store = folder / "store";
  ASSERT_EQ(run_command(profile_command({log}, store)).status, 0);
  {
    store::writer w(store, instant());
    for (const char* role : {"totals.2", "totals.3", "largest.2", "largest.3"}) w.remove(role);
    w.checkpoint();
  }
  ASSERT_EQ(run_command({"verify", store}).status, 0);
  const told again = run_command(profile_command({log}, store));
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_NE(again.err.find("older version and has no totals"), std::string::npos) << again.err;
  EXPECT_FALSE(contents_of(store).containers.contains("totals.2"));
  const told shown = run_command({"hot", store, "--table"});
  EXPECT_EQ(shown.status, 0);
  EXPECT_EQ(shown.out.find("total"), std::string::npos) << shown.out;
  const told refused = run_command({"hot", store, "--by", "total"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("has no totals"), std::string::npos) << refused.err;
}

// -- orders --------------------------------------------------------------------------------------

// "old" has the most hits but long ago, "steady" the most lately, "late" came last.
TEST(ranking, orders_by_each_number) {
  constexpr std::int64_t hour = 3600;
  profiler profile({}, {"item"});
  const auto add = [&](std::string_view item, std::int64_t second) {
    logs::event e;
    const std::array<std::string_view, 1> items{item};
    const std::array<char, 1> present{1};
    e.items = items;
    e.present = present;
    e.at = instant::from_seconds(1'400'000'400 + second);
    profile.add(
        e, [](instant) {}, [](const held_event&) {});
  };
  for (int i = 0; i < 500; ++i) add("old", i);
  for (int i = 0; i < 300; ++i) add("steady", 10 * hour - 12 * (300 - i));
  for (int i = 0; i < 60; ++i) add("late", 10 * hour - 60 + i);
  add("once", 10 * hour);
  profile.flush();
  const field_profile& f = profile.fields().front();
  const auto first = [&](order by) { return ranked(f, by, 10, *profile.newest()); };
  EXPECT_EQ(first(order::heat).at(0).item, "steady");
  EXPECT_EQ(first(order::total).at(0).item, "old");
  EXPECT_EQ(first(order::total).at(0).total->value, 500U);
  EXPECT_EQ(first(order::total).size(), 4U);
  EXPECT_EQ(first(order::trend).at(0).item, "late");
  const auto newest = first(order::newest);
  EXPECT_EQ(newest.at(0).item, "late");  // and not what was seen only once
  EXPECT_EQ(newest.at(0).first_seen, instant::from_seconds(1'400'000'400 + 10 * hour - 60));
  EXPECT_EQ(newest.at(1).item, "steady");
}

}  // namespace totals_test
}  // namespace bloomtime::profile
