#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <bloomtime/detail/container.hpp>
#include <bloomtime/math/random.hpp>

#include "cli/dedupe/deduper.hpp"
#include "support/expect_error.hpp"
#include "support/files.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::cli {
namespace deduper_test {

using namespace std::chrono_literals;

line_verdict judge(deduper& work, digest key, instant at) {
  const std::array<judged_line, 1> lines{{{key, at}}};
  std::array<line_verdict, 1> verdicts{};
  work.judge(lines, at, verdicts);
  return verdicts[0];
}

bool drops(deduper& work, std::uint64_t key, std::int64_t second) {
  return judge(work, digest_of(key), instant::from_seconds(second)).drop;
}

TEST(deduper, remembers_when_the_clock_on_the_wall_is_set_back) {
  deduper work({.key = "line", .time = time_source::wall, .window = 10min, .expect = 1000});
  EXPECT_FALSE(drops(work, 1, 1'000'000));
  EXPECT_FALSE(drops(work, 2, 1'000'000 - 7200));
  EXPECT_TRUE(drops(work, 2, 1'000'000 - 7200));
  EXPECT_TRUE(drops(work, 1, 1'000'000 - 7199));
  EXPECT_FALSE(drops(work, 1, 1'000'000 + 1300));
}

// -- mistakes ------------------------------------------------------------------------------------

// Every key `copies` times within one window, the copies a tenth of a second apart.
std::vector<judged_line> repeated(std::uint64_t keys, std::uint64_t copies) {
  std::vector<judged_line> lines;
  for (std::uint64_t i = 0; i < keys * copies; ++i) {
    const std::uint64_t key = i / (100 * copies) * 100 + i % 100;
    lines.push_back(
        {digest_of(key), instant(1'000'000'000'000 + static_cast<std::int64_t>(i) * 1000)});
  }
  return lines;
}

// Lines that were dropped though an exact filter, within whose window all of them lie, passes them.
double lost_lines(deduper& work, std::span<const judged_line> lines) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
  double lost = 0;
  std::vector<line_verdict> verdicts(1000);
  for (; !lines.empty(); lines = lines.subspan(std::min<std::size_t>(1000, lines.size()))) {
    const auto some = lines.first(std::min<std::size_t>(1000, lines.size()));
    work.judge(some, some[0].at, verdicts);
    for (std::size_t i = 0; i < some.size(); ++i) {
      const bool is_new = seen.emplace(some[i].key.lo, some[i].key.hi).second;
      lost += is_new && verdicts[i].drop;
    }
  }
  return lost;
}

