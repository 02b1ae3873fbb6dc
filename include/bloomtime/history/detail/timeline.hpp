#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include <bloomtime/history/detail/bit_stream.hpp>
#include <bloomtime/history/detail/tick_list.hpp>
#include <bloomtime/history/detail/tick_runs.hpp>
#include <bloomtime/history/detail/tick_span.hpp>

// The ticks of one item in a span of ticks, as bits: a head with how many they are, the first and
// the last one, and a body with those between. Long timelines are cut into pieces, with a directory
// in which a question finds the one it needs, so that it never reads much
// (docs/math.md, Cost of a timeline).
namespace bloomtime::detail {

inline constexpr std::uint64_t most_timeline_ticks = std::uint64_t{1} << 32;  // of a span
inline constexpr std::uint64_t most_in_one_piece = 256;
inline constexpr std::uint64_t piece_ticks = 128;

struct timeline_head {
  std::uint64_t count = 0;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t body = 0;  // bits

  constexpr std::uint64_t distance() const noexcept { return last - first; }
  constexpr bool is_run() const noexcept { return count > distance(); }  // without gaps
  // Neither a run nor two ticks need a body.
  constexpr bool has_body() const noexcept { return count > 2 && !is_run(); }
  constexpr bool in_pieces() const noexcept { return has_body() && count > most_in_one_piece; }
};

// The ticks between the ends of a timeline, or of a piece of one.
constexpr list_place inner_list(std::uint64_t at, std::uint64_t count,
                                std::uint64_t distance) noexcept {
  return {at, count < 2 ? 0 : count - 2, distance < 1 ? 0 : distance - 1};
}
constexpr std::uint64_t inner_bits(std::uint64_t count, std::uint64_t distance) noexcept {
  const list_place inner = inner_list(0, count, distance);
  return list_code::of(inner.count, inner.places).bits;
}

// Widths in the directory of the pieces of a body.
struct piece_widths {
  static constexpr unsigned stored = 6;  // bits of a width itself

  unsigned first = 0;  // known from the head
  unsigned distance = 0;
  unsigned offset = 0;

  constexpr std::uint64_t directory(std::uint64_t pieces) const noexcept {
    return 2 * stored + pieces * (std::uint64_t{first} + distance + offset);
  }
};

constexpr std::uint64_t pieces_of(std::uint64_t count) noexcept {
  return (count + piece_ticks - 1) / piece_ticks;
}

constexpr unsigned width_of(std::uint64_t largest) noexcept {
  return static_cast<unsigned>(std::bit_width(largest));
}

// -- writing -----------------------------------------------------------------------------------

// What the pieces of a body take, which are added in order, each with its first and last tick as
// they come after the first of the timeline.
class piece_sizes {
 public:
  explicit constexpr piece_sizes(const timeline_head& head) noexcept
      : pieces_(pieces_of(head.count)) {
    widths_.first = width_of(head.distance());
  }

  // Returns where its list begins, behind the directory.
  std::uint64_t add(std::uint64_t count, std::uint64_t distance) noexcept {
    widths_.distance = std::max(widths_.distance, width_of(distance));
    widths_.offset = width_of(lists_);
    return std::exchange(lists_, lists_ + inner_bits(count, distance));
  }

  const piece_widths& widths() const noexcept { return widths_; }
  std::uint64_t bits() const noexcept { return widths_.directory(pieces_) + lists_; }

