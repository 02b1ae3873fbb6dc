#pragma once

#include <gtest/gtest.h>

#include <cstdint>

#include <bloomtime/math/binomial.hpp>

#include "support/statistics.hpp"

namespace bloomtime::support {

// Answers about items that never came: how many were wrong, and how many a table's current_error()
// predicts. Scores may be summed if their tables have different seeds: otherwise equal questions
// get equal answers, and the sum is not binomial.
struct told_error {
  std::uint64_t wrong = 0;
  std::uint64_t questions = 0;
  double told = 0;  // current_error(), summed over questions

  // is_wrong(x) for `each` items x that no test adds, others every time.
  template <class Table, class IsWrong>
  void ask(const Table& t, std::uint64_t each, IsWrong&& is_wrong) {
    const std::uint64_t first = 1'000'000'000 + questions;
    for (std::uint64_t i = 0; i < each; ++i) wrong += is_wrong(first + i);
    questions += each;
    told += static_cast<double>(each) * t.current_error();
  }
  void operator+=(const told_error& other) {
    wrong += other.wrong;
    questions += other.questions;
    told += other.told;
  }
  double told_each() const { return told / static_cast<double>(questions); }

  void expect_at_most(double error) const {
    EXPECT_LE(wrong, math::binomial_range(questions, error, tail).high) << "error " << error;
  }
  // The error is at most what is told, and at least this share of it. What is told is the error if
  // every search reads two blocks; few searches do in loose tables.
  void expect_told(double least_share) const {
    expect_at_most(told_each());
    const double least = least_share * told_each();
    EXPECT_GE(wrong, math::binomial_range(questions, least, tail).low) << "error " << least;
  }
};

}  // namespace bloomtime::support
