#include <bloomtime/detail/timeline.hpp>

#include <algorithm>
#include <vector>

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

// visit(ticks, entry) for each piece.
template <class Visit>
void for_each_piece(std::span<const std::uint32_t> ticks, Visit&& visit) {
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < ticks.size(); i += piece_ticks) {
    const auto piece = ticks.subspan(i, std::min<std::size_t>(piece_ticks, ticks.size() - i));
    const std::uint64_t distance = piece.back() - piece.front();
    visit(piece, piece_entry{piece.front() - ticks.front(), distance, offset});
    offset += inner_bits(piece.size(), distance);
  }
}

piece_plan plan_pieces(std::span<const std::uint32_t> ticks) {
  piece_plan plan;
  std::uint64_t bodies = 0;
  plan.widths.first = width_of(ticks.back() - ticks.front());
  for_each_piece(ticks, [&](auto piece, const piece_entry& e) {
    plan.widths.distance = std::max(plan.widths.distance, width_of(e.distance));
    plan.widths.offset = std::max(plan.widths.offset, width_of(e.offset));
    bodies = e.offset + inner_bits(piece.size(), e.distance);
  });
  plan.bits = plan.widths.directory(pieces_of(ticks.size())) + bodies;
  return plan;
}

void put_inner(bit_writer& out, std::span<const std::uint32_t> ticks) {
  if (ticks.size() <= 2) return;
  put_list(out, ticks.subspan(1, ticks.size() - 2), ticks.front() + 1,
           ticks.back() - ticks.front() - 1);
}

void put_pieces(bit_writer& out, std::span<const std::uint32_t> ticks) {
  const piece_widths widths = plan_pieces(ticks).widths;
  out.put(widths.distance, piece_widths::stored);
  out.put(widths.offset, piece_widths::stored);
  for_each_piece(ticks, [&](auto, const piece_entry& e) { out.put(e.first, widths.first); });
  for_each_piece(ticks, [&](auto, const piece_entry& e) { out.put(e.distance, widths.distance); });
  for_each_piece(ticks, [&](auto, const piece_entry& e) { out.put(e.offset, widths.offset); });
  for_each_piece(ticks, [&](auto piece, const piece_entry&) { put_inner(out, piece); });
}

std::uint64_t gamma_bits(std::uint64_t n) { return 2 * std::uint64_t{width_of(n)} - 1; }

}  // namespace

timeline_head head_of(std::span<const std::uint32_t> ticks) {
  timeline_head head{ticks.size(), ticks.front(), ticks.back(), 0};
  if (head.in_pieces()) {
    head.body = plan_pieces(ticks).bits;
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

void put_body(bit_writer& out, const timeline_head& head, std::span<const std::uint32_t> ticks) {
  if (head.in_pieces()) {
    put_pieces(out, ticks);
  } else if (head.has_body()) {
    put_inner(out, ticks);
  }
}

}  // namespace bloomtime::detail
