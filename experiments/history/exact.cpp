#include "exact.hpp"

#include <algorithm>

#include <bloomtime/math/random.hpp>

namespace experiments {

using namespace bloomtime;

exact_history::exact_history(std::span<const record> records) {
  for (const record& r : records) add(r.item, at(r.tick));
}

void exact_history::add(std::uint32_t item, instant when) {
  const std::int64_t t = bloomtime::tick_clock().tick_of(when).number;
  std::vector<std::int64_t>& ticks = ticks_[digest_of(item).lo];
  const auto place = ticks.empty() || ticks.back() < t
                         ? ticks.end()
                         : std::lower_bound(ticks.begin(), ticks.end(), t);
  if (place != ticks.end() && *place == t) return;
  const std::size_t had = ticks.capacity();
  ticks.insert(place, t);
  places_ += ticks.capacity() - had;
}

sighting exact_history::seen(std::uint32_t item, interval asked,
                             std::uint64_t& probes) const noexcept {
  probes = 1;
  return was_seen(item, asked) ? sighting::maybe : sighting::no;
}

bool exact_history::was_seen(std::uint32_t item, interval asked) const noexcept {
  const auto found = ticks_.find(digest_of(item).lo);
  if (found == ticks_.end()) return false;
  const auto next =
      std::lower_bound(found->second.begin(), found->second.end(), asked.first.number);
  return next != found->second.end() && *next <= asked.last.number;
}

std::uint64_t exact_history::memory() const noexcept {
  constexpr std::uint64_t node = sizeof(decltype(ticks_)::value_type) + sizeof(void*);
  return ticks_.bucket_count() * sizeof(void*) + ticks_.size() * node +
         places_ * sizeof(std::int64_t);
}

std::vector<question> negative_questions(const trace& t, const exact_history& truth,
                                         std::uint64_t length, std::size_t number, of_items which,
                                         std::uint64_t seed) {
  math::random_source random(seed);
  std::vector<question> questions;
  while (questions.size() < number) {
    const auto first = static_cast<std::int64_t>(random.below(t.ticks - length + 1));
    const interval asked{{first}, {first + static_cast<std::int64_t>(length) - 1}};
    const auto item = static_cast<std::uint32_t>(
        which == of_items::seen ? random.below(t.items) : t.items + questions.size());
    if (!truth.was_seen(item, asked)) questions.push_back({item, asked});
  }
  return questions;
}

}  // namespace experiments
