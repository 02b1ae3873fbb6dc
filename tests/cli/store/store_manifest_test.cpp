#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include <bloomtime/bloomtime.hpp>

#include "cli/store/store_samples.hpp"
#include "store/manifest.hpp"
#include "support/expect_error.hpp"
#include "support/files.hpp"
#include "support/sealed_manifest.hpp"

namespace bloomtime::store {
namespace store_manifest_test {

using support::expect_error;
using support::sealed;

manifest sample_manifest() {
  manifest m;
  m.version = "0.1.0";
  m.created = sample_creation;
  m.generation = 3;
  m.read = {.records = 10,
            .bad_lines = 1,
            .first_event = instant(-5),
            .last_event = instant(7),
            .zone = "+0000",
            .offsets = offset_spans({{instant(-5), instant(7), -3600, -3600}}),
            .items = {"host", "\u00fc\"\n"}};
  m.containers = {{.role = "one", .file = "part-3-1.bloomtime", .bytes = 64, .checksum = 1},
                  {.role = "two", .file = "part-2-1.bloomtime", .bytes = 64, .checksum = ~0ull}};
  m.totals = {.role = "", .file = "part-3-2.bloomtime", .bytes = 64, .checksum = 2};
  return m;
}

// Replaces the first occurrence and makes the checksum anew.
std::string forged(std::string_view what, std::string_view by) {
  std::string text = to_text(sample_manifest());
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return sealed(text.replace(at, what.size(), by));
}

void expect_refused(std::string_view what, std::string_view by, std::string_view mention) {
  expect_error(
      errc::corrupt, [&] { parse_manifest(forged(what, by)); }, mention);
}

TEST(store_manifest, comes_back_from_its_text) {
  const std::string text = to_text(sample_manifest());
  const manifest m = parse_manifest(text);
  EXPECT_EQ(to_text(m), text);
  EXPECT_EQ(m.read.first_event, instant(-5));
  EXPECT_EQ(m.find("two")->checksum, ~0ull);
  EXPECT_EQ(to_text(parse_manifest(sealed(text))), text);
}

TEST(store_manifest, of_a_version_that_recorded_no_offsets_has_none) {
  manifest m = sample_manifest();
  EXPECT_EQ(parse_manifest(to_text(m)).read.offsets, m.read.offsets);
  m.read.offsets.reset();
  EXPECT_EQ(to_text(m).find("offsets"), std::string::npos);
  EXPECT_FALSE(parse_manifest(to_text(m)).read.offsets);
}

// Such a version keeps the key as it was before the events it added.
TEST(store_manifest, does_not_believe_offsets_of_another_checkpoint) {
  const manifest m = parse_manifest(forged("\"generation\": 3", "\"generation\": 4"));
  EXPECT_EQ(m.generation, 4u);
  EXPECT_FALSE(m.read.offsets);
}

TEST(store_manifest, of_a_newer_schema_is_refused_by_its_number) {
  expect_error(
      errc::newer_version, [&] { parse_manifest(R"({"schema": 2})"); }, "schema 2");
  expect_error(
      errc::corrupt, [&] { parse_manifest(R"({"schema": 0})"); }, "counts from 1");
}

TEST(store_manifest, that_is_hostile_is_refused) {
  const char* file = "part-3-1.bloomtime";
  for (const char* evil : {"../part-3-1.bloomtime", "/etc/passwd", "lock", "manifest.json", "", ".",
                           "part-3-1.bloomtime/../x", "part-3-1.bloomtime\\u0000"}) {
    expect_refused(file, evil, "invalid name");
  }
  expect_refused(file, "part-2-1.bloomtime", "twice");
  expect_refused(file, "part-3-2.bloomtime", "twice");
  expect_refused("\"one\"", "\"two\"", "two containers of the role two");
  expect_refused("\"one\"", "\"\"", "without a role");
  expect_refused("\"one\"", "1", "role should be a text");
  expect_refused("\"generation\": 3", "\"generation\": 18446744073709551615", "generation");
  expect_refused("\"generation\": 3", "\"generation\": 1e400", "not JSON");
  expect_refused("\"generation\": 3", "\"generation\": 3.5", "generation");
  expect_refused("\"records\": 10", "\"records\": -1", "records");
  expect_refused("\"records\": 10", "\"records\": NaN", "not JSON");
  expect_refused("\"records\": 10", "\"records\": \"" + std::string(1000, 'x'), "up to byte ");
  expect_refused("\"records\": 10", "\"recs\": 10", "lacks the key records");
  expect_refused("\"last_event\": 7", "\"last_event\": 9223372036854775808", "last_event");
  expect_refused("\"created\": 1", "\"created\": null, \"x\": 1", "created");
  expect_refused("\"bytes\": 64", "\"bytes\": 99999999999999999999", "bytes");
  expect_refused("ffffffffffffffff", "FFFFFFFFFFFFFFFF", "hexadecimal");
  expect_refused("ffffffffffffffff", "0x1", "hexadecimal");
  expect_refused("\"+0000\"", "[]", "zone");
  expect_refused("\"west\": -3600", "\"west\": 3600", "contradict");
  expect_refused("\"west\": -3600", "\"west\": -90000", "west");
  expect_refused("\"first\": -5", "\"first\": 8", "contradict");
  expect_refused("\"first\": -5", "\"first\": null", "first");
  expect_refused("\"spans\": [", "\"spans\": [7, ", "spans");
  expect_refused("\"totals\": {", "\"totals\": [], \"x\": {", "totals should be an object");
}

TEST(store_manifest, that_is_no_manifest_is_refused) {
  for (const std::string& text :
       {std::string(), std::string("[]"), std::string("7"), std::string("{\"schema\": \"1\"}"),
        std::string("\xff\xfe"), std::string(1'000'000, '['), std::string(5 << 20, ' '),
        "{\"schema\":1,\"x\":" + std::string(100, '[') + std::string(100, ']') + "}"}) {
    expect_error(errc::corrupt, [&] { parse_manifest(text); });
  }
}

// Each key is looked for among those before it, which would take hours for so many.
TEST(store_manifest, with_more_keys_than_any_store_has_is_refused_soon) {
  std::string text = "{\"schema\":1";
  for (int i = 0; i < 250'000; ++i) text += ",\"" + std::to_string(i) + "\":0";
  expect_error(
      errc::corrupt, [&] { parse_manifest(text + "}"); }, "more than 1000 keys");
  expect_error(
      errc::corrupt, [&] { parse_manifest("{\"x\":{},\"y\":[" + text + "}]}"); }, "1000 keys");
}

// White space aside, no byte of a manifest can change unnoticed.
TEST(store_manifest, with_any_byte_changed_is_refused) {
  const std::string good = to_text(sample_manifest());
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    try {
      EXPECT_EQ(to_text(parse_manifest(bad)), good) << "byte " << i;
    } catch (const error&) {
      continue;
    }
    EXPECT_TRUE(good[i] == ' ' || good[i] == '\n') << "byte " << i;
  }
}

}  // namespace store_manifest_test
}  // namespace bloomtime::store
