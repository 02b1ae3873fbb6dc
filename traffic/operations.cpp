#include "traffic/operations.hpp"

#include <string>

#include <bloomtime/error.hpp>

namespace bloomtime::traffic {
namespace {

item_law law_of(const operations_config& config) {
  expect_valid_items(config.items);
  if (config.removes > config.records / 2) {
    throw error(errc::invalid_argument,
                "at most half of " + std::to_string(config.records) +
                    " operations can be removes, or there is nothing left to remove, got " +
                    std::to_string(config.removes));
  }
  if (config.fill > config.records - config.removes) {
    throw error(errc::invalid_argument, "the first adds are at most all " +
                                            std::to_string(config.records - config.removes) +
                                            " of them, got " + std::to_string(config.fill));
  }
  return item_law(config.items, config.zipf);
}

}  // namespace

operations::operations(const operations_config& config, std::uint64_t seed)
    : random_(seed),
      law_(law_of(config)),
      pace_(config.records, config.when),
      left_(config.records),
      removes_left_(config.removes),
      fill_left_(config.fill) {}

std::optional<event> operations::operator()() {
  if (left_ == 0) return std::nullopt;
  const bool remove = next_is_remove();
  --left_;
  if (remove) return event{pace_(), take_random(), change::remove};
  const item_number item = law_(random_);
  if (removes_left_ != 0) present_.push_back(item);
  return event{pace_(), item, change::add};
}

// The remaining removes never exceed the present items plus the remaining adds. So every remove
// finds an item.
bool operations::next_is_remove() {
  if (fill_left_ != 0) {
    --fill_left_;
    return false;
  }
  if (present_.empty() || random_.below(left_) >= removes_left_) return false;
  --removes_left_;
  return true;
}

item_number operations::take_random() {
  item_number& chosen = present_[random_.below(present_.size())];
  const item_number item = chosen;
  chosen = present_.back();
  present_.pop_back();
  return item;
}

}  // namespace bloomtime::traffic
