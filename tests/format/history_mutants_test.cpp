#include <gtest/gtest.h>

#include <bloomtime/any.hpp>
#include <bloomtime/history/history_engine.hpp>
#include <bloomtime/math/random.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "format/golden_files.hpp"
#include "format/golden_recipes.hpp"
#include "support/allocated.hpp"
#include "support/container_bytes.hpp"
#include "support/files.hpp"
#include "support/soaking.hpp"

// Every stored history, with something else in it and all checksums made anew. Whatever loads is
// stored as it was, can be used, and is stored and loaded again after that; and it takes memory for
// the bytes that there are.
namespace bloomtime::stored_history_mutants_test {
namespace history_mutants_test {

using stored_bytes = std::vector<std::byte>;

std::vector<std::string> stored_histories() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(golden::folder())) {
    const std::string name = entry.path().stem().string();
    if (name.starts_with("history_")) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

void flip_some_bits(std::span<std::byte> bytes, math::random_source& random) {
  for (std::uint64_t i = 0; i <= random.below(3); ++i) {
    bytes[random.below(bytes.size())] ^= static_cast<std::byte>(1u << random.below(8));
  }
}

// A number of the parameters, or of a body, that says something else.
void tell_a_lie(std::span<std::byte> c, math::random_source& random) {
  const std::size_t head = support::head_length(c);
  const std::size_t from =
      support::field::directory +
      support::field::entry * support::get<std::uint32_t>(c, support::field::sections);
  const std::size_t end = random.below(4) == 0 ? c.size() : head;
  const std::size_t at = from + 8 * random.below((end - from) / 8);
  const auto was = support::get<std::uint64_t>(c, at);
  const std::uint64_t lies[] = {0,       1,       was - 1,    was + 1, was * 2, was / 2,
                                1 << 16, was ^ 8, 1ull << 32, 40,      57,      1ull << 62};
  support::put<std::uint64_t>(c, at, lies[random.below(std::size(lies))]);
}

stored_bytes mutant_of(const stored_bytes& whole, math::random_source& random) {
  stored_bytes c = whole;
  const auto inner = support::partitions_of(c);
  std::span<std::byte> where(c);
  if (!inner.empty() && random.below(4) != 0) where = inner[random.below(inner.size())];
  if (random.below(2) == 0) {
    tell_a_lie(where, random);
  } else {
    flip_some_bits(where.subspan(support::field::directory), random);
  }
  support::seal_nested(c);
  return c;
}

template <class History>
void ask(const History& h) {
  for (const interval asked : {interval{{0}, {3}}, interval{{-1}, {std::int64_t{1} << 40}}}) {
    for (const char* item : {"often", "mostly", "item-3", "late", "absent"}) {
      std::uint64_t probes = 0;
      const sighting found = h.seen(item, asked, probes);
      if constexpr (requires { h.when(item, asked); }) {
        EXPECT_EQ(h.when(item, asked).empty(), found != sighting::maybe);
      }
    }
  }
  (void)describe(any_filter(h));
}

// What may refuse, because both together would be too large; then nothing has changed.
template <class Change>
void try_to(Change&& change) {
  try {
    change();
  } catch (const error& e) {
    EXPECT_EQ(e.code(), errc::too_large) << e.what();
  }
}

template <class History>
void change(History& h) {
  for (const char* item : {"often", "new"}) {
    for (const int hours : {0, 1, 399, 900}) {
      try_to([&] { h.add(item, golden::seconds_later(3600 * hours)); });
    }
  }
  if constexpr (requires { h.seal(); }) {
    try_to([&] { h.compact(); });
    try_to([&] { h.seal(); });
  }
}

// Returns whether it was loaded.
bool load_and_use(const stored_bytes& c) {
  const support::allocated watch;
  bool is_loaded = false;
  try {
    any_filter loaded = load_any(c);
    is_loaded = true;
    std::visit(
        [&](auto& f) {
          using kind = std::decay_t<decltype(f)>;
          EXPECT_TRUE(f.serialize() == c);
          if constexpr (history_engine<kind> || std::is_same_v<kind, history>) {
            ask(f);
            change(f);
            ask(f);
          }
          const stored_bytes again = f.serialize();
          EXPECT_TRUE(kind::load(again).serialize() == again);
        },
        loaded);
  } catch (const error& e) {
    EXPECT_FALSE(is_loaded) << e.what();
  }
  EXPECT_LE(watch.most(), (std::uint64_t{1} << 20) + 256 * c.size());
  return is_loaded;
}

class history_mutants : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(of, history_mutants, ::testing::ValuesIn(stored_histories()),
                         [](const auto& p) { return p.param; });

TEST_P(history_mutants, that_load_are_stored_as_they_were) {
  const stored_bytes whole = support::read_file(golden::path_of(GetParam()));
  ASSERT_TRUE(load_and_use(whole));
  math::random_source random(17);
  int loaded = 0;
  const int rounds = support::soaking() ? 100'000 : 2000;
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(round);
    loaded += load_and_use(mutant_of(whole, random));
    if (HasFailure()) break;
  }
  EXPECT_GT(loaded, 20);
}

}  // namespace history_mutants_test
}  // namespace bloomtime::stored_history_mutants_test
