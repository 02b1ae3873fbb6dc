#include <bloomtime/published/dynamic_count/detail/string_array.hpp>

#include <array>

namespace bloomtime::detail {
namespace {

constexpr std::uint64_t most_pushed = 32;  // groups, before all counters are laid out anew
constexpr unsigned most_per_group = 64;

std::uint64_t inverse_of(std::uint64_t n) { return ~std::uint64_t{0} / n + 1; }

}  // namespace

// Counters per_slack_ - 1, 2 per_slack_ - 1 and so on have a spare bit each, whatever the groups.
// The last bit of a group is its last counter's, where push_groups() looks for it.
unsigned string_array::slack_of(std::uint64_t i) const noexcept {
  const std::uint64_t last = last_of(place_of(i).group);
  if (i < last) return (i + 1) % per_slack_ == 0 && per_slack_ <= last - i ? 1 : 0;
  const std::uint64_t first = last / shape_.group * shape_.group;
  return (last + 1) / per_slack_ > first / per_slack_ ? 1 : 0;
}

// Allocates zeroed vectors for this many bits in groups of at most this size. The offsets are the
// largest vector, so memory runs out before anything is filled.
void string_array::prepare(std::uint64_t bits, std::uint64_t largest_group) {
  shape_.offset_bits =
      std::max(shape_.offset_bits, static_cast<unsigned>(std::bit_width(largest_group + 64)));
  offsets_ = field_vector(size_, shape_.offset_bits);
  chunks_ = field_vector(groups_ * per_group_, shape_.offset_bits);
  bits_ = buffer((bits + 7) / 8);
  starts_ = field_vector(groups_ + 1, static_cast<unsigned>(std::bit_width(bits)));
}

// A group without counters of more than one bit.
std::uint64_t string_array::least_group() const noexcept {
  return shape_.group + shape_.group / per_slack_ + 1;
}

template <class Length>
std::uint64_t string_array::largest_group(const Length& length_at) const {
  std::uint64_t largest = least_group();
  if (used_ == size_) return largest;  // all are zero, or one: nothing is read before there is room
  for (std::uint64_t g = 0; g < groups_; ++g) {
    std::uint64_t bits = 0;
    for (std::uint64_t c = g * shape_.group; c <= last_of(g); ++c)
      bits += length_at(c) + slack_of(c);
    largest = std::max(largest, bits);
  }
  return largest;
}

template <class Value, class Length>
string_array string_array::lay_out(std::uint64_t counters, unsigned counters_per_slack,
                                   std::uint64_t used, Value&& value_of, Length&& length_at) {
  string_array next;
  next.size_ = counters;
  next.per_slack_ = counters_per_slack;
  next.used_ = used;
  next.shape_ = published::string_groups_for(used);
  next.groups_ = (counters + next.shape_.group - 1) / next.shape_.group;
  next.per_group_ = (next.shape_.group + next.shape_.chunk - 1) / next.shape_.chunk;
  next.by_group_ = inverse_of(next.shape_.group);
  next.by_chunk_ = inverse_of(next.shape_.chunk);
  next.prepare(used + counters / counters_per_slack, next.largest_group(length_at));
  std::uint64_t at = 0;
  for (std::uint64_t g = 0; g < next.groups_; ++g) {
    const std::uint64_t start = at;
    next.starts_.set(g, start);
    for (std::uint64_t c = g * next.shape_.group; c <= next.last_of(g); ++c) {
      const unsigned width = length_at(c) + next.slack_of(c);
      next.set_begin(c, at - start);
      next.put({at, width}, value_of(c));
      at += width;
    }
  }
  next.starts_.set(next.groups_, at);
  return next;
}

string_array::string_array(std::uint64_t counters, unsigned counters_per_slack) {
  const auto zero = [](std::uint64_t) { return std::uint64_t{0}; };
  const auto one = [](std::uint64_t) { return 1U; };
  *this = lay_out(counters, counters_per_slack, counters, zero, one);
}

string_array::string_array(std::span<const std::uint64_t> values, unsigned counters_per_slack) {
  const auto value_of = [&](std::uint64_t c) { return values[c]; };
  const auto length_at = [&](std::uint64_t c) { return length_of(values[c]); };
  std::uint64_t used = 0;
  for (const std::uint64_t v : values) used += length_of(v);
  *this = lay_out(values.size(), counters_per_slack, used, value_of, length_at);
}

// A copy with new slack, in which counter i has at least this length.
string_array string_array::laid_out_with(std::uint64_t i, unsigned length) const {
  const auto value_of = [&](std::uint64_t c) { return get(c); };
  const auto length_at = [&](std::uint64_t c) {
    return std::max(length_of(get(c)), c == i ? length : 1U);
  };
  const std::uint64_t used = used_ - length_of(get(i)) + std::max(length, length_of(get(i)));
  string_array next = lay_out(size_, per_slack_, used, value_of, length_at);
  next.used_ = used_;  // set() counts the longer one
  next.done_ = done_;
  ++next.done_.laid_out;
  return next;
}

// Counters are set in order, so the first one of a chunk defines where the chunk begins.
void string_array::set_begin(std::uint64_t i, std::uint64_t in_group) noexcept {
  const place at = place_of(i);
  const std::uint64_t chunk = at.group * per_group_ + at.chunk;
  if (at.in_group == at.chunk * shape_.chunk) chunks_.set(chunk, in_group);
  offsets_.set(i, in_group - chunks_.get(chunk));
}

void string_array::set(std::uint64_t i, std::uint64_t value) {
  const unsigned length = length_of(value);
  const std::uint64_t before = get(i);
  const unsigned had = length_of(before);
  if (length > had) {
    if (length > find(i).width) lengthen(i, length);
    ++done_.lengthened;
  } else if (length < had) {
    ++done_.shortened;
  }
  used_ = used_ + length - had;
  put(find(i), value);
}

// With its slack, a counter may be longer than 64 bits.
void string_array::put(span_of where, std::uint64_t value) noexcept {
  const unsigned width = std::min(64U, where.width);
  set_field(bits_.data(), where.first, width, value);
  clear(where.first + width, where.width - width);
}

void string_array::clear(std::uint64_t bit, std::uint64_t count) noexcept {
  for (; count > 0;) {
    const auto n = static_cast<unsigned>(std::min<std::uint64_t>(64, count));
    set_field(bits_.data(), bit, n, 0);
    bit += n;
    count -= n;
  }
}

void string_array::lengthen(std::uint64_t i, unsigned length) {
  if (shift_in_group(i, length)) return;
  const std::uint64_t group = place_of(i).group;
  std::uint64_t spare = 0;
  for (std::uint64_t c = i + 1; c <= last_of(group); ++c)
    spare += find(c).width - length_of(get(c));
  const std::uint64_t need = length - find(i).width - spare;
  if (push_groups(group, need) && shift_in_group(i, length)) return;
  *this = laid_out_with(i, length);
}

// Moves the counters after i until their slack suffices.
bool string_array::shift_in_group(std::uint64_t i, unsigned length) noexcept {
  const place at = place_of(i);
  const std::uint64_t start = starts_.get(at.group);
  const span_of mine = find(i);
  const std::uint64_t value = get(i);
  unsigned missing = length - mine.width;
  std::uint64_t last = i;
  std::array<std::uint64_t, most_per_group> values;
  std::array<unsigned, most_per_group> widths;
  while (missing > 0) {
    if (last == last_of(at.group)) return false;
    const span_of next = find(++last);
    const std::uint64_t j = last - i - 1;
    values[j] = get(last);
    const unsigned taken = std::min(missing, next.width - length_of(values[j]));
    widths[j] = next.width - taken;
    missing -= taken;
  }
  // Counters that stay, in a chunk whose beginning moves, get new offsets.
  std::array<std::uint64_t, most_per_group> staying;
  std::uint64_t stay = 0;
  for (std::uint64_t c = last + 1; c <= last_of(at.group); ++c) {
    if (place_of(c).chunk != place_of(last).chunk) break;
    staying[stay++] = find(c).first;
  }
  done_.shifted += last - i;
  std::uint64_t begin = mine.first + length;
  for (std::uint64_t j = 0; j < last - i; ++j) {
    set_begin(i + 1 + j, begin - start);
    put({begin, widths[j]}, values[j]);
    begin += widths[j];
  }
  for (std::uint64_t j = 0; j < stay; ++j) set_begin(last + 1 + j, staying[j] - start);
  put({mine.first, length}, value);
  return true;
}

// Makes the group longer by `need` bits that the last counters of groups behind it can spare.
bool string_array::push_groups(std::uint64_t group, std::uint64_t need) noexcept {
  const std::uint64_t longer = starts_.get(group + 1) - starts_.get(group) + need;
  if (std::bit_width(longer) > shape_.offset_bits) return false;
  std::array<std::uint64_t, most_pushed> shifts;
  std::uint64_t left = need;
  std::uint64_t count = 0;
  while (left > 0) {
    const std::uint64_t next = group + 1 + count;
    if (count == most_pushed || next == groups_) return false;
    const std::uint64_t last = last_of(next);
    shifts[count++] = left;
    left -= std::min<std::uint64_t>(left, find(last).width - length_of(get(last)));
  }
  for (std::uint64_t n = count; n-- > 0;) move_group(group + 1 + n, shifts[n]);
  done_.pushed += count;
  return true;
}

// The last counter of the group gives up slack; the bits before the group go to the previous one.
void string_array::move_group(std::uint64_t group, std::uint64_t by) noexcept {
  const std::uint64_t start = starts_.get(group);
  const std::uint64_t last = last_of(group);
  const std::uint64_t end = find(last).first + length_of(get(last));
  for (std::uint64_t bit = end; bit > start;) {
    const auto n = static_cast<unsigned>(std::min<std::uint64_t>(64, bit - start));
    bit -= n;
    set_field(bits_.data(), bit + by, n, get_field(bits_.data(), bit, n));
  }
  clear(start, by);
  starts_.set(group, start + by);
}

}  // namespace bloomtime::detail
