#include "streams.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include <bloomtime/math/random.hpp>
#include <bloomtime/math/zipf.hpp>

#include "logs/event_reader.hpp"

namespace experiments {
namespace {

using namespace bloomtime;

constexpr double repeats = 0.7;
constexpr std::uint64_t repeated = 200;
constexpr unsigned knots_per_decade = 4;
constexpr unsigned samples = 8;  // of every knot, as published

template <class Draw>
std::vector<std::uint32_t> drawn(Draw&& draw) {
  std::vector<std::uint32_t> items(warm_up + questions);
  for (std::uint32_t& item : items) item = draw();
  return items;
}

std::vector<double> counted_shares(const std::vector<std::uint32_t>& items) {
  std::vector<double> shares(*std::max_element(items.begin(), items.end()) + std::size_t{1});
  for (const std::uint32_t item : items) shares[item] += 1 / static_cast<double>(items.size());
  return shares;
}

double different(const std::vector<std::uint32_t>& items, std::size_t first, std::size_t count) {
  const auto begin = items.begin() + static_cast<std::ptrdiff_t>(first);
  return static_cast<double>(
      std::unordered_set<std::uint32_t>(begin, begin + static_cast<std::ptrdiff_t>(count)).size());
}

stream read_log(const std::string& name, const std::string& path) {
  std::vector<std::uint32_t> items;
  std::unordered_map<std::string, std::uint32_t> numbers;
  logs::event_reader reader({.items = {"2"}}, {path});
  while (const logs::event* e = reader.next()) {
    const auto next = static_cast<std::uint32_t>(numbers.size());
    items.push_back(numbers.emplace(e->items[0], next).first->second);
  }
  const std::uint64_t first = items.size() / 5;
  auto shares = counted_shares(items);
  auto distinct = measured_distinct(items);
  return {name, std::move(items), first, std::move(shares), std::move(distinct), {256, 2048},
          false};
}

}  // namespace

published::distinct_items measured_distinct(const std::vector<std::uint32_t>& items) {
  std::vector<published::distinct_items::knot> knots;
  for (unsigned i = 0;; ++i) {
    const auto length = static_cast<std::size_t>(std::pow(10, double(i) / knots_per_decade) + 0.5);
    if (length > items.size() / 2 || length > (std::size_t{1} << 18)) break;
    if (!knots.empty() && static_cast<double>(length) <= knots.back().insertions) continue;
    double sum = 0;
    for (unsigned s = 0; s < samples; ++s) {
      sum += different(items, (items.size() - length) / samples * s, length);
    }
    const double mean = sum / samples;
    const double before = knots.empty() ? 1 : knots.back().distinct;
    knots.push_back({static_cast<double>(length), std::max(before, mean)});
  }
  return published::distinct_items::empirical(knots);
}

stream uniform_stream(std::uint64_t seed) {
  math::random_source random(seed);
  return {"uniform",
          drawn([&] { return static_cast<std::uint32_t>(random.below(usual_items)); }),
          warm_up,
          std::vector<double>(usual_items, 1.0 / usual_items),
          published::distinct_items::uniform(usual_items),
          {std::uint64_t{1} << 16, std::uint64_t{1} << 18}};
}

stream power_law_stream(std::uint64_t seed) {
  math::random_source random(seed);
  const math::zipf law(usual_items, 1);
  std::vector<double> shares(usual_items);
  for (std::uint32_t i = 0; i < usual_items; ++i) shares[i] = law.probability(i + 1);
  return {"power law",
          drawn([&] { return static_cast<std::uint32_t>(law(random) - 1); }),
          warm_up,
          std::move(shares),
          published::distinct_items::zipf(usual_items),
          {std::uint64_t{1} << 11, std::uint64_t{1} << 18}};
}

stream bursty_stream(std::uint64_t seed) {
  math::random_source random(seed);
  const math::zipf law(usual_items, 1);
  std::vector<std::uint32_t> last(repeated);
  std::uint64_t n = 0;
  auto items = drawn([&] {
    const bool again = n >= repeated && random.unit() < repeats;
    const auto item =
        again ? last[random.below(repeated)] : static_cast<std::uint32_t>(law(random) - 1);
    last[n++ % repeated] = item;
    return item;
  });
  auto shares = counted_shares(items);
  auto distinct = measured_distinct(items);
  return {"bursty",
          std::move(items),
          warm_up,
          std::move(shares),
          std::move(distinct),
          {std::uint64_t{1} << 8, std::uint64_t{1} << 15},
          false};
}

std::vector<stream> generated_streams() {
  std::vector<stream> all;
  all.push_back(uniform_stream());
  all.push_back(power_law_stream());
  all.push_back(bursty_stream());
  return all;
}

std::vector<stream> real_streams() {
  const std::filesystem::path data = EXPERIMENTS_DATA;
  std::vector<stream> streams;
  for (const auto& [name, file] : {std::tuple{"blog clients", "wpblog_2016.tsv.xz"},
                                   std::tuple{"hut clients", "almhuette_2015-16.tsv.xz"},
                                   std::tuple{"honeypot sources", "asa_honeypot_2025.tsv.xz"}}) {
    if (std::filesystem::exists(data / file)) {
      streams.push_back(read_log(name, data / file));
    } else {
      std::fprintf(stderr, "skipped %s: there is no %s\n", name, (data / file).c_str());
    }
  }
  return streams;
}

}  // namespace experiments
