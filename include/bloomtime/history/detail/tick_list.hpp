#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <optional>

#include <bloomtime/history/detail/bit_stream.hpp>
#include <bloomtime/history/detail/tick_span.hpp>

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
    const unsigned about = whole_log2(places, count);
    for (unsigned low = about; low < about + 2; ++low) {
      const std::uint64_t high = count + ((places - 1) >> low);
      if (high + count * low < best.bits) best = {kind::split, low, high, high + count * low};
    }
    return best;
  }

 private:
  // floor(log2(a / b)) for a >= b > 0, without a division.
  static constexpr unsigned whole_log2(std::uint64_t a, std::uint64_t b) noexcept {
    const auto shift = static_cast<unsigned>(std::bit_width(a) - std::bit_width(b));
    return (b << shift) <= a ? shift : shift - 1;
  }
};

// Where a list lies in a stream of bits. Bits of any kind are what a bit_reader is.
struct list_place {
  std::uint64_t at = 0;
  std::uint64_t count = 0;
  std::uint64_t places = 0;
};

// each(visit) calls visit(number) for `count` sorted numbers without repetitions below `places`.
template <class Each>
void put_list(bit_writer& out, std::uint64_t count, std::uint64_t places, Each&& each) {
  const list_code code = list_code::of(count, places);
  if (code.how == list_code::kind::nothing) return;
  std::uint64_t at = out.size();
  out.put_zeros(code.bits);
  zeros_filler ones(out, at);
  if (code.how == list_code::kind::bitmap) {
    each([&](std::uint64_t n) { ones.set(at + n); });
  } else {
    zeros_filler low(out, at + code.high);
    const std::uint64_t mask = (std::uint64_t{1} << code.low) - 1;
    each([&](std::uint64_t n) {
      ones.set(at++ + (n >> code.low));
      low.put(n & mask, code.low);
    });
    low.end();
  }
  ones.end();
}

