#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <set>
#include <string>

#include <bloomtime/digest.hpp>

#include "support/expect_error.hpp"
#include "support/traffic.hpp"
#include "traffic/draws.hpp"
#include "traffic/lines.hpp"
#include "traffic/operations.hpp"
#include "traffic/pairs.hpp"
#include "traffic/profile.hpp"
#include "traffic/repeats.hpp"
#include "traffic/rhythm.hpp"
#include "traffic/site.hpp"
#include "traffic/visits.hpp"

namespace bloomtime::traffic {
namespace traffic_test {

using support::collect;
using support::expect_error;

// Of the first 10,000 lines. They change only if a stream is changed on purpose, which changes
// everybody's experiments.
template <class Stream>
std::uint64_t fingerprint(Stream stream, line_writer writer) {
  std::string lines;
  for (int i = 0; i < 10'000; ++i) {
    if (const auto next = stream()) writer.write(*next, lines);
  }
  return digest_of(lines, 0).lo;
}

TEST(traffic_golden, the_same_seed_gives_the_same_lines_everywhere) {
  const auto as = [](line_form form) { return line_writer(form); };
  const pairs_config exact{.records = 20'000, .items = 500, .pairs = 9'000};
  const visits_config day{.records = 1'000'000, .clients = 50'000};
  line_writer changes(line_form::tsv);
  changes.events_are_changes();
  EXPECT_EQ(fingerprint(visits(day, 1), as(line_form::combined)), 16865551781298830024U);
  EXPECT_EQ(fingerprint(visits(day, 1), as(line_form::ndjson)), 14781384370774091137U);
  EXPECT_EQ(fingerprint(visits(day, 1), as(line_form::tsv)), 6187242478494651507U);
  EXPECT_EQ(fingerprint(pairs(exact, 1), as(line_form::tsv)), 5415457571161109726U);
  EXPECT_EQ(fingerprint(pairs(exact, 1), as(line_form::combined)), 2860641891031843812U);
  EXPECT_EQ(fingerprint(draws({10'000, 1'000, 1.1}, 1), as(line_form::ndjson)),
            13709006946197309913U);
  EXPECT_EQ(fingerprint(repeats({10'000, 3'000}, 1), as(line_form::tsv)), 7406540282296383165U);
  EXPECT_EQ(fingerprint(operations({10'000, 1'000, 1, 4'000}, 1), changes), 9169597787619080755U);
}

TEST(traffic_golden, another_seed_gives_other_lines) {
  const pairs_config exact{.records = 20'000, .items = 500, .pairs = 9'000};
  const line_writer writer(line_form::tsv);
  EXPECT_EQ(fingerprint(pairs(exact, 7), writer), fingerprint(pairs(exact, 7), writer));
  EXPECT_NE(fingerprint(pairs(exact, 7), writer), fingerprint(pairs(exact, 8), writer));
}

TEST(traffic_pairs, what_cannot_be_is_refused_with_the_reason) {
  const auto refused = [](const pairs_config& config, const char* reason) {
    expect_error(
        errc::invalid_argument, [&] { pairs(config, 1); }, reason);
  };
  const auto sized = [](std::uint64_t records, std::uint64_t items, std::uint64_t wanted) {
    return pairs_config{
        .records = records, .items = items, .pairs = wanted, .when = {.seconds = 10}};
  };
  refused(sized(9, 0, 5), "from 1 to 4294967296 items (2^32), got 0");
  refused(sized(9, std::uint64_t{1} << 33, 5), "2^32");
  refused(sized(9, 5, 4), "5 items need at least as many pairs of item and second, got 4");
  refused(sized(99, 5, 51), "5 items in 10 seconds make at most 50 pairs, got 51");
  refused(sized(6, 5, 7), "7 pairs need at least as many records, got 6");
  refused({.records = std::uint64_t{1} << 33, .items = 2, .pairs = 2}, "2^32 - 1");
  const std::uint64_t many = std::uint64_t{1} << 29;
  refused({.records = many, .items = many, .pairs = many}, "2^28");
  refused({.records = 1, .items = 1, .pairs = 1, .when = {.seconds = 0}}, "got 0");
  refused({.records = 1, .items = 1, .pairs = 1, .when = {.seconds = ~std::uint64_t{0}}}, "years");
  refused({.records = 1, .items = 1, .pairs = 1, .when = {.start = -1}}, "1970");
  refused({.records = 1,
           .items = 1,
           .pairs = 1,
           .when = {.start = std::numeric_limits<std::int64_t>::max()}},
          "9999");
}

TEST(traffic_pairs, one_second_with_more_records_than_are_shuffled_at_once) {
  const pairs_config config{.records = 200'000, .items = 2, .pairs = 2, .when = {.seconds = 1}};
  const auto all = collect(pairs(config, 1));
  EXPECT_EQ(support::count_exactly(all, config.when),
            (support::exact_counts{200'000, 2, 2, true, true}));
}

TEST(traffic_streams, contradictions_are_refused) {
  const auto invalid = errc::invalid_argument;
  expect_error(
      invalid,
      [] {
        operations({10, 1, 1, 6}, 1);
      },
      "at most half of 10");
  expect_error(
      invalid,
      [] {
        operations({10, 1, 1, 2, 9}, 1);
      },
      "at most all 8");
  expect_error(
      invalid,
      [] {
        repeats({10, 10}, 1);
      },
      "at least one is new");
  expect_error(
      invalid,
      [] {
        repeats({10, 2, {gap_kind::uniform, 9, 3}}, 1);
      },
      "the least first");
  expect_error(
      invalid,
      [] {
        repeats({~std::uint64_t{0}, 2}, 1);
      },
      "2^32");
  expect_error(
      invalid,
      [] {
        repeats({1'000'000'000, 999'999'999}, 1);
      },
      "longer than ten years");
  expect_error(
      invalid,
      [] {
        draws({10, 0}, 1);
      },
      "items");
  expect_error(
      invalid,
      [] {
        visits({10, 0}, 1);
      },
      "items");
}

TEST(traffic_repeats, without_repeats_no_item_comes_twice) {
  const auto all = collect(repeats({5'000, 0}, 1));
  EXPECT_EQ(support::count_exactly(all, {}),
            (support::exact_counts{5'000, 5'000, 5'000, true, true}));
}

TEST(traffic_rhythm, sums_are_sums_of_weights) {
  std::uint64_t sum = weight_before(1'000'000);
  for (std::uint64_t second = 1'000'000; second < 1'200'000; ++second) {
    ASSERT_EQ(weight_before(second), sum) << second;
    ASSERT_GT(weight_at(second), 0U);
    ASSERT_LE(weight_at(second), largest_weight());
    sum += weight_at(second);
  }
}

TEST(traffic_rhythm, the_day_is_busier_than_the_night) {
  const auto all = collect(draws({100'000, 10, 0, {.daily = true}}, 1));
  const profile found = profile_of(all);
  EXPECT_GT(found.hours[11], 10 * found.hours[3]);
  EXPECT_EQ(all.front().second, first_of_2014);
  EXPECT_GT(all.back().second, first_of_2014 + 86'390);
}

TEST(traffic_pacing, is_as_even_as_whole_records_can_be) {
  pacing pace(25, {.start = 100, .seconds = 10});
  std::array<int, 10> counts{};
  for (int i = 0; i < 25; ++i) ++counts.at(static_cast<std::size_t>(pace() - 100));
  EXPECT_EQ(counts, (std::array<int, 10>{3, 2, 3, 2, 3, 2, 3, 2, 3, 2}));
}

TEST(traffic_lines, forms) {
  const event seen{951'782'399, 7};  // the last second of 28 February 2000
  const auto line = [](line_writer writer, const auto& what) {
    std::string out;
    writer.write(what, out);
    return out;
  };
  const std::string host = address_of(7);
  EXPECT_EQ(line(line_writer(line_form::tsv), seen), "951782399\t" + host + "\n");
  EXPECT_EQ(line(line_writer(line_form::ndjson), seen),
            R"({"time":"2000-02-28T23:59:59Z","item":")" + host + "\"}\n");
  line_writer changes(line_form::ndjson);
  changes.events_are_changes();
  EXPECT_EQ(line(changes, event{951'782'400, 7, change::remove}),
            R"({"time":"2000-02-29T00:00:00Z","op":"-","item":")" + host + "\"}\n");
  const visit look{.second = 951'782'400, .client = 7, .page = 0, .referer = 6, .bytes = 5};
  EXPECT_EQ(line(line_writer(line_form::combined), look),
            host +
                " - - [29/Feb/2000:00:00:00 +0000] \"GET / HTTP/1.1\" 200 5 "
                "\"http://www.example.com/articles/meadow-6.html\" \"" +
                std::string(agent_of(7)) + "\"\n");
  EXPECT_EQ(line(line_writer(line_form::tsv), look), "951782400\t" + host + "\t/\t200\t5\n");
}

TEST(traffic_lines, addresses_and_paths_are_all_different) {
  std::set<std::string> addresses;
  for (item_number i = 0; i < 100'000; ++i) addresses.insert(address_of(i));
  for (item_number i = 1; i != 0 && i <= 100'000; ++i) addresses.insert(address_of(0 - i));
  EXPECT_EQ(addresses.size(), 200'000U);
  const auto paths = make_paths();
  EXPECT_EQ(std::set<std::string>(paths.begin(), paths.end()).size(), paths.size());
  EXPECT_EQ(paths.size(), robots_txt + 1U);
}

TEST(traffic_profile, time_must_not_go_back) {
  profiler of(100);
  of.add({105, 1});
  expect_error(
      errc::invalid_argument,
      [&] {
        of.add({104, 2});
      },
      "second 104 after 105");
  profiler other(100);
  expect_error(
      errc::invalid_argument,
      [&] {
        other.add({99, 2});
      },
      "second 99 after 100");
}

}  // namespace traffic_test
}  // namespace bloomtime::traffic