 private:
  std::uint64_t pieces_;
  piece_widths widths_;
  std::uint64_t lists_ = 0;  // bits so far
};

// Of at least one run. No call takes longer than there are runs and bits of the timeline.
timeline_head head_of(std::span<const tick_run> runs);
std::uint64_t head_bits(const timeline_head& head, std::uint64_t span);
void put_head(bit_writer& out, const timeline_head& head, std::uint64_t span);
void put_body(bit_writer& out, const timeline_head& head, std::span<const tick_run> runs);

// -- reading -----------------------------------------------------------------------------------

// Moves on behind the head and reads all but the size of a body in one piece, which follows from
// the rest. Nothing if there can be no such head: then the bits are damaged.
template <class Bits>
std::optional<timeline_head> take_ends(const Bits& bits, std::uint64_t& at,
                                       std::uint64_t span) noexcept {
  timeline_head head;
  head.count = bits.take_gamma(at);
  head.first = bits.take(at, width_of(span - 1));
  head.last = head.first;
  if (head.count == 0 || head.first >= span) return std::nullopt;
  if (head.count > 1) head.last += bits.take(at, width_of(span - 1 - head.first));
  if (head.last >= span || head.count > head.distance() + 1) return std::nullopt;
  if ((head.count == 1) != (head.last == head.first)) return std::nullopt;
  if (head.in_pieces()) head.body = bits.take_gamma(at);
  return head;
}

constexpr std::uint64_t body_bits(const timeline_head& head) noexcept {
  if (head.in_pieces()) return head.body;
  return head.has_body() ? inner_bits(head.count, head.distance()) : 0;
}

// The whole head.
template <class Bits>
std::optional<timeline_head> take_head(const Bits& bits, std::uint64_t& at,
                                       std::uint64_t span) noexcept {
  std::optional<timeline_head> head = take_ends(bits, at, span);
  if (head) head->body = body_bits(*head);
  return head;
}

template <class Bits>
class timeline_cursor;

// A timeline in a stream of bits: its head, and where its body begins.
template <class Bits>
class timeline {
 public:
  timeline(const Bits& bits, const timeline_head& head, std::uint64_t body) noexcept
      : bits_(bits), head_(head), at_(body) {}

  const timeline_head& head() const noexcept { return head_; }

  // Whether there is a tick in the range.
  bool seen(tick_range asked) const noexcept {
    if (asked.last < head_.first || asked.first > head_.last) return false;
    if (asked.first <= head_.first || asked.last >= head_.last) return true;
    const std::optional<std::uint64_t> found = next(asked.first);
    return found && *found <= asked.last;
  }

  // Whether the body is one that was written. Takes no longer than it has bits.
  bool sound() const noexcept {
    if (!head_.has_body()) return true;
    timeline_cursor<Bits> all(*this);
    while (all.next()) {
    }
    return all.sound();
  }

 private:
  friend class timeline_cursor<Bits>;

  struct piece {
    std::uint64_t first;
    std::uint64_t last;
    std::uint64_t count;
    std::uint64_t body;  // where it begins
  };

  struct directory {
    piece_widths widths;
    std::uint64_t at;  // behind the widths
    std::uint64_t pieces;
  };

  piece whole() const noexcept { return {head_.first, head_.last, head_.count, at_}; }

  // The first tick from `from` on, which lies between first and last.
  std::optional<std::uint64_t> next(std::uint64_t from) const noexcept {
    if (!head_.in_pieces()) return next_in(whole(), from);
    const directory d = pieces();
    std::uint64_t below = 0;
    std::uint64_t above = d.pieces;  // the first that begins after `from`
    while (above - below > 1) {
      const std::uint64_t middle = below + (above - below) / 2;
      (first_of(d, middle) <= from ? below : above) = middle;
    }
    const std::optional<std::uint64_t> found = next_in(piece_at(d, below), from);
    if (found || above == d.pieces) return found;
    return first_of(d, above);
  }

  std::optional<std::uint64_t> next_in(const piece& p, std::uint64_t from) const noexcept {
    if (from <= p.first) return p.first;
    if (from >= p.last) return from == p.last ? std::optional(from) : std::nullopt;
    const list_place inner = inner_list(p.body, p.count, p.last - p.first);
    const std::uint64_t before = p.first + 1;
    const std::optional<std::uint64_t> found = next_in_list(bits_, inner, from - before);
    return found ? before + *found : p.last;
  }

