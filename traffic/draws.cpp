#include "traffic/draws.hpp"

namespace bloomtime::traffic {
namespace {

item_law law_of(const draws_config& config) {
  expect_valid_items(config.items);
  return item_law(config.items, config.zipf);
}

}  // namespace

draws::draws(const draws_config& config, std::uint64_t seed)
    : random_(seed),
      law_(law_of(config)),
      pace_(config.records, config.when),
      left_(config.records) {}

std::optional<event> draws::operator()() {
  if (left_ == 0) return std::nullopt;
  --left_;
  return event{pace_(), law_(random_)};
}

}  // namespace bloomtime::traffic
