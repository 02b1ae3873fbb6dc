#include <bloomtime/math/history.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <bloomtime/history/detail/positions.hpp>
#include <bloomtime/history/detail/timelines.hpp>

#include "math/expect.hpp"

namespace bloomtime::math {

void expect_counts(const history_counts& c) {
  expect(c.ticks >= 1 && c.ticks <= detail::most_ticks, "a span has 1 to 2^62 ticks", c.ticks);
  expect(c.items >= 1, "there is at least one item", c.items);
  expect(c.pairs >= c.items, "every item has at least one of the pairs", c.pairs);
  expect((c.pairs - 1) / c.items < c.ticks, "an item has at most one pair per tick", c.pairs);
}

void expect_query(double error, std::uint64_t length) {
  expect_error(error);
  expect(length >= 1, "a query is about at least one tick", length);
}

double bound_bits_per_pair(double error, std::uint64_t length) {
  expect_query(error, length);
  return std::log2(static_cast<double>(length) / error);
}

// -- timelines -----------------------------------------------------------------------------------

namespace {

// The bits of a timeline of `count` random ticks, which span (count - 1) / (count + 1) of the span
// on average.
double timeline_bits(std::uint64_t count, std::uint64_t span) {
  using namespace detail;
  const auto ticks = static_cast<double>(count);
  const double reach = static_cast<double>(span) * (ticks - 1) / (ticks + 1);
  timeline_head head{.count = count, .first = 0, .last = 0, .body = 0};
  head.first = static_cast<std::uint64_t>((static_cast<double>(span) - reach) / 2);
  head.last = std::min(
      span - 1, std::max(head.first + count - 1, head.first + static_cast<std::uint64_t>(reach)));
  if (head.has_body() && !head.in_pieces()) head.body = inner_bits(count, head.distance());
  if (head.in_pieces()) {
    const std::uint64_t pieces = pieces_of(count);
    const std::uint64_t distance = std::max(piece_ticks, head.distance() / pieces);
    piece_widths widths{.first = width_of(head.distance()), .distance = width_of(2 * distance)};
    const std::uint64_t bodies = pieces * inner_bits(piece_ticks, distance);
    widths.offset = width_of(bodies);
    head.body = widths.directory(pieces) + bodies;
  }
  return static_cast<double>(head_bits(head, span) + head.body);
}

}  // namespace

history_size named_size(const history_counts& counts) {
  expect_counts(counts);
  const auto items = static_cast<double>(counts.items);
  const double mean = static_cast<double>(counts.pairs) / items;
  const double part = mean - std::floor(mean);
  const auto few = static_cast<std::uint64_t>(mean);
  double each = timeline_bits(few, counts.ticks) * (1 - part);
  if (part > 0) each += timeline_bits(few + 1, counts.ticks) * part;
  detail::timelines_shape shape{.span = counts.ticks};
  shape.bucket_bits = detail::timelines_shape::bucket_bits_for(counts.items);
  each += shape.rest_bits();
  const double stream = items * each;
  const auto buckets = static_cast<double>(shape.buckets());
  constexpr double bits_of_a_count = 3;  // the number of items of a bucket, usually 1 or 2
  const double place = std::ceil(std::log2(stream + 1));
  return {static_cast<std::uint64_t>(stream + buckets * (bits_of_a_count + place)), 1,
          items * std::exp2(-static_cast<double>(detail::timeline_key_bits))};
}

history_size nameless_size(const history_counts& counts, double error, std::uint64_t length) {
  expect_counts(counts);
  expect_query(error, length);
  const std::uint64_t range = std::max(counts.ticks, position_range(counts.pairs, error, length));
  const detail::positions_shape shape{
      .first = 0, .span = counts.ticks, .range = range, .count = counts.pairs};
  return {8 * (detail::positions::list_bytes(shape) + detail::positions::marks_bytes(shape)), 1,
          position_error(counts.pairs, range, length)};
}

double timeline_entropy(const history_counts& counts) {
  expect_counts(counts);
  const auto span = static_cast<double>(counts.ticks);
  const double mean = static_cast<double>(counts.pairs) / static_cast<double>(counts.items);
  const double ways = std::lgamma(span + 1) - std::lgamma(mean + 1) - std::lgamma(span - mean + 1);
  return std::max(0.0, ways / std::numbers::ln2 / mean);
}

// -- positions -----------------------------------------------------------------------------------

namespace {

constexpr double most_places = 0x1p62;

}  // namespace

std::uint64_t position_range(std::uint64_t count, double error, std::uint64_t length) {
  expect_query(error, length);
  const double range = std::ceil(static_cast<double>(count) * static_cast<double>(length) / error);
  if (range >= most_places) return static_cast<std::uint64_t>(most_places);
  // Rounding may have given one place too few, or one step of the precision of large numbers.
  const auto places = static_cast<std::uint64_t>(range);
  if (places == 0 || position_error(count, places, length) <= error) return places;
  return static_cast<std::uint64_t>(std::max(range + 1, std::nextafter(range, most_places)));
}

std::uint64_t most_positions(double error, std::uint64_t length) {
  expect_query(error, length);
  const double most = std::floor(most_places * error / static_cast<double>(length));
  const auto count = static_cast<std::uint64_t>(most);
  const auto places = static_cast<std::uint64_t>(most_places);
  const bool holds = count == 0 || position_error(count, places, length) <= error;
  return holds ? count : static_cast<std::uint64_t>(std::nextafter(most, 0) - 1);
}

double position_error(std::uint64_t count, std::uint64_t range, std::uint64_t length) {
  expect(range >= 1, "there is at least one place", range);
  const double met = static_cast<double>(count) * static_cast<double>(length);
  return std::min(met / static_cast<double>(range), 1.0);
}

}  // namespace bloomtime::math
