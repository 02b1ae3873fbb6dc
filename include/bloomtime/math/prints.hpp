#pragma once

#include <cstdint>

// Errors and sizes of tables of fingerprints (docs/math.md, Tables of prints).
namespace bloomtime::math {

// A table with reserved memory is filled up to the first share of its slots, a growing one up to
// the second: there, blocks that were not divided yet are fuller than others.
inline constexpr double reserved_print_load = 0.96;
inline constexpr double grown_print_load = 0.85;
// Tables of decayed counts are reserved for this share: it varies between two halvings.
inline constexpr double reserved_heat_load = 0.93;
// The load from which a table of so many blocks grows: grown_print_load, or less if there are many,
// because moves take long then.
double growing_print_load(std::uint64_t blocks) noexcept;
// Beyond this load, moves hardly ever find room.
inline constexpr double crowded_print_load = 0.97;
// Reserved tables of counts are filled up to this share.
inline constexpr double reserved_count_load = 0.975;
// A table is made smaller when it is emptier than this.
inline constexpr double least_print_load = 0.35;

// The probability that a print of `bits` bits equals one of `others`, which are random.
double print_collision(double others, unsigned bits) noexcept;

// The fewest bits of a key such that an item has the key of one of `items` others with probability
// `error` at most (docs/math.md, Pages of hits). Throws error(invalid_argument) unless 0 < error <
// 1 and 1 <= items <= 2^40, and error(too_large) if more than `most` bits are needed.
unsigned key_bits_for(std::uint64_t items, double error, unsigned most);
// The share of all keys of `bits` bits that so many different keys are: the probability that
// another item has one of them. And how many items have so many different keys, on average.
double key_share(std::uint64_t keys, unsigned bits) noexcept;
double items_of_keys(std::uint64_t keys, unsigned bits) noexcept;

// What blocks hold: a print of so many bits before growth, a payload, and a mark per block.
struct print_widths {
  unsigned payload_bits = 0;
  unsigned mark_bits = 0;
};

struct print_plan {
  std::uint64_t homes = 0;  // blocks at first
  unsigned print_bits = 0;

  friend bool operator==(const print_plan&, const print_plan&) = default;
};

// A table in which an absent item is found with probability `error` at most if it has `items`; its
// memory is allocated at once, or grows from `blocks`. It can grow for ten times as many. Throws
// error(invalid_argument) unless 0 < error < 1 and 1 <= items <= 2^40, and error(too_large) if no
// print is long enough.
print_plan prints_reserved(std::uint64_t items, double error, const print_widths& widths,
                           double load = reserved_print_load);
print_plan prints_growing(std::uint64_t items, double error, const print_widths& widths,
                          std::uint64_t blocks);

// The probability that an absent item is found in a table of this plan that has grown to so many
// rounds of splits and so many splits more, with `items` items.
struct print_growth {
  unsigned level = 0;
  std::uint64_t split = 0;
};
double print_error(const print_plan& plan, const print_widths& widths, const print_growth& grown,
                   double items) noexcept;
// The probability that an absent item is found in a table with so many different prints, however
// far it has grown.
double print_share(const print_plan& plan, double prints) noexcept;
// The slots that a table of decayed counts needs for items with at least 1/8 hit: some of the
// others have not been dropped yet (docs/math.md, Tables of decayed counts).
constexpr std::uint64_t slots_of_warm(std::uint64_t items) noexcept { return items + items / 5; }
// How far a table grows for so many items.
print_growth growth_for(const print_plan& plan, const print_widths& widths, double items) noexcept;

}  // namespace bloomtime::math
