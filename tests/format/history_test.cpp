#include <gtest/gtest.h>

#include <bloomtime/any.hpp>
#include <bloomtime/history/history_engine.hpp>
#include <bloomtime/math/random.hpp>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "format/golden_recipes.hpp"
#include "support/allocations.hpp"
#include "support/container_bytes.hpp"
#include "support/expect_error.hpp"
#include "support/files.hpp"
#include "support/forged_history.hpp"

// Histories that were damaged, and such that were made to deceive: every checksum is right, and one
// thing is a lie.
namespace bloomtime {
namespace history_format {

using support::put;
using stored_bytes = std::vector<std::byte>;

stored_bytes stored(golden::maker make) { return golden::bytes_of(make(newest_hash)); }

class stored_history : public ::testing::TestWithParam<golden::recipe> {
 protected:
  stored_bytes sound() const { return golden::bytes_of(GetParam().make()); }

  // As its own kind, mapped from a file.
  template <class Use>
  void with_map(const stored_bytes& bytes, Use&& use) const {
    const support::temporary_directory directory(support::quick_place());
    support::write_file(directory / "f", bytes);
    std::visit(
        [&](const auto& f) {
          using kind = std::decay_t<decltype(f)>;
          if constexpr (history_engine<kind>) use(kind::map(directory / "f"));
        },
        GetParam().make());
  }
};
INSTANTIATE_TEST_SUITE_P(of, stored_history,
                         ::testing::Values(golden::recipe{"single", golden::history_single},
                                           golden::recipe{"tree", golden::history_tree},
                                           golden::recipe{"tree_grown", golden::history_tree_grown},
                                           golden::recipe{"level", golden::history_level},
                                           golden::recipe{"level_grown",
                                                          golden::history_level_grown}),
                         [](const auto& p) { return p.param.name; });

template <history_engine History>
void ask_everything(const History& h) {
  std::uint64_t probes = 0;
  for (std::int64_t s = -2; s < 40; ++s) {
    for (int i = 0; i < 10; ++i) (void)h.seen(i, interval{{s}, {s + 3 * i}}, probes);
  }
  (void)h.serialize();
  (void)describe(any_filter(h));
}

TEST_P(stored_history, is_refused_wherever_it_is_cut) {
  const stored_bytes whole = sound();
  support::allocations watch;
  for (std::size_t kept = 0; kept < whole.size(); ++kept) {
    support::expect_error(errc::truncated, [&] {
      (void)load_any(
          stored_bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(kept)));
    });
  }
  EXPECT_EQ(watch.asked(), 0u);
}

TEST_P(stored_history, is_refused_if_any_bit_is_wrong) {
  const stored_bytes whole = sound();
  support::allocations watch;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      stored_bytes flipped = whole;
      flipped[at] ^= static_cast<std::byte>(1u << bit);
      EXPECT_THROW((void)load_any(flipped), error) << "byte " << at << ", bit " << bit;
    }
  }
  EXPECT_EQ(watch.asked(), 0u);
}

// Sizes stand in a body, which a map does not check against its checksum: what they say is either
// refused or stays inside.
TEST_P(stored_history, is_refused_or_harmless_if_mapped) {
  const stored_bytes whole = sound();
  math::random_source random(1);
  const std::size_t head = support::head_length(whole);
  for (std::size_t round = 0; round < 400; ++round) {
    stored_bytes damaged = whole;
    for (std::size_t i = 0; i <= round % 4; ++i) {
      damaged[head + random.below(whole.size() - head)] ^=
          static_cast<std::byte>(1 + random.below(255));
    }
    try {
      with_map(damaged, [](const auto& mapped) {
        ask_everything(*mapped);
        EXPECT_THROW(mapped.verify(), error);
      });
    } catch (const error& e) {
      EXPECT_EQ(e.code(), errc::corrupt) << e.what();
    }
  }
}

