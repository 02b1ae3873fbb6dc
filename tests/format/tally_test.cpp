#include <gtest/gtest.h>

#include <bloomtime/any.hpp>
#include <bloomtime/math/random.hpp>

#include <algorithm>
#include <array>
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
namespace tally_format {

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
  tally_filter f({.memory = 64, .cell_bits = 8, .large_memory = 128});
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

// -- tables --------------------------------------------------------------------------------------

// items, reserve, limit, total, homes, print bits, level, split
std::size_t table_parameter(const tally_bytes& c, unsigned i) {
  return support::field::directory +
         support::field::entry * support::get<std::uint32_t>(c, support::field::sections) + 8 * i;
}

tally_bytes a_table(golden::maker make) { return golden::bytes_of(make(newest_hash)); }

void expect_refused(tally_bytes c) {
  support::seal(c);
  support::expect_error(errc::corrupt, [&] { (void)load_any(c); });
}

TEST(stored_tally_table, parameters_must_fit_together) {
  constexpr std::uint64_t most = ~std::uint64_t{0};
  const tally_bytes c = a_table(golden::tally_table_grown);
  const auto truth = [&](unsigned i) {
    return support::get<std::uint64_t>(c, table_parameter(c, i));
  };
  ASSERT_GT(truth(6) + truth(7), 0U);
  for (const auto& [i, value] :
       std::vector<std::pair<unsigned, std::uint64_t>>{{1, 2},
                                                       {3, most},  // more than all counts
                                                       {4, 0},
                                                       {4, truth(4) + 1},
                                                       {4, most},
                                                       {5, 7},
                                                       {5, 61},
                                                       {5, most},
                                                       {6, truth(6) + 1},
                                                       {6, 33},
                                                       {6, most},
                                                       {7, truth(7) + 1},
                                                       {7, most}}) {
    tally_bytes lie = c;
    support::put<std::uint64_t>(lie, table_parameter(lie, i), value);
    SCOPED_TRACE(::testing::Message() << i << ' ' << value);
    expect_refused(lie);
  }
}

// The first block of a golden table.
detail::print_form form_of(const tally_bytes& c) {
  const auto get = [&](unsigned i) {
    return static_cast<unsigned>(support::get<std::uint64_t>(c, table_parameter(c, i)));
  };
  const unsigned level = get(6) + (get(7) != 0 ? 1 : 0);
  return detail::print_form::of(get(5) - detail::tag_bits - level, detail::print_counts::bits,
                                detail::print_counts::mark_bits);
}

// A grown table after change(its first block). Its total is 1, so that no sum is too small.
template <class Change>
tally_bytes with_first_block(Change&& change) {
  tally_bytes c = a_table(golden::tally_table_grown);
  support::put<std::uint64_t>(c, table_parameter(c, 3), 1);
  const detail::print_form form = form_of(c);
  alignas(64) std::array<std::byte, 64> copy;
  const auto bytes = support::sections_of(c)[0].first(64);
  std::copy(bytes.begin(), bytes.end(), copy.begin());
  const detail::print_block block(copy.data(), form);
  EXPECT_GT(block.count(), 3U);
  change(block);
  std::copy(copy.begin(), copy.end(), bytes.begin());
  return c;
}

template <class Change>
void expect_block_refused(Change&& change) {
  expect_refused(with_first_block(change));
}

TEST(stored_tally_table, a_print_occurs_once_in_a_block) {
  const auto two_prints = [](std::uint64_t first_rest, std::uint64_t second_rest) {
    return with_first_block([&](const detail::print_block& b) {
      b.clear();
      b.append({1, first_rest, 1});
      b.append({1, second_rest, 1});
    });
  };
  tally_bytes different = two_prints(0, 1);
  support::seal(different);
  EXPECT_NO_THROW((void)load_any(different));
  expect_refused(two_prints(0, 0));
}

TEST(stored_tally_table, blocks_must_be_well_formed) {
  using detail::print_block;
  expect_block_refused([](const print_block& b) { b.set_head(b.form().slots + 1, b.mark()); });
  expect_block_refused([](const print_block& b) { b.set_payload(0, 0); });  // digits of nothing
  // A large count without digits, at the end of the block.
  expect_block_refused([](const print_block& b) {
    b.set_payload(b.count() - 1, b.payload(b.count() - 1) == 0 ? 1 : detail::print_counts::large);
    b.set_payload(b.count() - 1, detail::print_counts::large);
  });
  // Digits after a small count.
  expect_block_refused([](const print_block& b) {
    b.set_payload(0, 1);
    b.put(1, {1, 0, 0});
  });
  // A highest digit of 0, and more than 64 bits.
  expect_block_refused([](const print_block& b) {
    b.set_payload(0, detail::print_counts::large);
    b.put(1, {1, 0, 0});
    b.put(2, {0, 0, 0});
  });
  expect_block_refused([](const print_block& b) {
    b.clear();
    b.append({1, 0, detail::print_counts::large});
    for (unsigned i = 1; i < b.form().slots; ++i) b.append({255, 0, 0});
  });
}

TEST(stored_tally_table, free_slots_have_no_count) {
  const auto with_free_slot = [](std::uint64_t count) {
    return with_first_block([&](const detail::print_block& b) {
      b.clear();
      b.append({1, 0, 1});
      b.put(1, {2, 0, count});
    });
  };
  tally_bytes empty = with_free_slot(0);
  support::seal(empty);
  EXPECT_NO_THROW((void)load_any(empty));
  expect_refused(with_free_slot(1));
}

TEST(stored_tally_table, a_stash_has_prints_of_its_table) {
  const tally_bytes whole = a_table(golden::tally_table_stash);
  const auto stash_of = [](tally_bytes& c) { return support::sections_of(c)[1]; };
  tally_bytes c = whole;
  ASSERT_GE(stash_of(c).size(), 16U);
  support::put<std::uint64_t>(stash_of(c), stash_of(c).size() - 8, 0);
  expect_refused(c);
  c = whole;
  const auto parameter = [&](unsigned i) {
    return support::get<std::uint64_t>(whole, table_parameter(whole, i));
  };
  support::put<std::uint64_t>(stash_of(c), stash_of(c).size() - 16, parameter(4) << parameter(5));
  expect_refused(c);
  // No mark leads to it.
  c = whole;
  const auto blocks = support::sections_of(c)[0];
  for (std::size_t at = 60; at < blocks.size(); at += 64) {
    const auto head = support::get<std::uint32_t>(blocks, at);
    support::put<std::uint32_t>(blocks, at, head & ((1U << 25) - 1));
  }
  expect_refused(c);
}

}  // namespace tally_format
}  // namespace bloomtime
