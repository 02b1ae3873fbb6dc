#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "logs/time_gate.hpp"

namespace bloomtime::logs {
namespace time_gate_test {

constexpr std::int64_t an_hour = 3'600'000'000;
constexpr std::int64_t a_day = 24 * an_hour;

// What became of events, by their numbers, in the order in which it was decided.
struct fates {
  std::vector<std::size_t> believed;
  std::vector<std::size_t> rejected;
  std::vector<std::size_t> held;
  std::optional<instant> clock;

  friend bool operator==(const fates&, const fates&) = default;
};

std::size_t number_of(const held_event& e) { return std::stoul(e.line); }

class tracked_gate {
 public:
  void next(std::int64_t micros) {
    const std::size_t number = count_++;
    if (gate_.passes(instant(micros))) {
      so_far_.believed.push_back(number);
      return;
    }
    const auto decided = gate_.judge({instant(micros), {}, std::to_string(number), 0, 0});
    for (const held_event& e : decided.believed) so_far_.believed.push_back(number_of(e));
    for (const held_event& e : decided.rejected) so_far_.rejected.push_back(number_of(e));
  }

  // As a store does between two runs.
  void stop_and_go_on() { gate_ = time_gate(gate_.clock(), gate_.held()); }

  fates result() const {
    fates all = so_far_;
    for (const held_event& e : gate_.held()) all.held.push_back(number_of(e));
    all.clock = gate_.clock();
    return all;
  }

  const time_gate& gate() const { return gate_; }