// Trees and levels are checked through lists of views: one of each height of a tree, or one of
// levels and one of sketches, which is at most one more than the filters. Nothing else is allocated
// for a container that is refused; no filter is copied.
std::uint64_t most_lists(const stored_bytes& c) {
  const auto engine = support::get<std::uint8_t>(c, support::field::engine);
  const bool has_lists = engine == published::tree_history::kind.engines[0] ||
                         engine == published::level_history::kind.engines[0];
  constexpr std::uint64_t size_bytes = 17;
  const auto sizes =
      support::get<std::uint64_t>(c, support::field::directory + support::field::entry_length);
  return has_lists ? sizes / size_bytes + 1 : 0;
}

// One field at a time gets every value that is interesting, in the parameters and in the sizes.
// Whatever is taken must answer, grow, and be stored again as it was.
TEST_P(stored_history, does_no_harm_whatever_one_number_says) {
  const stored_bytes whole = sound();
  const auto sections = support::get<std::uint32_t>(whole, support::field::sections);
  const auto parameter_bytes = support::get<std::uint32_t>(whole, support::field::parameter_bytes);
  const std::size_t parameters = support::field::directory + sections * support::field::entry;
  const auto sizes_length =
      support::get<std::uint64_t>(whole, support::field::directory + support::field::entry_length);
  std::vector<std::size_t> fields;
  for (std::size_t at = 0; at < parameter_bytes; at += 8) fields.push_back(parameters + at);
  const std::size_t head = support::head_length(whole);
  for (std::size_t at = 0; at + 17 <= sizes_length; at += 17) {
    fields.insert(fields.end(), {head + at, head + at + 8});
  }
  int taken = 0;
  for (const std::size_t field : fields) {
    const auto was = support::get<std::uint64_t>(whole, field);
    for (const std::uint64_t lie :
         {std::uint64_t{0}, std::uint64_t{1}, was - 1, was + 1, was / 2, was * 2, was + 64,
          std::uint64_t{1} << 32, std::uint64_t{1} << 43, std::uint64_t{1} << 62,
          (std::uint64_t{1} << 62) + 1, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
      stored_bytes c = whole;
      put<std::uint64_t>(c, field, lie);
      support::seal(c);
      support::allocations watch;
      try {
        std::visit(
            [&](auto f) {
              if constexpr (history_engine<decltype(f)>) {
                ++taken;
                EXPECT_TRUE(f.serialize() == c) << field << " " << lie;
                ask_everything(f);
                for (const std::int64_t t : {0, 16, 30}) f.add(1, golden::seconds_later(3600 * t));
                ask_everything(f);
              }
            },
            load_any(c));
      } catch (const error& e) {
        EXPECT_LE(watch.asked(), most_lists(whole)) << e.what();
      }
    }
  }
  EXPECT_GT(taken, 0);
}

void expect_refused_history(const stored_bytes& c, std::string_view mention = "",
                            errc code = errc::corrupt) {
  support::allocations watch;
  support::expect_error(
      code, [&] { (void)load_any(c); }, mention);
  EXPECT_LE(watch.asked(), most_lists(c));
}

stored_bytes with_parameter(const stored_bytes& whole, std::size_t number, std::uint64_t value) {
  stored_bytes c = whole;
  const auto sections = support::get<std::uint32_t>(c, support::field::sections);
  put<std::uint64_t>(c, support::field::directory + sections * support::field::entry + 8 * number,
                     value);
  support::seal(c);
  return c;
}

stored_bytes with_size(const stored_bytes& whole, std::size_t filter, std::size_t offset,
                       std::uint8_t value) {
  stored_bytes c = whole;
  put<std::uint8_t>(c, support::head_length(c) + 17 * filter + offset, value);
  support::seal(c);
  return c;
}

TEST(forged_history, is_refused_with_a_reason) {
  const stored_bytes level = stored(golden::history_level);
  expect_refused_history(with_parameter(level, 0, 8), "contradict");   // not on the grid
  expect_refused_history(with_parameter(level, 1, 0), "contradict");   // no ticks
  expect_refused_history(with_parameter(level, 1, 8), "4 filters");    // fewer levels
  expect_refused_history(with_parameter(level, 2, 0), "records");      // bits of no record
  expect_refused_history(with_parameter(level, 3, 63), "contradict");  // grows from 16 on
  expect_refused_history(with_parameter(level, 4, 2), "contradict");   // doubts
  expect_refused_history(with_parameter(level, 5, 1), "3 sections");   // no sketches
  expect_refused_history(with_size(level, 0, 16, 65), "hash functions");
  expect_refused_history(with_size(level, 1, 16, 1), "hash functions");  // of a level left out
  expect_refused_history(with_size(level, 4, 0, 120), "1 more");         // a byte is left over
  expect_refused_history(with_size(level, 0, 0, 1), "more bits");        // 257 bits, one byte more
  expect_refused_history(with_size(level, 0, 8, 1), "otherwise");        // ones
  stored_bytes flat_only = level;
  put<std::uint8_t>(flat_only, support::field::layout, 3);
  support::seal(flat_only);
  expect_refused_history(flat_only, "contradict");
  stored_bytes unknown = level;
  put<std::uint8_t>(unknown, support::field::engine, 99);
  support::seal(unknown);
  expect_refused_history(unknown, "engine 99", errc::unknown_kind);

  const stored_bytes tree = stored(golden::history_tree);
  expect_refused_history(with_parameter(tree, 3, 3), "contradict");   // granularity
  expect_refused_history(with_parameter(tree, 3, 8), "contradict");   // then there are fewer leaves
  expect_refused_history(with_parameter(tree, 4, 64), "contradict");  // to grow, without a k
  expect_refused_history(with_parameter(tree, 6, 1), "contradict");   // memory to grow to
  expect_refused_history(with_parameter(tree, 7, 3), "contradict");   // leaves
  const stored_bytes grown = stored(golden::history_tree_grown);
  expect_refused_history(with_parameter(grown, 0, 1), "contradict");
  expect_refused_history(with_parameter(grown, 1, 12), "contradict");
  expect_refused_history(with_parameter(grown, 5, 2), "contradict");  // not the k of its nodes
}

// A block of partitions that begins elsewhere would overlap with those that joining makes.
TEST(forged_history, has_blocks_that_begin_at_multiples_of_their_length) {
  support::forged_history forged = support::of_long_runs(48, {digest_of("x")});
  for (const std::uint64_t count : {1, 2, 4, 16}) {
    EXPECT_EQ(history::load(forged.as_partition(count)).partitions(), 1u) << count;
  }
  for (const std::uint64_t count : {3, 6, 12, 48}) {
    expect_refused_history(forged.as_partition(count), "contradict");
  }
  forged.first = 48;
  EXPECT_EQ(history::load(forged.as_partition(2)).partitions(), 1u);
  forged.first = 24;
  expect_refused_history(forged.as_partition(2), "contradict");
}

std::uint64_t offset_of_section(const stored_bytes& c, std::size_t number) {
  return support::get<std::uint64_t>(
      c, support::field::directory + number * support::field::entry + support::field::entry_offset);
}

// The first filter has 100 bits in 13 bytes.
TEST(forged_history, has_nothing_beyond_its_last_bit) {
  stored_bytes c = stored(golden::history_tree);
  const std::size_t last = offset_of_section(c, 1) + 12;
  const auto was = support::get<std::uint8_t>(c, last);
  ASSERT_EQ(was >> 4, 0);
  put<std::uint8_t>(c, last, static_cast<std::uint8_t>(was | 0x80));
  const auto ones = support::get<std::uint8_t>(c, offset_of_section(c, 0) + 8);
  expect_refused_history(with_size(c, 0, 8, static_cast<std::uint8_t>(ones + 1)), "otherwise");
}

TEST(forged_history, has_ranks_that_a_sketch_can_have) {
  stored_bytes c = stored(golden::history_learning);
  put<std::uint8_t>(c, offset_of_section(c, 2), 0x3f);  // rank 63 of at most 53
  support::seal(c);
  expect_refused_history(c, "ranks up to 53");
}

}  // namespace history_format
}  // namespace bloomtime
