#include <gtest/gtest.h>

#include <bloomtime/math/random.hpp>
#include <bloomtime/tally/tally_table.hpp>

#include <array>
#include <cstdint>
#include <vector>

#include "support/soaking.hpp"

// Counts are never too low: 10^9 operations over tables of many shapes if BLOOMTIME_SOAK is set,
// else 3 * 10^6.
namespace bloomtime::tally_soak_test {

std::uint64_t operations() { return support::soak_operations(1'000'000'000, 3'000'000); }

constexpr std::uint64_t items = 4096;

tally_table_config any_table(math::random_source& random) {
  constexpr std::array errors{0.5, 0.1, 1e-2, 1e-3, 1e-6};
  tally_table_config c{.items = 1 + random.below(2 * items),
                       .error = errors[random.below(errors.size())],
                       .reserve = random.below(2) != 0,
                       .total = random.below(2) * 20'000,
                       .seed = random()};
  if (random.below(8) == 0) {  // they take ten times as long
    c.reserve = false;
    c.memory = 64 + random.below(16'384);
  }
  if (random.below(4) == 0 && !c.reserve) c.items = 0;
  return c;
}

std::uint64_t any_amount(math::random_source& random) {
  return 1 + (random.below(4) != 0 ? random.below(4) : random() >> (30 + random.below(34)));
}

// A table and its exact twin.
class twins {
 public:
  twins(const tally_table_config& c, const support::soak_items& keys)
      : table_(c), keys_(keys), exact_(items) {}

  void change(math::random_source& random, std::uint64_t range) {
    const std::uint64_t x = random.below(range);
    const digest key = keys_(x);
    std::uint64_t& truth = exact_[x];
    if (random.below(5) < 3) {
      const std::uint64_t amount = any_amount(random);
      const std::uint64_t before = table_.count(key).value;
      const outcome o = table_.add(key, amount);
      if (o == outcome::added) truth += amount;
      wrong_ += o != outcome::added && table_.count(key).value != before;
    } else if (truth != 0) {
      const std::uint64_t amount = random.below(3) != 0 ? truth : 1 + random.below(truth);
      wrong_ += table_.remove(key, amount) != outcome::added;
      truth -= amount;
    }
    wrong_ += table_.count(key).value < truth;
  }
  // As if the other stream had been counted here; false if there is no room.
  bool merge(const twins& other) {
    try {
      table_.merge(other.table_);
    } catch (const error&) {
      return false;
    }
    for (std::uint64_t x = 0; x < items; ++x) exact_[x] += other.exact_[x];
    return true;
  }
  void reload() { table_ = tally_table::load(table_.serialize()); }
  std::uint64_t wrong() const {
    std::uint64_t low = wrong_;
    for (std::uint64_t x = 0; x < items; ++x) low += table_.count(keys_(x)).value < exact_[x];
    return low;
  }

 private:
  tally_table table_;
  support::soak_items keys_;
  std::vector<std::uint64_t> exact_;
  std::uint64_t wrong_ = 0;
};

TEST(tally_soak, tally_table_is_never_too_low) {
  const std::uint64_t lives = support::soak_lives(operations(), 60);
  const std::uint64_t steps = operations() / lives;
  for (std::uint64_t life = 0; life < lives; ++life) {
    math::random_source random(support::soak_seed(life));
    const tally_table_config config = any_table(random);
    const support::soak_items keys(config.seed, life);
    twins t(config, keys);
    std::uint64_t range = 1 + random.below(items);
    for (std::uint64_t i = 0; i < steps; ++i) {
      t.change(random, range);
      const std::uint64_t event = random.below(20'000);
      if (event == 0) t.reload();
      if (event == 1) range = 1 + random.below(items);
      if (event == 2) {
        twins other(config, keys);
        for (std::uint64_t j = random.below(2000); j > 0; --j) other.change(random, range);
        (void)t.merge(other);
      }
    }
    ASSERT_EQ(t.wrong(), 0u) << life;
  }
}

// 1000 tables of 10^6 items if BLOOMTIME_SOAK is set, else 10 of 10^5: a sixteenth of the counts is
// large, half of these from the start.
TEST(tally_soak, a_reserved_table_needs_no_stash) {
  const std::uint64_t tables = support::soaking() ? 1000 : 10;
  const std::uint64_t many = support::soaking() ? 1'000'000 : 100'000;
  std::uint64_t with_stash = 0;
  for (std::uint64_t seed = 0; seed < tables; ++seed) {
    tally_table f({.items = many, .reserve = true, .total = 1, .seed = seed});
    const std::uint64_t slots = f.slots();
    bool stashed = false;
    for (std::uint64_t x = 0; f.used_slots() < slots * 95 / 100; ++x) {
      f.add(x, x % 32 == 0 ? 100 : 14);
      if (x % 32 == 16) f.add(x / 2);
      stashed |= f.stashed() != 0;
    }
    EXPECT_EQ(f.slots(), slots);
    with_stash += stashed;
  }
  EXPECT_EQ(with_stash, 0u);
}

}  // namespace bloomtime::tally_soak_test
