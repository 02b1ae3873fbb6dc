#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>

#include <bloomtime/detail/bit_stream.hpp>
#include <bloomtime/detail/tick_span.hpp>

// `count` different numbers below `places` in as few bits as allow to look into the middle of them.
// Which of three codes is used follows from the two alone and is not stored: nothing where there is
// no choice, one bit per place, or Elias-Fano: low bits as they are, and high ones in unary, where
// number i with high part h is the one at bit h + i.
namespace bloomtime::detail {

struct list_code {
  enum class kind : std::uint8_t { nothing, bitmap, split };

  kind how = kind::nothing;
  unsigned low = 0;        // bits of a number's low part
  std::uint64_t high = 0;  // bits of all high parts
  std::uint64_t bits = 0;  // of everything

  static constexpr list_code of(std::uint64_t count, std::uint64_t places) noexcept {
    if (count == 0 || count >= places) return {};
    list_code best{kind::bitmap, 0, 0, places};
    // The cost is convex in the bits of the low part, and least at one of these two.
    const auto about = static_cast<unsigned>(std::bit_width(places / count)) - 1;
    for (unsigned low = about; low < about + 2; ++low) {
      const std::uint64_t high = count + ((places - 1) >> low);
      if (high + count * low < best.bits) best = {kind::split, low, high, high + count * low};
    }
    return best;
  }
};

// Where a list lies in a stream of bits. Bits of any kind are what a bit_reader is.
struct list_place {
  std::uint64_t at = 0;
  std::uint64_t count = 0;
  std::uint64_t places = 0;
};

// Sorted numbers without repetitions, each less `subtract`.
template <std::unsigned_integral T>
void put_list(bit_writer& out, std::span<const T> numbers, std::uint64_t subtract,
              std::uint64_t places) {
  const list_code code = list_code::of(numbers.size(), places);
  if (code.how == list_code::kind::nothing) return;
  const bool split = code.how == list_code::kind::split;
  const std::uint64_t at = out.size();
  out.put_zeros(split ? code.high : code.bits);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::uint64_t n = numbers[i] - subtract;
    out.set(at + (split ? (n >> code.low) + i : n));
  }
  if (!split) return;
  for (const T n : numbers) out.put(n - subtract, code.low);
}

// The first one bit from `at` on, or `end`.
template <class Bits>
std::uint64_t next_one(const Bits& bits, std::uint64_t at, std::uint64_t end) noexcept {
  for (; at < end; at += 57) {
    const std::uint64_t word = bits.peek(at);
    if (word == 0) continue;
    return std::min(end, at + static_cast<std::uint64_t>(std::countr_zero(word)));
  }
  return end;
}

// How many ones there are from `at` on, before the first zero or `end`.
template <class Bits>
std::uint64_t ones_from(const Bits& bits, std::uint64_t at, std::uint64_t end) noexcept {
  std::uint64_t count = 0;
  while (at + count < end) {
    const auto more = static_cast<unsigned>(std::countr_one(bits.peek(at + count)));
    count += more;
    if (more < 57) break;
  }
  return std::min(count, end - at);
}

// The place after so many zeros, or `end`.
template <class Bits>
std::uint64_t after_zeros(const Bits& bits, std::uint64_t at, std::uint64_t end,
                          std::uint64_t zeros) noexcept {
  while (zeros > 0 && at < end) {
    std::uint64_t word = ~bits.peek(at) & ((std::uint64_t{1} << 57) - 1);
    const auto here = static_cast<unsigned>(std::popcount(word));
    if (here < zeros) {
      zeros -= here;
      at += 57;
      continue;
    }
    for (; zeros > 1; --zeros) word &= word - 1;
    return std::min(end, at + static_cast<std::uint64_t>(std::countr_zero(word)) + 1);
  }
  return std::min(at, end);
}

// A place in the high parts of a split list that lies behind so many zeros.
struct list_mark {
  std::uint64_t at = 0;  // from the beginning of the list on
  std::uint64_t zeros = 0;
};

// The least number of a split list from `from` on. Ones of the same high part follow each other.
// The search begins at a mark that is not behind them.
template <class Bits>
std::optional<std::uint64_t> split_next(const Bits& bits, const list_place& list,
                                        const list_code& code, std::uint64_t from,
                                        list_mark mark = {}) noexcept {
  const std::uint64_t end = list.at + code.high;
  const auto low_of = [&](std::uint64_t i) { return bits.get(end + i * code.low, code.low); };
  const std::uint64_t high = from >> code.low;
  std::uint64_t at = after_zeros(bits, list.at + mark.at, end, high - mark.zeros);
  std::uint64_t first = at - list.at - std::min(at - list.at, high);
  const std::uint64_t last = first + ones_from(bits, at, end);
  std::uint64_t beyond = last;
  const std::uint64_t wanted = from - (high << code.low);
  while (first < beyond) {
    const std::uint64_t middle = first + (beyond - first) / 2;
    if (low_of(middle) < wanted) {
      first = middle + 1;
    } else {
      beyond = middle;
    }
  }
  if (first < last) return (high << code.low) + low_of(first);
  at = next_one(bits, list.at + high + last, end);
  if (at == end) return std::nullopt;
  return ((at - list.at - last) << code.low) + low_of(last);
}

// The least number of the list from `from` on, which is below list.places.
template <class Bits>
std::optional<std::uint64_t> next_in_list(const Bits& bits, const list_place& list,
                                          std::uint64_t from) noexcept {
  if (list.count == 0) return std::nullopt;
  const list_code code = list_code::of(list.count, list.places);
  if (code.how == list_code::kind::nothing) return from;
  if (code.how == list_code::kind::split) return split_next(bits, list, code, from);
  const std::uint64_t end = list.at + list.places;
  const std::uint64_t one = next_one(bits, list.at + from, end);
  if (one == end) return std::nullopt;
  return one - list.at;
}

// visit(number) for all of them, in order; for as many as are there if the bits are not those of a
// list. Returns whether they are: as many as they should be, below `places`, and increasing.
template <class Bits, class Visit>
bool for_each_in_list(const Bits& bits, const list_place& list, Visit&& visit) {
  const list_code code = list_code::of(list.count, list.places);
  if (code.how == list_code::kind::nothing) {
    for (std::uint64_t n = 0; n < list.count; ++n) visit(n);
    return true;
  }
  const bool split = code.how == list_code::kind::split;
  const std::uint64_t end = list.at + (split ? code.high : list.places);
  bool in_order = true;
  std::uint64_t index = 0;
  std::uint64_t least = 0;  // that may come next
  for (std::uint64_t at = next_one(bits, list.at, end); at < end && index < list.count;
       at = next_one(bits, at + 1, end)) {
    std::uint64_t n = at - list.at;
    if (split) n = ((n - index) << code.low) + bits.get(end + index * code.low, code.low);
    in_order = in_order && n >= least && n < list.places;
    least = n + 1;
    ++index;
    if (at + 1 == end || index == list.count) {
      in_order = in_order && next_one(bits, at + 1, end) == end;
    }
    visit(n);
  }
  return in_order && index == list.count;
}

}  // namespace bloomtime::detail
