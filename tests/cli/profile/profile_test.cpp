#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/logs/input_support.hpp"
#include "cli/profile/profile_samples.hpp"
#include "profile/profiler.hpp"

// The same events, whatever the way they come in, give the same store.
namespace bloomtime::profile {
namespace profile_test {

using namespace cli;
using namespace logs;

using support::temporary_directory;

constexpr std::int64_t day = 86'400;  // seconds

// A log with repeated items, lines out of order, gaps of days, stamps far ahead, and bad lines.
rc::Gen<std::vector<std::string>> any_log() {
  return rc::gen::exec([] {
    std::vector<std::string> lines;
    std::int64_t now = 1'400'000'000;
    const int length = *rc::gen::inRange(0, 80);
    for (int i = 0; i < length; ++i) {
      std::int64_t stamp = now += *rc::gen::inRange<std::int64_t>(0, 600);
      switch (*rc::gen::inRange(0, 14)) {
        case 0: stamp -= *rc::gen::inRange<std::int64_t>(0, 3 * day); break;
        case 1: stamp += *rc::gen::inRange<std::int64_t>(0, 4000 * day); break;
        case 2: stamp = now += *rc::gen::inRange<std::int64_t>(0, 9 * day); break;
        case 3: lines.emplace_back("?\t?\t?\n"); continue;
        default: break;
      }
      lines.push_back(
          fmt::format("{}\titem{}\t{}\n", stamp, *rc::gen::inRange(0, 40),
                      std::string(static_cast<std::size_t>(*rc::gen::inRange(0, 40)), 'x')));
    }
    return lines;
  });
}

std::string joined(const std::vector<std::string>& lines, std::size_t from, std::size_t to) {
  return std::accumulate(lines.begin() + static_cast<std::ptrdiff_t>(from),
                         lines.begin() + static_cast<std::ptrdiff_t>(to), std::string());
}

// An input in which no line can be read is an error.
bool has_events(const std::vector<std::string>& lines, std::size_t from, std::size_t to) {
  return std::any_of(lines.begin() + static_cast<std::ptrdiff_t>(from),
                     lines.begin() + static_cast<std::ptrdiff_t>(to),
                     [](const std::string& line) { return !line.starts_with('?'); });
}

RC_GTEST_PROP(profile, does_not_notice_where_a_run_ends, ()) {
  const auto lines = *any_log();
  const auto cut = *rc::gen::inRange<std::size_t>(0, lines.size() + 1);
  const temporary_directory folder(support::quick_place());
  const auto all = write_text(folder / "all", joined(lines, 0, lines.size()));
  const auto first = write_text(folder / "first", joined(lines, 0, cut));
  const auto second = write_text(folder / "second", joined(lines, cut, lines.size()));
  RC_PRE(has_events(lines, 0, cut));
  RC_PRE(cut == lines.size() || has_events(lines, cut, lines.size()));
  RC_ASSERT(run_command(profile_command({all}, folder / "one")).status == 0);
  RC_ASSERT(run_command(profile_command({first, second}, folder / "both")).status == 0);
  RC_ASSERT(run_command(profile_command({first}, folder / "two")).status == 0);
  RC_ASSERT(run_command(profile_command({second}, folder / "two")).status == 0);
  const store_contents one = contents_of(folder / "one");
  RC_ASSERT(contents_of(folder / "both") == one);
  RC_ASSERT(contents_of(folder / "two") == one);
}

// -- against exact counts ------------------------------------------------------------------------

// 2^(-age / half-life), age in whole epochs.
class exact_counts {
 public:
  explicit exact_counts(const store::profile_settings& settings)
      : epochs_(settings.resolution),
        per_half_life_(static_cast<double>(settings.half_life.count()) /
                       static_cast<double>(settings.resolution.count())) {}

  void add(std::string_view item, instant when) {
    counts_[std::string(item)].push_back(epochs_.tick_of(when).number);
  }

  template <class Visit>
  void for_each(instant now, Visit visit) const {
    const std::int64_t epoch = epochs_.tick_of(now).number;
    for (const auto& [item, events] : counts_) {
      double sum = 0;
      for (const std::int64_t e : events) {
        sum += std::exp2(-static_cast<double>(epoch - e) / per_half_life_);
      }
      visit(item, sum);
    }
  }

 private:
  tick_clock epochs_;
  double per_half_life_;
  std::map<std::string, std::vector<std::int64_t>> counts_;
};

class real_heat : public testing::TestWithParam<const char*> {};

TEST_P(real_heat, is_never_below_the_exact_count) {
  const std::string path = BLOOMTIME_TESTS_DIR "/../../shared/data/" + std::string(GetParam());
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "skipped: " << path << " is not there";
  const bool tsv = path.find(".tsv") != path.npos;
  const std::vector<std::string> items =
      tsv ? std::vector<std::string>{"2", "3"} : std::vector<std::string>{"host", "path"};
  const store::profile_settings settings{};
  profiler profile(settings, items);
  std::vector<exact_counts> exact(2, exact_counts(settings));
  event_reader reader({.items = items}, {path});
  instant newest;
  while (const event* e = reader.next()) {
    profile.add(
        *e, [&](instant t) { newest = std::max(newest, t); },
        [](const held_event&) { FAIL() << "these logs have no stamps far ahead"; });
    for (std::size_t i = 0; i < 2; ++i) exact[i].add(e->items[i], *e->at);
  }
  profile.flush();
  EXPECT_TRUE(profile.held().empty());
  for (std::size_t i = 0; i < 2; ++i) {
    const field_profile& field = profile.fields()[i];
    double excess = 0;
    std::uint64_t number = 0;
    std::uint64_t below_lower = 0;
    exact[i].for_each(newest, [&](const std::string& item, double truth) {
      const estimate e = field.at(item, newest);
      const double rounding = 1e-9 * (1 + truth);
      ASSERT_GE(e.upper, truth - rounding) << item;
      ASSERT_LE(e.lower, e.value) << item;
      ASSERT_LE(e.value, e.upper) << item;
      ++number;
      excess += e.value - truth;
      if (e.lower > truth + rounding) ++below_lower;
    });
    std::cout << fmt::format("{} field {}: {} items, mean over-estimate {:.6f} hits\n", GetParam(),
                             field.name, number, excess / static_cast<double>(number));
    EXPECT_LE(excess / static_cast<double>(number), 0.5);
    // The chance of each is below e^-4, and is that only if all items were equally hot.
    EXPECT_LE(static_cast<double>(below_lower), std::exp(-4) * static_cast<double>(number) + 1);
  }
}

INSTANTIATE_TEST_SUITE_P(data, real_heat,
                         testing::Values("almhuette_2015-16.tsv.xz", "wpblog_2016.tsv.xz",
                                         "asa_honeypot_2025.tsv.xz", "apache_combined_10k.log.xz"));

}  // namespace profile_test
}  // namespace bloomtime::profile
