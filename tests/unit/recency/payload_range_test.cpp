#include <gtest/gtest.h>

#include <bloomtime/math/random.hpp>
#include <bloomtime/recency/detail/payload_range.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace bloomtime::detail {
namespace payload_range_test {

constexpr std::size_t several = 5;

// Blocks that lie side by side.
struct blocks {
  explicit blocks(const print_form& f) : form(f) {}

  print_block operator[](std::size_t i) { return {bytes.data() + i * line_bytes, form}; }

  print_form form;
  alignas(line_bytes) std::array<std::byte, several * line_bytes> bytes{};
};

void append_any(const print_block& block, math::random_source& random) {
  const print_form& form = block.form();
  block.append({static_cast<std::uint32_t>(random() & print_block::ones(tag_bits)),
                random() & print_block::ones(form.rest_bits),
                random() & print_block::ones(form.payload_bits)});
}

// use(form) of all kinds.
template <class Use>
void for_each_form(Use&& use) {
  for (const unsigned rest : {0U, 1U, 2U, 4U, 5U, 8U, 16U, 17U, 28U, 40U}) {
    for (const unsigned payload : {1U, 2U, 4U, 7U, 10U, 11U, 16U}) {
      use(print_form::of(rest, payload, payload + 1 > most_mark_bits ? 9 : payload + 1));
    }
  }
}

TEST(payload_range, finds_its_payloads_in_blocks) {
  math::random_source random(6);
  for_each_form([&](const print_form& form) {
    const std::uint64_t all = print_block::ones(form.payload_bits);
    blocks these(form);
    for (unsigned count = 0; count <= form.slots; ++count) {
      for (int round = 0; round < 10; ++round) {
        const std::uint64_t from = random() & all;
        const std::uint64_t below = random() % (all + 1);
        const payload_range range(form, from, below);
        std::array<std::uint32_t, several> found{};
        range.add_slots_of(these.bytes.data(), found);
        for (std::size_t b = 0; b < several; ++b) {
          std::uint32_t expected = 0;
          for (unsigned i = 0; i < these[b].count(); ++i) {
            const std::uint64_t payload = these[b].payload(i);
            EXPECT_EQ(range.has(payload), ((payload - from) & all) < below);
            expected |= std::uint32_t{range.has(payload)} << i;
          }
          EXPECT_EQ(range.slots_of(these[b]), expected)
              << form.rest_bits << ' ' << form.payload_bits;
          EXPECT_EQ(found[b] & these[b].in_use(), expected)
              << form.rest_bits << ' ' << form.payload_bits;
        }
      }
      if (count == form.slots) break;
      for (std::size_t b = 0; b < several; ++b) {  // different numbers of slots
        if (b == 0 || random() % 4 != 0) append_any(these[b], random);
      }
    }
  });
}

// What removal of one slot after the other leaves, from the last of a block on.
TEST(slot_removals, leave_what_single_removals_leave) {
  math::random_source random(7);
  for_each_form([&](const print_form& form) {
    for (int round = 0; round < 20; ++round) {
      blocks one_by_one(form);
      for (std::size_t b = 0; b < several; ++b) {
        const std::uint64_t count = random() % (form.slots + 1);
        for (std::uint64_t i = 0; i < count; ++i) append_any(one_by_one[b], random);
        one_by_one[b].set_mark(static_cast<std::uint32_t>(random() % 4));
      }
      blocks together(one_by_one);
      slot_removals removals;
      for (std::size_t b = 0; b < several; ++b) {
        const auto gone = static_cast<std::uint32_t>(random()) & one_by_one[b].in_use();
        removals.add(b, round % 5 == 0 ? 0 : gone);
        if (round % 5 == 0) continue;
        for (unsigned i = form.slots; i-- != 0;) {
          if ((gone >> i & 1) != 0) one_by_one[b].remove(i);
        }
      }
      removals.remove_from(together.bytes.data(), form);
      EXPECT_EQ(one_by_one.bytes, together.bytes) << form.rest_bits << ' ' << form.payload_bits;
    }
  });
}

TEST(slot_removals, take_all_slots_of_a_segment) {
  const print_form form = print_form::of(5, 4, 5);
  math::random_source random(8);
  alignas(line_bytes) std::array<std::byte, slot_removals::most_blocks * line_bytes> bytes{};
  slot_removals removals;
  for (std::size_t b = 0; b < slot_removals::most_blocks; ++b) {
    const print_block block(bytes.data() + b * line_bytes, form);
    while (!block.full()) append_any(block, random);
    removals.add(b, block.in_use());
  }
  removals.remove_from(bytes.data(), form);
  for (const std::byte each : bytes) EXPECT_EQ(each, std::byte{0});
}

}  // namespace payload_range_test
}  // namespace bloomtime::detail
