#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "logs/event_reader.hpp"
#include "profile/profiler.hpp"

// Real logs, every second of every item: what was seen is never missed, and nothing is said to have
// been seen between two neighbouring seconds of an item.
namespace bloomtime::profile {
namespace real_past_test {

using namespace logs;

using seconds_of = std::map<std::string, std::set<std::int64_t>>;

struct mistakes {
  std::uint64_t pairs = 0;
  std::uint64_t missed = 0;
  std::uint64_t invented = 0;
};

mistakes compare(const history& past, const seconds_of& truth) {
  mistakes found;
  const auto asked = [&](const std::string& item, std::int64_t from, std::int64_t to) {
    return past.seen(item, instant::from_seconds(from), instant::from_seconds(to));
  };
  for (const auto& [item, seconds] : truth) {
    std::int64_t last = *seconds.begin() - 1000;
    for (const std::int64_t second : seconds) {
      ++found.pairs;
      found.missed += asked(item, second, second) != sighting::maybe;
      found.invented += last + 1 < second && asked(item, last + 1, second - 1) != sighting::no;
      last = second;
    }
  }
  return found;
}

class real_past : public testing::TestWithParam<const char*> {};

TEST_P(real_past, is_never_missed) {
  const std::string path = BLOOMTIME_TESTS_DIR "/../../shared/data/" + std::string(GetParam());
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "skipped: " << path << " is not there";
  const std::vector<std::string> items{"2", "3"};
  profiler profile({}, items);
  std::vector<seconds_of> truth(2);
  event_reader reader({.items = items}, {path});
  while (const event* e = reader.next()) {
    profile.add(
        *e, [](instant) {}, [](const held_event&) { FAIL() << "these logs have none far ahead"; });
    for (std::size_t i = 0; i < 2; ++i) {
      truth[i][std::string(e->items[i])].insert(
          tick_clock(std::chrono::seconds(1)).tick_of(*e->at).number);
    }
  }
  profile.compact();
  for (std::size_t i = 0; i < 2; ++i) {
    const field_profile& field = profile.fields()[i];
    const mistakes found = compare(*field.past, truth[i]);
    EXPECT_EQ(found.missed, 0U);
    // A gap of a year in items without names errs with a chance of 365 * 7e-7 at most, and there
    // are few as long.
    EXPECT_LE(found.invented, 5U);
    std::cout << fmt::format(
        "{} field {}: {} pairs, {:.2f} bits each, {} invented\n", GetParam(), field.name,
        found.pairs,
        8.0 * static_cast<double>(field.past->memory()) / static_cast<double>(found.pairs),
        found.invented);
  }
}

INSTANTIATE_TEST_SUITE_P(data, real_past,
                         testing::Values("almhuette_2015-16.tsv.xz", "wpblog_2016.tsv.xz",
                                         "asa_honeypot_2025.tsv.xz"));

}  // namespace real_past_test
}  // namespace bloomtime::profile
