#include <bloomtime/heat/window_table.hpp>

#include <optional>
#include <utility>

#include <bloomtime/detail/storing.hpp>

namespace bloomtime {
namespace {

constexpr std::uint32_t heads_section = 1;
constexpr std::uint32_t bodies_section = 2;

constexpr std::uint64_t none = ~std::uint64_t{0};

}  // namespace

void window_table::write(detail::container_writer& out) const {
  expect_cells();
  out.info().seed = seed_;
  out.info().clock = clock_;
  auto& p = out.parameters();
  p.u64(slots());
  p.u64(key_bits());
  p.u64(items_);
  p.u64(reserve_ ? 1 : 0);
  p.u64(pages_.limit().value_or(none));
  p.u64(ahead_);
  p.u64(events_);
  p.i64(tick_);
  p.u64(pages_.level());
  p.u64(pages_.split());
  p.u64(pages_.next_to_refresh());
  out.section(heads_section, pages_.heads());
  out.section(bodies_section, pages_.bodies());
}

window_table window_table::read(const detail::container_view& view) {
  window_table t;
  view.expect_sections(2);
  expect(view.info().layout == 0 && view.info().clock.has_value());
  t.seed_ = view.info().seed;
  t.clock_ = *view.info().clock;
  detail::byte_reader in = view.parameters();
  t.read_pages(in, view);
  in.expect_end();
  return t;
}

void window_table::read_pages(detail::byte_reader& in, const detail::container_view& view) {
  const std::uint64_t slots = in.u64();
  const std::uint64_t key_bits = in.u64();
  items_ = in.u64();
  const std::uint64_t reserved = in.u64();
  const std::uint64_t limit = in.u64();
  ahead_ = in.u64();
  events_ = in.u64();
  tick_ = in.i64();
  const std::uint64_t level = in.u64();
  const detail::window_pages::stored_pages found{.level = level,
                                                 .split = in.u64(),
                                                 .next = in.u64(),
                                                 .heads = view.section(heads_section),
                                                 .bodies = view.section(bodies_section)};
  expect(slots >= 1 && slots <= detail::window_hits::most_slots);
  expect(key_bits >= detail::window_pages::group_bits &&
         key_bits <= detail::window_pages::most_key_bits);
  expect(limit >= detail::window_pages::least_limit);
  expect(reserved <= 1 && (events_ != 0 || (tick_ == 0 && found.bodies.empty())));
  reserve_ = reserved != 0;
  const auto bits = static_cast<unsigned>(key_bits);
  const auto ticks = static_cast<unsigned>(slots);
  const std::uint64_t bytes = reserve_ ? detail::window_pages::bytes_for(items_, ticks, bits) : 0;
  expect(bytes / detail::window_pages::page_bytes <=
         found.heads.size() / detail::window_pages::head_bytes);
  pages_ = {ticks, bits, bytes, limit != none ? std::optional(limit) : std::nullopt};
  expect(pages_.read(found, now()));
  count_totals();
}

// Of all hits that count. Their sum is checked.
void window_table::count_totals() {
  const detail::window_hits& form = pages_.form();
  totals_.assign(form.last_code + 1, 0);
  pages_.for_each([&](std::uint64_t, std::uint64_t epoch, std::span<const std::byte> hits) {
    for (const std::byte* at = hits.data(); at != hits.data() + hits.size();) {
      const auto h = form.read(at);
      if (!form.counts(form.back(h.code, epoch), now() - epoch)) break;
      expect(h.count <= none - total_);
      totals_[h.code] += h.count;
      total_ += h.count;
    }
  });
}

template class detail::stored<window_table>;

}  // namespace bloomtime
