#include "traffic/pairs.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <bloomtime/error.hpp>

#include "traffic/chance.hpp"
#include "traffic/rhythm.hpp"

namespace bloomtime::traffic {
namespace {

constexpr std::uint64_t most_records = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t most_pairs = std::uint64_t{1} << 28;  // 6 GB of memory
constexpr std::size_t shuffled_at_once = 1 << 16;

[[noreturn]] void refuse(std::string sentence, std::uint64_t came) {
  throw error(errc::invalid_argument, std::move(sentence) + ", got " + std::to_string(came));
}

void expect_feasible(const pairs_config& config) {
  expect_valid(config.when);
  expect_valid_items(config.items);
  const std::string items = std::to_string(config.items) + " items";
  if (config.pairs < config.items) {
    refuse(items + " need at least as many pairs of item and second", config.pairs);
  }
  if (config.pairs > wide{config.items} * config.when.seconds) {
    refuse(items + " in " + std::to_string(config.when.seconds) + " seconds make at most " +
               std::to_string(config.items * config.when.seconds) + " pairs",
           config.pairs);
  }
  if (config.records < config.pairs) {
    refuse(std::to_string(config.pairs) + " pairs need at least as many records", config.records);
  }
  if (config.pairs > most_pairs) {
    refuse("a generated stream has at most " + std::to_string(most_pairs) + " exact pairs (2^28)",
           config.pairs);
  }
  if (config.records > most_records) {
    refuse("a generated stream with exact pairs has at most " + std::to_string(most_records) +
               " records (2^32 - 1)",
           config.records);
  }
}

struct run_law {
  std::uint64_t mean_length;
  std::uint64_t percent_seen;
};

run_law law_of(time_model model) {
  switch (model) {
    case time_model::dense: return {3000, 95};
    case time_model::bursty: return {300, 50};
    case time_model::uniform: break;
  }
  return {1, 100};
}

class maker {
 public:
  maker(const pairs_config& config, math::random_source& random)
      : config_(config),
        random_(random),
        items_(config.items, config.zipf),
        runs_(law_of(config.model)),
        made_(config.pairs) {}

  std::vector<item_second> make() {
    for (std::uint64_t i = 0; i < config_.items; ++i) {
      made_.insert({random_second(), static_cast<item_number>(i)});
    }
    // Items that have nearly all seconds already would be drawn in vain.
    steps_left_ = 32 * config_.pairs;
    while (!complete() && steps_left_ != 0) add_run();
    for (std::uint64_t i = 0; !complete(); ++i) top_up(static_cast<item_number>(i));
    return std::move(made_).sorted();
  }

 private:
  bool complete() const { return made_.size() == config_.pairs; }

  std::uint32_t random_second() {
    for (;;) {
      const std::uint64_t second = random_.below(config_.when.seconds);
      const std::uint64_t since_1970 = static_cast<std::uint64_t>(config_.when.start) + second;
      if (!config_.when.daily || random_.below(largest_weight()) < weight_at(since_1970)) {
        return static_cast<std::uint32_t>(second);
      }
    }
  }

  void add_run() {
    const item_number item = items_(random_);
    std::uint32_t second = random_second();
    bool ends = false;
    while (!ends && !complete() && steps_left_ != 0) {
      if (random_.below(100) < runs_.percent_seen) made_.insert({second, item});
      ends = one_in(runs_.mean_length, random_);
      // A run that passes the end continues at the start, so all seconds are equivalent.
      second = second + 1 == config_.when.seconds ? 0 : second + 1;
      --steps_left_;
    }
  }

  // The missing pairs go to the heaviest items that have seconds left.
  void top_up(item_number item) {
    std::vector<std::uint32_t> free;
    for (std::uint32_t s = 0; s < config_.when.seconds; ++s) {
      if (!made_.contains({s, item})) free.push_back(s);
    }
    for (std::size_t i = 0; i < free.size() && !complete(); ++i) {
      std::swap(free[i], free[i + random_.below(free.size() - i)]);
      made_.insert({free[i], item});
    }
  }

  const pairs_config& config_;
  math::random_source& random_;
  item_law items_;
  run_law runs_;
  pair_set made_;
  std::uint64_t steps_left_ = 0;
};

std::vector<item_second> make_pairs(const pairs_config& config, math::random_source& random) {
  expect_feasible(config);
  return maker(config, random).make();
}

}  // namespace

pairs_config like_edgar() { return {.records = 5'582'073, .items = 25'497, .pairs = 2'127'749}; }

pairs_config like_network() {
  return {.records = 2'546'560,
          .items = 124'427,
          .pairs = 2'199'573,
          .when = {.seconds = 86'400, .daily = true}};
}

pairs::pairs(const pairs_config& config, std::uint64_t seed)
    : random_(seed),
      start_(config.when.start),
      pairs_(make_pairs(config, random_)),
      copies_(pairs_.size(), 1) {
  for (std::uint64_t i = pairs_.size(); i < config.records; ++i) {
    ++copies_[random_.below(pairs_.size())];
  }
}

std::optional<event> pairs::operator()() {
  if (next_ == shuffled_.size() && !refill()) return std::nullopt;
  return event{second_, shuffled_[next_++]};
}

// The items of one second in random order, or a part of them if there are very many.
bool pairs::refill() {
  shuffled_.clear();
  next_ = 0;
  if (pair_ == pairs_.size()) return false;
  const std::uint32_t second = pairs_[pair_].second;
  second_ = start_ + second;
  while (pair_ != pairs_.size() && pairs_[pair_].second == second &&
         shuffled_.size() != shuffled_at_once) {
    const auto taken = static_cast<std::uint32_t>(
        std::min<std::size_t>(copies_[pair_], shuffled_at_once - shuffled_.size()));
    shuffled_.insert(shuffled_.end(), taken, pairs_[pair_].item);
    copies_[pair_] -= taken;
    if (copies_[pair_] == 0) ++pair_;
  }
  for (std::size_t i = shuffled_.size(); i > 1; --i) {
    std::swap(shuffled_[i - 1], shuffled_[random_.below(i)]);
  }
  return true;
}

}  // namespace bloomtime::traffic
