#include "traffic/repeats.hpp"

#include <string>

#include <bloomtime/error.hpp>

#include "traffic/chance.hpp"

namespace bloomtime::traffic {
namespace {

std::uint64_t items_of(const repeats_config& config) {
  if (config.repeats >= config.records) {
    throw error(errc::invalid_argument, "of " + std::to_string(config.records) +
                                            " records at least one is new and the others can be "
                                            "repeats, got " +
                                            std::to_string(config.repeats) + " repeats");
  }
  const gap_law& gap = config.gap;
  if (gap.value > most_seconds || gap.least > gap.value) {
    throw error(errc::invalid_argument,
                "gaps must lie between 0 and " + std::to_string(most_seconds) +
                    " seconds, the least first, got " + std::to_string(gap.least) + " and " +
                    std::to_string(gap.value));
  }
  const std::uint64_t items = config.records - config.repeats;
  expect_valid_items(items);
  const std::uint64_t times = config.repeats / items + 1;
  if (gap.value != 0 && times > most_seconds / gap.value) {
    throw error(errc::invalid_argument, "an item that comes back " + std::to_string(times) +
                                            " times after " + std::to_string(gap.value) +
                                            " seconds each takes longer than ten years");
  }
  return items;
}

}  // namespace

repeats::repeats(const repeats_config& config, std::uint64_t seed)
    : random_(seed),
      items_(items_of(config)),
      gap_(config.gap),
      pace_(items_, config.when),
      repeats_left_(config.repeats),
      next_start_(pace_()) {}

std::optional<event> repeats::operator()() {
  const bool more = started_ != items_;
  if (!queue_.empty() && (!more || queue_.top().second <= next_start_)) return take_repeat();
  if (more) return take_new();
  return std::nullopt;
}

event repeats::take_new() {
  const event now{next_start_, static_cast<item_number>(started_)};
  const std::uint64_t share = rounded_by_chance(repeats_left_, items_ - started_, random_);
  repeats_left_ -= share;
  if (++started_ != items_) next_start_ = pace_();
  appoint(now.second, now.item, share);
  return now;
}

event repeats::take_repeat() {
  const appointment due = queue_.top();
  queue_.pop();
  appoint(due.second, due.item, due.left - 1);
  return {due.second, due.item};
}

void repeats::appoint(std::int64_t second, item_number item, std::uint64_t left) {
  if (left == 0) return;
  queue_.push({second + static_cast<std::int64_t>(gap()), appointments_++, item, left});
}

std::uint64_t repeats::gap() {
  switch (gap_.kind) {
    case gap_kind::fixed: return gap_.value;
    case gap_kind::uniform: return gap_.least + random_.below(gap_.value - gap_.least + 1);
    case gap_kind::exponential: break;
  }
  return exponential(gap_.value, random_);
}

}  // namespace bloomtime::traffic
