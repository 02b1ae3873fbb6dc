#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <bloomtime/bloomtime.hpp>

#include "store/web_totals.hpp"
#include "support/expect_error.hpp"

namespace bloomtime::store {
namespace web_totals_test {

using support::expect_error;

RC_GTEST_PROP(web_totals, count_what_exact_maps_count_and_come_back_from_bytes, ()) {
  web_totals totals;
  std::map<std::pair<std::size_t, std::int64_t>, std::uint64_t> statuses;
  std::map<std::string, std::uint64_t> methods;
  std::uint64_t bytes = 0;
  std::uint64_t with_bytes = 0;
  const int events = *rc::gen::inRange(0, 60);
  for (int i = 0; i < events; ++i) {
    const auto minute = *rc::gen::inRange<std::int64_t>(-3, 5000);
    const auto status = *rc::gen::inRange(0U, 700U);
    const auto method = *rc::gen::element<std::string>("GET", "POST", "PATCH", "-", "", "get", "X");
    const bool sized = *rc::gen::arbitrary<bool>();
    const auto size = *rc::gen::inRange<std::uint64_t>(0, 1000);
    totals.add(instant::from_seconds(60 * minute + 59),
               {status, method, sized ? std::optional(size) : std::nullopt});
    ++statuses[{status / 100 > 5 ? 0 : status / 100, minute}];
    ++methods[method.empty() || method == "-" ? "none" : method];
    bytes += sized ? size : 0;
    with_bytes += sized;
  }
  RC_ASSERT(totals.records() == static_cast<std::uint64_t>(events));
  RC_ASSERT(totals.bytes().events() == bytes);
  RC_ASSERT(totals.records_with_bytes() == with_bytes);
  for (const auto& [key, count] : statuses) {
    RC_ASSERT(totals.status(key.first).at(instant::from_seconds(60 * key.second)) == count);
  }
  RC_ASSERT(totals.method(0).events() == methods["none"]);
  RC_ASSERT(totals.method(1).events() == methods["GET"]);
  RC_ASSERT(totals.method(3).events() == methods["POST"]);
  RC_ASSERT(totals.method(7).events() == methods["PATCH"]);
  RC_ASSERT(totals.method(8).events() == methods["get"] + methods["X"]);
  const auto stored = totals.serialize();
  RC_ASSERT(web_totals::load(stored) == totals);
  RC_ASSERT(web_totals::load(stored).serialize() == stored);
}

TEST(web_totals, stop_at_so_many_bytes_and_can_be_stored) {
  web_totals totals;
  for (int i = 0; i < 9; ++i) totals.add(instant(0), {200, "GET", ~std::uint64_t{0}});
  EXPECT_EQ(totals.bytes().events(), std::uint64_t{1} << 62);
  EXPECT_EQ(web_totals::load(totals.serialize()), totals);
}

TEST(web_totals, that_are_damaged_are_refused) {
  web_totals totals;
  totals.add(instant(0), {200, "GET", 5});
  const auto good = totals.serialize();
  for (std::size_t i = 0; i < good.size(); i += 37) {
    auto bad = good;
    bad[i] ^= std::byte{0x41};
    EXPECT_THROW(web_totals::load(bad), error) << "byte " << i;
    EXPECT_THROW(web_totals::load(std::span(good).first(i)), error) << "cut at " << i;
  }
  expect_error(errc::unknown_kind, [] { web_totals::load(minute_totals().serialize()); });
}

}  // namespace web_totals_test
}  // namespace bloomtime::store
