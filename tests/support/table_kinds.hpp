#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>

#include <bloomtime/heat/heat_table.hpp>
#include <bloomtime/heat/window_table.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/recency/recency_table.hpp>
#include <bloomtime/tally/tally_table.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime::support {

// The four tables behind one face: an item comes, and may be in the table.

struct recency_kind {
  using table = recency_table;
  static table of(std::uint64_t items, double error, bool reserve, std::uint64_t seed = 0) {
    return table({.window = std::chrono::seconds(60),
                  .items = items,
                  .error = error,
                  .reserve = reserve,
                  .ticks = 14,
                  .seed = seed});
  }
  static table limited(std::uint64_t memory) {
    return table(
        {.window = std::chrono::seconds(60), .items = 1000, .memory = memory, .ticks = 14});
  }
  template <class Item>
  static outcome add(table& t, const Item& x, instant when) {
    return t.add(x, when);
  }
  template <class Item>
  static bool has(const table& t, const Item& x, instant when) {
    return t.seen(x, when);
  }
  // The most hits that an item may have had, and the least that one hit must show later.
  template <class Item>
  static double upper(const table& t, const Item& x, instant when) {
    return t.seen(x, when) ? 1 : 0;
  }
  static double left(instant at, instant when) { return when.micros - at.micros <= 60'000'000; }
};

struct tally_kind {
  using table = tally_table;
  static table of(std::uint64_t items, double error, bool reserve, std::uint64_t seed = 0) {
    return table(
        {.items = items, .error = error, .reserve = reserve, .total = items, .seed = seed});
  }
  static table limited(std::uint64_t memory) { return table({.items = 1000, .memory = memory}); }
  template <class Item>
  static outcome add(table& t, const Item& x, instant) {
    return t.add(x);
  }
  template <class Item>
  static bool has(const table& t, const Item& x, instant) {
    return t.count(x).value != 0;
  }
  template <class Item>
  static double upper(const table& t, const Item& x, instant) {
    return static_cast<double>(t.count(x).value);
  }
  static double left(instant, instant) { return 1; }
};

struct heat_kind {
  using table = heat_table;
  static table of(std::uint64_t items, double error, bool reserve, std::uint64_t seed = 0) {
    return table({.items = items,
                  .error = error,
                  .reserve = reserve,
                  .half_life = std::chrono::seconds(60),
                  .seed = seed});
  }
  static table limited(std::uint64_t memory) {
    return table({.items = 1000, .memory = memory, .half_life = std::chrono::seconds(60)});
  }
  template <class Item>
  static outcome add(table& t, const Item& x, instant when) {
    return t.add(x, when);
  }
  template <class Item>
  static bool has(const table& t, const Item& x, instant when) {
    return t.at(x, when).value > 0.9;
  }
  template <class Item>
  static double upper(const table& t, const Item& x, instant when) {
    return t.at(x, when).upper;
  }
  static double left(instant at, instant when) {
    const auto ticks = static_cast<double>(when.micros / 1'000'000 - at.micros / 1'000'000);
    return std::exp2(-ticks / 60) * (1 - 1e-9);  // libm rounds
  }
};

struct window_kind {
  using table = window_table;
  static table of(std::uint64_t items, double error, bool reserve, std::uint64_t seed = 0) {
    return table({.window = std::chrono::seconds(60),
                  .items = items,
                  .error = error,
                  .reserve = reserve,
                  .seed = seed});
  }
  static table limited(std::uint64_t memory) {
    return table({.window = std::chrono::seconds(60), .items = 1000, .memory = memory});
  }
  template <class Item>
  static outcome add(table& t, const Item& x, instant when) {
    return t.add(x, when);
  }
  template <class Item>
  static bool has(const table& t, const Item& x, instant when) {
    return t.at(x, when).upper >= 1;
  }
  template <class Item>
  static double upper(const table& t, const Item& x, instant when) {
    return t.at(x, when).upper;
  }
  static double left(instant at, instant when) { return when.micros - at.micros <= 60'000'000; }
};

using table_kinds = testing::Types<recency_kind, tally_kind, heat_kind, window_kind>;

}  // namespace bloomtime::support
