#include <gtest/gtest.h>

#include <bloomtime/any.hpp>
#include <bloomtime/math/random.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

#include "format/golden_recipes.hpp"
#include "support/container_bytes.hpp"

// Mutants of stored recency filters with right checksums: what loads saves the same bytes again,
// and after it has been used for a while it saves what loads.
namespace bloomtime::stored_recency_mutants_test {
namespace recency_mutants_test {

using namespace published;
using mutant = std::vector<std::byte>;

// With an audit that has learned something.
any_filter audited(hash_id id) {
  recency_filter f({.window = std::chrono::seconds(20),
                    .items = 50,
                    .memory = 100,
                    .audit = audit_config{.entries = 64},
                    .seed = {0, id}});
  for (int i = 0; i < 3000; ++i) (void)f.add_if_new(i * i % 70, instant(i * 100'000));
  return f;
}

constexpr std::array recency_recipes{audited,
                                     golden::timing,
                                     golden::recency_flat,
                                     golden::recency_line,
                                     golden::recency_count,
                                     golden::recency_table_grown,
                                     golden::recency_table_last,
                                     golden::recency_table_stash,
                                     golden::recency_generalized,
                                     golden::recency_buffer,
                                     golden::recency_buffer_filling};

// More than any of the windows, and on into the next ticks.
template <class Filter>
void use_in_time(Filter& f) {
  constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max() - 1'000'000'000;
  for (int i = 0; i < 45; ++i) {
    const std::int64_t now = f.newest().value_or(instant()).micros;
    (void)f.add_if_new(i % 30, instant(std::min(now, last) + i * 1'000'000));
    f.add(i, instant(now - now / 8));
    (void)f.seen(i);
    (void)f.current_error();
  }
}
void use(recency_filter& f) { use_in_time(f); }
void use(recency_table& f) { use_in_time(f); }
template <class Filter>
void use(Filter& f) {
  if constexpr (std::is_same_v<Filter, timing_filter> ||
                std::is_same_v<Filter, generalized_filter> ||
                std::is_same_v<Filter, recent_buffer>) {
    for (int i = 0; i < 45; ++i) {
      f.add(i % 30);
      (void)f.seen(i);
    }
  }
}

class mutants {
 public:
  explicit mutants(golden::maker make) : whole_(golden::bytes_of(make(newest_hash))) {}

  const mutant& whole() const { return whole_; }
  std::size_t parameters() const {
    return support::get<std::uint32_t>(whole_, support::field::parameter_bytes) / 8;
  }
  std::size_t parameter(std::size_t i) const {
    using namespace support::field;
    return directory + entry * support::get<std::uint32_t>(whole_, sections) + 8 * i;
  }
  int accepted() const { return accepted_; }

  void judge(mutant c) {
    support::seal(c);
    std::optional<any_filter> f;
    try {
      f = load_any(c);
    } catch (const error&) {
      return;
    }
    ++accepted_;
    ASSERT_EQ(golden::bytes_of(*f), c) << "what was loaded is not what is saved";
    std::visit([](auto& filter) { use(filter); }, *f);
    const mutant later = golden::bytes_of(*f);
    try {
      ASSERT_EQ(golden::bytes_of(load_any(later)), later);
    } catch (const error& e) {
      FAIL() << "refused after use: " << e.what();
    }
  }

 private:
  mutant whole_;
  int accepted_ = 0;
};

std::vector<std::uint64_t> lies_about(std::uint64_t truth) {
  std::vector<std::uint64_t> all{0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 63, 64, 1000};
  for (const int bit : {20, 31, 32, 33, 40, 53, 60, 62, 63}) {
    for (const int step : {-1, 0, 1}) {
      all.push_back((std::uint64_t{1} << bit) + static_cast<std::uint64_t>(step));
    }
  }
  for (const std::uint64_t near : {truth - 1, truth + 1, 2 * truth, truth / 2, ~truth}) {
    all.push_back(near);
  }
  all.push_back(~std::uint64_t{0});
  all.push_back(~std::uint64_t{0} - 1);
  return all;
}

TEST(recency_mutants, with_one_or_two_false_parameters) {
  for (const auto make : recency_recipes) {
    mutants m(make);
    for (std::size_t i = 0; i < m.parameters(); ++i) {
      for (const auto first : lies_about(support::get<std::uint64_t>(m.whole(), m.parameter(i)))) {
        mutant c = m.whole();
        support::put(std::span(c), m.parameter(i), first);
        ASSERT_NO_FATAL_FAILURE(m.judge(c)) << i << " is " << first;
        for (std::size_t j = i + 1; j < m.parameters(); ++j) {
          for (const std::uint64_t second : {std::uint64_t{0}, first, first - 1}) {
            mutant d = c;
            support::put(std::span(d), m.parameter(j), second);
            ASSERT_NO_FATAL_FAILURE(m.judge(d))
                << i << " is " << first << ", " << j << " is " << second;
          }
        }
      }
    }
    EXPECT_GT(m.accepted(), 50);
  }
}

TEST(recency_mutants, with_false_bytes) {
  math::random_source random(7);
  for (const auto make : recency_recipes) {
    mutants m(make);
    for (int round = 0; round < 1500; ++round) {
      mutant c = m.whole();
      const std::uint64_t changes = 1 + random.below(4);
      // The head behind its magic, or anywhere.
      for (std::uint64_t i = 0; i < changes; ++i) {
        const std::size_t reach = round % 2 == 0 ? std::min<std::size_t>(c.size(), 240) : c.size();
        const std::uint64_t at = 8 + random.below(reach - 8);
        c[at] = static_cast<std::byte>(round % 3 == 0 ? random() : random.below(2) * 0xff);
      }
      ASSERT_NO_FATAL_FAILURE(m.judge(c)) << round;
    }
    EXPECT_GT(m.accepted(), 20);
  }
}

}  // namespace recency_mutants_test
}  // namespace bloomtime::stored_recency_mutants_test