// The first one bit from `at` on, or `end`. Beyond the last bit there are only zeros.
template <class Bits>
std::uint64_t next_one(const Bits& bits, std::uint64_t at, std::uint64_t end) noexcept {
  for (const std::uint64_t there = std::min(end, bits.size()); at < there; at += 57) {
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
  const std::uint64_t there = std::min(end, bits.size());
  while (zeros > 0 && at < there) {
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
  return at < end && zeros < end - at ? at + zeros : end;
}

// A place in the high parts of a split list that lies behind so many zeros.
struct list_mark {
  std::uint64_t at = 0;  // from the beginning of the list on
  std::uint64_t zeros = 0;
};

// A number of a split list: how many come before it, and its one bit in the high parts.
struct split_place {
  std::uint64_t at = 0;
  std::uint64_t index = 0;
};

// The least number of a split list from `from` on, or none at the end of the high parts. Ones of
// the same high part follow each other. The search begins at a mark that is not behind them.
template <class Bits>
split_place split_seek(const Bits& bits, const list_place& list, const list_code& code,
                       std::uint64_t from, list_mark mark = {}) noexcept {
  const std::uint64_t end = list.at + code.high;
  const std::uint64_t high = from >> code.low;
  const std::uint64_t at = after_zeros(bits, list.at + mark.at, end, high - mark.zeros);
  std::uint64_t first = at - list.at - std::min(at - list.at, high);
  const std::uint64_t last = first + ones_from(bits, at, end);
  std::uint64_t beyond = last;
  const std::uint64_t wanted = from - (high << code.low);
  while (first < beyond) {
    const std::uint64_t middle = first + (beyond - first) / 2;
    if (bits.get(end + middle * code.low, code.low) < wanted) {
      first = middle + 1;
    } else {
      beyond = middle;
    }
  }
  if (first < last) return {list.at + high + first, first};
  return {next_one(bits, list.at + high + last, end), last};
}

template <class Bits>
std::uint64_t split_number(const Bits& bits, const list_place& list, const list_code& code,
                           split_place place) noexcept {
  const std::uint64_t low = bits.get(list.at + code.high + place.index * code.low, code.low);
  return ((place.at - list.at - place.index) << code.low) + low;
}

// The least number of the list from `from` on, which is below list.places.
template <class Bits>
std::optional<std::uint64_t> next_in_list(const Bits& bits, const list_place& list,
                                          std::uint64_t from) noexcept {
  if (list.count == 0) return std::nullopt;
  const list_code code = list_code::of(list.count, list.places);
  if (code.how == list_code::kind::nothing) return from;
  if (code.how == list_code::kind::split) {
    const split_place found = split_seek(bits, list, code, from);
    if (found.at >= list.at + code.high) return std::nullopt;
    return split_number(bits, list, code, found);
  }
  const std::uint64_t end = list.at + list.places;
  const std::uint64_t one = next_one(bits, list.at + from, end);
  if (one == end) return std::nullopt;
  return one - list.at;
}

// Goes through a list in order, by ranges of neighbouring numbers where the code has them together.
// Takes no longer than the list has bits, and constant time where it has none.
template <class Bits>
class list_cursor {
 public:
  list_cursor() = default;
  list_cursor(const Bits& bits, const list_place& list) noexcept
      : bits_(bits), list_(list), code_(list_code::of(list.count, list.places)), at_(list.at) {}
  // From the least number on that is not below `from`.
  list_cursor(const Bits& bits, const list_place& list, std::uint64_t from,
              list_mark mark = {}) noexcept
      : list_cursor(bits, list) {
    least_ = from;
    if (code_.how == list_code::kind::bitmap) at_ += from;
    if (code_.how != list_code::kind::split) return;
    const split_place found = split_seek(bits, list, code_, from, mark);
    at_ = found.at;
    index_ = found.index;
  }

  // Nothing behind the last, or where the bits are not those of a list.
  std::optional<tick_range> next() noexcept {
    if (code_.how == list_code::kind::nothing) return next_of_all();
    at_ = next_one(bits_, at_, end());
    if (at_ >= end() || index_ >= list_.count) return std::nullopt;
    return code_.how == list_code::kind::bitmap ? next_of_bitmap() : next_of_split();
  }

  // After next() returned nothing, if it began with the first number: whether these were as many as
  // they should be, below `places`, and increasing.
  bool sound() const noexcept {
    if (code_.how == list_code::kind::nothing) return true;
    return in_order_ && index_ == list_.count && next_one(bits_, at_, end()) == end();
  }

 private:
  std::uint64_t end() const noexcept {
    return list_.at + (code_.how == list_code::kind::split ? code_.high : list_.places);
  }

  std::optional<tick_range> next_of_all() noexcept {
    if (least_ >= list_.count) return std::nullopt;
    const tick_range all{least_, list_.count - 1};
    least_ = list_.count;
    return all;
  }

  std::optional<tick_range> next_of_bitmap() noexcept {
    const std::uint64_t length = ones_from(bits_, at_, end());
    const tick_range run{at_ - list_.at, at_ - list_.at + length - 1};
    at_ += length;
    index_ += length;
    return run;
  }

  std::optional<tick_range> next_of_split() noexcept {
    const std::uint64_t n = split_number(bits_, list_, code_, {at_, index_});
    in_order_ = in_order_ && n >= least_ && n < list_.places;
    if (!in_order_) return std::nullopt;
    ++at_;
    ++index_;
    least_ = n + 1;
    return tick_range{n, n};
  }

  Bits bits_{};
  list_place list_;
  list_code code_;
  std::uint64_t at_ = 0;     // where the search for the next one bit goes on
  std::uint64_t index_ = 0;  // numbers before it
  std::uint64_t least_ = 0;  // that may come next
  bool in_order_ = true;
};

}  // namespace bloomtime::detail
