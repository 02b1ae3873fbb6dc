#include <bloomtime/heat/heat_table.hpp>

#include <optional>
#include <utility>

#include <bloomtime/detail/storing.hpp>

#include "heat/forward.hpp"

namespace bloomtime {
namespace {

constexpr std::uint32_t blocks_section = 1;
constexpr std::uint32_t epochs_section = 2;
constexpr std::uint32_t stash_section = 3;
constexpr std::uint32_t large_section = 4;

constexpr std::uint64_t none = ~std::uint64_t{0};
constexpr std::uint64_t reserved = 1;  // a bit of the flags

using detail::print_weights;

}  // namespace

void heat_table::write(detail::container_writer& out) const {
  expect_cells();
  const detail::print_blocks& blocks = table_.blocks();
  out.info().seed = seed_;
  out.info().clock = clock_;
  auto& p = out.parameters();
  p.u64(decay_.coarse_rate());
  p.u64(decay_.fine_rate());
  p.u64(ahead_);
  p.u64(events_);
  p.i64(events_ == 0 ? 0 : tick_);  // a first event that was refused left its tick behind
  for (const unsigned_wide units : {mass_, rounded_up_, forgotten_}) forward::write(p, units);
  p.u64(items_);
  p.u64(reserve_ ? reserved : 0);
  p.u64(limit_.value_or(none));
  p.u64(blocks.shape().homes);
  p.u64(blocks.shape().print_bits);
  p.u64(blocks.level());
  p.u64(blocks.split());
  p.u64(weights().now());
  p.u64(floors_until_);
  out.section(blocks_section, blocks.block_pieces());
  out.section(epochs_section, blocks.epoch_bytes());
  out.section(stash_section, table_.stash().written());
  out.section(large_section, weights().large().written());
}

heat_table heat_table::read(const detail::container_view& view) {
  view.expect_sections(4);
  heat_table t;
  expect(view.info().layout == 0 && view.info().clock.has_value());
  t.seed_ = view.info().seed;
  t.clock_ = *view.info().clock;
  detail::byte_reader in = view.parameters();
  const std::uint64_t coarse = in.u64();
  t.decay_ = forward::stored_decay(coarse, in.u64());
  t.ahead_ = in.u64();
  t.events_ = in.u64();
  t.tick_ = in.i64();
  for (unsigned_wide* units : {&t.mass_, &t.rounded_up_, &t.forgotten_}) {
    *units = forward::read_wide(in);
  }
  t.items_ = in.u64();
  const std::uint64_t flags = in.u64();
  expect(flags <= reserved);
  t.reserve_ = flags != 0;
  const std::uint64_t limit = in.u64();
  if (limit != none) t.limit_ = limit;
  t.read_table(in, view);
  in.expect_end();
  if (t.events_ == 0) {
    expect(t.tick_ == 0 && t.mass_ == 0 && t.rounded_up_ == 0 && t.forgotten_ == 0 &&
           t.prints() == 0 && t.weights().now() == 0 && t.floors_until_ == 0);
  } else {
    t.set_tick(t.tick_, t.decay_.at(t.tick_));
  }
  t.set_limits();
  return t;
}

void heat_table::read_table(detail::byte_reader& in, const detail::container_view& view) {
  const std::uint64_t homes = in.u64();
  const std::uint64_t print_bits = in.u64();
  const std::uint64_t level = in.u64();
  const std::uint64_t split = in.u64();
  const std::uint64_t now = in.u64();
  floors_until_ = in.u64();
  expect(print_bits <= 64 && level <= detail::print_blocks::most_levels);
  expect(now <= print_weights::most_halvings && floors_until_ <= 2 * print_weights::most_halvings);
  const detail::print_shape shape{homes, static_cast<unsigned>(print_bits), print_weights::bits,
                                  print_weights::mark_bits};
  try {
    check(shape);
  } catch (const error&) {
    contradict();
  }
  auto blocks =
      detail::print_blocks::read(shape, static_cast<unsigned>(level), split,
                                 view.section(blocks_section), view.section(epochs_section));
  const std::uint64_t keys = homes << print_bits;
  auto stash = detail::side_table::read(
      view.section(stash_section), keys, [](std::uint64_t, std::uint64_t payload) {
        return payload != 0 && payload <= print_weights::elsewhere;
      });
  print_weights weights;
  weights.set_now(now);
  weights.set_large(detail::side_table::read(
      view.section(large_section), keys,
      [](std::uint64_t, std::uint64_t count) { return count >= print_weights::elsewhere; }));
  table_ = table::read(std::move(blocks), std::move(weights), std::move(stash));
  check_blocks();
}

// Also counts the prints.
void heat_table::check_blocks() {
  print_weights& weights = table_.payload();
  table_.blocks().for_each([&](const detail::print_blocks::spot& s, const detail::print&) {
    const detail::print_block block = table_.blocks().block(s);
    expect(block.count() <= block.form().slots && *s.epoch <= weights.now());
    expect(has_floors() || print_weights::floor_of(block.mark(), weights.now() - *s.epoch) == 0);
  });
  // Marks lead to the stash for as long as an entry lives. They need not lead to the unit that a
  // large count leaves where it is dropped.
  table_.stash().for_each([&](std::uint64_t key, std::uint64_t payload) {
    const detail::print p = table_.print_of_key(key);
    expect(table_.stash_key(p) == key);
    const std::uint64_t* const large = weights.find_large(key);
    const std::uint64_t count =
        payload == print_weights::elsewhere && large != nullptr ? *large : payload;
    for (const detail::print& place : {p, table_.blocks().other(p)}) {
      const auto [mark, epoch] = table_.mark_of(place);
      expect(count == 1 || weights.life_left(mark, epoch) >= print_weights::life_of(count));
    }
  });
  std::uint64_t large = 0;
  table_.for_each([&](const detail::print& p, std::uint64_t payload, std::uint64_t) {
    weights.add_print();
    expect(payload != 0);
    if (payload != print_weights::elsewhere) return;
    ++large;
    expect(weights.find_large(table_.key_of(p)) != nullptr);
  });
  expect(large == weights.large().size());
}

template class detail::stored<heat_table>;

}  // namespace bloomtime