// Within a part of the truth for what the model leaves out, and five standard deviations.
TEST(deduper, expects_as_many_mistakes_as_it_makes) {
  struct load {
    std::uint64_t expect;
    double error;
    std::uint64_t keys;
    bool overloaded;
  };
  const std::optional<math::penalties> no_costs;
  for (const load& l : {load{9000, 0.05, 3000, false}, load{5000, 0.01, 5000, false},
                        load{5000, 0.01, 40'000, true}}) {
    for (const std::uint64_t copies : {1, 3}) {
      for (const bool refresh : {true, false}) {
        for (const auto& costs : {no_costs, std::optional(math::penalties{1, 1})}) {
          deduper work({.key = "line",
                        .time = time_source::lines,
                        .window = 24h,
                        .expect = l.expect,
                        .error = l.error,
                        .refresh = refresh,
                        .costs = costs});
          const double lost = lost_lines(work, repeated(l.keys, copies));
          const double told = work.counts().wrong;
          const double part = costs ? 0.3 : 0.15;
          EXPECT_NEAR(told, lost, part * lost + 5 * std::sqrt(lost) + 1)
              << l.expect << ' ' << l.keys << ' ' << copies << ' ' << refresh;
          work.refresh_error();
          EXPECT_EQ(work.overloaded(), l.overloaded);
          EXPECT_FALSE(work.full());
        }
      }
    }
  }
}

// What an exact filter says: when a key was seen last, or passed last.
class exact_window {
 public:
  exact_window(std::chrono::microseconds window, bool refresh)
      : window_(window.count()), refresh_(refresh) {}

  // Whether a key is new. Some time after the end of a window it may still be found.
  enum class verdict { fresh, either, seen };
  // Without refresh it remembers what passed: what was not dropped, or what it passes itself.
  verdict judge(const judged_line& line, std::optional<bool> dropped = std::nullopt) {
    const std::pair key{line.key.lo, line.key.hi};
    const auto found = last_.find(key);
    verdict said = verdict::fresh;
    if (found != last_.end()) {
      const std::int64_t age = line.at.micros - found->second;
      said = age <= window_                   ? verdict::seen
             : age <= window_ + window_ / 300 ? verdict::either
                                              : verdict::fresh;
    }
    if (refresh_ || !dropped.value_or(said != verdict::fresh)) last_[key] = line.at.micros;
    return said;
  }

 private:
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::int64_t> last_;
  std::int64_t window_;
  bool refresh_;
};

// Lines of a window of ten minutes: most of a window's keys within some seconds, then hardly any;
// gaps of many windows; and up to `most` keys in a window.
std::vector<judged_line> hostile(std::uint64_t most, std::uint64_t seed) {
  math::random_source random(seed);
  std::vector<judged_line> lines;
  std::int64_t now = 1'000'000'000'000'000;
  std::uint64_t next_key = 0;
  for (int burst = 0; burst < 12; ++burst) {
    const std::uint64_t keys = burst % 3 == 0 ? most : most / 20;
    for (std::uint64_t i = 0; i < keys; ++i) {
      now += burst % 2 == 0 ? 1000 : 50'000;
      const bool again = next_key > 100 && random() % 3 == 0;
      const std::uint64_t key = again ? next_key - 1 - random() % 100 : next_key++;
      lines.push_back({digest_of(key), instant(now)});
    }
    now += burst % 4 == 1 ? 7'200'000'000 : 400'000'000;
  }
  return lines;
}

// docs/recency.md: 15 %, or 30 % with costs, and five times the square root.
TEST(deduper, expects_its_mistakes_in_bursts_after_gaps_and_overloaded) {
  for (const std::uint64_t most : {std::uint64_t{8000}, std::uint64_t{30'000}}) {
    for (const bool refresh : {true, false}) {
      for (const bool with_costs : {false, true}) {
        std::optional<math::penalties> costs;
        if (with_costs) costs = math::penalties{1, 1};
        deduper work({.key = "line",
                      .time = time_source::lines,
                      .window = 10min,
                      .expect = 5000,
                      .error = 0.02,
                      .refresh = refresh,
                      .costs = costs});
        exact_window exact(10min, refresh);
        exact_window alone(10min, refresh);  // remembers what it passes itself
        double lost = 0;
        double unclear = 0;
        std::array<line_verdict, 1> verdict{};
        for (const judged_line& line : hostile(most, 11 + refresh)) {
          work.judge({&line, 1}, line.at, verdict);
          const auto said = exact.judge(line, verdict[0].drop);
          if (!with_costs && said == exact_window::verdict::seen) {
            EXPECT_TRUE(verdict[0].drop);
          }
          const auto truth = alone.judge(line);
          lost += verdict[0].drop && truth == exact_window::verdict::fresh;
          unclear += verdict[0].drop && truth == exact_window::verdict::either;
        }
        const double part = with_costs ? 0.3 : 0.15;
        EXPECT_NEAR(work.counts().wrong, lost, part * lost + 5 * std::sqrt(lost) + 1 + unclear)
            << most << ' ' << refresh << ' ' << with_costs;
        if (most > 10'000 && !with_costs) {
          EXPECT_GT(lost, 20);
        }
      }
    }
  }
}

// -- costs of lines ------------------------------------------------------------------------------

// New lines that look seen are dropped if losing them is cheap, and pass if it is dear.
TEST(deduper, weighs_the_cost_of_each_line) {
  dedupe_settings s{.key = "line",
                    .time = time_source::lines,
                    .window = 24h,
                    .expect = 1000,
                    .error = 0.2,
                    .costs = math::penalties{1, 1},
                    .seed = hash_seed(3)};
  deduper work(s);
  std::vector<judged_line> lines = repeated(40'000, 1);
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].loss = i % 2 == 0 ? 1e-9 : 1e9;
  std::vector<line_verdict> verdicts(lines.size());
  work.judge(lines, lines[0].at, verdicts);
  std::array<int, 2> dropped{};
  for (std::size_t i = 0; i < lines.size(); ++i) dropped[i % 2] += verdicts[i].drop;
  EXPECT_GT(dropped[0], 100);
  EXPECT_EQ(dropped[1], 0);
  // Without costs of their own, lines have that of the settings.
  deduper same(s);
  deduper plain(s);
  std::vector<judged_line> equal = lines;
  for (judged_line& line : equal) line.loss = 1;
  for (judged_line& line : lines) line.loss.reset();
  std::vector<line_verdict> others(lines.size());
  same.judge(equal, lines[0].at, verdicts);
  plain.judge(lines, lines[0].at, others);
  for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(verdicts[i].drop, others[i].drop);
}

// -- lines that were not written -----------------------------------------------------------------

// As if the lines from `first` on had not been judged, however they are remembered.
TEST(deduper, passes_again_what_could_not_be_written) {
  for (const bool refresh : {true, false}) {
    for (const time_source time : {time_source::none, time_source::wall, time_source::lines}) {
      dedupe_settings s{
          .key = "line", .time = time, .window = 10min, .expect = 1000, .refresh = refresh};
      s.count = true;
      if (time == time_source::none) s.window = {};
      deduper work(s);
      const std::int64_t start = 1'000'000;
      for (int i = 0; i < 5; ++i) (void)drops(work, 100, start);
      std::vector<judged_line> lines;
      for (const std::uint64_t key : {1, 2, 100, 2, 3, 3}) {
        lines.push_back({digest_of(key), instant::from_seconds(start + 1)});
      }
      std::vector<line_verdict> verdicts(lines.size());
      work.judge(lines, instant::from_seconds(start + 1), verdicts);
      work.take_back(std::span(lines).subspan(1), std::span(verdicts).subspan(1), 0);
      EXPECT_EQ(work.counts().passed, 2u);  // 100 and 1
      deduper next = deduper::load(work.serialize(), s, "state");
      EXPECT_TRUE(drops(next, 1, start + 2));
      EXPECT_TRUE(drops(next, 100, start + 2));
      for (const std::uint64_t key : {2, 3}) {
        const line_verdict first = judge(next, digest_of(key), instant::from_seconds(start + 300));
        EXPECT_FALSE(first.drop) << key;
        // Its window begins with the line that was written.
        EXPECT_TRUE(drops(next, key, start + 700)) << key;
      }
      EXPECT_EQ(next.serialize(), deduper::load(next.serialize(), s, "state").serialize());
    }
  }
}

// The first lines are not believed yet, and not in the filter.
TEST(deduper, passes_again_what_could_not_be_written_while_times_are_doubted) {
  const dedupe_settings s{
      .key = "line", .time = time_source::lines, .window = 10min, .expect = 1000};
  deduper work(s);
  const std::array<judged_line, 1> lines{{{digest_of(1), instant::from_seconds(1'000'000)}}};
  std::array<line_verdict, 1> verdicts{};
  work.judge(lines, lines[0].at, verdicts);
  work.take_back(lines, verdicts, 0);
  deduper next = deduper::load(work.serialize(), s, "state");
  EXPECT_FALSE(drops(next, 1, 1'000'000));
  EXPECT_TRUE(drops(next, 1, 1'000'000));
  EXPECT_TRUE(drops(next, 1, 1'000'001));
  (void)deduper::load(next.serialize(), s, "state");
}

TEST(deduper, puts_back_what_it_had_suppressed) {
  dedupe_settings s{.key = "line", .time = time_source::wall, .window = 10min, .expect = 100};
  s.count = true;
  deduper work(s);
  for (int i = 0; i < 4; ++i) (void)drops(work, 1, 1'000'000);  // three are dropped
  const std::array<judged_line, 1> lines{{{digest_of(1), instant::from_seconds(1'010'000)}}};
  std::array<line_verdict, 1> verdicts{};
  work.judge(lines, lines[0].at, verdicts);
  ASSERT_EQ(verdicts[0].suppressed, 3u);
  work.take_back(lines, verdicts, 0);
  EXPECT_EQ(judge(work, digest_of(1), instant::from_seconds(1'010'001)).suppressed, 3u);
}

// -- seeds ---------------------------------------------------------------------------------------

TEST(deduper, draws_a_seed_for_every_state_and_keeps_it) {
  dedupe_settings s{.key = "line", .time = time_source::none, .expect = 100};
  const deduper one = deduper::fresh(s);
  const deduper two = deduper::fresh(s);
  EXPECT_NE(one.filter().seed(), two.filter().seed());
  EXPECT_EQ(deduper::load(one.serialize(), s, "state").filter().seed(), one.filter().seed());
  s.seed = 5;
  EXPECT_EQ(deduper::fresh(s).filter().seed(), 5u);
  EXPECT_ANY_THROW((void)deduper::load(one.serialize(), s, "state"));
}

// -- memory --------------------------------------------------------------------------------------

// A duplicate in each of 200,000 minutes: 139 days of them.
TEST(deduper, counts_drops_per_minute_of_the_newest_days_and_their_memory) {
  const dedupe_settings s{
      .key = "line", .time = time_source::lines, .window = 10min, .expect = 100, .error = 0.01};
  deduper work(s);
  constexpr std::int64_t minutes = 200'000;
  for (std::int64_t m = 0; m < minutes; ++m) {
    (void)drops(work, 1, m * 60);
    if (m == 1000) {
      EXPECT_TRUE(drops(work, 1, m * 60));
    }
  }
  EXPECT_EQ(work.counts().dropped, static_cast<std::uint64_t>(minutes));
  EXPECT_EQ(work.most_drops_per_minute(), 2u);
  constexpr std::uint64_t kept = 42 * 1440;
  EXPECT_GE(work.drops().events(), kept);
  EXPECT_LE(work.drops().events(), kept + 2 * 4096);
  EXPECT_EQ(work.drops().at(instant::from_seconds((minutes - 1 - 42 * 1440) * 60)), 1u);
  const std::uint64_t more = work.memory() - work.filter().memory();
  EXPECT_GE(more, 16 * kept);
  EXPECT_LE(more, (std::uint64_t{1} << 20) + 4096);
  const deduper next = deduper::load(work.serialize(), s, "state");
  EXPECT_EQ(next.most_drops_per_minute(), 2u);
  EXPECT_EQ(next.serialize(), work.serialize());
}

// -- a limit of memory ---------------------------------------------------------------------------

struct judged_stream {
  std::uint64_t lost = 0;    // new lines that were dropped
  std::uint64_t passed = 0;  // duplicates that passed
};

// Many times as many keys within a window as the memory holds, each of them about twice, against an
// exact twin: in bursts, half a window and just over a window apart, and after a gap. Times are
// whole ticks.
judged_stream crowd(deduper& work, std::uint64_t limit) {
  constexpr std::int64_t window = 600;
  std::map<std::uint64_t, std::int64_t> last;
  judged_stream found;
  std::uint64_t key = 0;
  for (const std::int64_t start : {0, 300, 901, 1502, 9000}) {
    for (std::uint64_t i = 0; i < limit; ++i) {
      const std::uint64_t back = detail::mix(i) % std::min<std::uint64_t>(key + 1, 5000);
      const std::uint64_t now = i % 2 == 1 ? key - back : ++key;
      const std::int64_t second = start + static_cast<std::int64_t>(250 * i / limit);
      const auto seen = last.find(now);
      const bool duplicate = seen != last.end() && second - seen->second <= window;
      const bool dropped = drops(work, now, 1'000'000 + second);
      found.lost += dropped && !duplicate;
      found.passed += !dropped && duplicate;
      if (!dropped || duplicate) last[now] = second;
    }
    EXPECT_LE(work.filter().memory() + work.suppressed().memory(), limit);
  }
  return found;
}

constexpr std::uint64_t small_memory = 128 << 10;

dedupe_settings limited(std::uint64_t memory, full_policy policy) {
  dedupe_settings s{.key = "line", .time = time_source::lines, .window = 10min};
  s.memory = memory;
  s.when_full = policy;
  return s;
}

TEST(deduper, starts_with_kilobytes) {
  const deduper work(dedupe_settings{.key = "line", .time = time_source::lines, .window = 10min});
  EXPECT_LE(work.memory(), 64u << 10);
  EXPECT_FALSE(work.full());
}

// The expected number of errors is below 1e-3.
TEST(deduper, drops_no_new_line_because_of_its_limit) {
  deduper work(limited(small_memory, full_policy::pass));
  const judged_stream found = crowd(work, small_memory);
  EXPECT_EQ(found.lost, 0u);
  EXPECT_TRUE(work.full());
  EXPECT_FALSE(work.overloaded());
  EXPECT_GT(work.counts().forgotten, small_memory);
  EXPECT_LE(found.passed, work.counts().forgotten);
  EXPECT_LT(found.passed, small_memory / 20);  // most duplicates follow soon
  EXPECT_EQ(work.counts().crowded_out, 0u);
}

TEST(deduper, passes_no_duplicate_if_new_lines_are_dropped_when_full) {
  for (const bool costs : {false, true}) {
    dedupe_settings s = limited(small_memory, full_policy::drop);
    if (costs) s.costs = math::penalties{1, 1};
    deduper work(s);
    const judged_stream found = crowd(work, small_memory);
    EXPECT_EQ(found.passed, 0u);
    EXPECT_EQ(found.lost, work.counts().crowded_out);
    EXPECT_GT(found.lost, small_memory);
    EXPECT_EQ(work.counts().forgotten, 0u);
    EXPECT_TRUE(work.full());
  }
}

TEST(deduper, keeps_within_its_limit_with_counts_of_keys) {
  dedupe_settings s = limited(small_memory, full_policy::pass);
  s.count = true;
  deduper work(s);
  (void)crowd(work, small_memory);
  EXPECT_FALSE(work.suppressed().complete());
}

TEST(deduper, continues_with_more_memory) {
  const dedupe_settings small = limited(small_memory, full_policy::pass);
  deduper work(small);
  (void)crowd(work, small_memory);
  const auto state = work.serialize();
  const std::uint64_t forgotten = work.counts().forgotten;
  deduper same = deduper::load(state, small, "state");
  EXPECT_EQ(same.counts().forgotten, forgotten);
  EXPECT_FALSE(same.full());  // in this run
  EXPECT_EQ(same.serialize(), state);
  deduper larger = deduper::load(state, limited(8 << 20, full_policy::pass), "state");
  for (std::uint64_t i = 0; i < 50'000; ++i) (void)drops(larger, 1'000'000 + i, 1'006'000);
  EXPECT_FALSE(larger.full());
  EXPECT_EQ(larger.counts().forgotten, forgotten);
  for (std::uint64_t i = 0; i < 50'000; ++i) EXPECT_TRUE(drops(larger, 1'000'000 + i, 1'006'100));
  EXPECT_THROW((void)deduper::load(larger.serialize(), small, "state"), text::usage_error);
}

// -- stored states -------------------------------------------------------------------------------

TEST(deduper, continues_a_state_of_the_first_version) {
  const auto path = std::filesystem::path(BLOOMTIME_TESTS_DIR) / "format" / "golden" / "command" /
                    "dedupe_state.bloomtime";
  const std::vector<std::byte> bytes = support::read_file(path);
  ASSERT_TRUE(deduper::is_state(bytes));
  const dedupe_settings s = deduper::settings_in(bytes);
  deduper work = deduper::load(bytes, s, "state");
  EXPECT_EQ(work.counts().passed, 40u);
  EXPECT_EQ(work.counts().dropped, 360u);
  EXPECT_EQ(work.most_drops_per_minute(), 41u);
  const hash_seed seed = work.filter().seed();
  EXPECT_EQ(seed, (hash_seed{0, hash_id::xxh3_128}));
  const instant newest = *work.filter().newest();
  EXPECT_TRUE(judge(work, digest_of("item1", seed), newest).drop);
  EXPECT_FALSE(judge(work, digest_of("another", seed), newest).drop);
  const auto again = work.serialize();
  EXPECT_EQ(deduper::load(again, s, "state").filter().seed(), seed);
  EXPECT_EQ(deduper::load(again, s, "state").filter().engine(), "age_partitioned_filter");
  EXPECT_EQ(deduper(s).filter().engine(), "recency_table");
  // Whoever gives no --expect continues with that of the state.
  dedupe_settings any = s;
  any.expect = default_expect;
  EXPECT_ANY_THROW((void)deduper::load(again, any, "state"));
  any.any_expect = true;
  EXPECT_EQ(deduper::load(again, any, "state").serialize(), again);
  EXPECT_EQ(deduper::load(again, s, "state").serialize(), again);
}

// The same container with other parameters.
std::vector<std::byte> with_parameter(const std::vector<std::byte>& state, std::size_t number,
                                      std::uint64_t value) {
  const auto view = detail::container_view::parse(state);
  detail::container_writer out(view.info());
  detail::byte_reader in = view.parameters();
  for (std::size_t i = 0; in.remaining() != 0; ++i) {
    const std::uint64_t old = in.u64();
    out.parameters().u64(i == number ? value : old);
  }
  for (std::uint32_t id = 1; id <= 6; ++id) out.section(id, view.section(id));
  return out.bytes();
}

// One far ahead would make every line late, and drop the second of each key for ever.
TEST(deduper, refuses_a_newest_time_that_its_filter_does_not_know) {
  constexpr std::size_t has_clock = 12;
  constexpr std::size_t clock = 13;
  dedupe_settings s{.key = "line", .time = time_source::lines, .window = 10min, .expect = 100};
  deduper work(s);
  const std::int64_t start = 1'700'000'000;
  for (int i = 0; i < 50; ++i) (void)drops(work, static_cast<std::uint64_t>(i), start + i);
  const auto state = work.serialize();
  const auto at = [](std::int64_t second) {
    return static_cast<std::uint64_t>(second * 1'000'000);
  };
  EXPECT_EQ(with_parameter(state, clock, at(start + 49)), state);
  const auto load = [&](const std::vector<std::byte>& bytes) {
    (void)deduper::load(bytes, s, "state");
  };
  const std::int64_t year = 365 * 86400;
  for (const std::int64_t wrong : {start + year, start - year, std::int64_t{0}, 200 * year}) {
    support::expect_error(
        errc::corrupt, [&] { load(with_parameter(state, clock, at(wrong))); }, "contradict");
  }
  support::expect_error(
      errc::corrupt, [&] { load(with_parameter(with_parameter(state, clock, 0), has_clock, 0)); },
      "contradict");
  // An empty filter has no newest time, nor has the clock on the wall.
  const auto empty = deduper(s).serialize();
  support::expect_error(
      errc::corrupt,
      [&] { load(with_parameter(with_parameter(empty, has_clock, 1), clock, at(start))); },
      "contradict");
  s.time = time_source::wall;
  deduper wall(s);
  (void)drops(wall, 1, start);
  support::expect_error(
      errc::corrupt,
      [&] {
        load(with_parameter(with_parameter(wall.serialize(), has_clock, 1), clock, at(start)));
      },
      "contradict");
}

// Whatever comes in whatever order, what was saved loads: hostile times, each policy.
TEST(deduper, loads_what_it_saved_after_hostile_times) {
  std::uint64_t draw = 1;
  const auto below = [&](std::uint64_t most) {
    draw = detail::mix(draw + detail::golden);
    return draw % most;
  };
  for (int round = 0; round < 60; ++round) {
    dedupe_settings s{
        .key = "line", .time = time_source::lines, .window = 10min, .expect = 50, .error = 0.01};
    s.refresh = round % 2 == 0;
    s.late = static_cast<late_policy>(1 + round % 3);
    if (round % 5 == 0) s.costs = math::penalties{.false_positive = 1, .false_negative = 1};
    deduper work(s);
    std::int64_t now = 1'000'000;
    for (int i = 0; i < 120; ++i) {
      const std::uint64_t kind = below(10);
      if (kind == 0) now += static_cast<std::int64_t>(below(3)) * 86400;
      now += static_cast<std::int64_t>(below(200));
      const std::int64_t away = kind == 1   ? 40 * 86400
                                : kind == 2 ? -static_cast<std::int64_t>(below(200'000))
                                            : 0;
      const std::array<judged_line, 1> lines{
          {{digest_of(below(20)), instant::from_seconds(now + away)}}};
      std::array<line_verdict, 1> verdicts{};
      work.judge(lines, lines[0].at, verdicts);
      if (below(8) == 0) work.take_back(lines, verdicts, 0);
      const auto bytes = work.serialize();
      ASSERT_EQ(deduper::load(bytes, s, "state").serialize(), bytes) << round << " " << i;
    }
  }
}

}  // namespace deduper_test
}  // namespace bloomtime::cli
