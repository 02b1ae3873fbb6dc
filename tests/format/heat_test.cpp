#include <gtest/gtest.h>

#include <bloomtime/any.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "format/golden_files.hpp"
#include "format/golden_recipes.hpp"
#include "support/container_bytes.hpp"
#include "support/files.hpp"

// Containers of the heat family with forged contents and right checksums: what is accepted is
// written back byte by byte, can be used, and is accepted again afterwards.
namespace bloomtime::stored_heat_test {
namespace heat_test {

std::vector<std::string> heat_files() {
  std::vector<std::string> names(golden::coarse_decays.begin(), golden::coarse_decays.end());
  for (const golden::recipe& r : golden::recipes) {
    const std::string name = r.name;
    if (name.ends_with("_fine") || name.starts_with("ring_") || name.starts_with("heat_table_") ||
        name.starts_with("window_table_")) {
      names.push_back(name);
    }
  }
  return names;
}

template <class T>
concept heat_engine = requires(T f, instant t) {
  { f.mass(t) } -> std::same_as<double>;
};

template <heat_engine Filter>
void expect_usable(Filter f) {
  const std::optional<instant> newest = f.newest();
  const instant now = newest ? *newest : golden::day;
  (void)f.at("hot", now);
  (void)f.at("hot", instant(std::numeric_limits<std::int64_t>::max()));
  (void)f.mass(now);
  f.add("hot", now, 70'000);
  f.add("another", now);
  constexpr std::int64_t earlier = 1'000'000'000;
  const std::int64_t first = std::numeric_limits<std::int64_t>::min();
  f.add("item-1", instant(std::max(now.micros, first + earlier) - earlier));
  if constexpr (requires { f.top(3, now); }) (void)f.top(3, now);
  try {
    f.merge(Filter(f));
  } catch (const error& e) {
    EXPECT_TRUE(e.code() == errc::too_large || e.code() == errc::incompatible) << e.what();
  }
  const std::vector<std::byte> later = f.serialize();
  EXPECT_TRUE(Filter::load(later).serialize() == later);
}

bool is_accepted(const std::vector<std::byte>& mutant) {
  std::optional<any_filter> f;
  try {
    f = load_any(mutant);
  } catch (const error&) {
    return false;
  }
  EXPECT_TRUE(golden::bytes_of(*f) == mutant);
  std::visit(
      []<class Filter>(const Filter& any) {
        if constexpr (heat_engine<Filter>) {
          EXPECT_NO_THROW(expect_usable(any));
        }
      },
      *f);
  return true;
}

class heat_mutants : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(golden, heat_mutants, ::testing::ValuesIn(heat_files()),
                         [](const auto& p) { return p.param; });

TEST_P(heat_mutants, that_load_are_written_back_and_can_be_used) {
  const std::vector<std::byte> good = support::read_file(golden::path_of(GetParam()));
  std::size_t accepted = 0;
  const auto attempt = [&](std::vector<std::byte> mutant, std::size_t at, const char* what) {
    if (HasFailure()) return;  // one is enough to read
    support::seal(mutant);
    accepted += is_accepted(mutant);
    EXPECT_FALSE(HasFailure()) << what << " at byte " << at;
  };
  for (std::size_t at = support::field::seed; at < good.size(); ++at) {
    for (const int bit : {0, 3, 7}) {
      std::vector<std::byte> mutant = good;
      mutant[at] ^= std::byte{1} << bit;
      attempt(std::move(mutant), at, "a flipped bit");
    }
  }
  for (std::size_t at = support::field::seed; at + 8 <= good.size(); at += 8) {
    for (const std::uint64_t word :
         {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
      std::vector<std::byte> mutant = good;
      support::put(std::span(mutant), at, word);
      attempt(std::move(mutant), at, "a word");
    }
  }
  EXPECT_GT(accepted, 50u);
}

}  // namespace heat_test
}  // namespace bloomtime::stored_heat_test