 private:
  time_gate gate_;
  std::size_t count_ = 0;
  fates so_far_;
};

fates fates_of(const std::vector<std::int64_t>& times) {
  tracked_gate gate;
  for (const std::int64_t t : times) gate.next(t);
  return gate.result();
}

std::vector<std::size_t> all_up_to(std::size_t n) {
  std::vector<std::size_t> numbers(n);
  for (std::size_t i = 0; i < n; ++i) numbers[i] = i;
  return numbers;
}

std::vector<std::int64_t> every_minute(std::size_t n, std::int64_t from = 0) {
  std::vector<std::int64_t> times;
  for (std::size_t i = 0; i < n; ++i) {
    times.push_back(from + static_cast<std::int64_t>(i) * 60'000'000);
  }
  return times;
}

// -- the rule, by brute force --------------------------------------------------------------------

// Nothing is remembered: for each moment, who agrees with whom is counted again from all events.
fates by_the_rule(const std::vector<std::int64_t>& times) {
  const auto far_behind = [](std::int64_t t, std::int64_t of) {
    return static_cast<long double>(t) < static_cast<long double>(of) - a_day;
  };
  enum class state { waiting, believed, rejected };
  std::vector<state> states;
  fates all;
  for (std::size_t now = 0; now < times.size(); ++now) {
    states.push_back(state::waiting);
    const auto votes = [&](std::size_t i, bool against) {
      return std::count_if(times.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                           times.begin() + static_cast<std::ptrdiff_t>(now) + 1,
                           [&](std::int64_t t) { return far_behind(t, times[i]) == against; });
    };
    const auto believable = [&](std::size_t i) {
      return states[i] == state::waiting &&
             (votes(i, false) >= 2 || (all.clock && !far_behind(all.clock->micros, times[i])));
    };
    for (std::size_t i = 0; i <= now;) {
      if (!believable(i)) {
        ++i;
        continue;
      }
      states[i] = state::believed;
      all.believed.push_back(i);
      if (!all.clock || all.clock->micros < times[i]) all.clock = instant(times[i]);
      i = 0;
    }
    for (std::size_t i = 0; i <= now; ++i) {
      if (states[i] != state::waiting || votes(i, true) < 8) continue;
      states[i] = state::rejected;
      all.rejected.push_back(i);
    }
  }
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (states[i] == state::waiting) all.held.push_back(i);
  }
  return all;
}

// Runs of ordinary times, gaps of days, stragglers, and stamps from anywhere.
rc::Gen<std::vector<std::int64_t>> any_stamps() {
  return rc::gen::exec([] {
    std::vector<std::int64_t> times;
    std::int64_t now = *rc::gen::arbitrary<std::int64_t>() / 2;
    const int length = *rc::gen::inRange(0, 60);
    for (int i = 0; i < length; ++i) {
      switch (*rc::gen::inRange(0, 12)) {
        case 0: now += *rc::gen::inRange<std::int64_t>(a_day - 2, a_day + 3); break;
        case 1: now += *rc::gen::inRange<std::int64_t>(0, 30) * a_day; break;
        case 2: times.push_back(*rc::gen::arbitrary<std::int64_t>()); continue;
        case 3: times.push_back(now + *rc::gen::inRange<std::int64_t>(-40, 40) * a_day); continue;
        case 4: times.push_back(now - *rc::gen::inRange<std::int64_t>(0, 3) * a_day); continue;
        default: now += *rc::gen::inRange<std::int64_t>(0, an_hour);
      }
      times.push_back(now);
    }
    return times;
  });
}

RC_GTEST_PROP(time_gate, decides_as_the_rule_says, ()) {
  const auto times = *any_stamps();
  RC_ASSERT(fates_of(times) == by_the_rule(times));
}

RC_GTEST_PROP(time_gate, does_not_notice_where_a_run_ends, ()) {
  const auto times = *any_stamps();
  tracked_gate gate;
  for (const std::int64_t t : times) {
    if (*rc::gen::arbitrary<bool>()) gate.stop_and_go_on();
    gate.next(t);
  }
  RC_ASSERT(gate.result() == fates_of(times));
}

RC_GTEST_PROP(time_gate, loses_nothing_and_holds_few, ()) {
  const auto times = *any_stamps();
  tracked_gate gate;
  for (std::size_t i = 0; i < times.size(); ++i) {
    gate.next(times[i]);
    RC_ASSERT(gate.gate().held().size() <= time_gate::most_held);
    const fates all = gate.result();
    std::vector<std::size_t> numbers = all.believed;
    numbers.insert(numbers.end(), all.rejected.begin(), all.rejected.end());
    numbers.insert(numbers.end(), all.held.begin(), all.held.end());
    std::sort(numbers.begin(), numbers.end());
    RC_ASSERT(numbers == all_up_to(i + 1));
  }
}

RC_GTEST_PROP(time_gate, one_corrupt_stamp_anywhere_is_all_that_is_lost, ()) {
  auto times = every_minute(*rc::gen::inRange<std::size_t>(20, 60));
  const auto place = *rc::gen::inRange<std::size_t>(0, times.size() - 10);
  const std::int64_t stamp =
      *rc::gen::inRange<std::int64_t>(2 * a_day, std::numeric_limits<std::int64_t>::max());
  times.insert(times.begin() + static_cast<std::ptrdiff_t>(place), stamp);
  const fates all = fates_of(times);
  RC_ASSERT(all.rejected == std::vector<std::size_t>{place});
  RC_ASSERT(all.believed.size() == times.size() - 1);
  RC_ASSERT(all.clock == instant(times.back()));
}

// -- cases ---------------------------------------------------------------------------------------

TEST(time_gate, an_ordinary_log_is_believed_in_its_order) {
  const fates all = fates_of(every_minute(100));
  EXPECT_EQ(all.believed, all_up_to(100));
  EXPECT_TRUE(all.held.empty());
}

TEST(time_gate, the_first_event_waits_for_two_more) {
  EXPECT_EQ(fates_of(every_minute(2)).held, all_up_to(2));
  EXPECT_EQ(fates_of(every_minute(3)).believed, all_up_to(3));
}

TEST(time_gate, a_day_is_near_and_a_microsecond_more_is_far) {
  auto times = every_minute(3);
  times.push_back(times.back() + a_day);
  EXPECT_EQ(fates_of(times).believed.size(), 4U);
  ++times.back();
  EXPECT_EQ(fates_of(times).held, std::vector<std::size_t>{3});
}

TEST(time_gate, a_log_with_a_gap_goes_on_after_it) {
  auto times = every_minute(10);
  for (const std::int64_t t : every_minute(10, 30 * a_day)) times.push_back(t);
  EXPECT_EQ(fates_of(times).believed, all_up_to(20));
}

TEST(time_gate, a_log_of_one_event_a_week_is_believed_but_for_the_last_two) {
  std::vector<std::int64_t> times;
  for (int week = 0; week < 20; ++week) times.push_back(7 * a_day * week);
  const fates all = fates_of(times);
  EXPECT_EQ(all.believed, all_up_to(18));
  EXPECT_EQ(all.held, (std::vector<std::size_t>{18, 19}));
}

TEST(time_gate, stragglers_from_before_a_gap_do_not_reject_what_follows_it) {
  auto times = every_minute(10);
  times.push_back(30 * a_day);
  for (unsigned i = 0; i + 1 < time_gate::patience; ++i) times.push_back(times[i]);
  times.push_back(30 * a_day + 1);
  times.push_back(30 * a_day + 2);
  const fates all = fates_of(times);
  EXPECT_EQ(all.believed.size(), times.size());
  EXPECT_TRUE(all.rejected.empty());
  EXPECT_EQ(all.clock, instant(30 * a_day + 2));
}

TEST(time_gate, a_corrupt_first_line_does_not_matter) {
  for (const std::int64_t first : {-400 * a_day, 3 * a_day, 40'000 * a_day}) {
    auto times = every_minute(30);
    times.insert(times.begin(), first);
    const fates all = fates_of(times);
    EXPECT_EQ(all.clock, instant(times.back())) << first;
    EXPECT_TRUE(all.held.empty());
    EXPECT_EQ(all.rejected.size(), first > 0 ? 1U : 0U);
  }
}

TEST(time_gate, the_last_line_being_corrupt_stays_held) {
  auto times = every_minute(30);
  times.push_back(40'000 * a_day);
  const fates all = fates_of(times);
  EXPECT_EQ(all.held, std::vector<std::size_t>{30});
  EXPECT_EQ(all.clock, instant(times[29]));
}

TEST(time_gate, times_at_both_ends_of_the_range) {
  using limits = std::numeric_limits<std::int64_t>;
  const std::int64_t least = limits::min();
  const std::int64_t most = limits::max();
  const std::vector<std::int64_t> times{least, least, least, most, least, most, most, most, least};
  EXPECT_EQ(fates_of(times), by_the_rule(times));
  EXPECT_EQ(fates_of(times).clock, instant(most));
  EXPECT_EQ(fates_of(times).believed.size(), times.size());
}

}  // namespace time_gate_test
}  // namespace bloomtime::logs
