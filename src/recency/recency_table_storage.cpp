#include <bloomtime/recency/recency_table.hpp>

#include <optional>
#include <span>
#include <utility>

#include <bloomtime/detail/storing.hpp>
#include <bloomtime/math/timing.hpp>

#include "math/whole.hpp"

namespace bloomtime {
namespace {

constexpr std::uint32_t blocks_section = 1;
constexpr std::uint32_t epochs_section = 2;
constexpr std::uint32_t stash_section = 3;
constexpr std::uint32_t arrivals_section = 4;
constexpr std::uint32_t audit_section = 5;

constexpr std::uint64_t none = ~std::uint64_t{0};

// Bits of the flags.
constexpr std::uint64_t refreshing = 1;
constexpr std::uint64_t started = 2;
constexpr std::uint64_t audited = 4;
constexpr std::uint64_t reserved = 8;
constexpr std::uint64_t forgetful = 16;

}  // namespace

void recency_table::write(detail::container_writer& out) const {
  expect_usable();
  const detail::print_blocks& blocks = table_.blocks();
  out.info().seed = seed_;
  if (timed()) out.info().clock = clock();
  auto& p = out.parameters();
  p.u64(window());
  p.u64(static_cast<std::uint64_t>(clock().resolution().count()));
  p.u64(items_);
  p.u64((refresh_ ? refreshing : 0) | (window_.started() ? started : 0) | (audit_ ? audited : 0) |
        (reserve_ ? reserved : 0) | (forget_oldest_ ? forgetful : 0));
  p.u64(window_.ahead().value_or(none));
  p.u64(limit_.value_or(none));
  p.u64(insertions());
  p.i64(window_.started() ? window_.now() : 0);
  p.u64(blocks.shape().homes);
  p.u64(blocks.shape().print_bits);
  p.u64(blocks.level());
  p.u64(blocks.split());
  p.u64(stamps().now());
  out.section(blocks_section, blocks.block_pieces());
  out.section(epochs_section, blocks.epoch_bytes());
  detail::byte_writer stash;
  table_.stash().write(stash);
  out.section(stash_section, std::move(stash).written());
  if (timed()) out.section(arrivals_section, window_.arrival_bytes());
  if (audit_) out.section(audit_section, audit_->encode());
}

recency_table recency_table::read(const detail::container_view& file) {
  recency_table t;
  t.seed_ = file.info().seed;
  const bool timed = file.info().clock.has_value();
  detail::byte_reader in = file.parameters();
  const std::uint64_t length = in.u64();
  const std::uint64_t tick = in.u64();
  expect(file.info().layout == 0);
  expect(length >= 1 && length <= math::most_recent_window && tick >= 1 && tick <= length &&
         (length - 1) / tick < 1024);
  t.items_ = in.u64();
  const std::uint64_t flags = in.u64();
  expect(flags < 32);
  t.refresh_ = (flags & refreshing) != 0;
  t.reserve_ = (flags & reserved) != 0;
  t.forget_oldest_ = (flags & forgetful) != 0;
  const std::uint64_t ahead = in.u64();
  const std::uint64_t limit = in.u64();
  if (limit != none) t.limit_ = limit;
  const std::uint64_t insertions = in.u64();
  const std::int64_t now = in.i64();
  file.expect_sections(std::size_t{3} + (timed ? 1 : 0) + ((flags & audited) != 0 ? 1 : 0));
  const std::uint64_t ticks = math::ratio_up(length, tick);
  const auto arrivals =
      timed ? file.section(arrivals_section, (ticks + 1) * 8) : std::span<const std::byte>();
  auto window = detail::recent_window::read(length, tick, timed,
                                            ahead != none ? std::optional(ahead) : std::nullopt,
                                            {(flags & started) != 0, now, insertions}, arrivals);
  expect(window.has_value());
  t.window_ = *std::move(window);
  expect(!timed || *file.info().clock == t.clock());
  t.read_table(in, file);
  in.expect_end();
  expect(insertions != 0 || t.stamps().alive() == 0);
  if ((flags & audited) != 0) {
    t.audit_ = audit::decode(file.section(audit_section));
    expect(t.audit_->config().window == t.window() + (timed ? 1 : 0));
  }
  t.set_limits();
  return t;
}

void recency_table::read_table(detail::byte_reader& in, const detail::container_view& file) {
  detail::print_stamps stamps(ticks());
  const std::uint64_t homes = in.u64();
  const std::uint64_t print_bits = in.u64();
  const std::uint64_t level = in.u64();
  const std::uint64_t split = in.u64();
  const std::uint64_t now = in.u64();
  expect(print_bits <= 64 && level <= detail::print_blocks::most_levels);
  expect(now <= detail::print_stamps::most_ticks);
  const detail::print_shape shape{homes, static_cast<unsigned>(print_bits), stamps.bits(),
                                  stamps.mark_bits()};
  try {
    check(shape);
  } catch (const error&) {
    contradict();
  }
  stamps.set_now(now);
  auto blocks =
      detail::print_blocks::read(shape, static_cast<unsigned>(level), split,
                                 file.section(blocks_section), file.section(epochs_section));
  // Late sightings may be from before the first tick, number 0.
  const auto is_past = [&](std::uint64_t, std::uint64_t t) { return t <= now || 0 - t <= ticks(); };
  auto stash = detail::side_table::read(file.section(stash_section), homes << print_bits, is_past);
  table_ = table::read(std::move(blocks), std::move(stamps), std::move(stash));
  count_prints();
}

// Also checks every block.
void recency_table::count_prints() {
  detail::print_stamps& stamps = table_.payload();
  const auto expect_past = [&](std::uint64_t code, std::uint64_t epoch) {
    expect(stamps.age(code, epoch) >= 0);
  };
  table_.blocks().for_each([&](const detail::print_blocks::spot& s, const detail::print&) {
    const detail::print_block block = table_.blocks().block(s);
    expect(block.count() <= block.form().slots && *s.epoch <= stamps.now());
    const std::uint32_t mark = block.mark();
    const std::uint64_t coded = std::uint64_t{1} << stamps.bits();
    expect(mark == 0 || mark >= coded);
    if (mark != 0) expect_past(mark - coded, *s.epoch);
  });
  // Marks lead to what is alive in the stash.
  table_.stash().for_each([&](std::uint64_t key, std::uint64_t tick) {
    const detail::print p = table_.print_of_key(key);
    expect(table_.stash_key(p) == key);
    if (!stamps.from_stash(tick)) return;
    expect(table_.marked(p) && table_.marked(table_.blocks().other(p)));
  });
  table_.for_each([&](const detail::print&, std::uint64_t code, std::uint64_t epoch) {
    expect_past(code, epoch);
    if (stamps.age(code, epoch) <= std::int64_t{ticks()}) stamps.add(code);
  });
}

template class detail::stored<recency_table>;

}  // namespace bloomtime
