#include <bloomtime/history/detail/timeline.hpp>

#include <algorithm>

namespace bloomtime::detail {
namespace {

struct piece {
  std::uint64_t first;
  std::uint64_t last;
  std::uint64_t count;
  std::span<const tick_run> runs;  // the first and the last may exceed it

  std::uint64_t distance() const noexcept { return last - first; }
};

// visit(piece) for all of them.
template <class Visit>
void for_each_piece(std::span<const tick_run> runs, Visit&& visit) {
  std::size_t begin = 0;
  std::uint64_t first = runs.front().first;
  std::uint64_t count = 0;  // ticks of this piece before the run
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::uint64_t at = runs[i].first;
    if (count == 0) begin = i, first = at;
    const std::uint64_t last = runs[i].last;
    for (; count + (last - at + 1) >= piece_ticks; count = 0) {
      const std::uint64_t end = at + (piece_ticks - count);
      visit(piece{first, end - 1, piece_ticks, runs.subspan(begin, i - begin + 1)});
      begin = i;
      at = first = end;
    }
    count += last + 1 - at;
  }
  if (count != 0) visit(piece{first, runs.back().last, count, runs.subspan(begin)});
}

piece_sizes sizes_of(std::span<const tick_run> runs, const timeline_head& head) {
  piece_sizes sizes(head);
  for_each_piece(runs, [&](const piece& p) { sizes.add(p.count, p.distance()); });
  return sizes;
}

// The ticks between the first and the last one.
void put_inner(bit_writer& out, const piece& p) {
  const list_place inner = inner_list(0, p.count, p.distance());
  put_list(out, inner.count, inner.places, [&](auto&& visit) {
    const std::uint64_t before = p.first + 1;
    for (const tick_run& r : p.runs) {
      const std::uint64_t end = std::min(std::uint64_t{r.last}, p.last - 1);
      for (std::uint64_t t = std::max(std::uint64_t{r.first}, before); t <= end; ++t) {
        visit(t - before);
      }
    }
  });
}

void put_pieces(bit_writer& out, std::span<const tick_run> runs, const timeline_head& head) {
  const piece_widths widths = sizes_of(runs, head).widths();
  const std::uint64_t pieces = pieces_of(head.count);
  out.put(widths.distance, piece_widths::stored);
  out.put(widths.offset, piece_widths::stored);
  const std::uint64_t at = out.size();
  out.put_zeros(pieces * (std::uint64_t{widths.first} + widths.distance + widths.offset));
  zeros_filler firsts(out, at);
  zeros_filler distances(out, at + pieces * widths.first);
  zeros_filler offsets(out, at + pieces * (std::uint64_t{widths.first} + widths.distance));
  piece_sizes so_far(head);
  for_each_piece(runs, [&](const piece& p) {
    firsts.put(p.first - head.first, widths.first);
    distances.put(p.distance(), widths.distance);
    offsets.put(so_far.add(p.count, p.distance()), widths.offset);
  });
  firsts.end();
  distances.end();
  offsets.end();
  for_each_piece(runs, [&](const piece& p) { put_inner(out, p); });
}

std::uint64_t gamma_bits(std::uint64_t n) { return 2 * std::uint64_t{width_of(n)} - 1; }

}  // namespace

timeline_head head_of(std::span<const tick_run> runs) {
  timeline_head head{count_ticks(runs), runs.front().first, runs.back().last, 0};
  if (head.in_pieces()) {
    head.body = sizes_of(runs, head).bits();
  } else if (head.has_body()) {
    head.body = inner_bits(head.count, head.distance());
  }
  return head;
}

std::uint64_t head_bits(const timeline_head& head, std::uint64_t span) {
  return gamma_bits(head.count) + width_of(span - 1) +
         (head.count > 1 ? width_of(span - 1 - head.first) : 0) +
         (head.in_pieces() ? gamma_bits(head.body) : 0);
}

void put_head(bit_writer& out, const timeline_head& head, std::uint64_t span) {
  out.put_gamma(head.count);
  out.put(head.first, width_of(span - 1));
  if (head.count > 1) out.put(head.distance(), width_of(span - 1 - head.first));
  if (head.in_pieces()) out.put_gamma(head.body);
}

void put_body(bit_writer& out, const timeline_head& head, std::span<const tick_run> runs) {
  if (head.in_pieces()) {
    put_pieces(out, runs, head);
  } else if (head.has_body()) {
    put_inner(out, {head.first, head.last, head.count, runs});
  }
}

}  // namespace bloomtime::detail
