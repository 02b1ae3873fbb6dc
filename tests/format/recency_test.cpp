#include <gtest/gtest.h>

#include <bloomtime/any.hpp>
#include <bloomtime/detail/print_table.hpp>
#include <bloomtime/recency/detail/print_stamps.hpp>

#include <array>
#include <cstdint>
#include <vector>

#include "format/golden_recipes.hpp"
#include "support/allocations.hpp"
#include "support/container_bytes.hpp"
#include "support/expect_error.hpp"

// Recency filters that were damaged, and such that were made to deceive: every checksum is right,
// and one thing is a lie.
namespace bloomtime {
namespace recency_format {

using namespace published;
using support::put;
using recency_bytes = std::vector<std::byte>;

constexpr std::array recency_recipes{golden::timing,
                                     golden::recency_flat,
                                     golden::recency_line,
                                     golden::recency_count,
                                     golden::recency_table_grown,
                                     golden::recency_table_last,
                                     golden::recency_table_stash};

TEST(stored_recency, is_refused_wherever_it_is_cut_or_any_bit_is_wrong) {
  for (const auto make : recency_recipes) {
    const recency_bytes whole = golden::bytes_of(make(newest_hash));
    support::allocations watch;
    for (std::size_t kept = 0; kept < whole.size(); ++kept) {
      const auto end = whole.begin() + static_cast<std::ptrdiff_t>(kept);
      support::expect_error(errc::truncated,
                            [&] { (void)load_any(recency_bytes(whole.begin(), end)); });
      recency_bytes flipped = whole;
      flipped[kept] ^= static_cast<std::byte>(1u << kept % 8);
      EXPECT_THROW((void)load_any(flipped), error) << "byte " << kept;
    }
    EXPECT_EQ(watch.asked(), 0u);
  }
}

using support::field::directory;
using support::field::entry;

// Where the parameters of a container stand.
std::size_t recency_parameter(const recency_bytes& c, std::size_t i) {
  return directory + entry * support::get<std::uint32_t>(c, support::field::sections) + 8 * i;
}

// Parameter number i of what `make` makes becomes this value, and the checksums are right again.
void expect_lie_refused(golden::maker make, unsigned i, std::uint64_t value) {
  recency_bytes c = golden::bytes_of(make(newest_hash));
  put<std::uint64_t>(c, recency_parameter(c, i), value);
  support::seal(c);
  support::expect_error(errc::corrupt, [&] { (void)load_any(c); });
}

TEST(stored_recency, parameters_must_fit_together) {
  constexpr std::uint64_t most = ~std::uint64_t{0};
  // window, timers, bits, k, block, sweep, insertions, filled, now, cursor, swept
  const auto timing = std::get<timing_filter>(golden::timing(newest_hash));
  const published::timing_size& s = timing.size();
  for (const auto& [i, value] : std::vector<std::pair<unsigned, std::uint64_t>>{{0, 0},
                                                                                {0, most},
                                                                                {0, s.block - 1},
                                                                                {1, 0},
                                                                                {1, s.timers - 9},
                                                                                {1, most},
                                                                                {2, 1},
                                                                                {2, 33},
                                                                                {2, s.bits + 1},
                                                                                {3, 0},
                                                                                {3, 65},
                                                                                {4, 0},
                                                                                {4, s.window + 1},
                                                                                {5, 0},
                                                                                {6, 0},
                                                                                {7, s.block},
                                                                                {7, most},
                                                                                {8, 7},
                                                                                {9, s.timers},
                                                                                {10, most}}) {
    expect_lie_refused(golden::timing, i, value);
  }
  // window, tick, bits, k, timers, items, flags, ahead, insertions, now, stamp, cursor, swept
  const auto flat = std::get<recency_filter>(golden::recency_flat(newest_hash));
  for (const auto& [i, value] : std::vector<std::pair<unsigned, std::uint64_t>>{
           {0, 0},
           {0, most},
           {1, 0},
           {1, flat.window() + 1},
           {1, 1'000'000},  // not that of the clock
           {2, 1},
           {2, 33},
           {3, 0},
           {3, 65},
           {4, 0},
           {4, most},
           {4, flat.size().cells + 64},
           {6, 8},
           {6, 0},  // never started, and yet there were insertions
           {8, 0},
           {8, most},
           {10, 15},
           {11, flat.size().cells},
           {12, most}}) {
    expect_lie_refused(golden::recency_flat, i, value);
  }
  expect_lie_refused(golden::recency_count, 9, most);
  expect_lie_refused(golden::recency_count, 9, 1000);  // more than insertions
  expect_lie_refused(golden::recency_line, 3, 17);
}

TEST(stored_recency, arrivals_must_grow_with_time) {
  recency_bytes c = golden::bytes_of(golden::recency_flat(newest_hash));
  const auto at = support::get<std::uint64_t>(c, directory + entry + support::field::entry_offset);
  put<std::uint64_t>(c, at + 8, ~std::uint64_t{0});
  support::seal(c);
  support::expect_error(
      errc::corrupt, [&] { (void)load_any(c); }, "before the next one");
}

TEST(stored_recency, parameters_of_a_table_must_fit_together) {
  constexpr std::uint64_t most = ~std::uint64_t{0};
  // window, tick, items, flags, ahead, limit, insertions, now, homes, print bits, level, split,
  // ticks passed
  const recency_bytes c = golden::bytes_of(golden::recency_table_grown(hash_id::xxh3_128));
  const auto truth = [&](unsigned i) {
    return support::get<std::uint64_t>(c, recency_parameter(c, i));
  };
  ASSERT_GT(truth(10), 0U);
  ASSERT_GT(truth(11), 0U);
  for (const auto& [i, value] : std::vector<std::pair<unsigned, std::uint64_t>>{
           {0, 0},
           {0, most},
           {0, 1024 * truth(1) + 1},
           {1, 0},
           {1, truth(0) + 1},
           {1, 1'000'000},  // not that of the clock
           {3, truth(3) + 32},
           {3, truth(3) - 2},  // never started, and yet there were insertions
           {3, truth(3) + 4},  // an audit without a section
           {6, 0},
           {6, most},
           {8, 0},
           {8, truth(8) + 1},
           {8, most},
           {9, 7},
           {9, 61},
           {9, most},
           {10, truth(10) + 1},
           {10, 33},
           {10, most},
           {11, truth(11) + 1},
           {11, most},
           {12, 0},  // all stamps are from the future
           {12, most}}) {
    expect_lie_refused(golden::recency_table_grown, i, value);
  }
  expect_lie_refused(golden::recency_table_last, 7, most);
  expect_lie_refused(golden::recency_table_last, 7, 1000);   // more than insertions
  expect_lie_refused(golden::recency_table_last, 3, 1 + 2);  // its audit is not mentioned
}

// A stored table, to be changed in its sections.
class forged_table {
 public:
  explicit forged_table(golden::maker make)
      : bytes_(golden::bytes_of(make(hash_id::xxh3_128))),
        now_(support::get<std::uint64_t>(bytes_, recency_parameter(bytes_, 12))) {}

