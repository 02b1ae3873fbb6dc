#include <gtest/gtest.h>

#include <bloomtime/any.hpp>
#include <bloomtime/math/random.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "format/golden_recipes.hpp"
#include "support/container_bytes.hpp"
#include "support/expect_error.hpp"

// Tallies that were damaged, and such that were made to deceive: every checksum is right, and one
// thing is a lie.
namespace bloomtime {
namespace tally_test {

using tally_bytes = std::vector<std::byte>;

class stored_tally : public ::testing::TestWithParam<golden::recipe> {
 protected:
  tally_bytes sound() const { return golden::bytes_of(GetParam().make()); }
  static std::uint32_t sections(const tally_bytes& c) {
    return support::get<std::uint32_t>(c, support::field::sections);
  }
};

constexpr bool is_tally(std::string_view name) { return name.starts_with("tally"); }

std::vector<golden::recipe> tally_recipes() {
  std::vector<golden::recipe> found;
  for (const golden::recipe& r : golden::recipes) {
    if (is_tally(r.name)) found.push_back(r);
  }
  return found;
}
INSTANTIATE_TEST_SUITE_P(of, stored_tally, ::testing::ValuesIn(tally_recipes()),
                         [](const auto& p) { return p.param.name; });

bool loads(const tally_bytes& c) {
  try {
    (void)load_any(c);
    return true;
  } catch (const error& e) {
    EXPECT_NE(std::string(e.what()), "");
    return false;
  }
}

TEST_P(stored_tally, is_refused_if_cut_or_changed) {
  const tally_bytes whole = sound();
  ASSERT_TRUE(loads(whole));
  for (std::size_t n = 0; n < whole.size(); n += 7) {
    EXPECT_FALSE(loads({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n)})) << n;
  }
  for (std::size_t i = 0; i < whole.size(); ++i) {
    tally_bytes changed = whole;
    changed[i] ^= std::byte{0x10};
    EXPECT_FALSE(loads(changed)) << i;
  }
}

// One bit of a cell, of a length or of an entry: the sums do not fit any more. Stuck counters and
// minimum increase have no such sums, and second filters neither.
class stored_exact_tally : public stored_tally {};
INSTANTIATE_TEST_SUITE_P(of, stored_exact_tally,
                         ::testing::Values(golden::recipe{"counting", golden::tally_counting},
                                           golden::recipe{"spectral", golden::tally_spectral},
                                           golden::recipe{"dynamic", golden::tally_dynamic},
                                           golden::recipe{"tally_4", golden::tally_4},
                                           golden::recipe{"tally_8", golden::tally_8}),
                         [](const auto& p) { return p.param.name; });

TEST_P(stored_exact_tally, is_refused_if_its_cells_lie) {
  const tally_bytes whole = sound();
  for (std::uint32_t s = 0; s < sections(whole); ++s) {
    const std::size_t entry = support::field::directory + support::field::entry * s;
    const auto offset = support::get<std::uint64_t>(whole, entry + support::field::entry_offset);
    const auto length = support::get<std::uint64_t>(whole, entry + support::field::entry_length);
    for (std::uint64_t bit = 0; bit < 8 * length; ++bit) {
      tally_bytes c = whole;
      c[offset + bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
      support::seal(c);
      EXPECT_FALSE(loads(c)) << "section " << s << " bit " << bit;
    }
  }
}

// How wide cells are, how many, and what they sum up to. (That a spectral filter counts by minimum
// increase is no lie that its cells could tell.)
TEST_P(stored_exact_tally, is_refused_if_its_parameters_lie) {
  const tally_bytes whole = sound();
  const std::string_view name = GetParam().name;
  const std::size_t end = name == "dynamic" ? 5 : 4;
  for (std::size_t p = name == "spectral" ? 1 : 0; p < end; ++p) {
    const std::size_t at =
        support::field::directory + support::field::entry * sections(whole) + 8 * p;
    const auto truth = support::get<std::uint64_t>(whole, at);
    for (const std::uint64_t lie :
         {truth + 1, truth - 1, truth << 1 | 1, ~std::uint64_t{0}, std::uint64_t{1} << 40}) {
      tally_bytes c = whole;
      support::put(c, at, lie);
      support::seal(c);
      EXPECT_FALSE(loads(c)) << p << ' ' << lie;
    }
  }
}

// Whatever is let through can be asked and changed.
TEST_P(stored_tally, works_if_it_is_let_through) {
  const tally_bytes whole = sound();
  math::random_source draw(1);
  for (int round = 0; round < 300; ++round) {
    tally_bytes c = whole;
    for (int i = 0; i < 3; ++i) {
      c[64 + draw.below(c.size() - 64)] = static_cast<std::byte>(draw());
    }
    support::seal(c);
    try {
      std::visit(
          [&](auto f) {
            if constexpr (tally_engine<decltype(f)>) {
              for (int i = 0; i < 20; ++i) {
                f.add(i, 1000);
                (void)f.count(i);
                if constexpr (removing_tally_engine<decltype(f)>) (void)f.remove(i + 1, 999);
              }
              (void)f.statistics();
              (void)f.serialize();
            }
          },
          load_any(c));
    } catch (const error&) {
    }
  }
}

// Every entry of the table belongs to a cell that says so, and the other way round.
TEST(stored_tally_filter, has_an_entry_for_every_cell_that_says_so_and_no_other) {
  tally_filter f({.memory = 64, .cell_bits = 8});
  ASSERT_EQ(f.add("x", 1000), outcome::added);
  const tally_bytes whole = f.serialize();
  const auto section = [&](std::uint32_t s) {
    return support::get<std::uint64_t>(
        whole,
        support::field::directory + support::field::entry * s + support::field::entry_offset);
  };
  const auto cell = f.position(digest_of("x"), 0);
  tally_bytes literal = whole;
  literal[section(0) + cell] = std::byte{5};
  support::seal(literal);
  support::expect_error(
      errc::corrupt, [&] { tally_filter::load(literal); }, "cell " + std::to_string(cell));
  for (std::uint64_t other = 0; other < f.cells(); ++other) {
    if (f.cell(other) != 0) continue;
    tally_bytes escaped = whole;
    escaped[section(0) + other] = std::byte{192};  // nothing but the mark
    support::seal(escaped);
    support::expect_error(
        errc::corrupt, [&] { tally_filter::load(escaped); }, "contradict");
  }
  tally_bytes small = whole;
  support::put(small, section(1) + 8, std::uint64_t{1});
  support::seal(small);
  support::expect_error(
      errc::corrupt, [&] { tally_filter::load(small); }, "cannot have the value 1");
}

}  // namespace tally_test
}  // namespace bloomtime
