#include <bloomtime/history/detail/timeline.hpp>

#include <algorithm>
#include <array>

namespace bloomtime::detail {
namespace {

struct piece_entry {
  std::uint64_t first;  // from the first tick of the timeline on
  std::uint64_t distance;
  std::uint64_t offset;
};

struct piece_plan {
  piece_widths widths;
  std::uint64_t bits = 0;
};

// visit(runs, count, entry) for each piece.
template <class Visit>
void for_each_piece(std::span<const tick_run> runs, Visit&& visit) {
  std::array<tick_run, piece_ticks> piece;
  std::size_t held = 0;
  std::uint64_t count = 0;
  std::uint64_t offset = 0;
  const auto close = [&] {
    const std::uint64_t distance = piece[held - 1].last - piece[0].first;
    visit(std::span<const tick_run>(piece.data(), held), count,
          piece_entry{piece[0].first - runs.front().first, distance, offset});
    offset += inner_bits(count, distance);
    held = 0;
    count = 0;
  };
  for (const tick_run& r : runs) {
    for (std::uint64_t from = r.first; from <= r.last;) {
      const std::uint64_t part = std::min(piece_ticks - count, r.last - from + 1);
      piece[held++] = {static_cast<std::uint32_t>(from),
                       static_cast<std::uint32_t>(from + part - 1)};
      count += part;
      from += part;
      if (count == piece_ticks) close();
    }
  }
  if (count != 0) close();
}

piece_plan plan_pieces(std::span<const tick_run> runs, std::uint64_t count) {
  piece_plan plan;
  std::uint64_t bodies = 0;
  plan.widths.first = width_of(runs.back().last - runs.front().first);
  for_each_piece(runs, [&](auto, std::uint64_t ticks, const piece_entry& e) {
    plan.widths.distance = std::max(plan.widths.distance, width_of(e.distance));
    plan.widths.offset = std::max(plan.widths.offset, width_of(e.offset));
    bodies = e.offset + inner_bits(ticks, e.distance);
  });
  plan.bits = plan.widths.directory(pieces_of(count)) + bodies;
  return plan;
}

// The ticks between the first and the last one.
void put_inner(bit_writer& out, std::span<const tick_run> runs, std::uint64_t count) {
  const std::uint64_t first = runs.front().first;
  const std::uint64_t last = runs.back().last;
  const list_place inner = inner_list(0, count, last - first);
  put_list(out, inner.count, inner.places, [&](auto&& visit) {
    for (const tick_run& r : runs) {
      const std::uint64_t end = std::min(std::uint64_t{r.last}, last - 1);
      for (std::uint64_t t = std::max(std::uint64_t{r.first}, first + 1); t <= end; ++t) {
        visit(t - first - 1);
      }
    }
  });
}

void put_pieces(bit_writer& out, std::span<const tick_run> runs, std::uint64_t count) {
  const piece_widths widths = plan_pieces(runs, count).widths;
  const auto for_each_entry = [&](auto&& visit) {
    for_each_piece(runs, [&](auto, std::uint64_t, const piece_entry& e) { visit(e); });
  };
  out.put(widths.distance, piece_widths::stored);
  out.put(widths.offset, piece_widths::stored);
  for_each_entry([&](const piece_entry& e) { out.put(e.first, widths.first); });
  for_each_entry([&](const piece_entry& e) { out.put(e.distance, widths.distance); });
  for_each_entry([&](const piece_entry& e) { out.put(e.offset, widths.offset); });
  for_each_piece(runs, [&](auto piece, std::uint64_t ticks, const piece_entry&) {
    put_inner(out, piece, ticks);
  });
}

std::uint64_t gamma_bits(std::uint64_t n) { return 2 * std::uint64_t{width_of(n)} - 1; }

}  // namespace

timeline_head head_of(std::span<const tick_run> runs) {
  timeline_head head{count_ticks(runs), runs.front().first, runs.back().last, 0};
  if (head.in_pieces()) {
    head.body = plan_pieces(runs, head.count).bits;
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
    put_pieces(out, runs, head.count);
  } else if (head.has_body()) {
    put_inner(out, runs, head.count);
  }
}

}  // namespace bloomtime::detail
