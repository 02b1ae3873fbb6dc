#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <bloomtime/bloomtime.hpp>

#include "store/ledger.hpp"
#include "support/container_bytes.hpp"
#include "support/expect_error.hpp"
#include "support/files.hpp"

namespace bloomtime::store {
namespace ledger_test {

using namespace logs;

using support::expect_error;

ledger sample_ledger() {
  ledger l;
  l.settings = {std::chrono::minutes(10), std::chrono::seconds(2), 12'345};
  l.fields.resize(2);
  for (int i = 0; i < 1000; ++i) l.fields[1].add(digest_of(i), 7);
  l.held.push_back({instant(-5), {"a", std::string("\0b", 2)}, "line one\n", 1, 0});
  l.held.push_back({instant(7'000'000), {"", "c"}, "", 0, 7});
  return l;
}

constexpr std::size_t parameters = support::field::directory + 2 * support::field::entry;

TEST(ledger, is_read_as_it_was_written) {
  const ledger before = sample_ledger();
  const auto bytes = before.serialize();
  const ledger after = ledger::load(bytes);
  EXPECT_EQ(after.settings.half_life, before.settings.half_life);
  EXPECT_EQ(after.settings.resolution, before.settings.resolution);
  EXPECT_EQ(after.settings.memory, before.settings.memory);
  EXPECT_EQ(after.held, before.held);
  ASSERT_EQ(after.fields.size(), 2U);
  EXPECT_EQ(after.fields[1].bytes, 7000U);
  EXPECT_EQ(after.fields[1].distinct.estimate(), before.fields[1].distinct.estimate());
  EXPECT_EQ(after.serialize(), bytes);
}

TEST(ledger, keeps_which_items_an_event_that_waits_lacks) {
  ledger before = sample_ledger();
  before.held[1].items[0].reset();
  const auto bytes = before.serialize();
  EXPECT_EQ(ledger::load(bytes).held, before.held);
  EXPECT_EQ(ledger::load(bytes).serialize(), bytes);
  EXPECT_NE(bytes[support::field::engine], sample_ledger().serialize()[support::field::engine]);
  for (std::size_t i = 0; i < bytes.size(); i += 61) {
    auto bad = bytes;
    bad[i] ^= std::byte{0x41};
    EXPECT_THROW(ledger::load(bad), error) << "byte " << i;
  }
}

// -- stored ledgers ------------------------------------------------------------------------------

std::filesystem::path golden_partial() {
  return std::filesystem::path(BLOOMTIME_TESTS_DIR) / "format" / "golden" / "command" /
         "ledger_partial.bloomtime";
}

// Two fields, and three events that wait: with both items, without the first, without any.
ledger partial_ledger() {
  ledger l;
  l.settings = {std::chrono::minutes(90), std::chrono::seconds(5), 1'000'000};
  l.fields.resize(2);
  for (int i = 0; i < 300; ++i) {
    const std::string item = "item-" + std::to_string(i);
    const digest d = digest_of(item, {0, hash_id::xxh3_128});  // the hash of that time
    if (i % 3 != 0) l.fields[0].add(d, item.size());
    if (i % 2 != 0) l.fields[1].add(d, item.size());
  }
  l.held.push_back(
      {instant::from_seconds(1'388'534'400), {"a", std::string("\0b", 2)}, "a b", 0, 7});
  l.held.push_back({instant::from_seconds(1'388'534'400 + 7), {std::nullopt, ""}, "{}\n", 1, 0});
  l.held.push_back({instant(-5), {std::nullopt, std::nullopt}, "", 1, 3});
  return l;
}

// Written once, by hand and never again:
//   BLOOMTIME_WRITE_GOLDEN=1 cli_tests --gtest_filter='ledger.*golden*'
TEST(ledger, with_missing_items_is_its_golden_file) {
  const std::vector<std::byte> made = partial_ledger().serialize();
  if (std::getenv("BLOOMTIME_WRITE_GOLDEN") != nullptr &&
      !std::filesystem::exists(golden_partial())) {
    support::write_file(golden_partial(), made);
  }
  const std::vector<std::byte> stored = support::read_file(golden_partial());
  EXPECT_TRUE(made == stored);
  EXPECT_EQ(stored.at(support::field::engine), std::byte{5});
  const ledger read = ledger::load(stored);
  EXPECT_TRUE(read.serialize() == stored);
  const ledger expected = partial_ledger();
  EXPECT_EQ(read.held, expected.held);
  EXPECT_EQ(read.settings.half_life, std::chrono::minutes(90));
  EXPECT_EQ(read.settings.resolution, std::chrono::seconds(5));
  EXPECT_EQ(read.settings.memory, 1'000'000U);
  ASSERT_EQ(read.fields.size(), 2U);
  for (const std::size_t i : {0U, 1U}) {
    EXPECT_EQ(read.fields[i].bytes, expected.fields[i].bytes) << i;
    EXPECT_EQ(read.fields[i].different(), expected.fields[i].different()) << i;
  }
}

TEST(ledger, with_a_byte_changed_or_missing_is_refused) {
  const auto good = sample_ledger().serialize();
  for (std::size_t i = 0; i < good.size(); i += i < 512 || i + 512 > good.size() ? 1 : 97) {
    auto bad = good;
    bad[i] ^= std::byte{0x41};
    EXPECT_THROW(ledger::load(bad), error) << "byte " << i;
    EXPECT_THROW(ledger::load(std::span(good).first(i)), error) << "cut at " << i;
  }
}

TEST(ledger, that_contradicts_itself_is_refused) {
  struct forgery {
    std::size_t parameter;
    std::uint64_t value;
  };
  // Half-life, resolution, fields, events that wait.
  for (const auto& [parameter, value] :
       {forgery{0, 0}, forgery{0, 1'999'999}, forgery{1, 0}, forgery{1, ~std::uint64_t{0}},
        forgery{3, 0}, forgery{3, 1}, forgery{3, 3}, forgery{3, ~std::uint64_t{0}}, forgery{4, 1},
        forgery{4, 3}, forgery{4, 10}, forgery{4, ~std::uint64_t{0}}}) {
    auto bytes = sample_ledger().serialize();
    support::put(bytes, parameters + 8 * parameter, value);
    support::seal(bytes);
    EXPECT_THROW(ledger::load(bytes), error) << parameter << " " << value;
  }
}

TEST(ledger, holds_no_event_that_was_decided_about) {
  ledger l = sample_ledger();
  l.held[0].agreeing = time_gate::enough;
  expect_error(
      errc::corrupt, [&] { ledger::load(l.serialize()); }, "decided");
  l = sample_ledger();
  l.held[1].contradict = time_gate::patience;
  expect_error(
      errc::corrupt, [&] { ledger::load(l.serialize()); }, "decided");
}

TEST(ledger, is_not_taken_from_another_kind_of_container) {
  const bloom_filter filter({.items = 10, .error = 0.01});
  expect_error(
      errc::unknown_kind, [&] { ledger::load(filter.serialize()); }, "family bloom");
}

}  // namespace ledger_test
}  // namespace bloomtime::store