  std::span<std::byte> blocks() { return section(0); }
  std::span<std::byte> epochs() { return section(1); }
  std::span<std::byte> stash() { return section(2); }
  std::uint64_t now() const { return now_; }
  std::uint64_t parameter(unsigned i) const {
    return support::get<std::uint64_t>(bytes_, recency_parameter(bytes_, i));
  }

  void expect_refused(const char* says = "") {
    support::seal(bytes_);
    support::expect_error(
        errc::corrupt, [&] { (void)load_any(bytes_); }, says);
  }

 private:
  std::span<std::byte> section(std::size_t i) { return support::sections_of(bytes_)[i]; }

  recency_bytes bytes_;
  std::uint64_t now_;
};

// The grown table has stamps of 4 bits, marks of 5 and a first block that was divided.
constexpr std::size_t head_at = 60;
constexpr unsigned count_shift = 22;
constexpr unsigned mark_shift = 27;
constexpr std::uint64_t print_mask = 15;
detail::print_stamps stamps_of_a_table() { return detail::print_stamps(12); }

TEST(stored_recency, a_block_has_no_more_prints_than_slots) {
  forged_table f(golden::recency_table_grown);
  const auto head = support::get<std::uint32_t>(f.blocks(), head_at);
  put<std::uint32_t>(f.blocks(), head_at, head | 31U << count_shift);
  f.expect_refused();
}

TEST(stored_recency, a_mark_is_a_stamp) {
  forged_table f(golden::recency_table_grown);
  const std::uint32_t head =
      support::get<std::uint32_t>(f.blocks(), head_at) & ((1U << mark_shift) - 1);
  put<std::uint32_t>(f.blocks(), head_at, head | 7U << mark_shift);
  f.expect_refused();
}

// Codes from the present tick to `spare` after the epoch stand for ticks to come.
TEST(stored_recency, stamps_and_epochs_are_not_from_the_future) {
  const detail::print_stamps stamps = stamps_of_a_table();
  const auto epoch =
      support::get<std::uint64_t>(forged_table(golden::recency_table_grown).epochs(), 0);
  const std::uint64_t latest = epoch + stamps.spare();
  {
    forged_table f(golden::recency_table_grown);
    ASSERT_GT(latest, f.now());
    const auto level = static_cast<unsigned>(f.parameter(10)) + 1;
    const auto rest = static_cast<unsigned>(f.parameter(9)) - detail::tag_bits - level;
    const auto form = detail::print_form::of(rest, stamps.bits(), stamps.mark_bits());
    const detail::print_block block(f.blocks().data(), form);
    ASSERT_GT(block.count(), 0U);
    block.set_payload(0, latest & print_mask);
    f.expect_refused();
  }
  {
    forged_table f(golden::recency_table_grown);
    const std::uint32_t head =
        support::get<std::uint32_t>(f.blocks(), head_at) & ((1U << mark_shift) - 1);
    const auto mark = static_cast<std::uint32_t>(latest & print_mask) | 16U;
    put<std::uint32_t>(f.blocks(), head_at, head | mark << mark_shift);
    f.expect_refused();
  }
  for (std::size_t at = 0; at < forged_table(golden::recency_table_grown).epochs().size();
       at += 8) {
    forged_table f(golden::recency_table_grown);
    put<std::uint64_t>(f.epochs(), at, f.now() + 1);
    f.expect_refused();
  }
}

TEST(stored_recency, a_stash_has_prints_of_its_table_from_the_past) {
  {
    forged_table f(golden::recency_table_stash);
    ASSERT_GE(f.stash().size(), 16U);
    put<std::uint64_t>(f.stash(), f.stash().size() - 8, f.now() + 1);
    f.expect_refused("cannot have the value");
  }
  {
    forged_table f(golden::recency_table_stash);
    put<std::uint64_t>(f.stash(), f.stash().size() - 16, f.parameter(8) << f.parameter(9));
    f.expect_refused("increasing order");
  }
  {
    forged_table f(golden::recency_table_stash);
    const auto head = support::get<std::uint32_t>(f.blocks(), head_at);
    put<std::uint32_t>(f.blocks(), head_at, head & ((1U << mark_shift) - 1));  // no mark
    f.expect_refused();
  }
  // The larger of the two keys of a print is never searched for.
  forged_table f(golden::recency_table_stash);
  const detail::print_stamps stamps = stamps_of_a_table();
  const detail::print_table<detail::print_stamps> table(
      {f.parameter(8), static_cast<unsigned>(f.parameter(9)), stamps.bits(), stamps.mark_bits()},
      stamps);
  const std::size_t last = f.stash().size() - 16;
  const auto key = support::get<std::uint64_t>(f.stash(), last);
  ASSERT_EQ(table.stash_key(table.print_of_key(key)), key);
  put<std::uint64_t>(f.stash(), last, table.key_of(table.blocks().other(table.print_of_key(key))));
  f.expect_refused();
}

}  // namespace recency_format
}  // namespace bloomtime
