#include "bench/peers/sightings.hpp"

#include <map>

#include "bench/harness/keys.hpp"
#include "traffic/pairs.hpp"

namespace bench {

using bloomtime::instant;

namespace {

constexpr std::uint64_t span_questions = 1 << 16;

std::uint64_t items_of(std::uint64_t pairs) { return pairs / sightings_per_item; }

std::vector<sighting_event> made(std::uint64_t pairs) {
  bloomtime::traffic::pairs day({.records = pairs, .items = items_of(pairs), .pairs = pairs}, 1);
  std::vector<sighting_event> all;
  while (const auto event = day()) {
    all.push_back({bloomtime::digest_of(key_of<short_key>(event->item)),
                   instant::from_seconds(event->second)});
  }
  return all;
}

std::vector<span_question> asked_about(std::uint64_t pairs) {
  std::vector<short_key> keys(span_questions);
  query_set(items_of(pairs), 50, 1).fill(std::span(keys));
  random_numbers random(2);
  std::vector<span_question> all;
  for (const short_key key : keys) {
    const auto from =
        bloomtime::traffic::first_of_2014 + static_cast<std::int64_t>(random.below(86'400 - 600));
    all.push_back({bloomtime::digest_of(key), instant::from_seconds(from),
                   instant::from_seconds(from + 599)});
  }
  return all;
}

template <class T>
std::span<const T> kept(std::uint64_t pairs, std::vector<T> (*make)(std::uint64_t)) {
  static std::map<std::uint64_t, std::vector<T>> all;
  auto& of = all[pairs];
  if (of.empty()) of = make(pairs);
  return of;
}

}  // namespace

std::span<const sighting_event> sightings_of(std::uint64_t pairs) { return kept(pairs, made); }
std::span<const span_question> questions_about(std::uint64_t pairs) {
  return kept(pairs, asked_about);
}

}  // namespace bench
