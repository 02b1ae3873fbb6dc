#include "traffic/pacing.hpp"

#include <string>

#include <bloomtime/error.hpp>

#include "traffic/chance.hpp"
#include "traffic/rhythm.hpp"

namespace bloomtime::traffic {
namespace {

constexpr std::int64_t end_of_9999 = 253'402'300'800;

}  // namespace

void expect_valid(const span_of_time& when) {
  if (when.seconds < 1 || when.seconds > most_seconds) {
    throw error(errc::invalid_argument,
                "a generated stream takes from 1 to " + std::to_string(most_seconds) +
                    " seconds (ten years), got " + std::to_string(when.seconds));
  }
  if (when.start < 0 || when.start > end_of_9999 - static_cast<std::int64_t>(when.seconds)) {
    throw error(
        errc::invalid_argument,
        "a generated stream lies between the years 1970 and 9999; it would start at second " +
            std::to_string(when.start) + " since 1970 and take " + std::to_string(when.seconds));
  }
}

void expect_valid_items(std::uint64_t items) {
  if (items < 1 || items > most_items) {
    throw error(errc::invalid_argument, "a generated stream has from 1 to " +
                                            std::to_string(most_items) + " items (2^32), got " +
                                            std::to_string(items));
  }
}

pacing::pacing(std::uint64_t records, const span_of_time& when) : records_(records), when_(when) {
  expect_valid(when);
  total_ = weight_until(when.seconds);
  due_ = due_until(1);
}

std::int64_t pacing::operator()() {
  while (done_ >= due_ && second_ + 1 < when_.seconds) due_ = due_until(++second_ + 1);
  ++done_;
  return when_.start + static_cast<std::int64_t>(second_);
}

std::uint64_t pacing::weight_until(std::uint64_t second) const {
  if (!when_.daily) return second;
  const auto start = static_cast<std::uint64_t>(when_.start);
  return weight_before(start + second) - weight_before(start);
}

std::uint64_t pacing::due_until(std::uint64_t second) const {
  // Rounded up, so that the first record is in the first second.
  return static_cast<std::uint64_t>((wide{records_} * weight_until(second) + total_ - 1) / total_);
}

}  // namespace bloomtime::traffic