  directory pieces() const noexcept {
    directory d{{}, at_, pieces_of(head_.count)};
    d.widths.first = width_of(head_.distance());
    d.widths.distance = static_cast<unsigned>(bits_.take(d.at, piece_widths::stored));
    d.widths.offset = static_cast<unsigned>(bits_.take(d.at, piece_widths::stored));
    return d;
  }
  std::uint64_t first_of(const directory& d, std::uint64_t i) const noexcept {
    return head_.first + bits_.get(d.at + i * d.widths.first, d.widths.first);
  }
  piece piece_at(const directory& d, std::uint64_t i) const noexcept {
    const std::uint64_t distances = d.at + d.pieces * d.widths.first;
    const std::uint64_t offsets = distances + d.pieces * d.widths.distance;
    const std::uint64_t first = first_of(d, i);
    const bool is_last = i + 1 == d.pieces;
    return {first, first + bits_.get(distances + i * d.widths.distance, d.widths.distance),
            is_last ? head_.count - i * piece_ticks : piece_ticks,
            at_ + d.widths.directory(d.pieces) +
                bits_.get(offsets + i * d.widths.offset, d.widths.offset)};
  }

  Bits bits_;
  timeline_head head_;
  std::uint64_t at_;
};

// Goes through the ticks of a timeline in order, by ranges, of which neighbours may touch. Takes no
// longer than the timeline has bits.
template <class Bits>
class timeline_cursor {
 public:
  explicit timeline_cursor(const timeline<Bits>& line) noexcept
      : line_(line), least_(line.head_.first) {
    if (!line.head_.in_pieces()) return;
    pieces_ = line.pieces();
    body_ = line.at_ + pieces_.widths.directory(pieces_.pieces);
  }

  // Nothing behind the last tick, or where the bits are damaged.
  std::optional<tick_range> next() noexcept {
    switch (stage_) {
      case stage::first: return begin_piece();
      case stage::inner:
        if (const std::optional<tick_range> found = inner_.next()) {
          return tick_range{piece_.first + 1 + found->first, piece_.first + 1 + found->last};
        }
        if (!inner_.sound()) return stop(false);
        end_piece();
        return tick_range{piece_.last, piece_.last};
      case stage::end: break;
    }
    return std::nullopt;
  }

  // After next() returned nothing: whether these were the ticks that the head promises.
  bool sound() const noexcept { return sound_; }

 private:
  using piece = typename timeline<Bits>::piece;
  enum class stage : std::uint8_t { first, inner, end };

  std::optional<tick_range> stop(bool sound) noexcept {
    stage_ = stage::end;
    sound_ = sound;
    return std::nullopt;
  }

  std::optional<tick_range> begin_piece() noexcept {
    const bool in_pieces = line_.head_.in_pieces();
    piece_ = in_pieces ? line_.piece_at(pieces_, number_) : line_.whole();
    const std::uint64_t distance = piece_.last - piece_.first;
    if (in_pieces && !fits(distance)) return stop(false);
    if (piece_.count > distance) {  // no gaps
      end_piece();
      return tick_range{piece_.first, piece_.last};
    }
    stage_ = stage::inner;
    inner_ = list_cursor<Bits>(line_.bits_, inner_list(piece_.body, piece_.count, distance));
    return tick_range{piece_.first, piece_.first};
  }

  // Whether this piece can come after those before it.
  bool fits(std::uint64_t distance) const noexcept {
    return piece_.first >= least_ && (number_ > 0 || piece_.first == line_.head_.first) &&
           piece_.last >= piece_.first && piece_.last <= line_.head_.last &&
           piece_.count <= distance + 1 && (piece_.count == 1) == (distance == 0) &&
           piece_.body == body_;
  }

  void end_piece() noexcept {
    least_ = piece_.last + 1;
    body_ += inner_bits(piece_.count, piece_.last - piece_.first);
    stage_ = ++number_ < pieces_.pieces ? stage::first : stage::end;
    if (stage_ == stage::first || !line_.head_.in_pieces()) return;
    sound_ = least_ == line_.head_.last + 1 && body_ == line_.at_ + line_.head_.body;
  }

  timeline<Bits> line_;
  typename timeline<Bits>::directory pieces_{{}, 0, 1};
  std::uint64_t number_ = 0;  // of the piece
  std::uint64_t least_;       // tick that may come next
  std::uint64_t body_ = 0;    // where the list of the next piece begins
  piece piece_{};
  list_cursor<Bits> inner_;
  stage stage_ = stage::first;
  bool sound_ = true;
};

}  // namespace bloomtime::detail
